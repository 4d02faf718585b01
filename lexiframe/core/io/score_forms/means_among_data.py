"""Summaries among the scores that they sum up, such as means: they are no evidence of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from lexiframe.core.base import n_and_first, warn
from lexiframe.core.io.score_forms.names_of_summaries import (
    MENTIONS_MEAN,
    SAYS_MEAN,
    SUMMARIES,
    are_of_others,
    are_properties,
    words_of,
)

_NEAR = 0.05
"""A mean that is rounded to more than this share of the range of the others is not recognised."""
_CHANCE, _CHANCE_IF_CALLED = 1e-3, 0.05
"""How likely a chance may be, and how likely that of what is called like a mean."""
_FEW = 10
"""If more units than these are near the mean, many values are equal, and none is taken for it."""
_FEWEST, _LEAST = 2, 3
"""How many values are summed up; of two, most summaries but the mean are one of the values."""
_AT_FIRST = 50
"""The rows in whose cells units are compared first."""
_MOST_TRIED = 60
"""Of so many collections, each is tried as the one that is no part of a mean."""
_FEW_TO_ADD = 4
"""Of so many values, one at an end may be the mean of others by the way in which they are made."""
_DECIMALS = range(11)
_ROUNDING = 1e-12
"""The relative rounding error of a mean."""
_X = pl.col("value")
_STATISTICS = {
    "standard deviations": (_X.std(), _X.std(ddof=0)),
    "standard errors": (_X.std() / pl.len().sqrt(), _X.std(ddof=0) / pl.len().sqrt()),
    "medians": (_X.median(),),
    "least values": (_X.min(),),
    "greatest values": (_X.max(),),
    "sums": (_X.sum(),),
    "numbers": (pl.len().cast(pl.Float64),),
}
_MEANS = "means"
_PLURALS = {"query_id": "requests", "collection": "collections", "run": "runs"}


@dataclass(frozen=True)
class _Units:
    """Values of requests, collections or runs, and which columns say where a value stands.

    ``place`` are the columns of a unit and of that in which it lies, ``key`` those of a cell, in
    which each unit has one value. The column ``called`` of ``rows`` has the units that are called
    like summaries or properties, which are no part of the others.
    """

    rows: pl.DataFrame
    place: list[str]
    key: list[str]

    @property
    def unit(self) -> str:
        return self.place[-1]

    def values_of(self, names: pl.Series) -> pl.DataFrame:
        """Return the values of some units."""
        return self.rows.filter(pl.col(self.unit).is_in(names.implode()))

    def others(self, *statistics: pl.Expr) -> pl.DataFrame:
        """Return for each cell its number of units, whether it has all of them, and statistics.

        A cell is whole if no other one has more values.
        """
        cells = self.rows.filter(~pl.col("called")).group_by(self.key, maintain_order=True)
        n_most = pl.col("n").max()
        within = self.place[:-1]
        is_whole = pl.col("n") == (n_most.over(within) if within else n_most)
        found = cells.agg(*statistics, n=pl.len(), range=_X.max() - _X.min())
        return found.with_columns(is_whole=is_whole)

    def whole(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Leave out incomplete cells of units that also have complete cells."""
        return rows.filter(pl.col("is_whole") | ~pl.col("is_whole").any().over(self.place))


