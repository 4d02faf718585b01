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


def test_sentences_on_a_table_are_escaped_and_further_columns_are_no_groups():
    odd = "a\x1b[2J\nb"
    s = scores({odd: [0.5, 0.6, 0.8], "c": [0.5, 0.61, 0.79]}, "AP")
    table = lf.equivalence(s, margin=0.1)
    sentences = lf.verdict(table)
    assert sentences["sentence"].item().isprintable()
    assert r"a\x1b[2J\nb" in sentences["sentence"].item()
    noted = table.with_columns(note=pl.lit("mine"))
    assert lf.verdict(noted).equals(sentences)
