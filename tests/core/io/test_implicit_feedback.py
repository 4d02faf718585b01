"""Judgments without grades: users and the items that they took."""

import re

import polars as pl
import pytest

import lexiframe as lf

NOTE = "no column of grades, so all rows are read as relevant, with grade 1: 3"


def test_an_evaluation_says_so_once():
    judged = pl.DataFrame({"user": ["u1", "u1", "u2"], "item": ["i1", "i2", "i1"]})
    runs = {"pop": {"u1": {"i1": 2, "i3": 1}, "u2": {"i3": 2, "i1": 1}}}
    with pytest.warns(lf.LexiframeWarning, match=re.escape(NOTE)) as caught:
        e = lf.evaluate(runs, judged, "recall@2")
    assert len(caught) == 1
    assert e.scores["value"].to_list() == [0.5, 1.0]
