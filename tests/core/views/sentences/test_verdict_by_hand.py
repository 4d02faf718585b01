"""The verdict from comparisons that are written by hand: what is tested, ahead and worse."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import scores

RUNS = {  # a and b share the first rank by mean
    "a": [0.8, 0.6, 0.4],
    "b": [0.6, 0.4, 0.8],
    "c": [0.3, 0.3, 0.2],
    "d": [0.1, 0.2, 0.1],
}
E = lf.evaluate_scores(scores(RUNS, "AP"))


def verdict(changes):
    """The verdict where the comparisons of some pairs, such as "ac", have other values."""
    c = E.comparisons.with_columns(p_adjusted=pl.lit(0.5), n=pl.lit(3, pl.Int64))
    for (run_a, run_b), values in changes.items():
        is_it = (pl.col("run_a") == run_a) & (pl.col("run_b") == run_b)
        assert c.filter(is_it).height == 1
        changed = {
            name: pl.when(is_it).then(pl.lit(value, c.schema[name])).otherwise(name)
            for name, value in values.items()
        }
        c = c.with_columns(**changed)
    return lf.verdict(E, c).row(0, named=True)


def test_without_changes_nothing_is_told_apart():
    row = verdict({})
    assert (row["best"], row["not_worse"]) == (["a", "b"], ["c", "d"])
    assert (row["untested"], row["favoured"], row["n_significant"]) == ([], [], 0)


@pytest.mark.parametrize("untested", ["ac", "bc"])
def test_a_run_is_tested_only_against_all_that_share_the_first_rank(untested):
    row = verdict({untested: {"p_adjusted": None}})
    assert (row["not_worse"], row["untested"]) == (["d"], ["c"])
    worse = verdict({untested: {"p_adjusted": None}, "ad": {"p_adjusted": 0.01}})
    assert (worse["not_worse"], worse["untested"]) == ([], ["c"])


def test_a_comparison_of_one_request_tells_nothing_apart_whatever_its_p():
    row = verdict({"ac": {"p_adjusted": 0.001, "n": 1}, "ad": {"p_adjusted": 0.001}})
    assert (row["n_significant"], row["not_worse"], row["untested"]) == (1, [], ["c"])


def test_worse_than_one_of_the_best_is_worse():
    row = verdict({"bc": {"p_adjusted": 0.049}, "bd": {"p_adjusted": 0.05}})
    assert (row["not_worse"], row["n_significant"]) == (["d"], 1)


@pytest.mark.parametrize("gains, favoured", [
    ({"ac": -0.1, "bc": -0.1}, ["c"]),
    ({"ac": -0.1}, []),  # ahead of one of the best only
    ({"bc": -0.1}, []),
    ({"ac": -1e-9, "bc": -1e-9}, ["c"]),
    ({"ac": -1e-13, "bc": -1e-13}, []),  # no more than rounding
    ({"ac": 0.0, "bc": 0.0}, []),
])  # fmt: skip
def test_a_run_is_favoured_that_the_test_puts_before_all_of_the_best(gains, favoured):
    row = verdict({pair: {"mean_difference": gain} for pair, gain in gains.items()})
    assert row["favoured"] == favoured


def test_a_run_that_is_significantly_before_one_of_the_best_is_favoured_and_named():
    row = verdict({"ac": {"mean_difference": -0.1, "p_adjusted": 0.01}})
    assert (row["favoured"], row["not_worse"]) == (["c"], ["c", "d"])
    assert "by which c is significantly better than a and b" in row["sentence"]
