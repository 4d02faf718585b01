"""``lexiframe leaderboard``."""

import json

import polars as pl


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
    assert "nobody else beat {'a'}" in found.err
