"""From sources of runs and of judgments to buckets of requests on disk: `partition`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.connect.engines.parts.buckets import NO_JUDGMENTS, RUN, Buckets
from lexiframe.connect.engines.parts.jobs import (
    QRELS,
    RUNS,
    Job,
    Written,
    job_folder,
    share_of,
    spill_all,
)
from lexiframe.core.base import __version__, coded, progress_bars
from lexiframe.core.evaluation.buckets.sizes import n_rows, room_in
from lexiframe.core.io import (
    File,
    batches,
    data_sources,
    doubts,
    one_run,
    qrel_files,
    reading_options,
    run_scan,
    warn_of_wider_lines,
)

_LEAST, _MOST = 1 << 20, 1 << 27  # bytes that a thread holds before it writes them
_OPTIONS = reading_options.TextOptions()  # files of judgments have options of their own


def partition(
    sources: batches.Sources,
    folder: str | Path,
    *,
    n_buckets: int,
    memory: int,
    rank: bool = False,
    resume: bool = False,
    is_kept: bool = True,
) -> Buckets:
    """Divide runs and judgments by request into buckets on disk, in bounded memory.

    Parquet and Arrow files, PyArrow data sets, folders with partitions (``run=bm25/``), Polars'
    LazyFrames, DuckDB's relations and readers of record batches are read in batches, large text in
    pieces. `bucket_of` its id is a request's bucket. ``memory`` is in bytes; ``rank`` keeps ranks;
    ``resume`` keeps the finished units of an earlier call, which are removed otherwise;
    ``is_kept``: the folder stays after an error. Raise if the folder cannot be written to, its disk
    is full, it holds other files or another job, and if a file changed since an earlier call.
    """
    scan, runs, qrels = sources.scan, sources.runs, sources.qrels
    workers = max(min(os.cpu_count() or 1, 4, sum(not unit.alone for unit in runs)), 1)
    plan = {
        "lexiframe": __version__,
        "buckets": n_buckets,
        "rank": rank,
        "runs": [unit.where for unit in runs],
        "qrels": [unit.where for unit in qrels],
        "options": [scan.name_from, scan.options.changed()],
    }
    place = job_folder(folder, json.loads(json.dumps(plan, default=str)), resume=resume)
    room = room_in(memory) // workers
    held = min(max(room // 12, _LEAST), _MOST)
    job = Job(place, n_buckets, share_of(room, rank=rank), held, is_kept)
    with progress_bars.counted(n_rows([*runs, *qrels]), "reading runs and judgments") as count:
        facts = {
            QRELS: spill_all(job, QRELS, qrels, _spill_judgments, 1, count),
            RUNS: spill_all(job, RUNS, runs, partial(_spill_runs, scan=scan), workers, count),
        }
    _warn(facts, is_ranked=rank)
    return _buckets(job, sources, facts)


def _spill_runs(unit: batches.Unit, written: Written, scan: run_scan.RunScan) -> None:
    wider, ranked = 0, written.job.share.rank
    against: dict[str, doubts.Against] = {}
    for parts in batches.parts_of_unit(unit, scan, written.job.share):
        one_run.refuse_replicates(parts)
        for part in parts:
            written.names.setdefault(part.name, len(written.names))
            wider += part.n_wider
            if part.against.of:
                against[part.name] = against.get(part.name, doubts.Against()) + part.against
            ranked = ranked and "rank" in part.rows.columns
        for part in parts:
            rows = _stored(part, rank=written.job.share.rank)
            if len(written.names) > 1:
                rows = rows.with_columns(pl.lit(written.names[part.name], pl.Int32).alias(RUN))
            if rows.height:
                written.add(rows)
    told = {name: astuple(of_run) for name, of_run in against.items()}
    written.facts |= {"wider": wider, "ranked": ranked, "against": told}


def _stored(part: one_run.RunPart, *, rank: bool) -> pl.DataFrame:
    """Return the rows of a run to write: ids are text, or integers of 64 bits."""
    there = [*["rank"] * rank, batches.DIGITS]
    columns = ["query_id", "doc_id", "score", *(n for n in there if n in part.rows.columns)]
    rows = _plain_ids(part.rows.select(columns)).with_columns(pl.col("score").cast(pl.Float64))
    if not part.empty:
        return rows
    rows = rows.with_columns(pl.col("query_id").cast(pl.String))
    empty = pl.DataFrame({"query_id": part.empty}, schema={"query_id": pl.String()})
    return pl.concat([rows, empty], how="diagonal")


def _plain_ids(rows: pl.DataFrame) -> pl.DataFrame:
    ids = [name for name in ("query_id", "doc_id") if rows.schema[name].is_integer()]
    return coded.as_strings(rows).with_columns(pl.col(ids).cast(pl.Int64))


def _spill_judgments(unit: batches.Unit, written: Written) -> None:
    implicit: list[int] = []
    for table in batches.judgments_of_unit(unit, _OPTIONS, written.job.share, implicit.append):
        rows = table if "iteration" in table.columns else table.with_columns(iteration=pl.lit("0"))
        rows = rows.select(NO_JUDGMENTS.columns)
        if rows.height:
            written.add(_plain_ids(rows).with_columns(pl.col("relevance").cast(pl.Float64)))
    written.facts["implicit"] = sum(implicit)


def _warn(facts: Mapping[str, Sequence[Mapping[str, Any]]], *, is_ranked: bool) -> None:
    """Warn of the findings in the units; runs that are stored with ranks are compared later."""
    implicit = sum(unit["implicit"] for unit in facts[QRELS])
    if implicit:
        qrel_files.warn_of_implicit_feedback(str(facts[QRELS][0]["where"]), implicit)
    warn_of_wider_lines({unit["where"]: unit["wider"] for unit in facts[RUNS]})
    against: dict[str, doubts.Against] = {}
    for unit in () if is_ranked else facts[RUNS]:
        for name, told in unit["against"].items():
            against[name] = against.get(name, doubts.Against()) + doubts.Against(*told)
    doubts.warn_of_scores_against_ranks(against)


def _buckets(job: Job, sources: batches.Sources, facts: dict[str, list[dict[str, Any]]]) -> Buckets:
    scan, runs, judged = sources.scan, sources.runs, sources.qrels
    named: dict[int, dict[str, str]] = {number: {} for number in range(len(scan))}
    hashes: dict[int, str] = {}
    for unit, known in zip(runs, facts[RUNS], strict=True):
        named[unit.source] |= dict.fromkeys(known["names"], unit.where)
        if scan.sources[unit.source].origin is unit.origin and isinstance(unit.origin, File):
            hashes[unit.source] = known["sha256"]
    pairs = [pair for names in named.values() for pair in names.items()]
    data_sources.refuse_twins(pairs)
    read = [run_scan.SourceRead([*names], hashes.get(n)) for n, names in named.items()]
    files = scan.provenance(read) + [
        {"run": name, "path": unit.path, "sha256": known["sha256"]}
        for unit, known in zip(runs, facts[RUNS], strict=True)
        if unit.path is not None and not isinstance(unit.origin, File)
        for name in known["names"]
    ]
    judged_sources = [
        {"path": unit.path, "sha256": known["sha256"]}
        for unit, known in zip(judged, facts[QRELS], strict=True)
        if unit.path is not None
    ]
    sizes = np.asarray([unit["rows"] for unit in facts[RUNS]], np.int64).sum(axis=0)
    names = tuple(sorted(name for name, _ in pairs))
    return Buckets(job.folder, names, {"runs": files, "qrels": judged_sources}, sizes, facts)
