"""Votes as tools write them: weighted, counted, in two games, without the id of a request."""

import json
import math

import polars as pl
import pytest
from typer.testing import CliRunner

import lexiframe as lf
from lexiframe.core.cli.app import app


def votes(**columns):
    return pl.DataFrame(columns)


def test_alpaca_eval_weighs_its_preferences(tmp_path):
    """Its win rate since 2.0 is the mean of (preference − 1), here by a loop."""
    weighed = [1.0000048889, 1.93, 1.5, 2.0]
    rows = [
        {"instruction": name, "generator_1": "base", "generator_2": "mine", "preference": x}
        for name, x in zip("abcd", weighed, strict=True)
    ]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(rows))
    for source in (pl.DataFrame(rows), path):
        v = lf.read_preferences(source)
        assert v.judgments["winner"].to_list() == ["a", "b", "tie", "b"]
        mine = [(1 - x) / 2 for x in v.preferences.sort("query_id")["preference"]]
        assert mine == pytest.approx([x - 1 for x in weighed], abs=1e-12)
        assert sum(mine) / 4 == pytest.approx(sum(x - 1 for x in weighed) / 4)
    turned = pl.DataFrame(rows).rename({"generator_1": "generator_2", "generator_2": "generator_1"})
    turned = turned.with_columns(preference=3 - pl.col("preference"))
    same = lf.read_preferences(turned).preferences["preference"]
    assert same.to_list() == pytest.approx(v.preferences["preference"].to_list(), abs=1e-12)


@pytest.mark.parametrize("names", [("score_a", "score_b"), ("scores_chosen", "scores_rejected")])
def test_a_score_that_is_no_number_is_refused(names):
    runs = ("model_a", "model_b") if names[0] == "score_a" else ("chosen_model", "rejected_model")
    rows = {"qid": ["1", "2", "3"], runs[0]: ["x"] * 3, runs[1]: ["y"] * 3}
    scores = {names[0]: ["8", "7,5", ""], names[1]: [7.0, 8.0, 9.0]}
    with pytest.raises(lf.ReadError, match=rf"a number as {names[0]}, found '7,5' in row 2 \(1 su"):
        lf.read_preferences(pl.DataFrame(rows | scores))


def test_names_that_differ_in_capitals_alone_are_warned_of():
    table = votes(id=["1", "2"], model_a=["GPT", "gpt"], model_b=["x"] * 2, winner=["GPT", "x"])
    with pytest.warns(lf.LexiframeWarning, match=r"capitals alone.* 2 \('GPT', 'gpt'\)"):
        lf.read_preferences(table)


def test_a_winner_that_contradicts_its_share_is_refused():
    rows = {"qid": ["1", "2", "3"], "model_a": ["x"] * 3, "model_b": ["y"] * 3,
            "share": [0.9, 0.2, 0.6], "winner": ["x", "y", "tie"]}  # fmt: skip
    v = lf.read_preferences(pl.DataFrame(rows))
    assert v.judgments.sort("query_id")["winner"].to_list() == ["a", "b", "a"]
    unknown = pl.DataFrame(rows | {"winner": ["up", "down", "up"]})
    assert lf.read_preferences(unknown).judgments.equals(v.judgments)
    with pytest.raises(
        lf.ReadError, match=r"more than half of share, .* 'x' in row 2 \(1 such row"
    ):
        lf.read_preferences(pl.DataFrame(rows | {"winner": ["x", "x", "tie"]}))


def test_a_share_is_what_the_first_run_has():
    table = votes(id=["1", "2"], model_a=["y", "x"], model_b=["x", "y"], prob_a=[0.75, 0.5])
    v = lf.read_preferences(table)
    assert v.judgments.select("run_a", "winner", "share").rows() == [
        ("x", "b", 0.25), ("x", "tie", 0.5)
    ]  # fmt: skip
    assert v.preferences["preference"].to_list() == [-0.5, 0.0]
    unclear = table.rename({"prob_a": "winner"})
    with pytest.raises(lf.ReadError, match="between 0 and 1 in winner, which may be the share of"):
        lf.read_preferences(unclear)
    assert lf.read_preferences(unclear, columns={"share": "winner"}).judgments.equals(v.judgments)
    with pytest.raises(lf.ReadError, match=r"shares from 0 to 1 in prob_a, found 1\.5 in row 2"):
        lf.read_preferences(table.with_columns(prob_a=pl.Series([0.5, 1.5])))


