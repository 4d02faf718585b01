"""Preferences with one run alone are rows of those of all runs."""

import polars as pl

import lexiframe as lf

EXAMPLE = lf.bundled("example")


def test_pairs_of_a_baseline_are_those_among_all():
    p = lf.positions(EXAMPLE / "runs", EXAMPLE / "qrels.txt")
    whole = lf.preferences(p, ["RPP", "dcgRPP", "LR", "AP"])
    for run in ("pca8_euclidean", "pixels_euclidean"):
        of_run = whole.filter((pl.col("run_a") == run) | (pl.col("run_b") == run))
        assert lf.preferences(p, ["RPP", "dcgRPP", "LR", "AP"], baseline=run).equals(of_run)
