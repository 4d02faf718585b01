"""The commands `worst` and `risk`, and the share of an evaluation's requests."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import memory_use

FOLDER = lf.bundled("example")
DATA = FOLDER / "qrels.txt", FOLDER / "runs"


def test_worst_prints_sentences_and_values_and_writes_all_tables(lexiframe, tmp_path):
    said = lexiframe("worst", *DATA, "-m", "AP", "--share", "0.4", "-o", tmp_path / "found")
    assert said.out.startswith(
        "In the 40 % of the requests that each run serves worst, pixels_euclidean"
    )
    e = lf.evaluate(*reversed(DATA), "AP")
    wanted = e.worst(share=0.4).tables()
    assert {path.stem for path in (tmp_path / "found").iterdir()} == {*wanted}
    for name, one in wanted.items():
        assert pl.read_parquet(tmp_path / f"found/{name}.parquet").equals(one)
    csv = lexiframe("worst", *DATA, "--share", 0.4, "--share", 0.6, "--format", "csv").out
    assert csv.startswith("measure,share,run,value")
    assert csv.count("\n") == 1 + 3 * 2 * 3
    assert "request_win_rates has them" in lexiframe("worst", *DATA, "-m", "RPP").said


@pytest.mark.slow
def test_worst_takes_scores_of_other_tools(lexiframe, tmp_path):
    s = lf.evaluate(*reversed(DATA), "AP").scores
    s.write_parquet(tmp_path / "scores.parquet")
    out = lexiframe("worst", tmp_path / "scores.parquet", "--scores", "--share", "0.4").out
    assert out == lexiframe("worst", *DATA, "-m", "AP", "--share", "0.4").out


def test_risk_prints_a_sentence_and_the_columns_that_one_reads(lexiframe, tmp_path):
    how = ["risk", *DATA, "-m", "AP", "--baseline", "pca8_euclidean", "--risk-alpha", "5"]
    said = lexiframe(*how, "-o", tmp_path / "risk.csv").out
    assert said.startswith("By AP, of 2 runs 0 gain and 1 loses (random) significantly against")
    assert "urisk" in said
    s = lf.scores(lf.positions(*reversed(DATA)), "AP")
    found = pl.read_csv(tmp_path / "risk.csv")
    wanted = lf.risk(s, "pca8_euclidean", risk_alpha=5)
    assert found["georisk"].to_list() == pytest.approx(wanted["georisk"].to_list())
    assert lexiframe(*how, "--format", "csv").out == (tmp_path / "risk.csv").read_text()


@pytest.mark.slow
def test_an_evaluation_in_parts_reads_the_scores_that_it_kept(tmp_path, monkeypatch):
    e = lf.evaluate(*reversed(DATA), "AP RPP")
    kept, none = (
        lf.evaluate(*reversed(DATA), "AP RPP", keep=name, out=tmp_path / name)
        for name in ("scores", "preferences")
    )
    assert kept.sums is not None
    assert kept.worst(0.4).comparisons.equals(e.worst(0.4).comparisons)
    with pytest.raises(lf.LexiframeError, match="keep='scores' to write them"):
        none.worst(0.4)
    monkeypatch.setattr(memory_use, "available", lambda: 1000)
    with pytest.raises(lf.LexiframeError, match="15 scores of single requests need about"):
        kept.worst(0.4)
