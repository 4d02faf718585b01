"""The conclusion in words where all runs are compared with a baseline."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import escaped
from lexiframe.orderings import is_count
from lexiframe.typing import Evaluated
from lexiframe.views.sentences.verdicts import GAIN
from lexiframe.views.sentences.words import for_group, how_tested, listed


def baseline_sentences(e: Evaluated) -> list[str]:
    """State, for each measure, which runs are significantly better and worse than the baseline.

    The sentences are in the order in which the measures were asked for; counts have none.

    Parameters
    ----------
    e : Evaluation
        The result of `evaluate` with a baseline, which is ``run_b`` of all its comparisons.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP", baseline="pca8_euclidean")
    >>> print(baseline_sentences(e)[0])
    By AP, no run is significantly better than pca8_euclidean, random is significantly worse, and \
pixels_euclidean is not told apart from it (paired t-test, Holm's correction over the 2 pairs, \
α = 0.05, n = 5 requests).
    """
    names, inference = e.provenance["groups"], e.provenance["inference"]
    by = [f"by {name}" for name in names]  # an attribute may have the name of a column below
    c = e.comparisons.rename(dict(zip(names, by, strict=True)))
    counts = [measure for measure in e.provenance["measures"] if is_count(measure)]
    c = c.filter(~pl.col("measure").is_in(counts))  # more or fewer is neither better nor worse
    is_better, run = GAIN > 0, pl.col("run_a")
    of_measure = c.sort("run_a").group_by(*by, "measure", "test", "correction")
    table = of_measure.agg(
        better=run.filter(pl.col("reject") & is_better),
        worse=run.filter(pl.col("reject") & ~is_better),
        undecided=run.filter(~pl.col("reject")),
        incomparable=run.filter(pl.col("n") == 0),
        family=pl.col("p_adjusted").count().cast(pl.Int64),
        n=pl.col("n").filter(pl.col("n") > 0).min(),
        n_most=pl.col("n").max(),
    )
    if inference["family"] == "all":
        table = table.with_columns(family=pl.col("family").sum().over("test", "correction"))
    asked = {measure: place for place, measure in enumerate(e.provenance["measures"])}
    place = pl.col("measure").replace_strict(asked, return_dtype=pl.Int64)
    rows = table.sort(*by, place, "test", "correction").iter_rows(named=True)
    return [_sentence(row, names, inference) for row in rows]


def _sentence(row: dict[str, Any], names: list[str], inference: dict[str, Any]) -> str:
    by = f"By {row['measure']}{for_group(row, names, 'by ')}"
    if row["n_most"] == 1:
        return escaped(f"{by}, no test is possible with one request.")
    than = f" than {inference['baseline']}"
    said = []
    if inference["alternative"] != "less":
        said.append(f"{_are(row['better'], 'no run')} significantly better{than}")
    if inference["alternative"] != "greater":
        none, than = ("none", "") if said else ("no run", than)
        said.append(f"{_are(row['worse'], none)} significantly worse{than}")
    if row["undecided"]:
        said.append(f"and {_are(row['undecided'])} not told apart from it")
    if row["incomparable"]:
        said.append(f"and {_are(row['incomparable'])} not comparable: no request in common")
    how = how_tested(row, names, inference["alpha"], inference["family"])
    return escaped(f"{by}, {', '.join(said)} ({how}).")


def _are(runs: list[str], none: str = "") -> str:
    """Return the runs with their verb; ``none`` stands for no run."""
    return f"{listed(runs)} {'is' if len(runs) == 1 else 'are'}" if runs else f"{none} is"
