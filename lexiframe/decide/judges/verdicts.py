"""The verdict of each judge on each request and pair of runs: -1, 0 or 1, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded

_VALUE = {"a": 1.0, "tie": 0.0, "b": -1.0}


@dataclass(frozen=True)
class Verdicts:
    """One row a judge and unit (request and pair): ``said`` is 0, 1, 2 for -1, 0, 1.

    Several judgments of a unit by the same judge are one verdict, by the sign of their sum.
    ``request``, ``run_a`` and ``run_b`` are numbers, too.
    """

    judges: pl.Series
    queries: pl.Series
    judge: np.ndarray
    unit: np.ndarray
    said: np.ndarray
    request: np.ndarray
    run_a: np.ndarray
    run_b: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many judges give each verdict on each unit: units × 3."""
        n = int(self.unit.max()) + 1
        return np.bincount(self.unit * 3 + self.said, minlength=n * 3).reshape(n, 3)


def verdicts_of(function: str, judgments: pl.DataFrame) -> Verdicts:
    """Return the verdicts of the judges who are named, at least two."""
    named = judgments.filter(pl.col("judge").is_not_null())
    judges, judge = coded.encode(named["judge"])
    if len(judges) < 2:
        found = f"{judges[0]!r} alone" if len(judges) else "none with a name"
        raise LexiframeError(f"{function}: expected at least two judges, found {found}")
    queries, request = coded.encode(named["query_id"])
    runs, run = coded.encode(pl.concat([named["run_a"], named["run_b"]]))
    a, b = run[: len(judge)], run[len(judge) :]
    key, unit = np.unique((request * len(runs) + a) * len(runs) + b, return_inverse=True)
    _, first, row = np.unique(judge * len(key) + unit, return_index=True, return_inverse=True)
    value = named["winner"].replace_strict(_VALUE, return_dtype=pl.Float64).to_numpy()
    said = np.sign(np.bincount(row, value)).astype(np.int64) + 1
    of = (x[first] for x in (request, a, b))
    return Verdicts(judges, queries, judge[first], unit[first], said, *of)
