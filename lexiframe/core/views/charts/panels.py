"""Charts of several collections: a panel for each on one scale, then the mean over collections.

Each panel is the chart of one collection, drawn by the same function, and smaller. What the panels
say in their titles stands above all of them once.
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
from lexiframe.core.views.charts.colours import COLOURS
from lexiframe.core.views.charts.drawing import altair, name_size, title, wide
from lexiframe.core.views.charts.marks import MEAN
from lexiframe.core.views.charts.tables import rows_with
from lexiframe.core.views.charts.texts import harmless

P = ParamSpec("P")
T = TypeVar("T")
Averaged = Callable[[pl.DataFrame], pl.DataFrame]

OF_PANEL = ": r"
"""What stands between the name of a facet and the numbers in it."""
_ACROSS, _LEAST = 1000, 150
"""The pixels of panels side by side, and the fewest of one."""
_IN_A_ROW, _WITH_LINES = 5, 3
"""The numbers of small panels, and of panels with many lines, in a row."""
_LETTER = 6
"""The pixels of a letter of a title beside an axis."""
_FOR_NUMBERS = 26
"""The pixels of a cell from which on there is room for its number."""
_SHARED = 0.7
"""Panels have the same names at an axis if on average they have this share of all names."""
_ROW = 22
"""The most pixels of a row."""


def mean_of(*values: str, by: Sequence[str] = ()) -> Averaged:
    """Return a function from a table of collections to their mean, of the rows that all have.

    Texts and the columns ``by`` are the key. Numbers of requests, pairs and the like are added up,
    but for samples; what is neither one of the ``values`` nor a whole number has no mean.
    """

    def mean(table: pl.DataFrame) -> pl.DataFrame:
        n = table["collection"].n_unique()
        table = table.drop("class", strict=False)
        keys = [*by, *(c for c, t in table.schema.items() if t == pl.String and c != "collection")]
        left = {c: t for c, t in table.schema.items() if c not in {"collection", *keys, *values}}
        found = table.group_by(keys, maintain_order=True).agg(
            *(pl.when(pl.col(c).count() == n).then(pl.col(c).mean()) for c in values if c in table),
            *(pl.lit(None, t).alias(c) for c, t in left.items() if not t.is_integer()),
            *(pl.col(c).max() if c == "samples" else pl.col(c).sum()
              for c, t in left.items() if t.is_integer()),
            of_all=pl.len() == n,
        )  # fmt: skip
        return found.filter("of_all").drop("of_all")

    return mean


def in_panels(
    mean: Averaged | None = None, *, lines: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check arguments as `typed` does, and draw a table of several collections in panels.

    ``mean`` makes the table of the last panel. With ``lines``, there is a panel for each measure,
    whose lines are the collections and their mean.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        checked, signature = typed(function), inspect.signature(function)
        most = _WITH_LINES if lines else _IN_A_ROW

        @wraps(checked)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                return checked(*args, **kwargs)  # which says what is wrong
            first = next(iter(given.arguments))
            of = {name: by_collection.apart(one) for name, one in given.arguments.items()}
            if not of[first]:
                return checked(*args, **kwargs)
            names = in_order(table := by_collection.together(of[first]))
            options = {name: one for name, one in given.arguments.items() if not of[name]}
            if lines and 1 < len(names) <= len(COLOURS):
                rows = rows_with(table, "measure", options.pop("measures", None))
                tables = {m: {first: part} for m, part in _of_lines(rows, names, mean).items()}
            else:
                tables = {
                    name: {one: _part(parts, name) for one, parts in of.items() if parts}
                    for name in names
                }
                if mean is not None and len(names) > 1 and (rows := mean(table)).height:
                    tables[MEAN] = {first: rows}
            panels: dict[str, Any] = {}
            for name, parts in tables.items():
                given.arguments.clear()
                given.arguments.update({**parts, **options})
                with by_collection.told_of(name), wide(_across(len(tables), most)):
                    panels[name] = checked(*given.args, **given.kwargs)
            return panels[names[0]] if len(names) == 1 else _together(panels, len(names), most)

        return drawn

    return decorate


def in_order(table: pl.DataFrame) -> list[str]:
    """Return the collections by name, or by the column ``class`` and then by name."""
    by = [name for name in ("class", "collection") if name in table.columns]
    names = table.select(pl.col(by).cast(pl.String)).sort(by).to_series(len(by) - 1)
    return names.unique(maintain_order=True).to_list()


def _part(parts: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    if name not in parts:
        raise unknown_name("collection", name, [*parts])
    return parts[name]


def _of_lines(
    rows: pl.DataFrame, names: Sequence[str], mean: Averaged | None
) -> dict[str, pl.DataFrame]:
    """Return a table for each measure, in which collections and their mean are the measures."""
    found = {}
    for (measure,), part in rows.partition_by("measure", as_dict=True, maintain_order=True).items():
        of_all = [mean(part).with_columns(collection=pl.lit(MEAN))] if mean else []
        lines = pl.concat([part, *of_all], how="diagonal_relaxed")
        lines = lines.sort(pl.col("collection").cast(pl.Enum([*names, MEAN])), maintain_order=True)
        found[str(measure)] = lines.with_columns(measure="collection").drop("collection")
    return found


def _together(panels: Mapping[str, Any], n: int, most: int) -> Any:
    """Return the panels of all, in a block for each facet that they have themselves."""
    said = [_title_lines(chart) for name, chart in panels.items() if name != MEAN]
    blocks: dict[str, dict[str, Any]] = {}
    for name, chart in panels.items():
        for facet, one in _facets(chart):
            of, _, own = facet.partition(OF_PANEL)  # numbers of a panel stand at its name
            blocks.setdefault(of, {})[f"{name}{OF_PANEL}{own}" if own else name] = one
    made = [_block(facet, charts, most) for facet, charts in blocks.items()]
    words = _merged(said)
    if made[0]["resolve"]["scale"]["y"] == "shared":  # rows are in the order of their mean places
        words = [line.replace("best first", "best on average first") for line in words]
    last = "; last: the mean of what all have" if MEAN in panels else ""
    words.append(f"{n} collections{last}")
    whole = made[0]
    if len(made) > 1:
        whole = _side_by_side(altair().vconcat, made, spacing=24)
    whole.title = title(*words)
    whole.title.offset = 12
    return whole


def _across(n: int, most: int) -> int:
    """Return the most pixels of each of n panels from left to right."""
    return max(_LEAST, _ACROSS // min(n, most) - 40)


def _title_lines(chart: Any) -> list[str]:
    said = chart.title.to_dict()
    return [said["text"], *said.get("subtitle", [])]


_NUMBER = re.compile(r"(?<![\w.@])\d[\d,]*(?:\.\d+)?(?![\w.])")


def _merged(said: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of several titles once, their numbers as the least and the greatest of all."""
    alike: dict[str, list[str]] = {}
    for line in dict.fromkeys(line for lines in said for line in lines):
        alike.setdefault(re.sub(r"(# \w+?)s\b", r"\1", _NUMBER.sub("#", line)), []).append(line)
    merged = []
    for lines in alike.values():
        numbers = [[*dict.fromkeys(sorted(of, key=_value))] for of in
                   zip(*map(_NUMBER.findall, lines), strict=True)]  # fmt: skip
        ends = iter(" to ".join(of[:: max(1, len(of) - 1)]) for of in numbers)
        merged.append(_NUMBER.sub(lambda _, ends=ends: next(ends), max(lines, key=len)))
    return merged


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _facets(chart: Any) -> Iterator[tuple[str, Any]]:
    """Yield the facets of a chart by their names; a chart without facets is one without a name."""
    draw = altair()
    if not isinstance(chart, draw.FacetChart):
        yield "", chart
        return
    by = chart.facet.to_dict(validate=False)
    fields = [
        one["field"] for one in (by, by.get("row"), by.get("column")) if one and "field" in one
    ]
    rows = chart.data["values"]
    for values in dict.fromkeys(tuple(row[name] for name in fields) for row in rows):
        of_facet = draw.InlineData(values=[])
        of_facet["values"] = [row for row in rows if tuple(row[name] for name in fields) == values]
        one = chart.spec.copy(deep=True)
        one.data = of_facet
        yield ", ".join(map(str, values)), one


