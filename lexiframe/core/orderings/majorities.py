"""Majorities of requests, and their cycles: `majority_cycles`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, typed
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import RequestsLike


def majorities(pairs: Pairs | arrays.PairSums) -> np.ndarray:
    """Return 1 where a majority prefers the row's run, −1 where it prefers the column's, else 0."""
    return pairs.square(np.sign(pairs.differences.lead))


_FEW = 64


def strong_components(moves: np.ndarray) -> np.ndarray:
    """Return the index, from 0, of each run's strongly connected component.

    Few runs do without SciPy's graphs, which take longer to import than all orderings take.
    """
    if len(moves) <= _FEW:
        reached = moves | np.eye(len(moves), dtype=bool)
        for _ in range(len(moves).bit_length()):  # each time of chains twice as long
            reached = reached @ reached
        return np.unique((reached & reached.T).argmax(axis=1), return_inverse=True)[1]
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    component: np.ndarray = connected_components(csr_array(moves), connection="strong")[1]
    return component


@alone.each_collection
@typed
@grouping.takes_groups
def majority_cycles(
    d: PairsLike, /, *, requests: RequestsLike = None, by: By = None
) -> pl.DataFrame:
    """List the runs that form a cycle of majorities: a beats b, b beats c, and c beats a.

    Parameters
    ----------
    d
        The table of `preferences` or `scores`.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, cycle, run``, sorted by it. A cycle is a maximal set of runs in which a chain
        of majorities leads from each run to every other; those of a measure are numbered from 1.
        The table is empty if there are none.

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
    for measure, pairs in arrays.cube_or_sums(d):
        component = strong_components(majorities(pairs) > 0)
        sizes = np.bincount(component)
        # Cycles are numbered in the order of their first runs, not of SciPy's components.
        cyclic = [c for c in dict.fromkeys(component) if sizes[c] > 1]
        rows += [
            (measure, number, pairs.runs[int(run)])
            for number, c in enumerate(cyclic, start=1)
            for run in np.flatnonzero(component == c)
        ]
    return pl.DataFrame(rows, schema=schemas.CYCLES.columns, orient="row")
