"""Curves of runs over shares, as a picture on a page."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import escaped
from lexiframe.core.views.charts import style

_RUNS = 8
"""The runs that are drawn."""
_WIDE, _HIGH, _LEFT, _BELOW = 460, 240, 50, 30
"""The pixels of a figure, and of the names at its left and below it."""


def figure(title: str, rows: pl.DataFrame, told: str) -> str:
    """Return HTML with curves of ``value`` against ``share``, of the first runs of the rows.

    Rows with ``ci_low`` and ``ci_high`` have bands. Names stand above, and then ``told``.
    """
    runs = rows["run"].unique(maintain_order=True).head(_RUNS).to_list()
    rows = rows.filter(pl.col("run").is_in(runs), pl.col("value").is_not_null())
    values = rows["value"].to_numpy()
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
    shown = (c.replace(style.BLACK, "currentColor") for c in style.COLOURS)  # dark pages
    for run, colour in zip(runs, shown, strict=False):
        of, name, band = rows.filter(run=run), page_text(run), ""
        if "ci_low" in of.columns:
            sure = of.drop_nulls("ci_low")
            ends = [places(sure["share"], sure[end]) for end in ("ci_low", "ci_high")]
            points = line(*ends[0], *ends[1][::-1])
            band = f'<polygon points="{points}" fill="{colour}" fill-opacity="0.12"/>'
        curves.append(
            f'<g><title>{name}</title>{band}<polyline fill="none" stroke="{colour}" '
            f'stroke-width="2" points="{line(*places(of["share"], of["value"]))}"/></g>'
        )
        names.append(f'<span style="color:{colour}">■</span> {name}')
    share, value = np.linspace(0, 1, 5), np.linspace(low, high, 5)
    ticks: list[tuple[float, float, str]] = [
        (x, _HIGH - 10, f"{of:.0%}") for of, (x, _) in zip(share, places(share, value), strict=True)
    ]
    ticks += [(30, y, f"{of:.3g}") for of, (_, y) in zip(value, places(share, value), strict=True)]
    said = "".join(
        f'<text class="tick" text-anchor="middle" x="{x}" y="{y}">{t}</text>' for x, y, t in ticks
    )
    return (
        f"<h3>{page_text(title)}</h3><p>{', '.join(names)}; {told}</p>"
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" style="max-width:100%" role="img" '
        f'aria-label="{page_text(title)}">{said}{"".join(curves)}</svg>'
    )


def page_text(words: Any) -> str:
    """Return words as they may stand in HTML."""
    return html.escape(escaped(str(words)))
