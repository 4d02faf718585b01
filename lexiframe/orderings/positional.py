"""Borda's points, majorities, and the cycles that Copeland's ordering meets."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.layouts.arrays import Pairs
from lexiframe.layouts.cube import PairsLike, pair_cube
from lexiframe.layouts.groups import By, by_groups
from lexiframe.metrics.ties import TIE
from lexiframe.orderings.markov import strong_components
from lexiframe.orderings.ranking import mid_ranks
from lexiframe.schemas import CYCLES
from lexiframe.typing import RequestsLike


def borda(request_values: np.ndarray, rounding: np.ndarray | float = TIE) -> np.ndarray:
    """S − mid-rank in each request, from requests × runs: 0 (last) to S − 1 (first).

    Values that differ by no more than ``rounding`` are equal.

    Examples
    --------
    >>> borda(np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 0.0]])).tolist()
    [[2.0, 1.0, 0.0], [1.5, 1.5, 0.0]]
    """
    return np.asarray(request_values.shape[1] - mid_ranks(request_values, rounding))


def majorities(pairs: Pairs) -> np.ndarray:
    """1 where more requests prefer the row's run to the column's, −1 where fewer, 0 otherwise."""
    return pairs.square(np.sign(pairs.lead))


@by_groups
def majority_cycles(
    d: PairsLike, /, *, requests: RequestsLike = None, by: By = None
) -> pl.DataFrame:
    """List the runs that majorities of the requests put into a cycle: a over b over c over a.

    Parameters
    ----------
    d
        The table of `preferences` or `scores`.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: the table is
        made within each group, and the attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, cycle, run``, sorted by it: the runs of each cycle (strongly connected by
        majorities), the cycles of a measure numbered from 1. Without cycles it is empty.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": "q1", "run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"],
    ...                   "measure": "mine", "preference": [1.0, -1.0, 1.0]})
    >>> lf.majority_cycles(d)["run"].to_list()
    ['a', 'b', 'c']
    """
    rows = []
    for measure, pairs in pair_cube(d):
        component = strong_components(majorities(pairs) > 0)
        sizes = np.bincount(component)
        cyclic = [c for c in dict.fromkeys(component) if sizes[c] > 1]
        rows += [
            (measure, number, pairs.runs[int(run)])
            for number, c in enumerate(cyclic, start=1)
            for run in np.flatnonzero(component == c)
        ]
    return pl.DataFrame(rows, schema=CYCLES.columns, orient="row")
