"""Evaluations of answers judged by nuggets, which stand where others have documents."""

import polars as pl
import pytest

import lexiframe as lf
from tests.core.views.report.test_report import Page

FACTS = pl.DataFrame({
    "query_id": [*"qqqr"], "nugget_id": [*"abca"],
    "importance": ["vital", "vital", "okay", "okay"], "text": ["It is red.", "b", None, "Blue."],
})  # fmt: skip
STATED = pl.DataFrame({
    "run": [*"xxyyxy"], "query_id": [*"qqqqrr"], "nugget_id": [*"abbaaa"],
    "credit": [1.0, 1.0, 1.0, 1.0, 1.0, 0.0], "sentence": [1, 5, 2, 3, 4, None],
})  # fmt: skip
ANSWERS = lf.Nuggets(FACTS, STATED)
SET = lf.Nuggets(FACTS, STATED.drop("sentence"))


def test_it_has_preferences_of_nuggets_and_of_sentences():
    asked = ["LR", "NuggetRecall", "NuggetPreference"]
    e = lf.evaluate_scores(ANSWERS, asked)
    assert e.provenance["measures"] == asked
    assert e.facts["kind"].to_list() == ["preference", "metric", "preference"]
    d = lf.preferences(ANSWERS, asked[::2])
    assert e.preferences.filter(pl.col("measure") != "NuggetRecall").equals(d)
    assert e.win_rates.filter(measure="LR").equals(lf.win_rates(d).filter(measure="LR"))
    assert e.scores.equals(lf.evaluate_scores(ANSWERS, "NuggetRecall").scores)
    levels = e.pair("x", "y").filter(measure="LR").select("query_id", "deciding_level")
    assert levels.rows() == [("r", 1), ("q", 2)]
    assert e.pair("x", "y", "NuggetRecall")["deciding_level"].null_count() == 2
    alone = lf.evaluate_scores(ANSWERS, ["LR", "NuggetPreference"])
    assert alone.scores.is_empty()
    assert alone.preferences.equals(d)
    assert alone.comparisons.equals(e.comparisons.filter(pl.col("measure") != "NuggetRecall"))
    with pytest.raises(lf.LexiframeError, match="expected the sentences that state nuggets"):
        lf.evaluate_scores(SET, ["NuggetRecall", "LR"])


def test_nuggets_without_answers_have_no_value():
    created = lf.Nuggets(FACTS)
    for measures in (None, "NuggetPreference"):
        with pytest.raises(lf.LexiframeError, match="found nuggets that are assigned to none"):
            lf.evaluate_scores(created, measures)
    okay = lf.Nuggets(FACTS.with_columns(importance=pl.lit("okay")), ANSWERS.statements)
    with pytest.raises(lf.LexiframeError, match=r"NuggetRecall\(vital\): no answer has a value"):
        lf.evaluate_scores(okay, "NuggetRecall(vital)")
    one = lf.Nuggets(FACTS, ANSWERS.statements.filter(run="x"))
    with pytest.raises(lf.LexiframeError, match="two runs, found"):
        lf.evaluate_scores(one, "NuggetPreference")
    with pytest.raises(lf.LexiframeError, match="say how scores are read; leave them out for judg"):
        lf.evaluate_scores(ANSWERS, columns={"run": "system"})


def test_positions_and_explanations_are_those_of_its_sentences():
    e = lf.evaluate_scores(ANSWERS, "NuggetRecall")
    assert e.answers is ANSWERS
    assert e.positions.equals(lf.nugget_positions(ANSWERS))
    assert e.explain("q", "x", "y").equals(lf.explain(ANSWERS, "q", "x", "y"))
    with pytest.raises(lf.LexiframeError, match="expected the sentences that state nuggets"):
        lf.evaluate_scores(SET, "NuggetRecall").explain("q", "x", "y")
    with pytest.raises(lf.LexiframeError, match="collection: this evaluation was computed from"):
        _ = e.collection


@pytest.mark.slow
def test_its_page_has_nuggets_where_others_have_documents(tmp_path):
    e = lf.evaluate_scores(ANSWERS, ["NuggetRecall", "LR"])
    page = Page(e.report(tmp_path / "r.html"))
    assert page.facts["measures"][1]["decides"]["direction"] == "recall"
    assert page.facts["nuggets"]
    assert page.facts["documents"] == ["a: It is red.", "b", "c", "a: Blue."]
    ranks = page.array(page.facts["positions"]["ranks"]).reshape(-1, 2)
    assert ranks.tolist() == [[1, 3], [5, 2], [0, 0], [4, 0]]
    page = Page(lf.evaluate_scores(SET, "NuggetRecall").report(tmp_path / "r.html"))
    assert page.facts["positions"] is None
    said = page.facts["notes"]["coverage"][0]
    assert said.startswith("Answers of 2 runs to ")
    assert "expected the sentences that state nuggets, found none" in page.facts["why_none"]


def test_what_takes_positions_or_scores_says_what_to_give_it():
    for function in (lf.compare, lf.read_scores, lf.order_runs):
        with pytest.raises(
            lf.LexiframeError, match=r"compare\(nugget_scores\(n\)\) compares the re"
        ):
            function(SET)
