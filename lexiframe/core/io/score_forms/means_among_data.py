"""Summaries among the scores that they sum up, such as means: they are no evidence of their own."""

from __future__ import annotations

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
"""What is rounded to more than this share of the range of the others has to equal its summary."""
_FEWEST, _LEAST = 2, 3
"""How many values are summed up; of two, most summaries but the mean are one of the values."""
_MOST_TRIED = 60
"""Of so many collections, each is tried as the one that is no part of a mean."""
_DECIMALS = range(11)
_ROUNDING = 1e-12
"""The relative rounding error of a mean."""
_X = pl.col("value")
_MEANS = "means"
_STATISTICS = {
    _MEANS: (_X.mean(),),
    "standard deviations": (_X.std(), _X.std(ddof=0)),
    "standard errors": (_X.std() / pl.len().sqrt(), _X.std(ddof=0) / pl.len().sqrt()),
    "medians": (_X.median(),),
    "least values": (_X.min(),),
    "greatest values": (_X.max(),),
    "sums": (_X.sum(),),
    "numbers": (pl.len().cast(pl.Float64),),
}
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

    def equal(self, called: pl.Series, what: str) -> pl.DataFrame:
        """Return the values of the called units that are a statistic of the others, to rounding."""
        some = self.rows.filter(pl.col(self.place[-1]).is_in(called.implode()))
        others = self.rows.filter(~pl.col("called"))
        if not some.height or not others.height:
            return some.clear()
        named = {f"{n}": one for n, one in enumerate(_STATISTICS[what])}
        cells = others.group_by(self.key, maintain_order=True)
        found = cells.agg(n=pl.len(), range=_X.max() - _X.min(), **named)
        n_most, within = pl.col("n").max(), self.place[:-1]
        is_whole = pl.col("n") == (n_most.over(within) if within else n_most)
        both = some.join(found.with_columns(is_whole=is_whole), on=self.key, nulls_equal=True)
        digits = _half_a_digit().over(self.place) + others.select(_half_a_digit()).item()
        tolerance = pl.when(digits <= _NEAR * pl.col("range")).then(digits).otherwise(0)
        # of a cell that lacks values nobody knows what was summed up, if a unit has whole cells
        both = both.with_columns(off_by=tolerance + _ROUNDING * _X.abs()).filter(
            pl.col("is_whole") | ~pl.col("is_whole").any().over(self.place)
        )
        fits = ((pl.col(n) - _X).abs() <= pl.col("off_by") for n in named)
        is_enough = pl.col("n") >= (_FEWEST if what == _MEANS else _LEAST)
        are_equal = (pl.all_horizontal(is_enough, one).all().over(self.place) for one in fits)
        they_differ = (pl.col("range") > 0).any().over(self.place)
        return both.filter(they_differ, pl.any_horizontal(are_equal)).select(some.columns)

    def means(self, called: pl.Series) -> pl.DataFrame:
        """Return the values of the called units that are means, of collections of all but one."""
        found, unit = self.equal(called, _MEANS), self.place[-1]
        data = self.rows.filter(~pl.col("called"))[unit].unique(maintain_order=True)
        rest = called.filter(~called.is_in(found[unit].implode()))
        if unit != "collection" or not len(rest) or len(data) > _MOST_TRIED:
            return found
        without = (replace(self, rows=self.rows.filter(pl.col(unit) != name)) for name in data)
        return pl.concat([found, *(one.equal(rest, _MEANS) for one in without)])


def drop_summaries(
    table: pl.DataFrame,
    unit: str,
    cells: Sequence[str],
    within: Sequence[str] = (),
    wanted: frozenset[str] = frozenset(),
) -> pl.DataFrame:
    """Leave out requests, collections or runs that are called like summaries and are such; warn.

    ``unit`` is the column of their names, ``cells`` the columns that tell their values apart, and
    ``within`` those in which they lie; ``wanted`` are never left out. A unit is a summary if it is
    called so and each of its values is that of the others, to rounding. Requests and collections
    that say that they are means are left out as well, whatever they are means of; those that are
    called like other summaries, and are none, are named.
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
    left = names.filter(is_called & ~names.is_in([*wanted]))
    for what, pattern in SUMMARIES.items():
        called = left.filter(words_of(left).str.contains(pattern))
        found = units.means(left) if what == _MEANS else units.equal(called, what)
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
    warn(f"{what} {are}, left out: {n_and_first(found[place[-1]].unique().sort())}; {advice}")
    return table.join(found.select(place).unique(), on=place, how="anti", nulls_equal=True)


def _half_a_digit() -> pl.Expr:
    """Return half a unit of the last decimal of the values; 0 if they have more than ten."""
    fits = [((_X - _X.round(d)).abs() <= _ROUNDING * _X.abs()).all() for d in _DECIMALS]
    halves = [pl.when(fit).then(0.5 * 10.0**-d) for d, fit in zip(_DECIMALS, fits, strict=True)]
    return pl.coalesce(*halves, pl.lit(0.0))
