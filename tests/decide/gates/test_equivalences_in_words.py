"""What `verdict` says of a table of `equivalence`, and its chart of many pairs."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences, scores

FEW = [0.1, -0.1, 0.12, -0.12]
RUNS = {
    "base": [0.0] * 4,
    "same": [x / 100 for x in FEW],
    "slightly": [x / 100 + 0.03 for x in FEW],
    "good": [x + 1 for x in FEW],
    "bad": [x - 1 for x in FEW],
    "fine": [x + 0.17 for x in FEW],
    "poor": [x - 0.17 for x in FEW],
    "noisy": FEW,
}


def said(table):
    return lf.verdict(table)["sentence"].to_list()


def test_against_a_baseline():
    table = lf.equivalence(scores(RUNS, "AP"), 0.05, correction="none", baseline="base")
    sentence = (
        "By AP, with a margin of 0.05, good is better than base; same and slightly are equivalent "
        "to base; fine is not worse than base; bad is worse than base; poor is not better than "
        "base by the margin or more; noisy is undecided against base: the requests are too few to "
        "tell; the difference of 1 equivalent pair is significant, and smaller than the margin "
        "(paired t-test, not corrected for 7 pairs, n = 4 requests)."
    )
    assert said(table) == [sentence]


def test_all_pairs_and_groups():
    s = scores({run: RUNS[run] for run in ("base", "same", "slightly", "good")}, "AP")
    requests = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "kind": ["x", "x", "x", None]})
    table = lf.equivalence(s, {"AP": 0.05}, requests=requests, by="kind")
    of_none, of_x = said(table)
    assert of_none == (
        "By AP for no kind, with a margin of 0.05, of 6 pairs of runs 6 are undecided (paired "
        "t-test, Holm's correction over 6 pairs, n = 1 request)."
    )
    assert of_x == (
        "By AP for kind = x, with a margin of 0.05, of 6 pairs of runs 2 are equivalent, 3 have a "
        "better run, 1 is undecided; the difference of 1 equivalent pair is significant, and "
        "smaller than the margin (paired t-test, Holm's correction over 6 pairs, n = 3 requests)."
    )
    assert lf.verdict(table).columns == ["kind", "measure", "test", "correction", "sentence"]


@pytest.mark.parametrize(
    "values, words",
    [
        (RUNS["same"], "a and b are equivalent"),
        (RUNS["slightly"], "a and b are equivalent, although their difference is significant"),
        (RUNS["good"], "a is better than b"),
        (RUNS["poor"], "b is not worse than a"),
        (FEW, "a and b are undecided: the requests are too few to tell"),
    ],
)
def test_a_single_pair(values, words):
    table = lf.equivalence(preferences({"ab": values}, "RPP"), 0.05)
    tested = "(paired t-test, Holm's correction over the one pair, n = 4 requests)"
    assert said(table) == [f"By RPP, with a margin of 0.05, {words} {tested}."]
    assert lf.verdict(table.clear()).height == 0


def test_the_chart_of_many_pairs_has_those_nearest_to_the_margin():
    pytest.importorskip("altair")
    from lexiframe.decide.gates.equivalence_charts import equivalence_chart

    values = np.random.default_rng(1).normal(0, 1, (9, 16)) + np.arange(16) / 9
    s = scores({f"r{k:02}": column for k, column in enumerate(values.T.tolist())})
    table = lf.equivalence(s, 0.5, larger_is_better="mine")
    chart = equivalence_chart(table, "mine")
    drawn = pl.DataFrame(chart.data.values)
    off = (pl.col("mean_difference").abs() - 0.5).abs()
    nearest = table.sort(off)["mean_difference"].head(100).sort(descending=True)
    assert drawn["mean_difference"].to_list() == nearest.to_list()
    assert chart.title.subtitle[1].startswith("100 of 120 pairs, nearest to the margin, 9 requests")
    assert {*drawn["kind"]} <= {"equivalent", "second not worse", "first not worse", "undecided"}
    assert chart.layer[0].data.values == [{"from": -0.5, "to": 0.5}]


def test_the_chart_says_of_which_side_it_is():
    """By hand: b is ahead of a, by less than the margin or by more, with and without a baseline."""
    pytest.importorskip("altair")
    from lexiframe.decide.gates.equivalence_charts import equivalence_chart

    drawn = np.random.default_rng(2).normal(0, 0.02, (12, 3)) + np.array([0, 0.06, -0.3])
    s = scores(dict(zip("abc", drawn.T.tolist(), strict=True)))
    table = lf.equivalence(s, 0.05, larger_is_better="mine")
    kinds = {row["pair"]: row["kind"] for row in equivalence_chart(table, "mine").data.values}
    assert kinds == {"a − b": "second better", "a − c": "first better", "b − c": "first better"}
    to_b = equivalence_chart(lf.equivalence(s, 0.05, baseline="b", larger_is_better="mine"), "mine")
    assert {row["kind"] for row in to_b.data.values} == {"baseline better"}
    turned = table.with_columns(conclusion=pl.col("conclusion").str.replace("better", "not worse"))
    chart = equivalence_chart(turned, "mine")
    kinds = {row["pair"]: row["kind"] for row in chart.data.values}
    assert kinds["a − b"] == "second not worse"
    domains = [layer["encoding"]["color"]["scale"]["domain"] for layer in layers_of(chart)[1:]]
    assert all(len(set(domain)) == 6 and {*kinds.values()} <= {*domain} for domain in domains)


def layers_of(chart):
    return chart.to_dict(validate=False)["layer"]
