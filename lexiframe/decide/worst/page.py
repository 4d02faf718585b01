"""The part of an evaluation's page that says who is served worst: curves, and requests."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import errors, printed
from lexiframe.core.orderings import is_count
from lexiframe.core.views.report import curves

_SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_REQUESTS, _FEWEST = 20, 8
"""The requests that are listed, and the fewest of which that is done."""


def worst_part(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any], attributes: Any
) -> str:
    """Return HTML with a curve of the worst share for each run, and the requests served worst.

    It is empty without metrics, and for few requests. The mean, at the share 1, has the interval of
    the table of means.
    """
    s, by = tables["scores"], [*provenance["groups"]]
    if s["query_id"].n_unique() < _FEWEST:
        return ""
    from lexiframe.decide.worst.asked import is_place
    from lexiframe.decide.worst.served import WorstServed, worst_served

    left_out = [m for m in s["measure"].unique() if is_place(m) or is_count(m)]
    s = s.filter(~pl.col("measure").is_in(left_out))
    of_each = [(of, of["query_id"].n_unique()) for of in s.partition_by("measure")]
    of_each = [(of, n) for of, n in of_each if n >= _FEWEST]
    if not of_each:
        return ""
    how: dict[str, Any] = {"requests": attributes, "by": by} if by else {}
    with warnings.catch_warnings(action="ignore", category=errors.LexiframeWarning):
        found = [worst_served(of, [x for x in _SHARES if x * n >= 2], **how) for of, n in of_each]
        said = [one for of, _ in of_each for one in worst_served(of, **how).verdict.sentences]
    w = WorstServed(tuple(pair for one in found for pair in one._of))
    key, of_means = [*by, "measure", "run"], {"ci_low": "low", "ci_high": "high"}
    means = tables["means"].select(*key, "rank", *of_means).rename(of_means)
    values = w.values.join(means, on=key, how="left", nulls_equal=True, maintain_order="left")
    is_mean = pl.when(pl.col("share") == 1)
    values = values.with_columns(is_mean.then(v).otherwise(k).alias(k) for k, v in of_means.items())
    figures = map(_figure, values.partition_by(*by, "measure", maintain_order=True))
    rows = _requests(w.requests, w.values, by)
    listed = printed.Section("Requests that most runs serve worst", rows).html() * bool(len(rows))
    more = "".join(f"<p>{curves.page_text(one)}</p>" for one in said[1:])
    return (
        '<section class="scroll" id="worst" tabindex="0"><h2>Who is served worst</h2>'
        f"<p>{curves.page_text(said[0])}</p><details><summary>More</summary>{more}{''.join(figures)}"
        f"{listed}</details></section>"
    )


def _requests(requests: pl.DataFrame, values: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return the requests that are in the least share of most runs, by measure.

    Values as good as a run's mean are left out: where nearly all are perfect, some of them count.
    """
    on = [*by, "measure", "share"]
    means = values.select(*on, "run", "mean", worst="value")
    found = requests.filter(pl.col("share") == pl.col("share").min().over(*by, "measure"))
    found = found.join(means, on=[*on, "run"], how="left", nulls_equal=True)
    found = found.filter(
        (pl.col("value") - pl.col("mean")) * (pl.col("worst") - pl.col("mean")) > 0
    )
    found = found.group_by(*on, "query_id").agg(
        n_runs=pl.len().cast(pl.Int64), value=pl.col("value").mean()
    ).sort(*on, -pl.col("n_runs"), "query_id")  # fmt: skip
    return found.group_by(on, maintain_order=True).head(_REQUESTS)


def _figure(part: pl.DataFrame) -> str:
    """Return the curves of the runs of the best means by a measure, with bands, as SVG."""
    by = part.columns[: part.columns.index("measure")]
    row = part.row(0, named=True)
    title = f"{row['measure']} of the worst share{printed.group_end(row, by)}"
    return curves.figure(title, part.sort("rank", "run", "share"), "at 100 % it is the mean")
