"""The conclusion in words where all runs are compared with a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.base import escaped, printed, resampling
from lexiframe.typing import Evaluated
from lexiframe.views.sentences.gains import GAIN
from lexiframe.views.sentences.rows import without_counts
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
    return baseline_verdict(e)["sentence"].to_list()


def baseline_verdict(e: Evaluated, alpha: float | None = None) -> printed.Verdict:
    """Return a row for each measure (test, correction), in each group: see `verdict`."""
    names, inference, c = e.provenance["groups"], e.provenance["inference"], e.comparisons
    if alpha is not None:
        resampling.check_share("verdict", "alpha", alpha)
        inference = {**inference, "alpha": alpha}
        c = c.with_columns(reject=pl.col("p_adjusted") < alpha)
    rows = baseline_rows(c, e.provenance)
    said = [_sentence(row, names, inference) for row in rows.iter_rows(named=True)]
    rows = rows.with_columns(
        baseline=pl.lit(inference["baseline"]), sentence=pl.Series(said, dtype=pl.String)
    )
    by = [f"by {name}" for name in names]
    return printed.Verdict(rows.select(*by, *_COLUMNS).rename(dict(zip(by, names, strict=True))))


_COLUMNS = (
    *("measure", "test", "correction", "baseline"),
    *("better", "worse", "undecided", "incomparable", "n", "sentence"),
)


def baseline_rows(comparisons: pl.DataFrame, provenance: Mapping[str, Any]) -> pl.DataFrame:
    """List for each measure (test, correction) the runs that are better, worse and undecided.

    Attributes of groups are the first columns, and begin with ``by``: one may have the name of
    another column.
    """
    names, inference = provenance["groups"], provenance["inference"]
    by = [f"by {name}" for name in names]
    c = without_counts(comparisons.rename(dict(zip(names, by, strict=True))))
    is_better, run = GAIN > 0, pl.col("run_a")
    of_measure = c.sort("run_a").group_by(*by, "measure", "test", "correction")
    table = of_measure.agg(
        better=run.filter(pl.col("reject") & is_better),
        worse=run.filter(pl.col("reject") & ~is_better),
        undecided=run.filter(~pl.col("reject") & (pl.col("n") > 0)),
        incomparable=run.filter(pl.col("n") == 0),
        family=pl.col("p_adjusted").count().cast(pl.Int64),
        n=pl.col("n").filter(pl.col("n") > 0).min(),
        n_most=pl.col("n").max(),
    )
    if inference["family"] == "all":
        table = table.with_columns(family=pl.col("family").sum().over("test", "correction"))
    place = printed.place_among(provenance["measures"])
    return table.sort(*by, place, "test", "correction")


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
