"""Short texts that show whether runs, or the judgments of requests, have changed.

They are the same on every machine, in every process and with every version of Polars.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, hashing, in_threads, schemas
from lexiframe.core.io import File, one_run, run_scan
from lexiframe.core.pairwise.preference import Measure
from lexiframe.core.pairwise.preference_entries import parse_measure
from lexiframe.core.projection import Policies, RankedRuns, judgments

_SCHEMA: dict[str, pl.DataType] = dict.fromkeys(("kind", "name", "fingerprint"), schemas.STR)
TABLE = schemas.TableSchema("fingerprints", ("kind", "name"), _SCHEMA)
NO_FINGERPRINTS = pl.DataFrame(schema=_SCHEMA)


def fingerprint_of(runs: run_scan.RunScan, policies: Policies) -> Callable[[one_run.RunPart], str]:
    """Return the function from a run that was read to its fingerprint.

    For a run from a file it is the sha256 of the file, with the options of reading it; for any
    other run a hash of its rows, whose order counts only if it breaks ties.
    """
    is_ordered = policies.ties == "input"

    def fingerprint(part: one_run.RunPart) -> str:
        if part.sha256 is not None:
            return mark_of_file(part.sha256, runs)
        return f"rows:{_hash_of_rows(part, is_ordered=is_ordered):016x}"

    return fingerprint


def mark_of_file(sha256: str, runs: run_scan.RunScan) -> str:
    """Return the fingerprint of the runs in a file that is read as a scan says."""
    readings = {*((name, str(options.changed())) for name, options in runs.readings)}
    options = sorted(readings) or [(runs.name_from, str(runs.options.changed()))]
    return f"file:{sha256}" + ("" if options == [("file", "{}")] else json.dumps(options))


def unchanged_files(scan: run_scan.RunScan, known: Mapping[str, str]) -> list[int]:
    """Return the indices of files whose run has a known fingerprint.

    The files are hashed, not read further.
    """

    def is_same(index: int) -> bool:
        source = scan.sources[index]
        mark = known.get(str(source.name), "")
        if not isinstance(source.origin, File) or not mark.startswith("file:"):
            return False
        return mark == mark_of_file(source.origin.facts()["sha256"], scan.only([index]))

    same = in_threads(is_same, range(len(scan)), "hashing runs")
    return [index for index, is_known in enumerate(same) if is_known]


def _hash_of_rows(part: one_run.RunPart, *, is_ordered: bool) -> int:
    rows, empty = part.rows, pl.Series(part.empty, dtype=pl.String)
    of_empty = hashing.mixed(hashing.hashes_of(empty)).sum(dtype=np.uint64)
    if rows.is_empty():
        return int(of_empty)
    names = [name for name in ("query_id", "doc_id", "score", "rank") if name in rows.columns]
    columns: list[pl.Series | np.ndarray] = [rows[name] for name in names]
    if is_ordered:
        columns.append(np.arange(rows.height, dtype=np.uint64))
    return (hashing.sum_of_rows(columns) + int(of_empty)) % 2**64


def fingerprints(ranked: RankedRuns, measures: Iterable[Measure]) -> pl.DataFrame:
    """Return the table of fingerprints of measures, runs, and the judgments of requests.

    A user's own measures are left out: their functions may change while their name does not.
    """
    built_in = {"kind": "measure", "name": [str(m) for m in measures if is_built_in(m)]}
    of_measures = pl.DataFrame({**built_in, "fingerprint": "built-in"}, _SCHEMA).sort("name")
    runs = {"kind": "run", "name": ranked.fingerprints.keys()}
    of_runs = pl.DataFrame({**runs, "fingerprint": ranked.fingerprints.values()}, _SCHEMA)
    return pl.concat([of_measures, of_runs.sort("name"), fingerprints_of_requests(ranked.judged)])


def fingerprints_of_requests(judged: judgments.JudgedItems) -> pl.DataFrame:
    """Return the rows of the table of fingerprints that are about the judgments of requests."""
    names = judged.queries.cast(pl.String)
    marks = pl.Series(judged.hashes).cast(pl.String)
    return pl.DataFrame({"kind": "request", "name": names, "fingerprint": marks}, _SCHEMA)


def is_built_in(measure: Measure) -> bool:
    """Return whether a measure is the one that its notation stands for."""
    try:
        return bool(parse_measure(str(measure)) == measure)
    except LexiframeError:
        return False
