"""Lists of runs, families and sentences that all verdicts share."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.printed.words import first_runs, listed
from lexiframe.core.significance.tests_in_words import how_tested
from tests.small_tables import scores

ROW = {
    "measure": "AP",
    "test": "t",
    "correction": "holm",
    "family": 1,
    "n_pairs": 1,
    "n": 5,
    "n_most": 5,
}


@pytest.mark.parametrize("most", [2, 4, 6])
@pytest.mark.parametrize("n", range(1, 10))
def test_no_run_is_hidden_unless_two_are(n, most):
    runs = [f"r{i}" for i in range(n)]
    found = first_runs(runs, most)
    if n <= most:
        assert found == runs
    else:
        assert len(found) == most
        assert found[:-1] == runs[: most - 1]
        assert found[-1] == f"{n - (most - 1)} others"


@pytest.mark.parametrize(
    "runs, words",
    [
        ("a", "a"),
        ("ab", "a and b"),
        ("abc", "a, b and c"),
        ("abcdefg", "a, b, c, d, e and 2 others"),
    ],
)
def test_runs_are_listed_as_people_do(runs, words):
    assert listed([*runs]) == words


@pytest.mark.parametrize("family, words", [(1, "the one pair"), (2, "the 2 pairs")])
def test_the_family_is_named_and_not_the_pairs_of_the_measure(family, words):
    said = how_tested([ROW | {"family": family}], [], 0.05, "all")
    assert said == (
        f"paired t-test, Holm's correction over {words} of all measures, α = 0.05, n = 5 requests"
    )


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
