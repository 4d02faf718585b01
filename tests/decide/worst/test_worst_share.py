"""The worst share of requests: worked examples, groups, weights, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.decide.worst.tails import Tails


def table(values, measure="AP", **more):
    """Scores of runs, {run: values}, for the requests q1, q2 …."""
    rows = [(run, f"q{n}", x) for run, of in values.items() for n, x in enumerate(of, 1)]
    s = pl.DataFrame(rows, schema=["run", "query_id", "value"], orient="row")
    return s.with_columns(measure=pl.lit(measure), **more)


TEN = [n / 10 for n in range(10)]
NAMES = [f"q{n}" for n in range(1, 11)]


def test_the_worked_example():
    w = lf.worst_served(table({"a": TEN}), 0.25)
    (row,) = w.values.rows(named=True)
    assert row["value"] == pytest.approx(0.08)
    assert row["ci_low"] == pytest.approx(-0.4336725513657392)
    assert (row["n"], row["n_worst"], row["quantile"]) == (10, 2.5, 0.2)
    psi = Tails(np.array(TEN)[:, None]).psi(0.25)[:, 0]
    np.testing.assert_allclose(psi, [-0.6, -0.2] + [0.2] * 8)
    assert w.requests.select("query_id", "counted").rows() == [("q1", 1), ("q2", 1), ("q3", 0.5)]


def test_weights_decide_the_place_and_the_number_of_requests():
    weights = dict.fromkeys(NAMES, 1) | {"q10": 6}
    heavy = lf.worst_served(table({"a": TEN}), 0.25, weights=weights)
    assert heavy.values["value"].item() == pytest.approx(0.14)
    assert heavy.values["ci_low"].item() is None
    assert heavy.requests["counted"].to_list() == pytest.approx([1, 1, 1, 0.75])
    as_column = pl.DataFrame({"query_id": NAMES, "traffic": [*weights.values()]})
    same = lf.worst_served(table({"a": TEN}), 0.25, weights="traffic", requests=as_column)
    assert same.values.equals(heavy.values)
    assert same.requests["traffic"].to_list() == [1] * 4
    none = lf.worst_served(table({"a": TEN}), 0.5, weights=weights | {"q1": 0, "q10": 1})
    assert none.values["n"].item() == 9
    s = table({"a": TEN, "b": TEN[:5] + [None] * 5}).drop_nulls()
    of_a = lf.worst_served(s, 0.4, weights=dict.fromkeys(NAMES, 1) | dict.fromkeys(NAMES[:5], 0))
    assert of_a.values.select("run", "mean").rows() == [("a", pytest.approx(0.7))]


def test_what_does_not_vary_decides_nothing():
    zeros = [0.0] * 3 + [0.5] * 7
    w = lf.worst_served(table({"a": zeros, "b": zeros[::-1]}), 0.2)
    assert w.requests["counted"].to_list() == pytest.approx([2 / 3] * 6)
    assert w.values["ci_low"].to_list() == [None, None]
    outcome = w.comparisons.select("p_value", "p_adjusted", "reject", "ci_low").row(0)
    assert outcome == (1, 1, False, None)
    (said,) = w.verdict.sentences
    assert said == (
        "In the fifth of the requests that each run serves worst, a and b have AP 0.000; by the "
        "mean, too, they are first. In 2 runs all requests of this share have one value, which "
        "decides nothing: no limits, and p = 1 between such runs."
    )
    of_ten = lf.worst_served(table({"a": TEN, "b": TEN[::-1]}), 0.1)  # 0.1 − 0.1 / 0.1 · 0.1
    assert of_ten.values["value"].to_list() == [0.0, 0.0]
    assert "that each run serves worst, a and b have AP 0.000" in of_ten.verdict.sentences[0]


def test_the_verdict_says_who_serves_its_worst_requests_best_and_what_the_mean_says():
    rng = np.random.default_rng(0)
    low, noise = np.linspace(0.05, 0.1, 30), rng.normal(0, 0.002, 100)
    a = np.r_[np.linspace(0.0, 0.03, 30), np.linspace(0.8, 1, 70)] + noise
    b = np.r_[low, np.linspace(0.6, 0.8, 70)]
    w = lf.worst_served(table({"A": a, "B": b}, "nDCG@10"), 0.1)
    (said,) = w.verdict.sentences
    assert said.startswith(
        "In the tenth of the requests that each run serves worst, B has nDCG@10 0.05"
    )
    assert said.endswith(": B is better; by the mean A is first.")
    (said,) = lf.worst_served(table({"A": a, "B": b, "C": a}, "RR"), 1, baseline="C").verdict[
        "sentence"
    ]
    assert said.startswith("In all requests, A and C have RR 0.6")
    three = table({"A": a, "B": b, "C": a - 1})
    for baseline, beside in (("C", ", C -0.995: B is better"), ("A", ", A 0.005: B is better")):
        assert beside in lf.worst_served(three, 0.1, baseline=baseline).verdict["sentence"][0]
    (said,) = lf.worst_served(three, 0.2).verdict["sentence"]
    assert said.endswith("Of 3 pairs of runs 2 differ significantly there.")


def test_the_verdict_tells_runs_of_few_requests_from_runs_that_do_not_vary():
    s = table({"a": TEN, "b": TEN[:3] + [None] * 7}).drop_nulls()
    (said,) = lf.worst_served(s, 0.4).verdict["sentence"]
    assert said.endswith(
        "In 1 run this share is fewer than two requests, so that there are neither limits nor "
        "tests."
    )
    assert "one value" not in said
    weights = dict.fromkeys(NAMES, 1) | {"q10": 6}
    (said,) = lf.worst_served(table({"a": TEN}), 0.25, weights=weights).verdict["sentence"]
    assert said.startswith(
        "In the quarter of the requests by weight that each run serves worst, a has"
    )
    assert said.endswith(
        "This share is worth fewer than two requests, so that there are neither limits nor tests."
    )


def test_smaller_values_may_be_better():
    lengths = table({"a": [1.0, 2, 3, 4, 10], "b": [1.0, 2, 3, 4, 6]}, "ASL")
    w = lf.worst_served(lengths, 0.4)
    assert w.values["value"].to_list() == [7.0, 5.0]
    assert w.comparisons["mean_difference"].item() == -2.0
    assert w.requests["query_id"].to_list() == ["q5", "q4"] * 2
    low, value, high = w.values.select("ci_low", "value", "ci_high").row(0)
    assert low < value < high


def test_users_count_once_each_and_groups_have_shares_of_their_own():
    log = pl.DataFrame({"query_id": NAMES, "user": [*"aabbccddee"], "kind": ["x"] * 6 + ["y"] * 4})
    s = table({"r": TEN, "t": TEN[::-1]})
    users = lf.worst_served(s, 0.4, unit="user", requests=log)
    assert users.values["value"].to_list() == pytest.approx([0.15, 0.15])
    assert users.requests.columns == ["measure", "share", "run", "user", "value", "counted"]
    assert users.requests["user"].to_list() == [*"abed"]
    with pytest.warns(
        lf.LexiframeWarning, match="kind = y: worst_served: share 0.2 of 4 requests is"
    ):
        w = lf.worst_served(s, 0.2, requests=log, by="kind")
    assert w.values.filter(kind="y")["value"].to_list() == [None, None]
    assert w.values.filter(kind="x", run="r")["value"].item() == pytest.approx(0.02 / 1.2)
    (said,) = w.verdict.filter(kind="y")["sentence"]
    assert said == "The fifth of the requests for kind = y is less than one request."


def test_runs_that_lack_requests_are_compared_by_those_that_both_have():
    s = table({"a": TEN, "b": TEN[::-1], "c": TEN}).filter(
        ~((pl.col("run") == "b") & pl.col("query_id").is_in(["q1", "q10"]))
    )
    both = s.filter(~pl.col("query_id").is_in(["q1", "q10"]))
    w, of_both = lf.worst_served(s, 0.5), lf.worst_served(both, 0.5)
    assert w.values["n"].to_list() == [10, 8, 10]
    with_b = pl.col("run_a").eq("b") | pl.col("run_b").eq("b")
    assert w.comparisons.filter(with_b)["n"].to_list() == [8, 8]
    columns = ["run_a", "run_b", "mean_difference", "statistic", "quantile_ci_low"]
    found, wanted = (one.comparisons.filter(with_b).select(columns) for one in (w, of_both))
    assert found.equals(wanted)


def test_collections_are_computed_one_by_one():
    several = pl.concat(
        [table({"a": TEN, "b": TEN[::-1]}, collection=pl.lit(name)) for name in ("m", "n")]
    )
    w = lf.worst_served(several, 0.5)
    alone = lf.worst_served(several.filter(collection="m").drop("collection"), 0.5)
    for name, one in alone.tables().items():
        assert getattr(w, name).filter(collection="m").drop("collection").equals(one), name
    assert w.verdict["sentence"][0].startswith(
        "In the half of the requests that each run serves worst"
    )


@pytest.mark.parametrize(
    "call, said",
    [
        (
            lambda: lf.worst_served(table({"a": TEN[:8]}), 0.1),
            "share 0.1 of 8 requests is less than one: at least 10, or share=0.125",
        ),
        (lambda: lf.worst_served(table({"a": TEN}), 0.0), "expected share above 0 and up to 1"),
        (lambda: lf.worst_served(table({"a": TEN}), [0.1, 1.5]), "up to 1, found 1.5"),
        (lambda: lf.worst_served(table({"a": TEN}), []), "up to 1, found none"),
        (
            lambda: lf.worst_served(table({"a": TEN[:2]}), 1, weights={"q1": 0, "q2": 0}),
            "weights: all are 0",
        ),
        (
            lambda: lf.worst_served(
                table({"a": TEN[:2]}).with_columns(kind=pl.col("query_id")), 1, weights="kind"
            ),
            "weights: request 'q1' has q1; expected a number of 0 or more",
        ),
        (
            lambda: lf.worst_served(lf.preferences(lf.positions(*EXAMPLE), "RPP")),
            "needs a value for each run and request; request_win_rates has them, relative to the ",
        ),
        (
            lambda: lf.worst_served(table({"a": TEN}, "LR.rank")),
            "LR.rank is a place within one request: requests do not compare",
        ),
        (lambda: lf.worst_served(table({"a": TEN}), samples=999), "samples from 1,000, found 999"),
        (lambda: lf.worst_served(table({"a": TEN}), baseline="b"), "run 'b'"),
        (
            lambda: lf.worst_served(table({"a": TEN}), unit="u", weights={}),
            "expected unit= or weights=, found both",
        ),
        (
            lambda: lf.worst_served(table({"a": TEN[:3]}), 1, weights={"q1": 1, "q2": -1, "q3": 1}),
            "weights: request 'q2' has -1; expected a number of 0 or more",
        ),
        (
            lambda: lf.worst_served(table({"a": TEN[:3]}), 1, weights={"q1": 1, "q2": 1}),
            "weights: 1 of 3 requests has no weight, for example 'q3'",
        ),
        (
            lambda: lf.worst_served(table({"a": TEN}).clear()),
            "worst_served: expected scores of runs, found none",
        ),
    ],
)
def test_what_has_no_worst_share_is_refused(call, said):
    with pytest.raises(lf.LexiframeError) as error:
        call()
    assert said in str(error.value)


EXAMPLE = (lf.bundled("example") / "runs", lf.bundled("example") / "qrels.txt")


def test_a_default_share_of_less_than_one_request_is_left_out_with_a_sentence():
    w = lf.worst_served(lf.evaluate(*EXAMPLE, "AP RPP"))
    assert w.values["share"].unique().to_list() == [0.25]
    (said,) = w.verdict.sentences
    assert said.endswith(
        "This share is fewer than two requests, so that there are neither limits nor tests. The "
        "share 0.1 is less than one request: left out."
    )
    assert w.comparisons["p_value"].null_count() == w.comparisons.height == 3


@pytest.mark.conformance
def test_the_limits_of_quantiles_are_order_statistics(shared):
    cases = json.loads((shared / "conformance/worst/cases.json").read_text())
    for n, wanted in cases["quantile_limits"].items():
        places = np.arange(1.0, int(n) + 1)[:, None]
        _, low, high = Tails(places).quantiles(0.1, 0.05)
        assert (np.nan_to_num(low[0]), high[0]) == (wanted["lower"], wanted["upper"])


def test_runs_that_are_nearly_alike_have_the_error_of_their_differences():
    x = np.random.default_rng(1).random(50)
    y = x + 1e-9 * np.random.default_rng(2).random(50)
    pair = lf.worst_served(table({"a": x, "b": y, "c": y}), 0.5).comparisons
    psi = Tails(np.stack([x, y], axis=1)).psi(0.5)
    d = psi[:, 0] - psi[:, 1]
    t = d.mean() / (d.std(ddof=1) / np.sqrt(50))
    assert pair["statistic"][0] == pytest.approx(t, rel=1e-6)
    assert pair["p_value"][0] == pytest.approx(2 * stats.t.sf(abs(t), 48), rel=1e-6)
    assert pair.filter(run_a="b")["p_value"].item() == 1
