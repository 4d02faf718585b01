"""Preferences of pairs as arrays, by loops: which runs stay, what is turned, what is rounding."""

import math

import numpy as np
import polars as pl
import pytest

from lexiframe.core.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.core.pairwise.arrays.one_measure import Pairs

NAN = math.nan
RUNS = pl.Series(["a", "b", "c", "d"])
SCORES = np.array(
    [  # requests × runs: of very different sizes; c has requests of its own, d has none
        [2.0, 3000.0, NAN, NAN],
        [0.5, 0.25, NAN, NAN],
        [7.0, NAN, NAN, NAN],
        [NAN, NAN, 5e6, NAN],
    ]
)
A, B = np.triu_indices(4, k=1)
VALUES = SCORES[:, A] - SCORES[:, B]
QUERIES = pl.Series(["q1", "q2", "q3", "q4"])


def pairs(scores=SCORES):
    return Pairs(QUERIES, RUNS, A, B, VALUES, scores)


def size(score):
    return 1e-12 * (1.0 if math.isnan(score) else max(1.0, abs(score)))


def test_a_mean_is_as_rough_as_the_mean_of_the_requests_that_it_has():
    found = pairs().mean_rounding
    for n, (a, b) in enumerate(zip(A, B, strict=True)):
        have = [q for q in range(4) if not math.isnan(VALUES[q, n])]
        rough = [max(size(SCORES[q, a]), size(SCORES[q, b])) for q in have]
        assert found[n] == pytest.approx(sum(rough) / len(have) if have else 0.0, rel=1e-12)
    assert found[0] == pytest.approx((3000 + 1) / 2 * 1e-12)  # of two requests, not of four


def test_a_run_with_scores_stays_where_it_shares_no_request():
    ((_, with_scores),) = PairCube.of_measure("AP", pairs())
    ((_, without),) = PairCube.of_measure("AP", pairs(None))
    assert with_scores.runs.to_list() == ["a", "b", "c"]
    assert without.runs.to_list() == ["a", "b"]
    for found in (with_scores, without):
        assert found.queries.to_list() == ["q1", "q2"]
        a, b = (found.runs.to_list().index(run) for run in "ab")
        (n,) = np.flatnonzero((found.a == a) & (found.b == b))
        assert found.values[:, n].tolist() == [2.0 - 3000.0, 0.25]


def test_against_a_baseline_signs_are_turned_and_a_tie_stays_plus_zero():
    values = np.array([[[0.0, 0.5, -0.25], [-0.0, -1.0, 0.0]]])  # ab, ac, bc
    a, b = np.triu_indices(3, k=1)
    axes = QUERIES.head(2), RUNS.head(3)
    cube = PairCube(pl.Series(["m"]), *axes, a, b, values, ScoreCube.none(*axes))
    for baseline, others, expected in [
        ("a", "bc", [[0.0, -0.5], [0.0, 1.0]]),
        ("b", "ac", [[0.0, 0.25], [-0.0, 0.0]]),
        ("c", "ab", [[0.5, -0.25], [-1.0, 0.0]]),
    ]:
        found = cube.against(baseline)
        assert [RUNS[int(run)] for run in found.a] == [*others]
        assert {RUNS[int(run)] for run in found.b} == {baseline}
        assert found.values[0].tolist() == expected
        turned = found.values[0][:, [run > baseline for run in others]]
        assert not np.signbit(turned[turned == 0]).any()


def test_a_matrix_has_the_preference_of_each_run_over_each():
    found = pairs().square(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    for n, (a, b) in enumerate(zip(A, B, strict=True)):
        assert (found[a, b], found[b, a]) == (n + 1, -n - 1)
    assert np.diag(found).tolist() == [0.0] * 4
    by_run = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) @ pairs().ends
    assert by_run.tolist() == found.sum(axis=1).tolist()
