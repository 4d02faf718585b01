"""Charts of several collections: a panel for each on one scale, then the mean over collections.

Each panel is the chart of one collection, drawn by the same function, and smaller. The words of
their titles stand above all of them once.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from textwrap import wrap
from typing import Any, ParamSpec, TypeVar

import polars as pl

from lexiframe.core.base import typed, unknown_name
from lexiframe.core.projection import by_collection
from lexiframe.core.views.charts.drawing import across, altair, title, wide
from lexiframe.core.views.charts.marks import MEAN
from lexiframe.core.views.charts.style import COLOURS
from lexiframe.core.views.charts.tables import rows_with
from lexiframe.core.views.charts.texts import harmless

P = ParamSpec("P")
T = TypeVar("T")
Averaged = Callable[[pl.DataFrame], pl.DataFrame]

OF_PANEL = ": r = "
"""What stands between the name of a facet and the numbers in it."""
_ACROSS, _NAMES = 1000, 140
"""The pixels of panels side by side, and of the names at the left of one."""
_SHARED = 0.7
"""Panels have the same names at an axis if on average they have this share of all names."""
_LETTER = 6
"""The pixels of a letter of a title beside an axis."""


def mean_of(*values: str, by: Sequence[str] = ()) -> Averaged:
    """Return a function from a table of collections to their mean, of the rows that all have.

    Texts and the columns ``by`` are the key. Other whole numbers are added up; what is neither one
    of these nor of the ``values`` has no mean.
    """

    def mean(table: pl.DataFrame) -> pl.DataFrame:
        n, table = table["collection"].n_unique(), table.drop("class", strict=False)
        number, own = pl.col(c for c in values if c in table.columns), pl.len() == n
        texts = pl.selectors.string() - pl.selectors.by_name("collection")
        counts = (pl.selectors.integer() - pl.selectors.by_name(by)).sum()
        averages = pl.when(number.count() == n).then(number.mean())
        found = table.group_by(texts, *by, maintain_order=True).agg(averages, counts, own=own)
        found = found.filter("own").drop("own")
        return pl.concat([table.clear(), found], how="diagonal_relaxed").drop("collection")

    return mean


def panelled(
    mean: Averaged | None = None, *, lines: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check arguments as `typed` does, and draw a table of several collections in panels.

    ``mean`` makes the table of the last panel. With ``lines``, collections and their mean are the
    lines of one panel where there is one measure, as measures are the lines of one collection.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        checked, signature = typed(function), inspect.signature(function)

        @wraps(checked)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                return checked(*args, **kwargs)  # which says what is wrong
            first = next(iter(given.arguments))
            of = {name: by_collection.apart(one) for name, one in given.arguments.items()}
            if not (own := of[first]):
                return checked(*args, **kwargs)
            names = names_in_order(table := by_collection.together(own))
            options = {name: one for name, one in given.arguments.items() if not of[name]}
            is_lines = lines and 1 < len(names) <= len(COLOURS)
            if is_lines:
                rows = rows_with(table, "measure", options.get("measures"))
                is_lines = rows["measure"].n_unique() == 1
            if is_lines:
                options.pop("measures", None)
                tables = {
                    m: {first: part} for m, part in _collections_as_lines(rows, names, mean).items()
                }
            else:
                several = {argument: parts for argument, parts in of.items() if parts}
                tables = {n: {a: _part(of_a, n) for a, of_a in several.items()} for n in names}
                if mean is not None and len(names) > 1 and (rows := mean(table)).height:
                    tables[MEAN] = {first: rows}
            panels: dict[str, Any] = {}
            with wide(_ACROSS // min(len(tables), 3 if is_lines else 5) - 40):
                for name, parts in tables.items():
                    given.arguments.clear()
                    given.arguments.update({**parts, **options})
                    with by_collection.told_of(name):
                        panels[name] = checked(*given.args, **given.kwargs)
                chart: T = panels[names[0]] if len(names) == 1 else _together(panels, len(names))
                return chart

        return drawn

    return decorate


def names_in_order(table: pl.DataFrame) -> list[str]:
    """Return the collections in their order, or by the column ``class`` first."""
    names = table.select(pl.selectors.by_name("class", "collection", require_all=False))
    names = names.cast(pl.String).unique(maintain_order=True)
    if "class" in names.columns:
        names = names.sort("class", maintain_order=True)
    return names["collection"].unique(maintain_order=True).to_list()


def _part(parts: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    if name not in parts:
        raise unknown_name("collection", name, [*parts])
    return parts[name]


def _collections_as_lines(
    rows: pl.DataFrame, names: Sequence[str], mean: Averaged | None
) -> dict[str, pl.DataFrame]:
    """Return a table for each measure, in which collections and their mean are the measures."""
    of_all = [mean(rows).with_columns(collection=pl.lit(MEAN))] if mean else []
    lines = pl.concat([rows, *of_all], how="diagonal_relaxed")
    lines = lines.sort(pl.col("collection").cast(pl.Enum([*names, MEAN])), maintain_order=True)
    return {
        name: lines.filter(measure=name).with_columns(measure="collection").drop("collection")
        for name in rows["measure"].unique(maintain_order=True)
    }


def _together(panels: Mapping[str, Any], n: int) -> Any:
    """Return the panels of all, in a block for each facet that they have themselves."""
    said = [chart.title.to_dict() for name, chart in panels.items() if name != MEAN]
    words = _merged([[one["text"], *one.get("subtitle", [])] for one in said])
    blocks: dict[str, dict[str, Any]] = {}
    for name, chart in panels.items():
        for facet, one in _facets(chart):
            of, _, own = facet.partition(OF_PANEL)  # numbers of a panel stand at its name
            blocks.setdefault(of, {})[f"{name}{OF_PANEL}{own}" if own else name] = one
    made = [_block(facet, charts) for facet, charts in blocks.items()]
    if len(made) == 1:  # the title of all stands in the place of the block's own
        words[1:1] = filter(None, blocks)
    whole = made[0] if len(made) == 1 else _side_by_side(altair().vconcat, made, spacing=24)
    if made[0]["resolve"]["scale"]["y"] == "shared":  # rows are in the order of their mean places
        words = [line.replace("best first", "best on average first") for line in words]
    last = "; last: the mean of what all have" if MEAN in panels else ""
    whole.title = title(*words, f"{n} collections{last}")
    whole.title.offset = 12
    return whole


_NUMBER = re.compile(r"(?<![\w.@])\d[\d,]*(?:\.\d+)?(?![\w.])")


def _merged(said: Sequence[Sequence[str]]) -> list[str]:
    """Return each line of several titles once, its numbers as the least and the greatest."""
    alike: dict[str, list[str]] = {}
    for line in dict.fromkeys(line for lines in said for line in lines):
        alike.setdefault(re.sub(r"(# \w+?)s\b", r"\1", _NUMBER.sub("#", line)), []).append(line)
    merged = []
    for lines in alike.values():
        numbers = [
            sorted({*of}, key=lambda n: float(n.replace(",", "")))
            for of in zip(*map(_NUMBER.findall, lines), strict=True)
        ]
        ends = [" to ".join(of[:: max(1, len(of) - 1)]) for of in numbers]
        longest = _NUMBER.split(max(lines, key=len))
        merged.append("".join(map("".join, zip(longest, [*ends, ""], strict=True))))
    return merged


def _facets(chart: Any) -> Iterator[tuple[str, Any]]:
    """Yield the facets of a chart by their names; a chart without facets is one without a name."""
    draw = altair()
    if not isinstance(chart, draw.FacetChart):
        yield "", chart
        return
    by = chart.facet.to_dict(validate=False)
    fields = [by[of]["field"] for of in ("row", "column") if of in by] or [by["field"]]
    rows: dict[str, list[Any]] = {}
    for row in chart.data["values"]:
        rows.setdefault(", ".join(str(row[name]) for name in fields), []).append(row)
    for name, own in rows.items():
        one = chart.spec.copy(deep=True)
        one.data = draw.InlineData(values=[])
        one.data["values"] = own
        yield name, one


def _block(facet: str, charts: Mapping[str, Any]) -> Any:
    """Return panels of one scale, wrapped, with names only at the left and at the bottom."""
    draw, n, every = altair(), len(charts), [*charts.values()]
    shared = {axis: _share_names(every, axis) for axis in ("x", "y")}
    _share_scale([chart.hconcat[0] for chart in every if hasattr(chart, "hconcat")])
    shared |= {channel: _share_domains(every, channel) for channel in ("color", "shape")}
    wide = max(_width(chart) for chart in every) + (20 if shared["y"] else _NAMES)
    columns = -(-n // min(n, -(-n * wide // _ACROSS)))
    for place, (name, chart) in enumerate(charts.items()):
        is_inside = {"x": place + columns < n, "y": place % columns > 0}
        for axis, (channel, said) in ((a, one) for a in is_inside for one in _channels(chart, a)):
            options: dict[str, Any] = {}
            if shared[axis] and is_inside[axis] and (said.get("axis") or {}).get("orient") != "top":
                options = {"title": None}
                if axis == "y" or said["type"] != "quantitative":
                    options |= {"labels": False, "ticks": False}
            elif axis == "y" and isinstance(chart.height, int) and said.get("title"):
                options = {"title": wrap(said["title"], chart.height // _LETTER)}
            if options and channel["axis"] is not None:
                channel["axis"] = draw.Axis(**{**said.get("axis", {}), **options})
        words = {"fontSize": 11, "fontWeight": "bold", "limit": wide, "anchor": "start"}
        chart.title = draw.Title(harmless(name), **words)
    scales = {channel: "shared" if is_one else "independent" for channel, is_one in shared.items()}
    how = {"columns": columns, "align": "each", "spacing": 14, "resolve": {"scale": scales}}
    named = {"title": title(facet)} if facet else {}
    return _side_by_side(draw.concat, every, **how, **named)


def _width(chart: Any) -> int:
    width = getattr(chart, "width", across())
    return width if isinstance(width, int) else width.step * len(_names(chart, "x"))


def _side_by_side(layout: Callable[..., Any], charts: Sequence[Any], **how: Any) -> Any:
    """Return charts in a layout; the line near the pointer is emphasised in all of them."""
    with warnings.catch_warnings():  # Altair's, that they share what finds this line
        warnings.filterwarnings("ignore", "Automatically deduplicated selection", UserWarning)
        return layout(*charts, **how)


def _channels(chart: Any, name: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each encoding of a channel by a column, and its specification."""
    for unit in getattr(chart, "layer", [chart]):
        channel = getattr(getattr(unit, "encoding", None), "_kwds", {}).get(name)
        said: dict[str, Any] = getattr(channel, "to_dict", lambda **_: {})(validate=False)
        if "field" in said and "type" in said:
            yield channel, said


