"""MC4 on real majorities of up to 103 runs orders components, and runs in them, exactly.

Stationary probabilities span many orders of magnitude: what loses digits ties runs that differ.
"""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest
from scipy.sparse.csgraph import connected_components

import lexiframe as lf
from tests import oracle

pytestmark = [pytest.mark.conformance, pytest.mark.slow]


def stationary(moves):
    """Up to a factor, by elimination of states from the last (Grassmann, Taksar & Heyman 1985)."""
    n = len(moves)
    a = [[Fraction(int(move)) for move in row] for row in moves]
    for k in range(n - 1, 0, -1):
        leaving = sum(a[k][:k])
        for i in range(k):
            a[i][k] /= leaving
            for j in range(k):
                a[i][j] += a[i][k] * a[k][j]
    x = [Fraction(1)]
    for k in range(1, n):
        x.append(sum(x[i] * a[i][k] for i in range(k)))
    return x


@pytest.mark.parametrize("name", ["adhoc5_ap", "adhoc7_ap", "web2010_ndcg20"])
def test_inside_components(shared, name):
    wide = pl.read_csv(shared / "data" / "trec_score_matrices" / f"{name}.csv")
    values = wide.to_numpy()
    totals = (values[:, :, None] - values[:, None, :]).sum(axis=2).round(9)
    votes = np.sign(totals[:, :, None] - totals[:, None, :]).sum(axis=0)
    table = wide.with_row_index("query_id").cast({"query_id": pl.String})
    s = table.unpivot(index="query_id", variable_name="run").with_columns(
        pl.col("value").cast(pl.Float64), measure=pl.lit("mine")
    )
    rank = dict(lf.order_runs(s, "mc4").select("run", "rank").iter_rows())

    n_components, component = connected_components(votes < 0, connection="strong")
    pairs = wrong = 0
    for c in range(n_components):
        members = np.flatnonzero(component == c)
        exact = stationary(votes[np.ix_(members, members)] < 0)
        for (x, a), (y, b) in combinations(zip(exact, members, strict=True), 2):
            lead = rank[wide.columns[b]] - rank[wide.columns[a]]
            wrong += np.sign(lead) != (x > y) - (x < y)
            pairs += 1
    assert pairs > 300
    assert wrong == 0


@pytest.mark.parametrize("first", range(0, 50, 10))
def test_components_that_cannot_reach_one_another(shared, first):
    """Majorities of two requests: several components are never left."""
    wide = pl.read_csv(shared / "data" / "trec_score_matrices" / "web2010_ndcg20.csv")[
        first : first + 2
    ]
    values = wide.to_numpy()
    votes = np.sign(values[:, :, None] - values[:, None, :]).sum(axis=0)
    runs = np.flatnonzero(np.arange(len(votes)) % 3 == 0)  # a third, for exact arithmetic
    beats = {(a, b) for a, b in permutations(runs, 2) if votes[a, b] > 0}
    names = [wide.columns[run] for run in runs]
    s = pl.DataFrame(
        {
            "run": np.repeat(names, 2),
            "query_id": ["1", "2"] * len(runs),
            "measure": "mine",
            "value": values[:, runs].T.ravel(),
        }
    )
    o = lf.order_runs(s, "mc4", votes="preference")
    rank = dict(o.select("run", "rank").iter_rows())
    ends = oracle.ending(runs, beats)
    for (x, p), (y, q) in combinations(ends.items(), 2):
        lead = {np.sign(rank[wide.columns[b]] - rank[wide.columns[a]]) for a in x for b in y}
        assert lead == {(p > q) - (p < q)} or (p == q and len(x) + len(y) > 2)
    assert all(rank[wide.columns[a]] <= sum(map(len, ends)) for part in ends for a in part)
