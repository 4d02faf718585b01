"""Sentences and footnotes are true of every measure, collection and run that they name."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.decide.gates.deciding import _unchanged


def scores(*rows):
    """Scores of rows of run, measure and values."""
    return pl.DataFrame(
        [(run, f"q{n:02}", name, float(x)) for run, name, of in rows for n, x in enumerate(of)],
        ["run", "query_id", "measure", "value"],
        orient="row",
    )


MANY = np.linspace(0.1, 0.9, 1001)
TWO = scores(("a", "AP", MANY), ("b", "AP", MANY[::-1] ** 2), ("a", "P@1", [1.0, 0.0] * 8),
             ("b", "P@1", [0.0] * 16))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("measures", [None, ["P@1", "AP"], "P@1"])
def test_the_footnote_names_the_test_of_each_measure(measures):
    """Joint sign flips are not made of more than a thousand requests."""
    e = lf.evaluate_scores(TWO, missing="own")
    used = dict(e.comparisons.select("measure", "test").rows())
    assert used == {"AP": "t", "P@1": "randomization"}
    for said in (e.markdown(measures), e.latex(measures)):
        if measures == "P@1":
            assert "(paired randomization test, step-down max-t over the one pair, " in said
        else:
            assert "paired t-test with Holm's correction for AP; " in said
            assert "paired randomization test with step-down max-t for P@1; " in said
    line = "randomization test, max_t; t test, holm for AP; over the pairs of a measure"
    told = " ".join(str(e).split())
    assert line in told or "t test, holm; randomization test, max_t for P@1; over the" in told


@pytest.mark.parametrize("name", ["RR_2", "RR2", "rr_2", "RR_10"])
def test_rr_with_a_number_is_a_cut_off_or_a_level(name):
    k = name.lower().strip("r_")
    with pytest.raises(
        lf.UnknownNameError, match=rf"has several meanings.*RR@{k} .*RR\(level={k}\)"
    ):
        lf.parse_measure(name)
    assert str(lf.parse_measure(f"mrr_{k}")) == f"RR@{k}"


@pytest.mark.parametrize("require, n", [("not-worse", 4), ("not-worse", 12), ("equivalent", 6)])
def test_how_often_a_candidate_as_good_would_pass_is_so(require, n):
    """By simulation: normal differences around 0, of which the gate knows the spread."""
    margin, level = 0.8, 0.05
    x = np.random.default_rng(0).normal(0, 1, (20_000, n))
    half = stats.t.isf(level, n - 1) * x.std(axis=1, ddof=1) / np.sqrt(n)
    passes = x.mean(axis=1) - half > -margin
    if require == "equivalent":
        passes &= x.mean(axis=1) + half < margin
    half = stats.t.isf(level, n - 1) / np.sqrt(n)
    row = {"test": "t", "mean_difference": 0.0, "ci_low": -half, "deviation": 1.0}
    table = pl.DataFrame([row | {"margin": margin, "n": n, "alpha": level}])
    assert _unchanged(table, require, level)[0] == pytest.approx(passes.mean(), abs=0.012)