def _names(chart: Any, axis: str) -> list[Any]:
    """Return the names or ordinals along an axis in their order; none where there are numbers."""
    for _, said in _channels(chart, axis):
        if said["type"] != "quantitative":
            is_given = isinstance(said.get("sort"), list)
            values = (
                said["sort"] if is_given else {row[said["field"]] for row in chart.data["values"]}
            )
            return [*values] if is_given else sorted(values)
    return []


def _share_names(charts: Sequence[Any], axis: str) -> bool:
    """Give all panels one list of names along an axis, unless too many lack some of the names.

    Names are in the order of their mean places. Charts in parts share none, and panels of numbers
    do if they are as high as one another.
    """
    lists = [_names(chart, axis) for chart in charts]
    places: dict[Any, list[float]] = {}
    for place, name in ((n / len(names), name) for names in lists for n, name in enumerate(names)):
        places.setdefault(name, []).append(place)
    if not places:
        return (
            len({str(getattr(chart, "height", place)) for place, chart in enumerate(charts)}) == 1
        )
    if sum(map(len, lists)) < _SHARED * len(places) * len(lists):
        return False
    order = sorted(places, key=lambda name: sum(places[name]) / len(places[name]))
    side = {"x": "width", "y": "height"}[axis]
    pixels = getattr(charts[0][side], "step", None)
    for chart in charts:  # Vega-Lite cannot draw steps of a scale that panels share
        chart[side] = pixels * len(order) if pixels else charts[0][side]
        for channel, said in _channels(chart, axis):
            if said["type"] != "quantitative":
                channel["sort"] = order
    return True


def _share_scale(parts: Sequence[Any]) -> None:
    """Give parts of charts, which share no scale by themselves, the same ends at the axis."""
    at = [(one.data["values"], *of) for one in parts for of in _channels(one, "x")]
    values = [row[said["field"]] for rows, _, said in at for row in rows]
    for _, channel, _ in at:
        channel["scale"]["domain"] = [min(values), max(values)]


def _share_domains(charts: Sequence[Any], name: str) -> bool:
    """Return whether all panels have the same names in the scale of a channel."""
    every = (said for chart in charts for _, said in _channels(chart, name))
    found = (said.get("scale", {}).get("domain") for said in every)
    return len({(*domain,) for domain in found if domain and isinstance(domain[0], str)}) < 2
