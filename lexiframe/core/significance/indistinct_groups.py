"""Groups of runs without a significant difference between any two, in an order of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError

_OF_MEANS = pl.col("test").str.contains(r"^(t|bootstrap)(\(|$)")
_LEAST_N = pl.when(_OF_MEANS).then(pl.min_horizontal("^(n|n_effective)$")).otherwise("n")
ARE_ENOUGH = _LEAST_N > 1.999999
"""Whether requests can tell something: at least two, or n* from 2 where t is by weight."""
# A test of one's own may return no p-value.
IS_TESTED = ARE_ENOUGH & pl.col("reject").is_not_null()
"""Whether a row of comparisons says something: one request says nothing about others."""


class Alike(NamedTuple):
    """Groups of runs that do not differ significantly, and how many such pairs have no group.

    ``groups`` has a row for each group: the places of its ``first`` and its ``last`` run.
    """

    groups: pl.DataFrame
    n_without: int


def groups_not_told_apart(c: pl.DataFrame, order: Sequence[str]) -> Alike:
    """Find the largest groups of adjacent runs without a significant difference between any two.

    ``c`` has one measure, test and correction, ``order`` all its runs, the best first; a pair that
    was not compared is an error. ``groups`` has the places, from 1, of the ``first`` and the
    ``last`` run of groups of two or more; they may overlap, but none lies within another.
    ``n_without`` counts pairs without a significant difference that no group has, as a run between
    them differs from one of the two, or from another run between them.
    """
    alike = _undistinguished(c.filter(pl.col("reject").is_not_null()), order)
    n = len(order)
    later = np.triu(np.ones((n, n), bool), k=1)
    # The first later run that each run is told apart from; a group ends before that of any of its
    # runs.
    apart = np.append(later & ~alike, np.ones((n, 1), bool), axis=1).argmax(axis=1)
    last = np.minimum.accumulate(apart[::-1])[::-1] - 1
    is_new = np.diff(last, prepend=-1) > 0
    first = np.flatnonzero(is_new & (last > np.arange(n)))
    groups = pl.DataFrame({"first": first + 1, "last": last[first] + 1}, schema=_GROUPS)
    in_group = np.arange(n)[None, :] <= last[:, None]
    return Alike(groups, int((later & alike & ~in_group).sum()))


_GROUPS = {"first": pl.Int64, "last": pl.Int64}


def _undistinguished(c: pl.DataFrame, order: Sequence[str]) -> np.ndarray:
    """Return for every two runs whether the test leaves them undistinguished: runs × runs."""
    place = {run: at for at, run in enumerate(order)}
    a, b = (
        c[end].replace_strict(place, return_dtype=pl.Int64).to_numpy() for end in ("run_a", "run_b")
    )
    known, alike = np.eye(len(order), dtype=bool), np.eye(len(order), dtype=bool)
    for i, j in ((a, b), (b, a)):
        known[i, j] = True
        alike[i, j] = ~c["reject"].to_numpy()
    if not known.all():
        first, second = (order[int(at)] for at in np.argwhere(~known)[0])
        raise LexiframeError(
            f"groups of runs: expected comparisons of all pairs, found none of {first!r} and "
            f"{second!r}; compare without a baseline, and runs that share requests"
        )
    return alike
