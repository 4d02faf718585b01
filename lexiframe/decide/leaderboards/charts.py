"""Charts of leaderboards: ranks with intervals, cells, the smallest set, agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.views.charts.agreement import sort_by_similarity
from lexiframe.core.views.charts.drawing import altair, inside, layered, single
from lexiframe.core.views.charts.style import GREY, SHARES, SIDES, WIDTH
from lexiframe.core.views.charts.texts import harmless_all

if TYPE_CHECKING:
    import altair as alt

WINDOW = 40
"""How many runs are drawn at once."""
_FAR = 3
"""z-scores beyond have the darkest colour."""


class Ranked(Protocol):
    """The parts of a leaderboard that its charts need."""

    @property
    def ranking(self) -> pl.DataFrame:
        """The ranking."""
        ...

    @property
    def cells(self) -> pl.DataFrame:
        """The values of runs in collections."""
        ...

    @property
    def smallest_set(self) -> pl.DataFrame:
        """How few collections give nearly the same order."""
        ...

    @property
    def correlations(self) -> pl.DataFrame:
        """Which collections agree."""
        ...


@dataclass(frozen=True, repr=False)
class LeaderboardPlots:
    """The charts of a leaderboard: ``ranks``, ``cells``, ``smallest_set``, ``correlations``."""

    _of: Ranked

    def __repr__(self) -> str:
        return "The charts of a leaderboard: ranks, cells, smallest_set, correlations"

    def ranks(self, start: int = 1, rule: str | None = None) -> alt.LayerChart:
        """Draw ranks with the possible ranks, 40 runs from place ``start`` on."""
        return rank_interval_chart(self._of.ranking, start=start, rule=rule)

    def cells(self, start: int = 1, rule: str | None = None) -> alt.Chart:
        """Draw the results of 40 runs as a heat map of z-scores, with gaps left empty."""
        return cell_chart(self._of.cells, self._of.ranking, start=start, rule=rule)

    def smallest_set(self) -> alt.LayerChart:
        """Draw how well few collections agree with all, beside random sets."""
        return smallest_set_chart(self._of.smallest_set)

    def correlations(self) -> alt.Chart:
        """Draw which collections order the runs alike; alike ones stand together."""
        return collection_chart(self._of.correlations)


def _window(ranking: pl.DataFrame, start: int, rule: str | None, called: str) -> pl.DataFrame:
    names = ranking["rule"].unique(maintain_order=True).to_list()
    if rule is not None and rule not in names:
        raise LexiframeError(f"{called}: expected a rule of the ranking ({names}), found {rule!r}")
    part = ranking.filter(pl.col("rule") == (rule or names[0])).sort("rank", "run")
    if not 1 <= start <= part.height:
        raise LexiframeError(
            f"{called}: expected start to be a place from 1 to {part.height}, found {start}"
        )
    return part.slice(start - 1, WINDOW)


@typed
def rank_interval_chart(
    ranking: pl.DataFrame, *, start: int = 1, rule: str | None = None
) -> alt.LayerChart:
    """Draw each run's rank, with the ranks that are possible for all runs at once.

    40 runs are drawn from place ``start`` on. A dot is the rank by ``rule`` (default: the first);
    the thin line has the ranks that are possible for all runs at once, the thick one the ranks that
    are possible for the run by itself.
    """
    draw = altair()
    part = _window(ranking, start, rule, "rank_interval_chart")
    order = harmless_all(part["run"])
    base = draw.Chart().encode(
        y=draw.Y("run:N", sort=order, title=None, axis=draw.Axis(labelLimit=320))
    )
    tips = ["run:N", "rank:Q", "value:Q", "rank_low:Q", "rank_high:Q"]
    bar = draw.X("rank_low:Q", title="rank", scale=draw.Scale(zero=False))
    thin = base.mark_rule(color=GREY).encode(x=bar, x2="rank_high:Q", tooltip=tips)
    each = base.mark_rule(strokeWidth=4, opacity=0.45).encode(
        x="rank_low_each:Q", x2="rank_high_each:Q", tooltip=tips
    )
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(x="rank:Q", tooltip=tips)
    first, last = part["rank"][0], part["rank"][-1]
    words = (
        f"Ranks {first} to {last} and the ranks that are possible",
        "thin line: for all runs at once; thick line: for each run by itself",
    )
    return layered([thin, each, dots], part, *words, width=WIDTH)


@typed
def cell_chart(
    cells: pl.DataFrame, ranking: pl.DataFrame, *, start: int = 1, rule: str | None = None
) -> alt.Chart:
    """Draw the results of 40 runs in all collections, as z-scores within each collection.

    Blue is above the mean of all ranked runs in a collection, orange below; a gap is empty.
    ``start`` and ``rule`` are as for `rank_interval_chart`.
    """
    draw = altair()
    part = _window(ranking, start, rule, "cell_chart")
    mean, sd = pl.col("value").mean().over("collection"), pl.col("value").std().over("collection")
    collections = harmless_all(cells["collection"].unique().sort())
    z = pl.when(sd > 0).then((pl.col("value") - mean) / sd).otherwise(0.0)
    shown = cells.with_columns(z=z).filter(pl.col("run").is_in(part["run"].implode()))
    chart = (
        draw.Chart(inside(shown))
        .mark_rect()
        .encode(
            # All of them, also those that none of these runs has.
            x=draw.X(
                "collection:N",
                title=None,
                axis=draw.Axis(labelAngle=-60, labelLimit=180),
                scale=draw.Scale(domain=collections),
            ),
            y=draw.Y(
                "run:N", sort=harmless_all(part["run"]), title=None, axis=draw.Axis(labelLimit=320)
            ),
            # As far above 0 as below, or a small number of the rarer sign would look large.
            color=draw.Color("z:Q", title="z-score").scale(
                **SIDES | {"domain": [-_FAR, _FAR]}, clamp=True
            ),
            tooltip=["run:N", "collection:N", "value:Q", "z:Q"],
        )
    )
    words = ("Results by collection", f"empty: no result; {_FAR} is the darkest z-score")
    return single(chart, *words)


@typed
def smallest_set_chart(table: pl.DataFrame) -> alt.LayerChart:
    """Draw how well the order by few collections agrees with the order by all.

    The line is τ-b of collections that were chosen on other runs; the band has 5 to 95 % of random
    sets.
    """
    draw = altair()
    if table.is_empty():
        raise LexiframeError(
            "smallest_set_chart: expected a table with sets of collections, found none: it takes "
            "two collections and four runs"
        )
    base = draw.Chart().encode(
        x=draw.X("n_collections:Q", title="collections", axis=draw.Axis(tickMinStep=1))
    )
    tau = draw.Y("random_low:Q", title="τ-b with the order by all", scale=draw.Scale(zero=False))
    tips = ["n_collections:Q", "collection:N", "tau:Q", "tau_sd:Q", "random:Q"]
    band = base.mark_area(opacity=0.25, color=GREY).encode(y=tau, y2="random_high:Q")
    line = base.mark_line(point=True).encode(y="tau:Q", tooltip=tips)
    words = (
        "Few collections, chosen on other runs, beside random sets",
        "line: chosen sets; band: 5 to 95 % of random sets of as many collections",
    )
    return layered([band, line], table, *words, width=WIDTH)


@typed
def collection_chart(table: pl.DataFrame) -> alt.Chart:
    """Draw which collections order the runs alike, as a heat map of τ-b.

    Similar collections stand next to each other (average linkage).
    """
    draw = altair()
    if table.is_empty():
        raise LexiframeError(
            "collection_chart: expected τ-b between collections, found a single collection"
        )
    ahead = table.rename({"collection_a": "collection", "collection_b": "with"})
    back = table.rename({"collection_b": "collection", "collection_a": "with"})
    both = pl.concat([ahead, back.select(ahead.columns)])
    names = both["collection"].unique().sort().to_list()
    place = {name: n for n, name in enumerate(names)}
    square = np.eye(len(names))
    for row in both.iter_rows(named=True):
        square[place[row["collection"]], place[row["with"]]] = row["tau"] or 0.0
    order = sort_by_similarity(names, square) if len(names) > 2 else names
    axis: dict[str, Any] = {"sort": harmless_all(order), "title": None}
    chart = (
        draw.Chart(inside(both))
        .mark_rect()
        .encode(
            x=draw.X("collection:N", axis=draw.Axis(labelAngle=-60, labelLimit=180), **axis),
            y=draw.Y("with:N", axis=draw.Axis(labelLimit=180), **axis),
            color=draw.Color("tau:Q", title="τ-b", scale=draw.Scale(scheme=SHARES["scheme"])),
            tooltip=["collection:N", "with:N", "tau:Q", "n:Q"],
        )
    )
    words = ("Which collections order the runs alike", "τ-b over the runs that have both")
    return single(chart, *words)
