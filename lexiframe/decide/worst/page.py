"""The part of an evaluation's page that says who is served worst: curves, and requests."""

from __future__ import annotations

import html
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import errors, escaped, printed
from lexiframe.core.orderings import is_count
from lexiframe.core.views.charts import colours
from lexiframe.decide.worst.asked import is_place
from lexiframe.decide.worst.served import WorstServed, worst_served

_SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_RUNS, _REQUESTS, _FEWEST = 8, 20, 8
"""The runs that are drawn, the requests that are listed, and the fewest of which that is done."""
_WIDE, _HIGH, _LEFT, _BELOW = 460, 240, 50, 30
"""The pixels of a figure, and of the names at its left and below it."""


def worst_part(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any], attributes: Any
) -> str:
    """Return HTML with a curve of the worst share for each run, and the requests served worst.

    It is empty without metrics, and for few requests. The mean, at the share 1, has the interval of
    the table of means.
    """
    s, by = tables["scores"], [*provenance["groups"]]
    left_out = [m for m in s["measure"].unique() if is_place(m) or is_count(m)]
    s = s.filter(~pl.col("measure").is_in(left_out))
    of_each = [(of, of["query_id"].n_unique()) for of in s.partition_by("measure")]
    of_each = [(of, n) for of, n in of_each if n >= _FEWEST]
    if not of_each:
        return ""
    how: dict[str, Any] = {"requests": attributes, "by": by} if by else {}
    with warnings.catch_warnings(action="ignore", category=errors.LexiframeWarning):
        curves = [worst_served(of, [x for x in _SHARES if x * n >= 2], **how) for of, n in of_each]
        said = [one for of, _ in of_each for one in worst_served(of, **how).verdict.sentences]
    w = WorstServed(tuple(pair for one in curves for pair in one._of))
    key, of_means = [*by, "measure", "run"], {"ci_low": "low", "ci_high": "high"}
    means = tables["means"].select(*key, "rank", *of_means).rename(of_means)
    values = w.values.join(means, on=key, how="left", nulls_equal=True, maintain_order="left")
    is_mean = pl.when(pl.col("share") == 1)
    values = values.with_columns(is_mean.then(v).otherwise(k).alias(k) for k, v in of_means.items())
    figures = map(_figure, values.partition_by(*by, "measure", maintain_order=True))
    listed = printed.Section("Requests that most runs serve worst", _requests(w.requests, by))
    more = "".join(f"<p>{_text(one)}</p>" for one in said[1:])
    return (
        '<section class="scroll" id="worst" tabindex="0"><h2>Who is served worst</h2>'
        f"<p>{_text(said[0])}</p><details><summary>More</summary>{more}{''.join(figures)}"
        f"{listed.html()}</details></section>"
    )


def _requests(requests: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return the requests that are in the least share of most runs, by measure."""
    on = [*by, "measure", "share"]
    found = requests.filter(pl.col("share") == pl.col("share").min().over(*by, "measure"))
    found = found.group_by(*on, "query_id").agg(
        n_runs=pl.len().cast(pl.Int64), value=pl.col("value").mean()
    ).sort(*on, -pl.col("n_runs"), "query_id")  # fmt: skip
    return found.group_by(on, maintain_order=True).head(_REQUESTS)


def _text(words: Any) -> str:
    return html.escape(escaped(str(words)))


def _figure(part: pl.DataFrame) -> str:
    """Return the curves of the runs of the best means by a measure, with bands, as SVG."""
    by = part.columns[: part.columns.index("measure")]
    row = part.row(0, named=True)
    title = f"{row['measure']} of the worst share{printed.group_end(row, by)}"
    runs = part.unique("run").sort("rank", "run")["run"].head(_RUNS).to_list()
    part = part.filter(pl.col("run").is_in(runs), pl.col("value").is_not_null())
    values = part["value"].to_numpy()
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    room = (high - low) / 10 or 0.5
    low, high = low - room, high + room

    def places(share: Any, value: Any) -> list[tuple[float, float]]:
        up = (np.clip(value, low, high) - low) / (high - low)
        x, y = _LEFT + (_WIDE - _LEFT) * np.asarray(share), (_HIGH - _BELOW) * (1 - up)
        return [*zip(x.round(1).tolist(), y.round(1).tolist(), strict=True)]

    def line(*points: tuple[float, float]) -> str:
        return " ".join(f"{x},{y}" for x, y in points)

    curves, names = [], []
    shown = (c.replace(colours.BLACK, "currentColor") for c in colours.COLOURS)  # dark pages
    for run, colour in zip(runs, shown, strict=False):
        of, name = part.filter(run=run), _text(run)
        sure = of.drop_nulls("ci_low")
        ends = [places(sure["share"], sure[end]) for end in ("ci_low", "ci_high")]
        curves.append(
            f'<g><title>{name}</title><polygon points="{line(*ends[0], *ends[1][::-1])}" '
            f'fill="{colour}" fill-opacity="0.12"/><polyline fill="none" stroke="{colour}" '
            f'stroke-width="2" points="{line(*places(of["share"], of["value"]))}"/></g>'
        )
        names.append(f'<span style="color:{colour}">■</span> {name}')
    share, value = np.linspace(0, 1, 5), np.linspace(low, high, 5)
    ticks: list[tuple[float, float, str]] = [
        (x, _HIGH - 10, f"{of:.0%}") for of, (x, _) in zip(share, places(share, value), strict=True)
    ]
    ticks += [(30, y, f"{of:.3g}") for of, (_, y) in zip(value, places(share, value), strict=True)]
    told = "".join(
        f'<text class="tick" text-anchor="middle" x="{x}" y="{y}">{t}</text>' for x, y, t in ticks
    )
    return (
        f"<h3>{_text(title)}</h3><p>{', '.join(names)}; at 100 % it is the mean</p>"
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" style="max-width:100%" role="img" '
        f'aria-label="{_text(title)}">{told}{"".join(curves)}</svg>'
    )
