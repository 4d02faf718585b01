"""One request with many relevant items beside many small ones: computed in parts, the same values.

The limits of the parts are lowered, so that small requests are divided as large ones are.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.core.metrics.kinds import order_metrics
from lexiframe.core.pairwise import kernels, recall_paired
from lexiframe.core.projection import matrices
from lexiframe.core.projection.blocks import Block
from tests import oracle
from tests.frames import assert_identical

RPPS = {"RPP": oracle.RPP, "dcgRPP": oracle.dcgRPP, "invRPP": oracle.invRPP}
OTHERS = {
    "LR": oracle.LR,
    "sgnLR": oracle.LR,
    "rrLR": oracle.rrLR,
    "LP": oracle.LP,
    "sgnLP": oracle.LP,
    "rrLP": oracle.rrLP,
}
LIMITS = [
    (matrices, "CELLS"),
    (order_metrics, "_CELLS"),
    (order_metrics, "_FEW"),
    (recall_paired, "_COMPARISONS"),
    (recall_paired, "_KEPT"),
    (kernels, "_TOGETHER"),
    (kernels, "_FEW"),
]


@pytest.fixture(params=[1, 7, 60])
def limits(request, monkeypatch):
    for module, name in LIMITS:
        monkeypatch.setattr(module, name, request.param)


def skewed(sizes, n_runs=4, grades=(1.0,), seed=0):
    """Positions of requests of some sizes; some runs rank alike, up to late or early levels."""
    draw = random.Random(seed)
    qrels = {
        f"q{n:03}": {f"d{i}": draw.choice(grades) for i in range(size)}
        for n, size in enumerate(sizes)
    }
    runs = {}
    for n in range(n_runs):
        answers = runs.setdefault(f"run{n}", {})
        for q, judged in qrels.items():
            order = [*judged, *(f"x{i}" for i in range(len(judged)))]
            if n % 2:  # as the run before, but for two items
                order = [*runs[f"run{n - 1}"][q]]
                i, j = (draw.randrange(len(order)) for _ in range(2))
                order[i], order[j] = order[j], order[i]
            else:
                draw.shuffle(order)
            answers[q] = {d: -rank for rank, d in enumerate(order[: draw.randint(1, 99)])}
    return lf.positions(runs, qrels)


TABLES = {
    "one large request": lambda: skewed([90, *[1, 2, 3] * 8]),
    "graded": lambda: skewed([90, *[5] * 20], grades=(1.0, 2.0, 4.0)),
    "a grade for each item": lambda: skewed([30, *[4] * 20], grades=[n / 7 for n in range(1, 99)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_parts_do_not_change_a_bit(name, monkeypatch):
    p = TABLES[name]()
    names = [*RPPS, *OTHERS, "RPP(rel=2)", "RPP@20", "LR.rank", "LP.rank@30"]
    names = names if p["relevance"].max() >= 2 else [n for n in names if "rel" not in n]
    whole = lf.preferences(p, names, deciding_level=True)
    for limit in (1, 7, 60):
        for module, constant in LIMITS:
            monkeypatch.setattr(module, constant, limit)
        assert_identical(lf.preferences(p, names, deciding_level=True), whole)


def large(n_runs, m, grades, seed=0):
    """Positions of one request as arrays: runs × levels, the grades of items in any order."""
    rng = np.random.default_rng(seed)
    ranks = np.sort(rng.permuted(np.tile(np.arange(1, 2 * m), (n_runs, 1)), axis=1)[:, :m], axis=1)
    relevance = rng.permuted(np.tile(rng.integers(1, grades + 1, m), (n_runs, 1)), axis=1)
    return ranks, relevance.astype(float)


def rpp_of(ranks, relevance, a, b):
    """RPP as a ratio of whole numbers, grade by grade; the sums are Python's integers."""
    won = total = 0
    for grade in np.unique(relevance[0]).tolist():
        x, y = (ranks[run][relevance[run] >= grade] for run in (a, b))
        won += int((x < y).sum()) - int((x > y).sum())
        total += len(x)
    return Fraction(won, total)


@pytest.mark.parametrize("m, grades", [(70_000, 1), (40_000, 3)])
def test_sums_over_many_levels_do_not_overflow(m, grades):
    """More levels than 16 bits can count, and one run above another at nearly all of them."""
    ranks, relevance = large(3, m, grades)
    ranks[1:, -1] = np.iinfo(np.int32).max  # not retrieved
    ranks[0] = np.arange(1, m + 1)  # the best that is possible
    block = Block(
        np.ascontiguousarray(ranks.T.astype(np.int32)[:, :, None]),
        np.ascontiguousarray(relevance.T[:, :, None]),
    )
    delta = lf.RPP.compute(block)[:, 0].tolist()
    expected = [float(rpp_of(ranks, relevance, a, b)) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert delta == expected
    assert delta[0] * m > 2**15


def test_a_large_request_does_not_widen_the_blocks_of_others():
    """Of requests with the same number of items, only as many as fit are in one block."""
    p = skewed([90, *[3] * 300])
    requests = matrices.requests_of(p)
    sizes = [(len(group), int(requests.n_relevant[group[0]])) for group in requests.groups(10**6)]
    assert sorted(sizes) == [(1, 90), (300, 3)]


def test_blocks_have_a_bounded_number_of_positions(monkeypatch):
    requests = matrices.requests_of(skewed([20] * 30))
    monkeypatch.setattr(matrices, "CELLS", 4 * 20 * 7)
    assert [len(group) for group in requests.groups(10**6)] == [7, 7, 7, 7, 2]
    assert [len(group) for group in requests.groups(5)] == [5] * 6


def test_the_order_of_rankings_by_bytes_is_that_by_numbers():
    """Ranks above 255 have several bytes, of which the last is compared last."""
    rng = np.random.default_rng(0)
    for dtype in (np.int16, np.int32, np.int64):
        p = np.sort(rng.integers(200, 900, (40, 30)), axis=0).astype(dtype)
        p[:, 7], p[:30, 9], p[-9:, 3] = p[:, 2], p[:30, 4], np.iinfo(dtype).max
        order, differs_at = order_metrics.sort_rankings(p[:, :, None])
        by_number = sorted(range(30), key=lambda run: p[:, run].tolist())
        assert order[:, 0].tolist() == by_number
        pairs = itertools.pairwise(by_number)
        first = [next((i for i in range(40) if p[i, a] != p[i, b]), 40) for a, b in pairs]
        assert differs_at[:, 0].tolist() == first


def test_weights_of_large_requests_are_not_kept():
    known = {}
    lf.invRPP.weights(np.array([3, 5, 3]), known)
    weights = lf.invRPP.weights(np.array([2000]), known)
    assert sorted(known) == [3, 5]
    assert weights[1, 0] / weights[0, 0] == pytest.approx(1 / 2)
