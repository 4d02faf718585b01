"""The verdict from comparisons that are written by hand: what is tested, ahead and worse."""

import polars as pl

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


def test_a_run_that_is_significantly_before_one_of_the_best_is_favoured_and_named():
    row = verdict({"ac": {"mean_difference": -0.1, "p_adjusted": 0.01}})
    assert (row["favoured"], row["not_worse"]) == (["c"], ["c", "d"])
    assert "by which c is significantly better than a and b" in row["sentence"]
