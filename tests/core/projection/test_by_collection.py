"""Frames are of several collections where both runs and judgments say so."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.projection.by_collection import given

KEY = {"collection": ["y", "x"], "query_id": "q", "doc_id": ["d", "e"]}
RUNS = pl.DataFrame({**KEY, "run": "a", "score": 1.0})
QRELS = pl.DataFrame({**KEY, "relevance": 1})


def test_runs_need_judgments_of_their_collection_and_others_are_left_out():
    with pytest.raises(lf.LexiframeError, match=r"found none for 1 \('x'\)"):
        given(RUNS, QRELS.filter(collection="y"), "f")
    with pytest.warns(lf.LexiframeWarning, match=r"without runs, left out: 1 \('x'\)"):
        assert [*given(RUNS.filter(collection="y"), QRELS, "f")] == ["y"]