def drop_summaries(
    table: pl.DataFrame,
    unit: str,
    cells: Sequence[str],
    within: Sequence[str] = (),
    wanted: frozenset[str] = frozenset(),
) -> pl.DataFrame:
    """Leave out requests, collections or runs that summarise the other ones; warn.

    ``unit`` is the column of their names, ``cells`` the columns that tell their values apart,
    ``within`` the columns in which they lie; ``wanted`` names stay. A unit is a mean if each of its
    values is the mean of the other units, to rounding and beyond chance. Without the name of a mean
    it also has to stand at an end of the table: in values that rise in even steps, the middle unit
    is data. A unit with the name of another summary is one if its values are. Requests and
    collections named like means are left out whatever their values; units named like other
    summaries, whose values are not, are mentioned.
    """
    rows = table.filter(_X.is_not_null()).select(*within, unit, *cells, "value")
    names = rows[unit].unique(maintain_order=True)
    words = words_of(names)
    is_called = words.str.contains("|".join(SUMMARIES.values()))
    is_property = are_properties(names) & (unit == "collection")
    mentions = words.str.contains(MENTIONS_MEAN) & (unit == "collection") & ~is_property
    if (~is_called & ~mentions & ~is_property).sum() >= _FEWEST:
        is_called |= mentions  # as Average WER is, or Retrieval Average, of a part of the others
    data = names.filter(~is_called & ~is_property)
    rows = rows.with_columns(called=~pl.col(unit).is_in(data.implode()))
    units = _Units(rows, [*within, unit], [*within, *cells])
    ends = pl.concat([data.head(1), data.tail(1)])
    ends = ends.filter(~ends.is_in([*wanted]))
    left = names.filter(is_called & ~names.is_in([*wanted]))
    for what, pattern in SUMMARIES.items():
        if what != _MEANS and left.is_empty():  # as mostly
            continue
        called = left.filter(words_of(left).str.contains(pattern))
        called = left if what == _MEANS else called
        found = (
            _units_that_are_means(units, called, ends)
            if what == _MEANS
            else _equal(units, called, what)
        )
        table = _left_out(table, found, units.place, f"whose values are the {what} of the others")
        left = left.filter(~left.is_in(found[unit].implode()))
    if unit == "run" or len(data) < _FEWEST:  # a run may be called like its pooling
        return table
    says_so = names.filter(words.str.contains(SAYS_MEAN) & ~names.is_in([*wanted]))
    means = table.filter(pl.col(unit).is_in(says_so.implode()))
    table = _left_out(table, means, units.place, "that are called means")
    left = left.filter(~left.is_in(says_so.implode()))
    left = pl.concat([left, names.filter(mentions & ~is_called & ~names.is_in([*wanted]))]).sort()
    if len(left):
        warn(
            f"{_PLURALS[unit]} that are called like summaries, but do not sum the others up: "
            f"{n_and_first(left)}; they count as {_PLURALS[unit]}, so leave them out if they sum "
            "up something else"
        )
    return table


def drop_odd_collections(
    table: pl.DataFrame, cells: Sequence[str], wanted: frozenset[str]
) -> pl.DataFrame:
    """Leave out collections that summarise other ones, or are properties of the runs; warn."""
    names = table["collection"].unique()
    statistics = names.filter(are_of_others(names) & ~names.is_in([*wanted]))
    of_others = table.filter(pl.col("collection").is_in(statistics.implode()))
    are = "that are called like another one and its error, number, rank or time"
    table = _left_out(table, of_others, ["collection"], are)
    names = names.filter(~names.is_in(statistics.implode()))
    found = names.filter(are_properties(names) & ~names.is_in([*wanted]))
    if len(names) - len(found) >= _FEWEST:
        properties = table.filter(pl.col("collection").is_in(found.implode()))
        are = "that are called like properties of the runs"
        table = _left_out(table, properties, ["collection"], are)
    return drop_summaries(table, "collection", cells, wanted=wanted)


def _left_out(table: pl.DataFrame, found: pl.DataFrame, place: list[str], are: str) -> pl.DataFrame:
    """Leave out the units that were found, and warn of them."""
    if not found.height:
        return table
    what = _PLURALS[place[-1]]
    advice = f"if they are {what} of their own, give them names that are no such words"
    if place[-1] == "collection":
        advice = f"leaderboard keeps those that weights or smaller_is_better name; {advice}"
    if _MEANS in are.split():
        advice += " and places between others"
    warn(f"{what} {are}, left out: {n_and_first(found[place[-1]].unique().sort())}; {advice}")
    return table.join(found.select(place).unique(), on=place, how="anti", nulls_equal=True)


