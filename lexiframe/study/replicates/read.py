"""Scores with replicates as arrays: `replicated`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, coded, schemas, to_polars
from lexiframe.core.pairwise import PairCube


@dataclass(frozen=True)
class Replicated:
    """The scores of one measure: a row for each run, request and replicate that is there.

    ``run``, ``request`` and ``replicate`` are numbers into ``runs``, ``queries`` and ``names``.
    """

    measure: str
    runs: pl.Series
    queries: pl.Series
    names: pl.Series
    run: np.ndarray
    request: np.ndarray
    replicate: np.ndarray
    values: np.ndarray

    @property
    def array(self) -> np.ndarray | None:
        """The scores as runs × requests × replicates; None where some cells lack replicates.

        Replicates that belong to a run, a request or a cell may have different names in each: they
        are taken in the order of their names.
        """
        cells = len(self.runs) * len(self.queries)
        cell = self.run * len(self.queries) + self.request
        counts = np.bincount(cell, minlength=cells)
        if counts.min() != counts.max():
            return None
        order = np.lexsort((self.replicate, cell))
        return self.values[order].reshape(len(self.runs), len(self.queries), -1)


def replicated(called: str, s: Any) -> Iterator[Replicated]:
    """Yield the scores of each measure; raise unless they are a table of scores with replicates."""
    if isinstance(s, PairCube):  # of an evaluation, whose scores with replicates are a table
        raise LexiframeError(
            f"{called}: expected replicates, which seeds, folds or samples make of a run, found "
            f"single runs ({', '.join(s.runs[:3])}); give each run all of its files, or leave "
            "replicates out"
        )
    table = to_polars(s)
    if "replicate" not in table.columns:
        raise SchemaError(
            f"{called}: expected the column replicate, which names the seed, fold or sample of "
            f"a run, found {', '.join(table.columns)}; name it replicate"
        )
    checked = schemas.check(table, schemas.REPLICATED_SCORES)
    key = schemas.REPLICATED_SCORES.key
    twice = checked.filter(checked.select(key).is_duplicated())
    if twice.height:
        first = ", ".join(map(str, twice.select(key).row(0)))
        raise SchemaError(
            f"{called}: expected one score for each {', '.join(key)}, found {twice.height:,} rows "
            f"that share theirs (the first: {first}); leave the repeated rows out"
        )
    bad = checked.filter(~pl.col("value").is_finite().fill_null(False))
    if bad.height:
        first = ", ".join(map(str, bad.select(key).row(0)))
        raise LexiframeError(
            f"{called}: expected finite scores, found {bad.height:,} others (the first: {first}); "
            "leave the rows out: missing replicates are allowed"
        )
    if not checked.height:
        raise LexiframeError(f"{called}: expected scores, found none")
    for (measure,), rows in sorted(checked.group_by("measure"), key=lambda one: str(one[0][0])):
        codes = [coded.encode(rows[name]) for name in ("run", "query_id", "replicate")]
        (runs, run), (queries, query), (names, replicate) = codes
        values = rows["value"].to_numpy()
        yield Replicated(str(measure), runs, queries, names, run, query, replicate, values)
