"""Sentences of the rows of a table: names are escaped, and columns behind it are no groups."""

import polars as pl
import pytest

import lexiframe as lf

ODD = "a\x1b[2J\nb"


def judged(*grades):
    docs = [f"d{n}" for n in range(len(grades))]
    return pl.DataFrame({"query_id": "q", "doc_id": docs, "relevance": grades})


@pytest.fixture
def agreement():
    return lf.judge_agreement({ODD: judged(1, 0, 1, 0, 1, 1), "c": judged(1, 0, 1, 1, 1, 0)})


def test_columns_behind_those_of_the_table_are_no_groups(agreement):
    said = lf.verdict(agreement)
    assert lf.verdict(agreement.with_columns(note=pl.lit("mine"))).equals(said)
    in_front = agreement.select(pl.lit("short").alias("kind"), pl.all())
    of_kind = lf.verdict(in_front)
    assert of_kind.columns == ["kind", *said.columns]
    assert all("kind = short" in sentence for sentence in of_kind["sentence"])
