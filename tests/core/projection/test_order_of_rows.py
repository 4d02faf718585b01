"""Rows in any order are put in that of query and score, however near or far apart scores are."""

import numpy as np
import polars as pl
import pytest

from lexiframe.core.projection.coded_rows import Rows

SCORES = {
    "few that are equal": lambda rng, n: rng.integers(0, 5, n) / 4,
    "many digits": lambda rng, n: rng.standard_normal(n),
    "next to each other": lambda rng, n: 1 + rng.integers(0, 9, n) * np.finfo(float).eps,
    "near, and one far away": lambda rng, n: np.append(rng.standard_normal(n - 1), 1e30),
    "the nearest there are": lambda rng, n: rng.integers(0, 9, n) * 5e-324,
    "the farthest there are": lambda rng, n: rng.choice([-1.7e308, 0.0, 1.7e308], n),
    "infinite ones": lambda rng, n: rng.choice([-np.inf, -1.0, 1.0, np.inf], n),
    "both zeros": lambda rng, n: rng.choice([0.0, -0.0, 1.0], n),
    "all equal": lambda rng, n: np.zeros(n),
}


@pytest.mark.parametrize("n_queries", [1, 7, 400])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.filterwarnings("ignore:overflow")  # of the farthest ones as float32
def test_rows_are_sorted_by_query_and_score(scores, dtype, n_queries):
    rng = np.random.default_rng(n_queries)
    query = rng.integers(0, n_queries, 2000)
    score = SCORES[scores](rng, len(query)).astype(dtype)
    number = np.arange(len(query))
    rows = Rows(query, pl.Series(number).cast(pl.String), score, None, number.view(np.uint64), [])
    expected = sorted(number.tolist(), key=lambda row: (query[row], -score[row], row))
    ordered = rows.sort_rows(stable=True)
    assert ordered.hashes.tolist() == expected
    assert ordered.doc_id.to_list() == [str(row) for row in expected]
    other = rows.sort_rows(stable=False)
    assert (other.query.tolist(), other.score.tolist()) == (
        query[expected].tolist(),
        score[expected].tolist(),
    )
