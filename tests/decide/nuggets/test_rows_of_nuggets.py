"""Judged nuggets in tables: frames, CSV and TSV, by the names of their columns."""

import re

import polars as pl
import pytest

import lexiframe as lf

ROWS = pl.DataFrame(
    [
        ("a", "7", "n2", "partial_support", "okay"),
        ("a", "7", "n1", "support", "vital"),
        ("b", "7", "n1", "not_support", "vital"),
        ("b", "7", "n2", "support", "okay"),
    ],
    ["system", "topic_id", "nugget_id", "label", "importance"],
    orient="row",
)
STATED = [
    ("a", "7", "n1", 1.0),
    ("a", "7", "n2", 0.5),
    ("b", "7", "n1", 0.0),
    ("b", "7", "n2", 1.0),
]
CREDITS = ROWS.with_columns(pl.Series("Credit", [0.5, 1, 0, 1])).drop("label")


def stated(n):
    return n.statements.select("run", "query_id", "nugget_id", "credit").rows()


@pytest.mark.parametrize("rows", [ROWS, CREDITS, CREDITS.cast({"topic_id": pl.Int64})])
def test_frames_and_text_say_the_same(tmp_path, rows):
    assert stated(lf.read_nuggets(rows)) == STATED
    assert stated(lf.read_nuggets(rows.to_pandas(), frames="polars")) == STATED
    for separator, name in ((",", "n.csv"), ("\t", "n.tsv")):
        rows.write_csv(tmp_path / name, separator=separator)
        n = lf.read_nuggets(tmp_path / name)
        assert stated(n) == STATED
        assert n.nuggets["importance"].to_list() == ["vital", "okay"]


WRONG = {
    "no credit": (ROWS.drop("label"), "expected the columns credit (0 to 1) or assignment, found"),
    "no ids": (ROWS.drop("nugget_id"), "expected the columns nugget_id, found system, topic_id"),
    "no run": (ROWS.drop("system"), "nuggets: expected the columns run, found topic_id"),
    "beyond 1": (CREDITS.with_columns(Credit=1.5), "request '7': expected a credit from 0 to 1"),
    "a word": (CREDITS.with_columns(Credit=pl.lit("x")), "expected a number, found 'x'"),
    "a gap": (CREDITS.with_columns(Credit=None), "expected the key assignment"),
    "a nugget lacks": (CREDITS.head(3), "judge all runs by the same nuggets"),
    "twice": (pl.concat([CREDITS, CREDITS]), "n1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_in_rows_is_said(case):
    rows, message = WRONG[case]
    with pytest.raises(lf.LexiframeError, match=re.escape(message)):
        lf.read_nuggets(rows)
