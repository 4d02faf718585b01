"""Means over collections, each counted once: `over_collections`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, sums, to_polars, typed, unknown_name
from lexiframe.core.base.errors import n_and_first
from lexiframe.typing import Frame, HasTables

_DEEP, _STANDARD = 1000, 100
"""Collections are deep, or standard, above so many items per ranking; the others are shallow."""


_AVERAGED = "\x1faveraged"
"""What the column to average is called meanwhile; no table has this name."""


class _Known(NamedTuple):
    """A table that is known by its columns: its keys, value, counts of the value, and the rest."""

    keys: str
    value: str
    counts: str = ""
    rest: str = ""

    @property
    def columns(self) -> set[str]:
        """All columns that the table may have of its own."""
        return {*f"{self.keys} {self.value} {self.counts} {self.rest}".split()}

    def is_of(self, rows: pl.DataFrame) -> bool:
        """Return whether rows have the keys, the value and the counts of the table."""
        return {*f"{self.keys} {self.value} {self.counts}".split()} <= {*rows.columns}


_OF_SCHEMAS = (
    (schemas.CORRELATIONS, "correlation", ""),
    (schemas.SIGN_AGREEMENT, "agreement", "agree n"),
    (schemas.TIE_RATES, "tie_rate", "ties n"),
    (schemas.POWER, "power", ""),
    (schemas.WIN_RATES, "win_rate", ""),
    (schemas.MEANS, "mean", ""),
    (schemas.ORDERINGS, "value", ""),
    (schemas.SCORES, "value", ""),
)
_TABLES = (
    _Known("predictor", "accuracy", "correct n"),
    _Known("by value", "tie_rate", "ties pairs"),
    _Known("level_a level_b", "correlation"),
    _Known("level predictor", "coefficient"),
    _Known("measure deciding_level", "share", "pairs"),
    _Known("what how fraction measure", "agreement"),
    *(_Known(" ".join(s.key), value, n, " ".join(s.columns)) for s, value, n in _OF_SCHEMAS),
)


@typed
def over_collections(
    table: Annotated[Frame | HasTables, "means"],
    value: str | None = None,
    classes: Mapping[str, str] | Frame | str | None = None,
    *,
    keys: Iterable[str] = (),
) -> pl.DataFrame:
    """Average a number over collections, each of which counts once.

    Parameters
    ----------
    table : frame or Evaluation
        A table with the column ``collection``, such as `rank_correlations`, `sign_agreement`,
        `tie_rates`, `deciding_levels` or `degradation` return for several collections; or the
        evaluation of several, whose means are taken. Scores are first averaged over the requests
        of each collection.
    value : str, optional
        The column to average. Default: by table ``accuracy``, ``tie_rate``, ``correlation``,
        ``coefficient``, ``share``, ``agreement``, ``mean``, ``value``, ``win_rate`` or ``power``.
    classes : dict, frame or str, optional
        ``{collection: class}``; a column of ``table``; a frame with ``collection`` and one other
        column; or the table of `coverage` of the collections, for classes by depth: above 1,000
        items per ranking (unanswered requests count) a collection is deep, above 100 standard,
        else shallow. Classes of collections that the table lacks are not used. Default: one class
        of all.
    keys
        Columns of numbers that are keys, of a table that the library does not know.

    Returns
    -------
    polars.DataFrame
        Key ``class`` (with ``classes``) and the keys of ``table`` but for ``collection``, sorted by
        it; of a frame that the library does not know its keys are all columns that are no numbers.
        ``mean`` and standard deviation ``sd`` over ``n_collections`` that have the key and a value
        for it; ``ci_low, ci_high`` are the 95 % interval of t with n − 1 degrees of freedom for
        other collections like these, null for one collection or equal values, and not cut at
        bounds; ``least`` and ``most``. ``pooled`` is the sum of counts by the sum of counts (ties
        by pairs, …), where a table has them: it weighs collections by their runs² and requests. It
        is null for other tables and values: for means, correlations and scores, and for power,
        whose pairs are not of one kind in collections of different runs.
        A level at which a collection decides no pair has there the share 0.

    Raises
    ------
    LexiframeError
        For a table without ``collection``, without the column to average, with a key twice in one
        collection, and for a collection without a class.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> t = pl.DataFrame({"collection": ["a", "b", "c"], "measure": "LP", "n": [10, 20, 30],
    ...                   "ties": [9, 14, 15], "tie_rate": [.9, .7, .5]})
    >>> lf.over_collections(t).select(pl.exclude("measure").round(3)).row(0)
    (0.7, 0.2, 3, 0.203, 1.197, 0.5, 0.9, 0.633)
    """
    rows = to_polars(table)
    if "collection" not in rows.columns:
        raise LexiframeError(
            "over_collections: expected a table with the column collection, found the columns "
            f"{', '.join(rows.columns)}"
        )
    known = next((one for one in _TABLES if one.is_of(rows)), None)
    column = _column_of(rows, known, value)
    rows, of_classes = _add_classes(rows, classes, column)
    on = [*of_classes, *_keys_of(rows.drop(column), known, [*keys], of_classes)]
    rows = rows.rename({column: _AVERAGED})
    counts = known.counts.split() if known is not None and column == known.value else []
    if "query_id" in on and known is not None:
        on.remove("query_id")
        rows = rows.group_by("collection", *on).agg(pl.col(_AVERAGED).mean())
    if rows.select("collection", *on).is_duplicated().any():
        raise LexiframeError(
            "over_collections: expected one row for each collection and its "
            f"{', '.join(on) or 'value'}, found several; name further keys: keys=[...]"
        )
    if counts == ["pairs"]:
        rows, counts = _add_undecided(rows, on), ["pairs", "of_all"]
    counted = [pl.col(name).sum() for name in counts] or [pl.lit(None, pl.Float64)] * 2
    each = pl.col(_AVERAGED)
    rows = rows.drop_nulls(_AVERAGED).sort("collection")  # sums hang on the order
    found = rows.group_by(*on, pl.lit(0).alias("of all"), maintain_order=True).agg(
        mean=each.mean(), sd=each.std(), n_collections=pl.len().cast(pl.Int64),
        least=each.min(), most=each.max(), pooled=counted[0] / counted[1],
    )  # fmt: skip
    t = pl.Series(sums.t_reach(found["n_collections"].to_numpy() - 1.0, 0.025))
    se = pl.col("sd") / pl.col("n_collections").sqrt()
    reach = pl.when(pl.col("least") < pl.col("most")).then(t * se)
    ends = {"ci_low": pl.col("mean") - reach, "ci_high": pl.col("mean") + reach}
    shown = ("mean", "sd", "n_collections", "ci_low", "ci_high", "least", "most", "pooled")
    return found.with_columns(**ends).sort(on or "mean").select(*on, *shown)


def _column_of(rows: pl.DataFrame, known: _Known | None, value: str | None) -> str:
    """Return the column to average; raise for one that is not there, or has no numbers."""
    numbers = rows.select(pl.selectors.numeric()).columns
    column = value or (known.value if known is not None else None)
    if column is None:
        raise LexiframeError(
            "over_collections: this table is not one of those with a known value; say which column "
            f"is averaged: value= one of {', '.join(numbers)}"
        )
    if column not in numbers:
        raise unknown_name("column of numbers", column, numbers)
    return column


def _keys_of(
    rows: pl.DataFrame, known: _Known | None, keys: list[str], of_classes: list[str]
) -> list[str]:
    """Return the keys of a table but for collections: its own, then attributes and further ones."""
    for name in keys:
        if name not in rows.columns:
            raise unknown_name("column", name, rows.columns)
    is_text = [name for name, dtype in rows.schema.items() if not dtype.is_numeric()]
    if known is not None:  # what it has of text beside its keys are groups, or words such as `how`
        own, columns = known.keys.split(), known.columns
        is_text = [*(name for name in is_text if name not in columns), *own]
    found = [name for name in dict.fromkeys([*is_text, *keys]) if name in rows.columns]
    return [name for name in found if name not in ("collection", *of_classes)]


def _add_undecided(rows: pl.DataFrame, on: list[str]) -> pl.DataFrame:
    """Add the share 0 of levels at which a collection decides no pair, and all decided pairs."""
    alike = [name for name in on if name != "deciding_level"]
    totals = rows.group_by("collection", *alike).agg(of_all=pl.col("pairs").sum())
    levels = rows.select(on).unique()
    each = levels.join(totals, on=alike, nulls_equal=True)
    return each.join(rows, on=["collection", *on], how="left", nulls_equal=True).with_columns(
        pl.col(_AVERAGED, "pairs").fill_null(0)
    )


def _add_classes(rows: pl.DataFrame, classes: Any, averaged: str) -> tuple[pl.DataFrame, list[str]]:
    """Add the column ``class``, if classes of collections are asked for."""
    if classes is None:
        return rows, []
    if isinstance(classes, str):
        others = [name for name in rows.columns if name not in ("collection", averaged)]
        if classes not in others:
            raise unknown_name("column of classes", classes, others)
        found = rows.select("collection", pl.col(classes).alias("class")).unique()
        rows = rows.drop(classes)
    elif isinstance(classes, Mapping):
        named = {str(name): str(of) for name, of in classes.items() if of is not None}
        told = {"collection": [*named], "class": [*named.values()]}
        found = pl.DataFrame(told, schema={"collection": pl.String, "class": pl.String})
    else:
        found = _classes_of(to_polars(classes))
    if "class" in rows.columns:
        raise LexiframeError(
            "over_collections: the table has a column class already; take that (classes='class'), "
            "or rename it"
        )
    found = found.drop_nulls("class")
    if found["collection"].is_duplicated().any():
        several = found.filter(pl.col("collection").is_duplicated())["collection"].unique().sort()
        raise LexiframeError(
            f"over_collections: expected one class of each collection, found several of "
            f"{n_and_first(several)}"
        )
    lacking = rows.join(found, on="collection", how="anti")["collection"].unique().sort()
    if lacking.len():
        unknown = found.join(rows, on="collection", how="anti")["collection"].sort()
        beside = f", but of {n_and_first(unknown)}, which the table lacks" if len(unknown) else ""
        raise LexiframeError(
            f"over_collections: expected a class of each collection, found none of "
            f"{n_and_first(lacking)}{beside}; add it, or leave its rows out"
        )
    return rows.join(found, on="collection", how="left", maintain_order="left"), ["class"]


def _classes_of(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the class of each collection, by depth of a table of coverage, or a column's."""
    rest = [name for name in frame.columns if name != "collection"]
    if {"collection", "retrieved", "requests"} <= {*frame.columns}:
        depth = pl.col("retrieved").sum() / pl.col("requests").sum()
        of_depth = (
            pl.when(depth > _DEEP).then(pl.lit("deep"))
            .when(depth > _STANDARD).then(pl.lit("standard")).otherwise(pl.lit("shallow"))
        )  # fmt: skip
        return frame.group_by("collection").agg(of_depth.alias("class"))
    if len(rest) == 1 and len(frame.columns) > 1:
        return frame.select(pl.col("collection").cast(pl.String), pl.col(rest[0]).alias("class"))
    raise LexiframeError(
        "over_collections: expected classes with the columns collection and one other, or the "
        f"table of coverage of the collections, found {', '.join(frame.columns) or 'none'}"
    )
