"""The conclusion in words where all runs are compared with a baseline."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import escaped, printed
from lexiframe.typing import Evaluated
from lexiframe.views.sentences.rows import place_among, without_counts
from lexiframe.views.sentences.verdicts import GAIN
from lexiframe.views.sentences.words import how_tested


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
    c = without_counts(e.comparisons.rename(dict(zip(names, by, strict=True))))
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
    place = place_among(e.provenance["measures"])
    table = table.sort(*by, place, "test", "correction")
    return [_sentence(row, names, inference) for row in table.iter_rows(named=True)]


def _sentence(row: dict[str, Any], names: list[str], inference: dict[str, Any]) -> str:
    by = f"By {row['measure']}{printed.for_group(row, names, 'by ')}"
    if row["n_most"] == 1:
        return escaped(f"{by}, no test is possible with one request.")
    than = f" than {inference['baseline']}"
    said = []
    if inference["alternative"] != "less":
        said.append(f"{printed.they_are(row['better'], 'no run')} significantly better{than}")
    if inference["alternative"] != "greater":
        none, than = ("none", "") if said else ("no run", than)
        said.append(f"{printed.they_are(row['worse'], none)} significantly worse{than}")
    if row["undecided"]:
        said.append(f"and {printed.they_are(row['undecided'])} not told apart from it")
    if row["incomparable"]:
        said.append(
            f"and {printed.they_are(row['incomparable'])} not comparable: no request in common"
        )
    how = how_tested(row, names, inference["alpha"], inference["family"])
    return escaped(f"{by}, {', '.join(said)} ({how}).")