def _units_that_are_means(units: _Units, called: pl.Series, ends: pl.Series) -> pl.DataFrame:
    """Return the units that are means of the remaining units, by name or by a place at an end.

    Of collections, one may be no part of the mean.
    """
    found = _beyond_chance(_near_the_mean(units), units)
    found = found.filter(pl.col(units.unit).is_in(pl.concat([called, ends]).implode()))
    others = units.rows.filter(~pl.col("called"))[units.unit].unique(maintain_order=True)
    tried = pl.concat([called, ends if len(others) > _FEW_TO_ADD else ends[:0]])
    tried = tried.filter(~tried.is_in(found[units.unit].implode()))
    if units.unit != "collection" or not len(tried) or len(others) > _MOST_TRIED:
        return found
    is_tried = pl.col(units.unit).is_in(tried.implode())
    rows, more = units.rows.filter(~pl.col("called") | is_tried), [found]
    for name in _no_parts(replace(units, rows=rows), tried):
        one = replace(units, rows=rows.filter(pl.col(units.unit) != name))
        more.append(_beyond_chance(_near_the_mean(one).filter(is_tried), one, len(others)))
    return pl.concat(more).unique(units.place, maintain_order=True)


def _no_parts(units: _Units, tried: pl.Series) -> pl.Series:
    """Return the units without which the tried units equal the mean of the remaining units."""
    some = units.values_of(tried).with_columns(digit=_half_a_digit("value").over(units.place))
    of_others = units.others(_X.sum().alias("sum"))
    others = units.rows.filter(~pl.col("called"))
    others = others.select(*units.key, whose=units.unit, other="value")
    pairs = units.whole(some.join(of_others, on=units.key, nulls_equal=True))
    pairs = pairs.join(others, on=units.key, nulls_equal=True)
    is_one = ~pl.col("called")  # of those that the sum has
    total = pl.col("sum") - pl.col("other") - pl.when(is_one).then(_X).otherwise(0)
    off = (total / (pl.col("n") - 1 - is_one.cast(pl.Int64)) - _X).abs()
    tolerance = pl.col("digit") + others.select(_half_a_digit("other")).item()
    fits = (off <= tolerance + _ROUNDING * (pl.col("sum").abs() + _X.abs())).all()
    found = pairs.filter(pl.col(units.unit) != pl.col("whose")).group_by(units.unit, "whose")
    return found.agg(fits=fits).filter("fits")["whose"].unique().sort()


def _equal(units: _Units, called: pl.Series, what: str) -> pl.DataFrame:
    """Find units whose values summarise the other units (a statistic of ``what``), to rounding."""
    some = units.values_of(called)
    if not some.height:
        return some
    named = [one.alias(f"{n}") for n, one in enumerate(_STATISTICS[what])]
    both = some.join(units.others(*named), on=units.key, nulls_equal=True)
    digits = units.rows.filter(~pl.col("called")).select(_half_a_digit("value")).item()
    tolerance = _half_a_digit("value").over(units.place) + digits
    tolerance = pl.when(tolerance <= _NEAR * pl.col("range")).then(tolerance).otherwise(0)
    fits = (
        ((pl.col(f"{n}") - _X).abs() <= tolerance + _ROUNDING * _X.abs()).all().over(units.place)
        for n in range(len(named))
    )
    is_enough = (pl.col("n") >= _LEAST).all().over(units.place)
    return units.whole(both).filter(is_enough, pl.any_horizontal(fits))


def _near_the_mean(units: _Units) -> pl.DataFrame:
    """Return the values of units that are near the mean of the other units in all their cells.

    A unit named like a summary does not count into that mean. Mostly a few cells rule all units
    out: those of the first rows if all units have them, else the first one.
    """
    place, rows, mean = units.place, units.rows, _X.mean().alias("mean")
    first = [rows[name].head(_AT_FIRST).unique() for name in units.key]
    are_first = (pl.col(names.name).is_in(names.implode()) for names in first)
    some = replace(units, rows=rows.filter(*are_first))
    n_cells = math.prod(map(len, first))
    n_units = math.prod(len(rows[name].unique(maintain_order=True)) for name in place)
    tried, n_tried = (some, n_cells) if some.rows.height == n_cells * n_units else (units, 1)
    whole = tried.others(mean).filter("is_whole").head(n_tried)
    far = _compare_with_mean(tried.rows, whole, units.key).filter(~pl.col("is_near"))
    rest = rows.join(far.select(place), on=place, how="anti", nulls_equal=True)
    if rest.is_empty():  # as mostly
        return rest
    both = units.whole(_compare_with_mean(rest, units.others(mean), units.key))
    near = both.group_by(place).agg(pl.col("is_near").all(), called=pl.col("called").first())
    near = near.filter("is_near")
    if (~near["called"]).sum() > _FEW:
        near = near.filter("called")
    return both.join(near.select(place), on=place, how="semi", nulls_equal=True)


