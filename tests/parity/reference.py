"""The real data sets with reference outputs, and how tables are held against them."""

import polars as pl

DATASETS = [
    "trec_robust_2003",
    "clef_ehealth_2014",
    "trec_web_2012",
    "trec_cast_2021_docs",
    "trec_covid_round1",
    "cranfield",
    "movielens_100k",
]
LEAST_RELEVANT = {"movielens_100k": 4}
"""Ratings from 4 are relevant; everywhere else any positive grade is."""


def assert_same_rows(ours, theirs, key, value, *, relative=0.0, absolute=0.0):
    """Both tables have the same rows, and values that differ by no more than the tolerance."""
    both = ours.join(theirs, on=key, how="full", suffix="_theirs")
    a, b = pl.col(value), pl.col(f"{value}_theirs")
    close = (a - b).abs() <= absolute + relative * b.abs()
    wrong = both.filter(~close.fill_null(value=False))
    assert wrong.is_empty(), f"{wrong.height} of {both.height} rows differ: {wrong.head(3).rows()}"
    assert ours.height == theirs.height == both.height, "rows are there more than once"
