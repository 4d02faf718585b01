"""What each judge says of each request and pair of runs: -1, 0 or 1, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, coded

_UNIT = ["query_id", "run_a", "run_b"]


@dataclass(frozen=True)
class Verdicts:
    """One row a judge and unit (request and pair): ``said`` is 0, 1, 2 for -1, 0, 1.

    Several judgments of a unit by the same judge are one verdict, by the sign of their sum.
    ``request`` numbers the requests of ``queries`` for each row.
    """

    judges: pl.Series
    queries: pl.Series
    judge: np.ndarray
    unit: np.ndarray
    said: np.ndarray
    request: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many judges say what of each unit: units × 3."""
        n = int(self.unit.max()) + 1
        return np.bincount(self.unit * 3 + self.said, minlength=n * 3).reshape(n, 3)


def verdicts_of(function: str, judgments: pl.DataFrame) -> Verdicts:
    """Return the verdicts of the judges who are named, at least two.

    Examples
    --------
    >>> rows = [("1", "x", "y", "a", "ann"), ("1", "x", "y", "tie", "ann"),
    ...         ("1", "x", "y", "b", "bob")]
    >>> names = ["query_id", "run_a", "run_b", "winner", "judge"]
    >>> verdicts_of("f", pl.DataFrame(rows, schema=names, orient="row")).said.tolist()
    [2, 0]
    """
    value = pl.col("winner").replace_strict({"a": 1, "tie": 0, "b": -1}, return_dtype=pl.Int64)
    named = judgments.filter(pl.col("judge").is_not_null())
    rows = named.group_by("judge", *_UNIT).agg(said=value.sum().sign() + 1)
    judges, judge = coded.encode(rows["judge"])
    if len(judges) < 2:
        found = f"{judges[0]!r} alone" if len(judges) else "none with a name"
        raise LexiframeError(f"{function}: expected at least two judges, found {found}")
    queries, request = coded.encode(rows["query_id"])
    unit = rows.select(pl.struct(_UNIT).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    said = rows["said"].to_numpy().astype(np.int64)
    order = np.lexsort((unit, judge))
    return Verdicts(judges, queries, judge[order], unit[order], said[order], request[order])