def test_a_row_counts_as_often_as_it_says():
    table = votes(id=["1", "2"], model_a=["a"] * 2, model_b=["b"] * 2,
                  winner=["model_a", "model_b"], weight=[10.0, 1.0])  # fmt: skip
    v = lf.read_preferences(table)
    assert v.preferences["n_judgments"].to_list() == [10, 1]
    difference = lf.bradley_terry(v).strengths["strength"].to_list()
    assert difference[0] - difference[1] == pytest.approx(math.log(10))
    for bad in (-1.0, 0.5):
        with pytest.raises(lf.SchemaError, match="a whole number of judgments in weight, found"):
            lf.read_preferences(table.with_columns(weight=pl.Series([1.0, bad])))
    with pytest.raises(lf.SchemaError, match="at most 100,000,000 judgments, found 200,000,000"):
        lf.read_preferences(table.with_columns(weight=pl.Series([1e8, 1e8])))


def test_votes_without_the_id_of_a_request():
    table = votes(left=["a", "b", "a"], right=["b", "a", "b"], winner=["left", "right", "tie"])
    with pytest.warns(lf.LexiframeWarning, match=r"no column names the request \(left, right, wi"):
        v = lf.read_preferences(table)
    assert v.judgments["query_id"].n_unique() == 3
    assert v.judgments["winner"].to_list() == ["a", "a", "tie"]


ARENA_HARD = [
    {"question_id": n, "model": "mine", "games": [{"score": one}, {"score": other}]}
    for n, one, other in (("1", "A>>B", "B>A"), ("2", "A=B", None))
]


def test_the_games_of_arena_hard(tmp_path):
    """The baseline is A in the first game, B in the second."""
    path = tmp_path / "judgment.jsonl"
    path.write_text("\n".join(map(json.dumps, ARENA_HARD)))
    for source in (pl.DataFrame(ARENA_HARD), path):
        with pytest.warns(lf.LexiframeWarning, match="without a winner, left out: 1 rows"):
            v = lf.read_preferences(source)
        assert v.judgments.select("query_id", "run_a", "run_b", "winner", "first").rows() == [
            ("1", "baseline", "mine", "a", "a"),
            ("1", "baseline", "mine", "a", "b"),
            ("2", "baseline", "mine", "tie", "a"),
        ]
        with pytest.warns(lf.LexiframeWarning, match="without a winner"):
            strong = lf.read_preferences(source, strong=3)
        assert strong.preferences["n_judgments"].to_list() == [4, 1]
    named = [{**row, "baseline": "o3"} for row in ARENA_HARD[:1]]
    assert lf.read_preferences(pl.DataFrame(named)).judgments["run_b"].to_list() == ["o3"] * 2
    with pytest.raises(lf.ReadError, match="lists of games with a score"):
        lf.read_preferences(pl.DataFrame(ARENA_HARD).with_columns(games=pl.lit("A>B")))
    with pytest.raises(lf.LexiframeError, match="expected strong to be a whole number from 1"):
        lf.read_preferences(path, strong=0)
    with pytest.warns(lf.LexiframeWarning, match="without a winner"):
        found = CliRunner().invoke(app, ["votes", str(path), "--strong", "3", "--prior", "1"])
    assert found.exit_code == 0, found.output
    assert "5 judgments" in found.output


def test_a_run_against_itself_is_left_out_and_counted():
    table = votes(id=["1", "2"], left=["x", "x"], right=["x", "y"], winner=["left", "left"])
    with pytest.warns(lf.LexiframeWarning, match=r"against itself, left out: 1 rows \('x' first\)"):
        v = lf.read_preferences(table)
    assert v.judgments["query_id"].to_list() == ["2"]


@pytest.mark.filterwarnings("ignore:judgments. no column names the request")
def test_counts_without_requests_are_as_many_requests():
    table = votes(left=["a", "a"], right=["b", "b"], winner=["left", "right"], count=[90, 10])
    v = lf.read_preferences(table)
    assert v.judgments["query_id"].n_unique() == 100
    assert lf.win_rates(v)["win_rate"].to_list() == [0.9]


def test_the_requests_of_arena_hard_may_be_called_uid():
    rows = [{"uid": "7", "model": "mine", "games": [{"score": "A>B"}, {"score": "A=B"}]}]
    rows += [{"uid": "8", "model": "mine", "games": []}]
    with pytest.warns(lf.LexiframeWarning, match="without a winner, left out: 1 rows"):
        v = lf.read_preferences(pl.DataFrame(rows))
    assert v.preferences.select("query_id", "n_judgments").rows() == [("7", 2)]
