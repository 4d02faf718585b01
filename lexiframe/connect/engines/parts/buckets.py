"""Runs and judgments on disk, divided into buckets of requests that are read one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.connect.engines.parts.jobs import QRELS, RUNS
from lexiframe.connect.engines.parts.spill import read_bucket
from lexiframe.core.io import batches, column_forms, run_tables

RUN = "run"
"""The column of the numbers of runs, where a file of buckets has several."""


@dataclass(frozen=True)
class Buckets:
    """Runs and judgments on disk, divided by request; `partition` makes them.

    Attributes
    ----------
    folder
        Where they are.
    names
        The names of all runs, sorted; also of runs without rows.
    sources
        The files of ``runs``, as `RunScan.provenance` returns them, and those of ``qrels``: path,
        sha256.
    sizes
        The number of rows of runs in each bucket.
    """

    folder: Path
    names: tuple[str, ...]
    sources: Mapping[str, list[dict[str, Any]]]
    sizes: np.ndarray
    facts: Mapping[str, Sequence[Mapping[str, Any]]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    def runs(self, bucket: int) -> dict[str, pl.DataFrame]:
        """Return the rows of a bucket by run.

        Each frame has the columns ``query_id``, ``doc_id``, ``score`` and perhaps ``rank``, in the
        order of the run's file. Ids are integers if they were read as integers. An empty list is
        one row without document and score.
        """
        found: dict[str, list[pl.DataFrame]] = {name: [] for name in self.names}
        ranked = dict.fromkeys(self.names, True)
        for unit in self.facts[RUNS]:
            ranked |= {name: ranked[name] and unit["ranked"] for name in unit["names"]}
            for rows in self._rows(RUNS, unit, bucket):
                for run, part in _split(rows, unit["names"]):
                    found[run].append(part)
        joined = {
            name: _join_frames(parts, _NO_RANKED_ROWS if ranked[name] else _NO_ROWS)
            for name, parts in found.items()
        }
        for name, rows in joined.items():
            _refuse_lost_digits(found[name], self._where(name))
            if rows["doc_id"].has_nulls():
                run_tables.refuse_padding(rows, rows["doc_id"].is_null(), self._where(name))
        return joined

    def _where(self, run: str) -> str:
        """Return a run's name for error messages: its file, or its name if it has several."""
        places = [str(unit["where"]) for unit in self.facts[RUNS] if run in unit["names"]]
        return places[0] if len(places) == 1 else f"run {run!r}"

    def qrels(self, bucket: int) -> pl.DataFrame:
        """Return the judgments of a bucket: ``query_id, iteration, doc_id, relevance``."""
        units = self.facts[QRELS]
        parts = [rows for unit in units for rows in self._rows(QRELS, unit, bucket)]
        return _join_frames(parts, NO_JUDGMENTS)

    def judged(self) -> pl.Series:
        """Return the judged requests of all buckets, sorted."""
        found = [self.qrels(n)["query_id"].unique().cast(pl.String) for n in range(len(self))]
        return pl.concat(found).unique().sort()

    def _rows(self, what: str, unit: Mapping[str, Any], bucket: int) -> Iterator[pl.DataFrame]:
        """Yield the rows of a bucket from each file of a unit."""
        if unit["rows"][bucket]:
            for name, checks in zip(unit["files"], unit["checks"], strict=True):
                yield read_bucket(self.folder / what / name, bucket, checks)

    def some_queries(self) -> tuple[list[str], pl.Series]:
        """Return some queries of the runs, and some judged ones."""
        first = range(len(self))[:3]
        frames = [frame["query_id"].head(3) for n in first for frame in self.runs(n).values()]
        answered = {str(query) for queries in frames for query in queries}
        judged = [self.qrels(number)["query_id"].cast(pl.String) for number in first]
        return sorted(answered), pl.concat(judged).unique().sort()


_NO_ROWS = pl.DataFrame(
    schema={"query_id": pl.String(), "doc_id": pl.String(), "score": pl.Float64()}
)
_NO_RANKED_ROWS = _NO_ROWS.with_columns(rank=pl.lit(None, pl.Int64))
NO_JUDGMENTS = pl.DataFrame(
    schema={
        "query_id": pl.String(),
        "iteration": pl.String(),
        "doc_id": pl.String(),
        "relevance": pl.Float64(),
    }
)


def _split(rows: pl.DataFrame, names: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Divide the rows of a bucket by run."""
    if RUN not in rows.columns:
        yield names[0], rows
        return
    for (code,), part in rows.partition_by(RUN, as_dict=True, include_key=False).items():
        yield names[int(str(code))], part


def _refuse_lost_digits(parts: list[pl.DataFrame], where: str) -> None:
    """Raise for large numbers of a request, perhaps of several batches, that became equal."""
    written = [
        part.select(pl.col("query_id").cast(pl.String), score=batches.DIGITS)
        for part in parts
        if batches.DIGITS in part.columns
    ]
    if written:
        column_forms.refuse_lost_digits(pl.concat(written), where)


def _join_frames(parts: list[pl.DataFrame], nothing: pl.DataFrame) -> pl.DataFrame:
    """Join frames that have the columns of ``nothing``; ids of several types become text."""
    parts = [part.select(nothing.columns) for part in parts if part.height]
    if not parts:
        return nothing
    mixed = [n for n in nothing.columns if len({part.schema[n] for part in parts}) > 1]
    return pl.concat([part.cast(dict.fromkeys(mixed, pl.String())) for part in parts])
