"""`required_requests` with a margin: against published figures, noncentral t and simulation."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.significance.margin_power import tost_power
from tests.small_tables import preferences, scores

QUESTIONS = ["a not worse", "b not worse", "better", "equivalent"]


def by_question(*args, **options):
    table = lf.required_requests(*args, **options)
    return {row["question"]: row for row in table.rows(named=True)}


@pytest.mark.parametrize(
    "cv, n, power", [(0.3, 40, 0.815845), (0.25, 28, 0.807439), (0.25, 24, 0.739115)]
)
def test_published_power_of_two_one_sided_tests(cv, n, power):
    """PowerTOST, sampleN.TOST: 2×2 crossover, ratio 0.95, limits 0.8 and 1.25, α = 0.05."""
    error = np.sqrt(np.log(cv**2 + 1) * 2 / n)
    below, above = np.log([0.95 / 0.8, 1.25 / 0.95]) / error
    found = tost_power(np.array([below]), np.array([above]), np.array([n - 2]), 0.05)
    assert found.item() == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("alpha", [0.4, 0.05, 1e-6])
@pytest.mark.parametrize("df", [1, 2, 30, 1000])
def test_one_test_alone_has_the_power_of_noncentral_t(df, alpha):
    shift = np.array([0.0, 1.5, 3.0, 30.0])
    found = tost_power(np.full(4, np.inf), shift, np.full(4, df), alpha)
    assert found == pytest.approx(stats.nct.sf(stats.t.isf(alpha, df), df, shift), abs=1e-9)


def test_power_is_that_of_simulated_normal_differences():
    rng, n, margin, mean = np.random.default_rng(2), 20, 0.8, 0.15
    x = rng.normal(mean, 1, (n, 20_000))
    error, limit = x.std(axis=0, ddof=1) / np.sqrt(n), stats.t.isf(0.05, n - 1)
    above, below = (x.mean(axis=0) + margin) / error, (margin - x.mean(axis=0)) / error
    shares = {
        "a not worse": (above > limit).mean(),
        "b not worse": (below > limit).mean(),
        "equivalent": (np.minimum(above, below) > limit).mean(),
    }
    step = np.sqrt((n - 1) / n)
    rows = by_question(preferences({"ab": [mean + step, mean - step] * (n // 2)}), margin=margin)
    for question, share in shares.items():
        assert rows[question]["power_at_n"] == pytest.approx(share, abs=0.012)
        assert rows[question]["n"] == n


def test_the_number_reaches_the_power_and_one_less_does_not():
    values = [0.3, -0.2, 0.25, 0.05, -0.1, 0.1]
    d, n = preferences({"ab": values}), 0
    rows = by_question(d, margin=0.3, power=0.9)
    assert list(rows) == QUESTIONS
    plain = lf.required_requests(d, power=0.9).row(0, named=True)
    assert rows["better"]["required"] == plain["required"]
    mean, sd = np.mean(values), np.std(values, ddof=1)
    for question, (low, high) in {
        "a not worse": (mean + 0.3, np.inf), "b not worse": (np.inf, 0.3 - mean),
        "equivalent": (mean + 0.3, 0.3 - mean),
    }.items():  # fmt: skip
        n = rows[question]["required"] - np.array([1, 0])
        below, above = (np.full(2, end) / sd * np.sqrt(n) for end in (low, high))
        less, enough = tost_power(below, above, n - 1, 0.05)
        assert less < 0.9 <= enough
    assert rows["a not worse"]["required"] < rows["b not worse"]["required"]
    assert rows["b not worse"]["required"] <= rows["equivalent"]["required"]


@pytest.mark.slow
def test_the_simulation_agrees_where_differences_are_nearly_normal():
    d = preferences({"ab": stats.norm.ppf((np.arange(40) + 0.5) / 40) + 0.1})
    options = {"margin": 0.5, "samples": 2000}
    by_t, simulated = by_question(d, **options), by_question(d, how="simulation", **options)
    for question in QUESTIONS:
        there, drawn = by_t[question], simulated[question]
        assert drawn["power_at_n"] == pytest.approx(there["power_at_n"], abs=0.05)
        assert drawn["required"] == pytest.approx(there["required"], rel=0.12)


@pytest.mark.parametrize("how", ["t", "simulation"])
def test_where_no_number_is_enough_and_equal_differences_decide_nothing(how):
    d = preferences({"ab": [0.4, 0.6, 0.5], "ac": [0.2] * 3, "ad": [0.0] * 3, "ae": [0.1]})
    table = lf.required_requests(d, margin=0.2, how=how, samples=50)
    rows = {(r["run_b"], r["question"]): r["required"] for r in table.rows(named=True)}
    assert [rows["b", q] for q in ("b not worse", "equivalent")] == [None, None]
    assert [rows["c", q] for q in QUESTIONS] == [None, None, 6, None]
    assert [rows["d", q] for q in QUESTIONS] == [None] * 4
    assert [rows["e", q] for q in QUESTIONS] == [None] * 4
    assert table.filter(run_b="e")["power_at_n"].null_count() == 4


@pytest.mark.slow
def test_baselines_margins_and_groups():
    s = scores({"a": [0.5, 0.3, 0.4, 0.1], "b": [0.2, 0.1, 0.3, 0.2], "c": [0.4, 0.1, 0.1, 0]})
    table = lf.required_requests(s, margin="50%", baseline="b")
    assert table["run_b"].unique().to_list() == ["b"]
    assert table["margin"].to_list() == pytest.approx([0.1] * 8)
    kinds = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "kind": [*"xyxy"]})
    groups = lf.required_requests(
        s, margin={"mine": "50%"}, baseline="b", requests=kinds, by="kind"
    )
    assert groups["kind"].to_list() == ["x"] * 8 + ["y"] * 8
    assert groups["margin"].to_list() == pytest.approx([0.125] * 8 + [0.075] * 8)
    assert lf.required_requests(s, baseline="b")["run_a"].to_list() == ["a", "c"]
    for options, message in {
        "2%": ({"margin": "2%"}, "required_requests: a margin in % is a share of the baseline's"),
        "other": ({"margin": {"AP": 1, "mine": 1}}, "unknown measure 'AP'"),
        "alpha": ({"margin": 1, "alpha": 0.6}, "required_requests: expected alpha below 0.5"),
        "run": ({"baseline": "d"}, "unknown run 'd'"),
    }.values():
        with pytest.raises(lf.LexiframeError, match=message):
            lf.required_requests(s, **options)


def test_the_verdict_says_how_many_requests_it_takes():
    d = preferences({"ab": [0.4, 0.6, 0.5], "ac": [0.1, -0.2, 0.15], "ad": [0.1, 0.1, 0.1]})
    table = lf.required_requests(d, margin=0.2)
    rows = {(r["run_b"], r["question"]): r["required"] for r in table.rows(named=True)}
    assert (rows["b", "equivalent"], rows["d", "equivalent"]) == (None, None)
    assert (needed := rows["c", "equivalent"]) > 3
    said = lf.verdict(table)
    assert said.columns == ["measure", "how", "question", "sentence"]
    assert said.filter(question="equivalent")["sentence"].item() == (
        f"By {table['measure'][0]}, with a margin of 0.2, 0 of 3 pairs of runs have enough "
        f"requests to show that they are equivalent; 1 would need up to about {needed}; for 2 no "
        "number of requests that was tried is enough."
    )
    kinds = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "kind": ["x"] * 3})
    one = lf.required_requests(d.filter(run_b="b"), margin=0.2, requests=kinds, by="kind")
    sentences = dict(lf.verdict(one).select("question", "sentence").rows())
    assert "for kind = x, with a margin" in sentences["a not worse"]
    assert "requests to show that a is not worse than b; there are 3." in sentences["a not worse"]
    assert sentences["b not worse"].endswith("tried shows that b is not worse than a; there are 3.")
