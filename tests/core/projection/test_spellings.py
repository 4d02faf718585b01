"""Relevant documents that runs have in another spelling, beside others that match."""

import warnings

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.filterwarnings(  # made-up rows lie in any order
    "ignore:runs whose ranks and scores disagree",
    "ignore:.*expected scores of which the greatest is the best",
)


def test_two_differences_at_once():
    run = {"q1": {"S%C3%A3o Tom%C3%A9": 1.0}, "q2": {"Oslo": 1.0}}
    with pytest.warns(lf.LexiframeWarning, match="cause: spelling .'S%C3%A3o.* and 'São_Tomé'"):
        lf.positions({"r": run}, {"q1": {"São_Tomé": 1}, "q2": {"Oslo": 1}})


def test_other_documents_and_what_lies_below_the_depth_are_no_spellings():
    qrels = {"q1": {"a_b": 1, "Škoda": 1}, "q2": {"a b": 1}}
    run = {"q1": {"x y": 3.0, "Skoda": 2.5, "a_b": 2.0}, "q2": {"a_b": 1.0, "a b": 2.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lf.positions({"r": run}, qrels)
        lf.positions({"r": run}, qrels, depth=2)


def test_a_run_that_is_ranked_in_pieces(monkeypatch):
    monkeypatch.setattr("lexiframe.core.projection.pieces.ROWS", 4)
    rows = [(f"q{n}", f"d{k} {n}", float(k)) for n in range(6) for k in range(3)]
    run = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    qrels = {f"q{n}": {f"d1_{n}" if n == 4 else f"d1 {n}": 1} for n in range(6)}
    with pytest.warns(lf.LexiframeWarning, match="_ for a blank .'d1 4' and 'd1_4'"):
        lf.positions({"r": run}, qrels)
