"""Means among the scores that they are means of: they are no evidence of their own."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.base import n_and_first, warn

_MEAN = r"([ _-]?scores?)?\W*(\(.*\))?\W*$"
_CALLED = (
    r"^(?i)(mean|average|avg|overall|all|total|(macro|micro)([ _-]?(avg|average|mean))?)\.?" + _MEAN
)
"""What people call a mean: Average ⬆️, Mean (Task), macro avg."""
_SAYS_SO = r"^(?i)(mean|average|avg)\.?" + _MEAN
"""Collections that say that they are means, be it of something else than the others."""
_PROPERTY = (
    r"^(?i)(((avg|average|mean|median|overall|borda|final)\.?[ _-])?rank( \(.*\))?|"
    r"ranking|position|#|"
    r"co[2₂]([ _].*)?|(latency|cost)([ _].*)?|zero[- ]shot( \(.*\))?|release date|memory usage.*|"
    r"embedding dimensions?|(max(imum)?|context)[ _](tokens|length|size|window)|"
    r"(#|(number|n) of |num[ _]|n_|active |total )? ?param(eter)?s( \(.*\))?)$"
)
"""What leaderboards say of models beside their scores."""
_NEAR = 0.05
"""A mean that is rounded to more than this share of the range of the others is not recognised."""
_CHANCE, _CHANCE_IF_CALLED = 1e-3, 0.05
"""How likely a chance may be, and how likely that of what is called like a mean."""
_FEW = 10
"""If more units than these are near the mean, many values are equal, and none is taken for it."""
_DECIMALS = range(11)
_ROUNDING = 1e-12
"""The relative rounding error of a mean."""


def without_means(
    table: pl.DataFrame,
    unit: str,
    cells: Sequence[str],
    within: Sequence[str] = (),
    wanted: frozenset[str] = frozenset(),
) -> pl.DataFrame:
    """Leave out requests, collections or runs whose values are the means of the others; warn.

    ``unit`` is the column of their names, ``cells`` the columns that tell their values apart, and
    ``within`` those in which they lie; ``wanted`` are never left out. A unit is a mean if each of
    its values is that of the others, to rounding, where chance would not have it so. One that is
    not called like a mean has to stand at an end of the table: where values rise in even steps, the
    unit in the middle is one of the data.
    """
    place, key = [*within, unit], [*within, *cells]
    rows = table.filter(pl.col("value").is_not_null()).select(*place, *cells, "value")
    names = rows[unit].unique(maintain_order=True)
    called = names.filter(names.str.contains(_CALLED))
    rows = rows.with_columns(called=pl.col(unit).is_in(called.implode()))
    found = _beyond_chance(_near_the_mean(rows, place, key), rows, place, key)
    is_at_an_end = pl.col(unit).is_in([names[0], names[-1]] if len(names) else [])
    found = found.filter(~pl.col(unit).is_in([*wanted]), pl.col("called") | is_at_an_end)
    others = called.filter(~called.is_in(found[unit].implode())).sort()
    if unit == "query_id" and len(others):
        warn(
            f"requests that are called like a mean: {n_and_first(others)}; their values are not "
            "the means of the others, so that they count as requests"
        )
    return _left_out(table, found, place, "whose values are the means of the others")


def without_odd_collections(
    table: pl.DataFrame, cells: Sequence[str], wanted: frozenset[str]
) -> pl.DataFrame:
    """Leave out collections that are means of the others, or called means or properties; warn."""
    table = _without_called(table, _PROPERTY, "that are called like properties of the runs", wanted)
    table = without_means(table, "collection", cells, wanted=wanted)
    return _without_called(table, _SAYS_SO, "that are called means", wanted)


def _without_called(
    table: pl.DataFrame, pattern: str, are: str, wanted: frozenset[str]
) -> pl.DataFrame:
    """Leave out collections by their names, unless fewer than two others are left."""
    named = pl.col("collection").str.contains(pattern) & ~pl.col("collection").is_in([*wanted])
    if table.filter(~named)["collection"].n_unique() < 2:
        return table
    advice = "; if they are collections, call them otherwise"
    return _left_out(table, table.filter(named), ["collection"], are, advice)


def _left_out(
    table: pl.DataFrame, found: pl.DataFrame, place: list[str], are: str, advice: str = ""
) -> pl.DataFrame:
    """Leave out the units that were found, and warn of them."""
    if not found.height:
        return table
    plural = {"query_id": "requests"}.get(place[-1], f"{place[-1]}s")
    warn(f"{plural} {are}, left out: {n_and_first(found[place[-1]].unique().sort())}{advice}")
    return table.join(found.select(place).unique(), on=place, how="anti", nulls_equal=True)


def _near_the_mean(rows: pl.DataFrame, place: list[str], key: list[str]) -> pl.DataFrame:
    """Return the values of units that are near the mean of the others in all of their cells.

    What is called like a mean is no part of the others. One cell rules most units out.
    """
    one = rows.join(rows.head(1).select(key), on=key, how="semi", nulls_equal=True)
    far = _beside_the_mean(one, one, key).filter(~pl.col("is_near"))
    rest = rows.join(far.select(place), on=place, how="anti", nulls_equal=True)
    both = _beside_the_mean(rest, rows, key)
    units = both.group_by(place).agg(pl.col("is_near").all(), called=pl.col("called").first())
    units = units.filter("is_near")
    if (~units["called"]).sum() > _FEW:
        units = units.filter("called")
    return both.join(units.select(place), on=place, how="semi", nulls_equal=True)


def _beside_the_mean(some: pl.DataFrame, rows: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Return some values beside the mean and range of the others in their cells."""
    x, n, mean = pl.col("value"), pl.col("n"), pl.col("mean")
    others = rows.filter(~pl.col("called")).group_by(key)
    of_others = others.agg(n=pl.len(), mean=x.mean(), range=x.max() - x.min())
    both = some.join(of_others, on=key, nulls_equal=True).with_columns(
        n=n - (~pl.col("called")).cast(pl.Int64),
        mean=pl.when("called").then(mean).otherwise((mean * n - x) / (n - 1)),
    )
    is_near = (mean - x).abs() <= _NEAR * pl.col("range") + _ROUNDING * x.abs()
    return both.with_columns(is_near=(n > 1) & is_near)


