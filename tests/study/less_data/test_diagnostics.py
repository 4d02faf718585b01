"""Ties and recall levels of real rankings, against loops over pairs and the papers' numbers."""

from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.study.less_data.diagnostics import (
    deciding_levels,
    level_correlations,
    level_regression,
    predict_first_level,
    tie_profile,
)

NOT_THERE = 10**6


@pytest.fixture(scope="module")
def p():
    """Six runs that resemble one another, and 12 requests with 1 to 9 relevant items."""
    rng = np.random.default_rng(5)
    runs, qrels = {}, {}
    for q in range(12):
        qrels[f"q{q}"] = {f"d{n}": int(rng.integers(1, 3)) for n in range(1 + q * 3 // 4)}
        mean = rng.normal(size=30)
        for r in range(6):
            scores = mean + rng.normal(scale=0.5, size=30)
            kept = rng.permutation(30)[:20]
            runs.setdefault(f"r{r}", {})[f"q{q}"] = {f"d{n}": float(scores[n]) for n in kept}
    return lf.positions(runs, qrels)


def rankings(p):
    """For each request the ranks of its relevant items in every run."""
    for _, part in p.group_by("query_id", maintain_order=True):
        ordered = part.sort("run", "level").with_columns(pl.col("position").fill_null(NOT_THERE))
        yield ordered.group_by("run", maintain_order=True).agg("position")["position"].to_list()


@pytest.mark.parametrize("measure, last", [("LP", False), ("LR", True)])
def test_deciding_levels_by_loops(p, measure, last):
    counts = {}
    for of_request in rankings(p):
        for a, b in combinations(of_request, 2):
            levels = [n for n, (x, y) in enumerate(zip(a, b, strict=True), 1) if x != y]
            if levels:
                level = levels[-1 if last else 0]
                counts[level] = counts.get(level, 0) + 1
    found = deciding_levels(p).filter(pl.col("measure") == measure)
    assert dict(found.select("deciding_level", "pairs").rows()) == counts
    assert found["share"].sum() == pytest.approx(1)
    assert found["cumulative"].to_list() == pytest.approx(np.cumsum(found["share"]).tolist())


def differences(p, levels):
    """δRR at the first levels of all ordered pairs of runs, of requests that have these levels."""
    rows = []
    for of_request in rankings(p):
        if len(of_request[0]) >= levels:
            values = np.array(
                [[1 / x if x < NOT_THERE else 0 for x in r[:levels]] for r in of_request]
            )
            rows += [a - b for a, b in permutations(values, 2)]
    return np.array(rows)


def test_correlations_are_numpys(p):
    found = level_correlations(p, levels=5)
    assert found.height == 10
    for a, b, n, correlation in found.rows():
        delta = differences(p, b)
        assert 2 * n == len(delta)
        expected = np.corrcoef(delta[:, a - 1], delta[:, b - 1])[0, 1]
        assert correlation == pytest.approx(expected, rel=1e-12)


def test_regressions_are_least_squares(p):
    found = level_regression(p, levels=2, following=3)
    assert found.select("level", "predictor").rows() == [
        (level, level + j) for level in (1, 2) for j in (1, 2, 3)
    ]
    for (level,), part in found.group_by("level", maintain_order=True):
        delta = differences(p, level + 3)[:, level - 1 :]
        expected, residual, *_ = np.linalg.lstsq(delta[:, 1:], delta[:, 0])
        assert part["coefficient"].to_list() == pytest.approx(expected.tolist(), rel=1e-9)
        r_squared = 1 - residual[0] / (delta[:, 0] ** 2).sum()
        assert part["r_squared"][0] == pytest.approx(r_squared, rel=1e-9)
        assert (part["ci_low"] < part["coefficient"]).all()
        assert 2 * part["n"][0] == len(delta)


@pytest.mark.parametrize("cascaded", [False, True])
@pytest.mark.parametrize("signs", [False, True])
def test_regressions_of_ties_and_of_signs_are_least_squares(p, cascaded, signs):
    """The pairs that tie at all levels before are found by loops."""
    found = level_regression(p, levels=2, following=2, cascaded=cascaded, signs=signs)
    for (level,), part in found.group_by("level", maintain_order=True):
        rows = [
            row[level - 1 :]
            for row in differences(p, level + 2).tolist()
            if not cascaded or all(x == 0 for x in row[: level - 1])
        ]
        delta = np.array(rows)
        explained = np.sign(delta[:, 0]) if signs else delta[:, 0]
        expected, *_ = np.linalg.lstsq(delta[:, 1:], explained)
        assert part["coefficient"].to_list() == pytest.approx(expected.tolist(), rel=1e-9)
        assert 2 * part["n"][0] == len(delta)


def test_predictions_by_loops(p):
    n = second = rest = 0
    for of_request in rankings(p):
        for a, b in combinations(of_request, 2):
            if len(a) > 1 and a[0] != b[0]:
                n += 1
                first = np.sign(b[0] - a[0])
                second += np.sign(b[1] - a[1]) == first
                later = [np.sign(y - x) for x, y in zip(a[1:], b[1:], strict=True) if x != y]
                rest += bool(later) and later[0] == first
    assert predict_first_level(p).rows() == [
        ("RR(level=2)", n, second, second / n),
        ("sgnLP", n, rest, rest / n),
    ]


def test_what_is_refused(p):
    alone = p.filter(pl.col("run") == "r0")
    for function in (tie_profile, level_correlations, predict_first_level, deciding_levels):
        with pytest.raises(lf.LexiframeError, match="at least two runs, found 1"):
            function(alone)
    with pytest.raises(lf.LexiframeError, match="expected levels to be a whole number from 1"):
        tie_profile(p, levels=0)
    with pytest.raises(lf.LexiframeError, match="expected 2 to 1000 levels, found 1"):
        level_correlations(p, levels=1)
    with pytest.raises(lf.LexiframeError, match=r"lexicographic preferences .*, found RPP"):
        deciding_levels(p, "RPP")
    with pytest.raises(lf.LexiframeError, match="with 31 relevant items, found 0; ask for fewer"):
        level_regression(p, levels=1, following=30)