def _compare_with_mean(some: pl.DataFrame, of_others: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Join values to the mean and range of the other units in their cells."""
    n, mean = pl.col("n"), pl.col("mean")
    both = some.join(of_others, on=key, nulls_equal=True).with_columns(
        n=n - (~pl.col("called")).cast(pl.Int64),
        mean=pl.when("called").then(mean).otherwise((mean * n - _X) / (n - 1)),
    )
    is_near = (mean - _X).abs() <= _NEAR * pl.col("range") + _ROUNDING * _X.abs()
    return both.with_columns(is_near=(n >= _FEWEST) & is_near)


def _beyond_chance(near: pl.DataFrame, units: _Units, n_tried: int = 1) -> pl.DataFrame:
    """Return the units that equal the mean of the other units, to rounding, and hardly by chance.

    The chance of a cell is the share of the other units' range, or of the units, that is as near.
    """
    place, key, unit = units.place, units.key, units.unit
    if near.is_empty():  # as mostly
        return near.select(*place, "called", chance=pl.lit(1.0))
    n_units = units.rows.select(place).n_unique()
    others = units.rows.filter(~pl.col("called")).rename({"value": "other", unit: "whose"})
    of_others = others.select(_half_a_digit("other")).item()
    near = near.with_columns(digit=_half_a_digit("value").over(place))
    off, as_near = (
        (pl.col("mean") - pl.col(name)).abs() <= pl.col("tolerance") for name in ("value", "other")
    )
    span = (2 * pl.col("tolerance") / pl.col("range")).fill_nan(1).clip(0, 1)
    found = []
    # Means of values as they are, and of values that were rounded as well.
    for digits in (pl.col("digit"), pl.col("digit") + of_others):
        fits = near.with_columns(tolerance=digits + _ROUNDING * _X.abs())
        fits = fits.filter(off.all().over(place)).with_columns(span=span)
        pairs = fits.join(others.drop("called"), on=key, nulls_equal=True)
        pairs = pairs.filter(pl.col(unit) != pl.col("whose"))
        pairs = pairs.filter(pl.col("called") | ~_are_in_steps(place))
        of_cells = pairs.group_by({*place, *key, "called"})
        cells = of_cells.agg(pl.col("value", "mean", "range", "span").first(), share=as_near.mean())
        # Runs with the same values are no evidence of their own.
        cells = cells.unique([*place, "value", "mean", "range"])
        chance = pl.max_horizontal("share", "span").product() * n_tried
        of_units = cells.group_by(*place, "called").agg(chance=chance)
        by_name = pl.col("called") & (pl.col("chance") < _CHANCE_IF_CALLED)
        found.append(of_units.filter(by_name | (pl.col("chance") * n_units < _CHANCE)))
    return pl.concat(found)


def _are_in_steps(place: list[str]) -> pl.Expr:
    """Return whether the other units lie in equal steps in all cells of a unit, to rounding.

    Then a unit that is the mean of the others in one cell, by chance, is so in all.
    """
    scale = pl.when(pl.col("n") > _LEAST - 1).then(pl.col("range")).otherwise(1.0)
    off = (pl.col("other") - pl.col("mean")) / scale
    slack = (4 * (pl.col("tolerance") / scale)).max().over(place)
    steps = off.max().over(*place, "whose") - off.min().over(*place, "whose")
    return (steps <= slack).all().over(place)


def _half_a_digit(name: str) -> pl.Expr:
    """Return half a unit of the last decimal of a column; 0 if it has more than ten."""
    x = pl.col(name)
    fits = [((x - x.round(d)).abs() <= _ROUNDING * x.abs()).all() for d in _DECIMALS]
    halves = [pl.when(fit).then(0.5 * 10.0**-d) for d, fit in zip(_DECIMALS, fits, strict=True)]
    return pl.coalesce(*halves, pl.lit(0.0))
