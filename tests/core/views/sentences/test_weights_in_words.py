"""What summaries, verdicts and captions say of weights: by hand, on two runs and four requests."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

IDS = ["q1", "q2", "q3", "q4"]
TRAFFIC = pl.DataFrame({"query_id": IDS, "visits": [4, 2, 1, 1], "segment": [*"hhtt"]})
VALUES = {"a": [0.25, 1.0, 1.0, 1.0], "b": [1.0, 0.5, 0.5, 0.5]}
SCORES = pl.DataFrame(
    [(run, q, "AP", x) for run, of in VALUES.items() for q, x in zip(IDS, of, strict=True)],
    ["run", "query_id", "measure", "value"],
    orient="row",
)
HOW = {"weights": "visits", "requests": TRAFFIC}
NOTE = "y visits, 4 requests tell as much as n* = 2.91 that count alike; the heaviest, q1, has "
NOTE += "50.0 % of the weight"
OTHER = "By visits b is first by AP; if all requests counted alike, a."


def flat(text):
    return " ".join(str(text).split())


@pytest.fixture(scope="module")
def e():
    return lf.evaluate_scores(SCORES, test="t", **HOW)


def test_the_verdict_names_the_weights_and_who_would_be_first_without_them(e):
    (said,) = e.verdict["sentence"]
    assert "n = 4 requests, n* = 2.91)" in said
    assert said.endswith(f"B{NOTE}. {OTHER}")
    assert e.provenance["weights"]["first_by_request"] == {"AP": ["a"]}
    assert "weights" not in lf.evaluate_scores(SCORES).provenance


def test_the_summary_has_them_as_a_note(e):
    text = flat(e)
    assert "b is first by AP" in text
    assert OTHER in text
    assert "Means over 4 requests by visits" in text
    assert f"b{NOTE}" in text
    assert "with n* = 2.91 requests intervals say little" in text


def test_what_is_not_weighed_says_so(e):
    text = flat(e.summary("all"))
    ties = text.index("Ties between rankings")
    assert text.index("not weighed: each request counts once") > ties
    assert "not weighed" not in flat(lf.evaluate_scores(SCORES).summary("all"))
    assert "over the pairs of a measure, α = 0.05, n = 4 requests, n* = 2.91)" in text


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_captions_have_them_under_the_names_of_the_paper(e, form):
    text = flat(getattr(e, form)(rename={"a": "BM25"}).replace("\\*", "*").replace("{*}", "*"))
    text = text.replace("~", " ").replace("\\%", "%")
    assert "Means over 4 requests by visits." in text
    assert f"B{NOTE}." in text
    assert "if all requests counted alike, BM25." in text
    assert "n = 4, n* = 2.91)" in text


def test_comparisons_in_short_have_n_star(e):
    from lexiframe.core.views.shown import comparisons_text

    assert "n = 4, n* = 2.91 by weight" in flat(comparisons_text(e.comparisons, ["AP"], 0.05))
    apart = pl.concat(
        [e.comparisons, e.comparisons.with_columns(measure=pl.lit("RR"), n_effective=3.0)]
    )
    assert "n*" in comparisons_text(apart, ["AP", "RR"], 0.05)


def test_below_two_t_is_impossible_and_flips_are_not():
    heavy = {"weights": {"q1": 40.0, "q2": 2.0, "q3": 1.0, "q4": 1.0}}
    one = lf.evaluate_scores(SCORES, test="t", **heavy)
    assert one.comparisons["n_effective"].item() < 2
    (said,) = one.verdict["sentence"]
    assert said.startswith("4 requests (n* = 1.21): too few for any conclusion by AP; b is first")
    assert "no test is possible with n* below 2" in said
    assert "By weight, 4 requests tell" in said
    assert "? not tested against a run with *: fewer than two requests in common, or n*" in flat(
        one
    )
    assert "With n* below 2, no test is possible." in one.latex().replace("{*}", "*")
    flips = lf.evaluate_scores(SCORES, test="randomization", **heavy)
    assert "no test is possible" not in flips.verdict["sentence"].item()


def test_strata_groups_and_equal_weights():
    shares = {"h": 3, "t": 1}
    of_strata = lf.evaluate_scores(SCORES, strata="segment", shares=shares, requests=TRAFFIC)
    assert "Means over 4 requests by shares of segment (h 75 %, t 25 %)" in flat(of_strata)
    grouped = lf.evaluate_scores(SCORES, by="segment", **HOW)
    assert "Means over 2 requests by visits, segment = h" in flat(grouped)
    assert flat(grouped).count(f"over all groups, b{NOTE}") == 1
    assert f"Over all groups, b{NOTE}" in flat(grouped.verdict)
    assert "first_by_request" not in grouped.provenance["weights"]
    alike = lf.evaluate_scores(SCORES, weights=dict.fromkeys(IDS, 2.0))
    assert str(alike) == str(lf.evaluate_scores(SCORES))


def test_shares_of_strata_may_differ_by_collection():
    shares = {"c": {"h": 3, "t": 1}, "d": {"h": 1, "t": 1}}
    both = pl.concat([SCORES.with_columns(collection=pl.lit(name)) for name in shares])
    e = lf.evaluate_scores(both, strata="segment", shares=shares, requests=TRAFFIC)
    assert "of each collection by shares of segment ┌" in flat(e)
    assert "c: by shares of segment (h 75 %, t 25 %), 4 requests tell" in flat(e)
    assert "d: by shares of segment (h 50 %, t 50 %), 4 requests tell" in flat(e)


def test_shares_of_weight_are_called_so():
    data = lf.bundled("example")
    weights = {"q0066": 4.0, "q0078": 3.0, "q0113": 2.0, "q0175": 1.0, "q0206": 1.0}
    found = lf.evaluate(data / "runs", data / "qrels.txt", ["RPP", "AP"], weights=weights)
    assert "(RPP: share of weight won)" in flat(found)
    assert "of RPP the share of weight won against the 2 other runs" in flat(found.latex())


@pytest.mark.parametrize("order", ["win_rate", "borda", "mc4"])
def test_who_is_first_by_preferences(order):
    """Of eight requests one with more than half of the weight prefers y, and three prefer x."""
    names = [f"q{n}" for n in range(8)]
    up, down = {"d": 2.0, "e": 1.0}, {"d": 1.0, "e": 2.0}
    runs = {
        "x": {q: down if q == "q0" else up for q in names},
        "y": {q: down if q in names[1:4] else up for q in names},
    }
    qrels = {q: {"d": 1} for q in names}
    weights = {q: 9.0 if q == "q0" else 1.0 for q in names}
    e = lf.evaluate(runs, qrels, "LR", order=order, weights=weights)
    assert e.orderings.sort("rank")["run"][0] == "y"
    first = {} if order == "mc4" else {"LR": ["x"]}  # of which plain counts are not kept
    assert e.provenance["weights"]["first_by_request"] == first


def test_each_collection_has_its_own():
    both = pl.concat([SCORES.with_columns(collection=pl.lit(c)) for c in ("x", "y")])
    log = pl.concat(
        [TRAFFIC.with_columns(collection=pl.lit("x")),
         TRAFFIC.with_columns(collection=pl.lit("y"), visits=pl.col("visits").reverse())]
    )  # fmt: skip
    e = lf.evaluate_scores(both, weights="visits", requests=log)
    assert f"x: b{NOTE}" in flat(e)
    assert "y: by visits, 4 requests tell" in flat(e)
    assert "over 4 requests of each collection by visits" in flat(e)
    assert f"x: {OTHER}" in flat(e)
    assert "4 requests of each collection by visits" in flat(e.latex())
