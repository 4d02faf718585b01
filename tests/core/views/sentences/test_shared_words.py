"""Lists of runs, families and sentences that all verdicts share."""

import polars as pl

import lexiframe as lf
from tests.small_tables import scores


def test_the_verdict_names_the_family_of_all_measures():
    runs = {"a": [0.5, 0.6, 0.8, 0.7], "b": [0.4, 0.45, 0.64, 0.59]}
    s = pl.concat([scores(runs, "AP"), scores(runs, "RR")])
    for sentence in lf.verdict(lf.evaluate_scores(s, test="t", family="all"))["sentence"]:
        assert "over the 2 pairs of all measures" in sentence
        assert "of 1 pair of runs differs significantly" in sentence
