"""``lexiframe votes``."""

import json

import polars as pl
import pytest

ROWS = [
    (str(q), *pair, side, judge)
    for q in range(6)
    for pair, side in (("xy", "left"), ("yz", "left"), ("xz", "left"))
    for judge in ("ann", "bob", "eve")
]
TURNED = [
    ("9", "x", "y", "right", "ann"),
    ("9", "y", "z", "right", "ann"),
    ("9", "x", "y", "tie", "bob"),
]
NAMES = ["query_id", "left", "right", "winner", "judge"]


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    pl.DataFrame(ROWS + TURNED, schema=NAMES, orient="row").write_csv(path)
    return path


def test_votes_prints_its_conclusion_first_and_writes(lexiframe, votes, tmp_path):
    out, page = tmp_path / "out", tmp_path / "page.html"
    found = lexiframe("votes", votes, "--by", "judge", "--out", out, "--report", page)
    assert found.status == 0
    assert found.out.startswith("x has the greatest strength of 3 runs")
    assert "judgments by the same judge taken together" in found.out.replace("\n", " ")
    assert "57 judgments in 7 requests by 3 judges; 1 is a tie" in found.out.replace("\n", " ")
    assert "The run that was shown first wins" in found.out
    assert "3 judges judged" in found.out
    assert pl.read_parquet(out / "strengths.parquet")["run"].to_list() == ["x", "y", "z"]
    assert pl.read_parquet(out / "judgments.parquet").height == 57
    assert pl.read_parquet(out / "judges.parquet").height == 4
    assert "Strengths of 3 runs" in page.read_text(encoding="utf-8")


def test_the_table_alone_and_several_files(lexiframe, votes, tmp_path):
    found = lexiframe("votes", votes, "--format", "json", "--elo", "--ties", "davidson")
    rows = json.loads(found.out)
    assert [row["run"] for row in rows] == ["x", "y", "z"]
    assert "elo_low" in rows[0]
    printed = lexiframe("votes", votes, "--elo").out
    assert "rank   elo  elo_low  elo_high" in printed  # whole points: there is room for the rank
    twice = tmp_path / "more.csv"
    twice.write_text(votes.read_text())
    found = lexiframe("votes", votes, twice, "--all")
    assert "114 judgments in 7 requests" in found.out.replace("\n", " ")
    assert "Pairs that the strengths describe worst" in found.out
    same = lexiframe("votes", votes, votes.parent / "." / votes.name)
    assert same.status == 1
    assert "expected each file once, found it twice" in same.err
    called = tmp_path / "called.csv"
    pl.read_csv(votes).rename({"query_id": "task", "judge": "who"}).write_csv(called)
    found = lexiframe("votes", called, "--column", "query_id=task", "--format", "csv")
    assert found.out.startswith("run,strength")


def test_votes_without_a_maximum_or_winners_are_refused_and_nothing_is_written(
    lexiframe, votes, tmp_path
):
    never = tmp_path / "never.csv"
    pl.DataFrame(ROWS, schema=NAMES, orient="row").write_csv(never)
    found = lexiframe("votes", never, "--out", tmp_path / "out")
    assert found.status == 1
    assert "{'x'} won all comparisons with other runs" in found.err
    assert not (tmp_path / "out").exists()
    found = lexiframe("votes", never, "--prior", "1")
    assert found.status == 0
    assert "imaginary run" in found.out
    assert lexiframe("votes", tmp_path / "nothing.csv").status == 1
    assert lexiframe("votes", votes, "--report", votes).status != 0