def _beyond_chance(
    near: pl.DataFrame, rows: pl.DataFrame, place: list[str], key: list[str]
) -> pl.DataFrame:
    """Return the units that equal the mean of the others, to rounding, and hardly by chance.

    The chance of a cell is the share of the others' range, or of the others, that is as near.
    """
    unit, n_units = place[-1], rows.select(place).n_unique()
    others = rows.filter(~pl.col("called")).rename({"value": "other", unit: "whose"})
    of_others = others.select(_half_a_digit("other")).item()
    near = near.with_columns(digit=_half_a_digit("value").over(place))
    off, as_near = (
        (pl.col("mean") - pl.col(name)).abs() <= pl.col("tolerance") for name in ("value", "other")
    )
    span = (2 * pl.col("tolerance") / pl.col("range")).fill_nan(1).clip(0, 1)
    found = []
    # Means of values as they are, and of values that were rounded as well.
    for digits in (pl.col("digit"), pl.col("digit") + of_others):
        fits = near.with_columns(tolerance=digits + _ROUNDING * pl.col("value").abs())
        fits = fits.filter(off.all().over(place)).with_columns(span=span)
        pairs = fits.join(others.drop("called"), on=key, nulls_equal=True)
        of_cells = pairs.filter(pl.col(unit) != pl.col("whose")).group_by({*place, *key, "called"})
        cells = of_cells.agg(pl.col("value", "mean", "range", "span").first(), share=as_near.mean())
        # Runs with the same values are no evidence of their own.
        cells = cells.unique([*place, "value", "mean", "range"])
        chance = pl.max_horizontal("share", "span").product()
        units = cells.group_by(*place, "called").agg(chance=chance)
        by_name = pl.col("called") & (pl.col("chance") < _CHANCE_IF_CALLED)
        found.append(units.filter(by_name | (pl.col("chance") * n_units < _CHANCE)))
    return pl.concat(found)


def _half_a_digit(name: str) -> pl.Expr:
    """Return half a unit of the last decimal of a column; 0 if it has more than ten."""
    x = pl.col(name)
    fits = [((x - x.round(d)).abs() <= _ROUNDING * x.abs()).all() for d in _DECIMALS]
    halves = [pl.when(fit).then(0.5 * 10.0**-d) for d, fit in zip(_DECIMALS, fits, strict=True)]
    return pl.coalesce(*halves, pl.lit(0.0))
