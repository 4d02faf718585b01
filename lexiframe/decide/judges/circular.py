"""Circular triples: a judge who prefers x to y, y to z, and z to x."""

from __future__ import annotations

import numpy as np

from lexiframe.decide.judges.verdicts import Verdicts

BY_CHANCE = 0.25
"""Of the eight ways to decide three pairs at random two are circular."""


def triples(found: Verdicts) -> tuple[np.ndarray, np.ndarray]:
    """Count for each judge the decided triples of runs within requests, and the circular ones.

    A triple counts when the judge prefers a run in each of its three pairs. With W = 1 where the
    row beat the column, tr W³/3 triples are circular, of tr (W + Wᵀ)³/6.
    """
    from scipy.sparse import csr_array

    decided = found.said != 1
    a_won = found.said[decided] == 2
    a, b = found.run_a[decided], found.run_b[decided]
    runs = int(max(found.run_a.max(), found.run_b.max())) + 1
    place = (found.judge * len(found.queries) + found.request)[decided] * runs
    ends = np.concatenate([place + np.where(a_won, a, b), place + np.where(a_won, b, a)])
    nodes, node = np.unique(ends, return_inverse=True)
    m = len(place)
    w = csr_array((np.ones(m), (node[:m], node[m:])), (len(nodes), len(nodes)))
    judge = nodes // (len(found.queries) * runs)
    counts = []
    for x, each in (((w + w.T).tocsr(), 6), (w, 3)):
        through = np.asarray((x @ x).multiply(x.T).sum(axis=1)).ravel()
        of_judge = np.bincount(judge, through, len(found.judges)) / each
        counts.append(np.rint(of_judge).astype(np.int64))
    return counts[0], counts[1]
