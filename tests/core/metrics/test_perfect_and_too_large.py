"""A perfect ranking has exactly 1, a missing level 0, and gains beyond a float are refused."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.metrics import needed

SIZES = [*range(1, 60), 93, 127, 161]


def positions_of(rankings, grades, **given):
    """Positions of one run, whose documents are named in the order of its ranking."""
    run = {q: {d: -float(i) for i, d in enumerate(names)} for q, names in rankings.items()}
    return lf.positions({"a": run}, grades, **given)


def perfect(grade_of):
    """A request for each size, which is its name, with all relevant items on top."""
    rankings = {f"q{m}": [f"d{i:03}" for i in range(m)] for m in SIZES}
    grades = {
        q: {d: grade_of(i, len(names)) for i, d in enumerate(names)}
        for q, names in rankings.items()
    }
    return positions_of(rankings, grades, judged=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure", ["AP", "AP@200", "AP(denominator='min')@7", "bpref", "bpref(denominator='m')",
                "Rndcg", "ndcg_rel", "nDCG", "nDCG@5", "R", "Rprec", "RR"]
)  # fmt: skip
@pytest.mark.parametrize("grades", ["equal", "three"])
def test_a_perfect_ranking_is_exactly_one(measure, grades):
    p = perfect(lambda i, m: 1 if grades == "equal" else 3 - 3 * i // m)
    found = lf.scores(p, measure)
    assert found.filter(pl.col("value") != 1.0).is_empty()


def test_subtopics_that_are_all_served_from_the_top_have_exactly_one():
    m = 49  # 49 · (1/49) is 0.9999999999999999
    rows = pl.DataFrame({"doc_id": [f"d{i:02}" for i in range(m)]}).with_columns(
        query_id=pl.lit("q"), relevance=1.0, score=-pl.int_range(m).cast(pl.Float64)
    )
    qrels = pl.concat([rows.with_columns(subtopic=pl.lit(x)) for x in "st"]).drop("score")
    run = rows.with_columns(run=pl.lit("a")).drop("relevance")
    p = lf.positions(run, qrels, subtopics=True)
    assert lf.scores(p, ["MAP-IA", "P-IA@49", "MAP-IA@49"])["value"].to_list() == [1.0] * 3


def test_average_precision_is_one_quotient():
    rng = np.random.default_rng(3)
    names = {f"q{k}": [f"d{i:03}" for i in range(150)] for k in range(40)}
    grades = {q: {d: int(g) for d, g in zip(ds, rng.random(150) < 0.3, strict=True)}
              for q, ds in names.items()}  # fmt: skip
    found = lf.scores(positions_of(names, grades), "AP")
    for query, value in found.select("query_id", "value").iter_rows():
        ranks = [i + 1 for i, d in enumerate(names[query]) if grades[query][d]]
        total = 0.0
        for i, rank in enumerate(ranks, 1):
            total += i / rank
        assert value == total / len(ranks), query


def test_rndcg_of_a_request_without_the_level_is_zero():
    """trec_eval -l 3 has 0 for such requests, and leaves the gains of all others as they are."""
    grades = {"low": {"d0": 1, "d1": 2, "d2": 0}, "high": {"d0": 3, "d1": 1, "d2": 0}}
    p = positions_of({q: ["d2", "d1", "d0"] for q in grades}, grades, no_relevant="zero")

    def values(measures):
        s = lf.scores(p, measures, no_relevant="zero")
        return dict(s.select("query_id", "value").iter_rows())

    plain = values("Rndcg")
    assert plain["low"] > 0
    at_three = needed.set_level([lf.parse_measure("Rndcg")], 3)
    assert [*map(str, at_three)] == ["Rndcg(level=3)"]
    assert values(at_three) == plain | {"low": 0.0}
    assert values(needed.set_level([lf.parse_measure("Rndcg")], 2)) == plain
    given = lf.parse_measure("Rndcg(level=2)")
    assert needed.set_level([given, lf.nDCG, lf.AP], 3) == [given, lf.nDCG, lf.AP(rel=3)]


@pytest.mark.parametrize(
    "measure, grades, said",
    [
        ("nDCG(dcg='exp-log2')", {"d0": 5000, "d1": 1}, "grade is 5000; 2\\^g − 1 is finite up to"),
        ("nDCG(dcg='exp-log2')@1", {"d0": 1, "missed": 1024}, "leave dcg='exp-log2' out"),
        ("DCG(dcg='exp-log2')", {"d0": 1023.7, "d1": 1023.7}, "DCG\\(gains=\\{1023.7: 4\\}\\)"),
        ("nDCG(dcg='exp-log2', gains={1: 2000})", {"d0": 1, "d1": 2}, "too large for a float"),
        ("Rndcg", {"d0": 1.7e308, "d1": 1.7e308}, "Rndcg\\(gains="),
        ("G", {"d0": 1.7e308, "d1": 1.7e308}, "the gains of query 'q'"),
        ("ndcg_rel", {"d0": 1.7e308, "d1": 1.7e308}, "grade is 1.7e\\+308"),
        ("ERR(max=1500)", {"d0": 2}, "above 0 and below 1024"),
    ],
)
def test_gains_beyond_a_float_are_refused_with_the_grade(measure, grades, said):
    with pytest.raises(lf.LexiframeError, match=said):
        lf.scores(positions_of({"q": ["d0", "d1"]}, {"q": grades}), measure)


def test_a_gain_of_ones_own_that_is_too_large_is_named():
    power = lf.GradedMetric("power", exposure=lambda p: 1 / p, gain=lambda y: y**200)
    with pytest.raises(lf.LexiframeError, match="its greatest grade is 900; check its gain"):
        lf.scores(positions_of({"q": ["d0"]}, {"q": {"d0": 900}}), power)


def test_err_takes_greatest_grades_beyond_what_whole_numbers_hold():
    p = positions_of({"q": ["d0", "d1"]}, {"q": {"d0": 100, "d1": 1}})
    assert lf.scores(p, "ERR(max=100)")["value"].to_list() == [pytest.approx(1.0)]