def _block(facet: str, charts: Mapping[str, Any], most: int) -> Any:
    """Return panels of one scale, wrapped, with names only at the left and at the bottom."""
    draw, n = altair(), len(charts)
    every, across = [*charts.values()], _across(n, most)
    if is_compound := not hasattr(every[0], "mark") and not hasattr(every[0], "layer"):
        _shrink_parts(every, across)
        shared = {"x": False, "y": False}
    else:
        shared = {axis: _share_names(every, axis) for axis in ("x", "y")}
        for chart in every:
            _shrink(chart, across)
    # Ranks of different numbers of runs have axes of different lengths.
    shared["y"] &= is_compound or len({chart.height for chart in every}) == 1
    wide = across if is_compound else max(chart.width for chart in every)
    columns = -(-n // min(n, -(-n * (wide + (20 if shared["y"] else 140)) // _ACROSS)))
    for place, (name, chart) in enumerate(charts.items()):
        for axis, is_inside in (("x", place + columns < n), ("y", place % columns > 0)):
            if is_inside and shared[axis]:
                _hide_axis(chart, axis)
        words = {"fontSize": 11, "fontWeight": "bold", "limit": wide + 100, "anchor": "start"}
        chart.title = draw.Title(harmless(name), **words)
    shared |= {channel: _share_domains(every, channel) for channel in ("color", "shape")}
    scales = {channel: "shared" if is_one else "independent" for channel, is_one in shared.items()}
    how = {"columns": columns, "align": "each", "spacing": 14, "resolve": {"scale": scales}}
    named = {"title": title(facet)} if facet else {}
    return _side_by_side(draw.concat, every, **how, **named)


def _side_by_side(layout: Callable[..., Any], charts: Sequence[Any], **how: Any) -> Any:
    """Return charts in a layout; the line near the pointer is emphasised in all of them."""
    with warnings.catch_warnings():  # Altair's, that they share what finds this line
        warnings.filterwarnings("ignore", "Automatically deduplicated selection", UserWarning)
        return layout(*charts, **how)


def _units(chart: Any) -> Iterator[Any]:
    """Yield the layers of a chart, or the chart itself."""
    for one in getattr(chart, "layer", [chart]):
        yield from _units(one) if one is not chart else [one]


def _channels(chart: Any, name: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each encoding of a channel by a column, and its specification."""
    for unit in _units(chart):
        channel = getattr(getattr(unit, "encoding", None), "_kwds", {}).get(name)
        said = channel.to_dict(validate=False) if hasattr(channel, "to_dict") else {}
        if "field" in said and "type" in said:
            yield channel, said


def _names(chart: Any, axis: str) -> list[Any]:
    """Return the names or ordinals along an axis in their order; none where there are numbers."""
    for _, said in _channels(chart, axis):
        if said["type"] != "quantitative":
            known = sorted({row[said["field"]] for row in chart.data["values"]})
            return said["sort"] if isinstance(said.get("sort"), list) else known
    return []


def _share_names(charts: Sequence[Any], axis: str) -> bool:
    """Give all panels the same names in one order, unless most have names that others lack.

    Names are in the order of their mean places.
    """
    lists = [_names(chart, axis) for chart in charts]
    places: dict[Any, list[float]] = {}
    for names in lists:
        for place, name in enumerate(names):
            places.setdefault(name, []).append(place / len(names))
    if sum(map(len, lists)) < _SHARED * len(places) * len(lists):
        return False
    order = sorted(places, key=lambda name: sum(places[name]) / len(places[name]))
    for channel, said in (one for chart in charts for one in _channels(chart, axis)):
        if said["type"] != "quantitative":
            channel["sort"] = order
    return True


def _share_domains(charts: Sequence[Any], name: str) -> bool:
    """Return whether all panels have the same names in the scale of a channel."""
    found = (
        said.get("scale", {}).get("domain") for one in charts for _, said in _channels(one, name)
    )
    return len({(*domain,) for domain in found if domain and isinstance(domain[0], str)}) < 2


def _shrink(chart: Any, across: int) -> None:
    """Make a chart at most so many pixels wide; rows keep their height, cells stay squares."""
    names = {axis: _names(chart, axis) for axis in ("x", "y")}
    steps = {a: getattr(chart[of], "step", None) for a, of in (("x", "width"), ("y", "height"))}
    before = steps["x"] * len(names["x"]) if steps["x"] else chart.width
    if names["x"] and names["y"]:
        pixels = min(steps["x"], max(12, across // len(names["x"])))
        chart.width, chart.height = (pixels * len(names[axis]) for axis in ("x", "y"))
        for channel, _ in (*_channels(chart, "x"), *_channels(chart, "y")):
            channel["axis"] = _changed(channel["axis"], labelFontSize=name_size(pixels))
        if pixels < _FOR_NUMBERS and len(units := [*_units(chart)]) > 1:
            chart.layer = [one for one in units if getattr(one.mark, "type", "") != "text"]
    else:
        chart.width = before if steps["x"] else min(chart.width, across)
        if steps["y"]:
            chart.height = min(steps["y"], _ROW) * len(names["y"])
        elif not names["y"] and not steps["x"]:
            chart.height = max(90, chart.height * chart.width // before)
    for channel, said in _channels(chart, "y"):
        if isinstance(said.get("title"), str) and said["type"] == "quantitative":
            channel["title"] = wrap(said["title"], chart.height // _LETTER)  # of one line, cut off
    for channel, said in _channels(chart, "size"):
        if "range" in said.get("scale", {}):
            channel["scale"]["range"] = [
                n * (chart.width / before) ** 2 for n in said["scale"]["range"]
            ]


def _shrink_parts(charts: Sequence[Any], across: int) -> None:
    """Make the parts of charts narrower, and give the first parts side by side one scale."""
    parts = [
        next(getattr(c, of) for of in ("hconcat", "vconcat") if hasattr(c, of)) for c in charts
    ]
    for part in (one for of_chart in parts for one in of_chart):
        part.width = min(part.width, across) if isinstance(part.width, int) else part.width
    if hasattr(charts[0], "hconcat"):
        (field,) = {said["field"] for first, *_ in parts for _, said in _channels(first, "x")}
        values = [row[field] for first, *_ in parts for row in first.data["values"]]
        for channel, _ in (one for first, *_ in parts for one in _channels(first, "x")):
            channel["scale"]["domain"] = [min(values), max(values)]


def _hide_axis(chart: Any, name: str) -> None:
    """Take the title away, and the names, or the numbers at the left."""
    for channel, said in _channels(chart, name):
        axis = channel["axis"]
        if axis is None or said.get("axis", {}).get("orient") == "top":
            continue
        is_bare = name == "y" or said["type"] != "quantitative"
        channel["axis"] = _changed(
            axis, title=None, **{"labels": False, "ticks": False} if is_bare else {}
        )


def _changed(axis: Any, **options: Any) -> Any:
    """Return an axis with some options changed."""
    known = axis.to_dict(validate=False) if hasattr(axis, "to_dict") else axis
    known = {} if known is altair().Undefined else known
    return altair().Axis(**{**known, **options})
