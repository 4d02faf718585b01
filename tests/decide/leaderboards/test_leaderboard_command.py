"""``lexiframe leaderboard``."""

import json
import re
from typing import get_args

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.orderings.rules import RULES
from lexiframe.decide.leaderboards.command import RuleNames


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_described(rule):
    assert f"``{rule}``" in lf.leaderboard.__doc__
    assert re.search(rf"\b{rule}\b", get_args(RuleNames)[1].help)


def test_leaderboard_prints_its_conclusion_and_writes(lexiframe, tmp_path):
    table = pl.DataFrame(
        {"model": ["a", "b", "c"], "news": [0.7, 0.5, 0.4], "law": [0.8, 0.6, 0.5],
         "sport": [0.6, 0.5, 0.3]}
    )  # fmt: skip
    table.write_csv(tmp_path / "board.csv")
    out, page = tmp_path / "out", tmp_path / "page.html"
    found = lexiframe(
        "leaderboard", tmp_path / "board.csv", "--rule", "mean", "--rule", "borda",
        "--out", out, "--report", page,
    )  # fmt: skip
    assert found.status == 0
    assert found.out.startswith("By the mean over 3 collections, a is first of 3 runs")
    assert pl.read_parquet(out / "ranking.parquet").height == 6
    assert "Leaderboard of 3 runs" in page.read_text(encoding="utf-8")
    found = lexiframe("leaderboard", tmp_path / "board.csv", "--format", "json")
    assert [row["run"] for row in json.loads(found.out)] == ["a", "b", "c"]
    found = lexiframe("leaderboard", tmp_path / "board.csv", "--rule", "best")
    assert found.status == 1


def test_strengths_on_the_command_line(lexiframe, tmp_path):
    table = pl.DataFrame({"model": ["a", "b", "c"], "news": [3, 2, 1], "law": [1, 3, 2],
                          "sport": [2, 1, 3], "music": [3, 2, 1]})  # fmt: skip
    table.write_csv(tmp_path / "board.csv")
    found = lexiframe("leaderboard", tmp_path / "board.csv", "--rule", "bradley_terry")
    assert found.status == 0
    assert found.out.startswith("By Bradley–Terry strengths over 4 collections, a is first of 3")
    table.head(2).drop("law").write_csv(tmp_path / "two.csv")
    found = lexiframe("leaderboard", tmp_path / "two.csv", "--rule", "bradley_terry")
    assert found.status == 1
    assert "{'a'} won all comparisons with other runs" in found.err


@pytest.fixture
def board(tmp_path):
    """A leaderboard of three runs in three collections, as a file."""
    path = tmp_path / "board.csv"
    pl.DataFrame({"model": ["a", "b", "c"], "news": [3, 2, 1], "law": [1, 3, 2],
                  "sport": [1, 2, 4]}).write_csv(path)  # fmt: skip
    return path


def first(lexiframe, *arguments):
    found = lexiframe("leaderboard", *arguments, "--format", "json")
    assert found.status == 0, found.err
    return json.loads(found.out)[0]["run"]


def test_weights_by_name_and_in_a_file(lexiframe, board, tmp_path):
    by_name = ["--weights", "news=2", "--weights", "law=0.5", "--weights", "sport=0"]
    assert first(lexiframe, board, *by_name) == "a"
    weights = tmp_path / "weights.csv"
    weights.write_text("task,weight\nnews,0\nlaw,1\nsport,5\n")
    assert first(lexiframe, board, "--weights", weights) == "c"
    assert first(lexiframe, board, "--weights", "equal") == "b"
    smaller = ["--smaller-is-better", "sport", "--smaller-is-better", "law"]
    assert first(lexiframe, board, *smaller) == "a"


@pytest.mark.parametrize(
    "given, status, message",
    [
        (["news=2"], 1, "a weight for each collection, found none for 2 ('law', 'sport')"),
        (["news=2", "news=3"], 2, "NAME=WEIGHT for each collection, or one file, equal or"),
        (["news=2", "=3"], 2, "found '=3'"),
        (["news=x"], 2, "expected a number in 'news=x'"),
        (["nowhere.csv"], 1, "nowhere.csv"),
    ],
)
def test_weights_that_are_refused(lexiframe, board, given, status, message):
    found = lexiframe("leaderboard", board, *(x for one in given for x in ("--weights", one)))
    assert found.status == status
    assert message in found.said


@pytest.mark.parametrize(
    "text, message",
    [
        ("task,w\nnews,1\n", "expected the columns collection (or task, task_name, dataset, be"),
        ("task,weight\nnews,1\nnews,2\n", "expected one weight for 'news', found several"),
        ("task,weight\nnews,1\nlaw,\n", "expected a number as each weight, found 1 (None)"),
        ("task,weight\nnews,1\nlaw,x\n", "expected a number as each weight, found 1 ('x')"),
    ],
)
def test_files_of_weights_that_are_refused(lexiframe, board, tmp_path, text, message):
    (tmp_path / "w.csv").write_text(text)
    found = lexiframe("leaderboard", board, "--weights", tmp_path / "w.csv")
    assert found.status == 1
    assert message in found.err


@pytest.mark.slow
def test_folders_of_evaluations_are_collections(lexiframe, tmp_path):
    example = lf.bundled("example")
    lines = (example / "qrels.txt").read_text().splitlines(keepends=True)
    few = tmp_path / "few.txt"
    few.write_text("".join(line for line in lines if line.split()[0] != lines[0].split()[0]))
    judged = {"news": example / "qrels.txt", "law": few, "old/law": few}
    for name, qrels in judged.items():
        found = lexiframe("evaluate", qrels, example / "runs", "-m", "AP,RR",
                          "--out", tmp_path / name)  # fmt: skip
        assert found.status == 0, found.err
    folders = [tmp_path / "news", tmp_path / "law"]
    found = lexiframe("leaderboard", *folders, "-m", "AP", "--all", "--format", "json")
    e = lf.read_results(folders[0])
    both = {"news": e, "law": lf.read_results(folders[1])}
    expected = lf.leaderboard(both, measure="AP").ranking
    assert [row["value"] for row in json.loads(found.out)] == expected["value"].to_list()
    found = lexiframe("leaderboard", *folders)
    assert "expected one measure in each collection, found 2 ('AP', 'RR')" in found.err
    found = lexiframe("leaderboard", *folders, tmp_path / "old" / "law", "-m", "AP")
    assert "expected folders of different names" in found.err
    (tmp_path / "old" / "law").rename(tmp_path / "copy")
    found = lexiframe("leaderboard", *folders, tmp_path / "copy", "-m", "AP")
    assert "found the same means as in 'law'; give each evaluation once" in found.err
    found = lexiframe("leaderboard", folders[0], example / "qrels.txt")
    assert "give folders of evaluations, or scores" in found.err


@pytest.mark.slow
def test_an_evaluation_of_collections_is_a_leaderboard(lexiframe, tmp_path):
    example = lf.bundled("example")
    runs = pl.DataFrame(lf.read_runs(example / "runs"))
    qrels = pl.DataFrame(lf.read_qrels(example / "qrels.txt"))
    runs, qrels = (
        pl.concat([table.with_columns(collection=pl.lit(name)) for name in ("news", "law")])
        for table in (runs, qrels)
    )
    e = lf.evaluate(runs, qrels, ["AP"])
    e.write(tmp_path / "both")
    found = lexiframe("leaderboard", tmp_path / "both")
    assert found.status == 0, found.err
    assert "By the mean over 2 collections" in found.out
