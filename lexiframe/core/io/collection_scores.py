"""Scores of several collections: checked, with their gaps named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from lexiframe.core.base import ReadError, SchemaError, n_and_first, printed, warn
from lexiframe.core.io.column_forms.values_for_none import NaValues, drop_values, warn_of_values
from lexiframe.core.io.result_forms.found import read_results
from lexiframe.core.io.score_forms.layouts import ScoreTable
from lexiframe.core.io.score_forms.means_among_data import drop_odd_collections, drop_summaries
from lexiframe.core.io.score_forms.text import PLACE

KEY = ("run", "collection", "query_id", "measure", "replicate")
_MOST_SHARE, _PERCENT = 1.0, 100.0


def checked_collections(
    tables: Sequence[pl.DataFrame],
    origins: Sequence[ScoreTable],
    kept: tuple[str, ...] = (),
    wanted: frozenset[str] = frozenset(),
) -> pl.DataFrame:
    """Put the tables of several sources together, and check them."""
    if not all("collection" in rows.columns for rows in tables):
        where = next(o.where for o, t in zip(origins, tables, strict=True) if "run" in t.columns)
        raise SchemaError(
            f"{where}: expected all sources to have collections, or none, found both; give the "
            "others a column collection"
        )
    numbered = (rows.with_columns(origin=pl.lit(n)) for n, rows in enumerate(tables))
    table = pl.concat(numbered, how="diagonal_relaxed")
    if not table.height:
        where = ", ".join(origin.where for origin in origins[:3])
        raise ReadError(f"{where}: expected rows of scores, found only names of columns")
    places = [origins[row[0]].at(row[1]) for row in table.select("origin", PLACE).rows()]
    return _checked_scores(table.with_columns(place=pl.Series(places)), kept, wanted)


def read_results_files(
    files: Sequence[Path],
    revisions: str,
    languages: str | None,
    measure: str | None,
    na_values: NaValues,
) -> pl.DataFrame:
    """Read files of results that tools wrote; ``measure`` is the one to keep."""
    table = read_results(files, revisions, languages).rename({"file": "place"})
    table = drop_values(table, "value", na_values)
    if measure is not None:
        known = table["measure"].unique().sort()
        table = table.filter(pl.col("measure") == measure)
        if not table.height:
            raise SchemaError(
                f"{files[0]}: expected scores by {measure!r}, found {n_and_first(known)}"
            )
    return _checked_scores(table)


def _checked_scores(
    table: pl.DataFrame, kept: tuple[str, ...] = (), wanted: frozenset[str] = frozenset()
) -> pl.DataFrame:
    present = [n for n in KEY if n in table.columns and table[n].null_count() < table.height]
    repeated = table.filter(pl.struct(present).is_duplicated())
    if repeated.height:
        first = repeated.sort(present).row(0, named=True)
        twins = repeated.filter(
            pl.all_horizontal(pl.col(n).eq_missing(pl.lit(first[n])) for n in present)
        )
        values = " and ".join(str(v) for v in twins["value"][:2])
        raise SchemaError(
            f"{' and '.join(twins['place'][:2])}: run {first['run']!r} has more than one value in "
            f"collection {first['collection']!r} ({values}; {repeated.height} such rows in all); "
            "keep one of them"
        )
    empty = table.filter(pl.col("value").is_null())
    if empty.height == table.height:
        raise ReadError(f"{table['place'][0]}: expected some values, found none of any run")
    if empty.height:
        named = [f"{r['run']} in {r['collection']}" for r in empty.head(3).iter_rows(named=True)]
        warn(
            f"{empty['place'][0]}: cells without a value are gaps, as if they had no row: "
            f"{empty.height} ({', '.join(named)}{', ...' if empty.height > len(named) else ''})"
        )
    others = [name for name in present if name not in ("run", "collection")]
    by = ["collection", *(name for name in others if name == "measure")]
    warn_of_values(table, by, table["place"][0].rpartition(", ")[0] or table["place"][0])
    table = drop_odd_collections(table, ["run", *others], wanted)
    if "query_id" in others:
        cells = ["run", *(name for name in others if name != "query_id")]
        table = drop_summaries(table, "query_id", cells, within=["collection"])
    table = drop_summaries(table, "run", ["collection", *others])
    _warn_of_percent(table)
    more = (*kept, "value", "smaller_is_better", "answered", "ties_sd")
    columns = [*present, *dict.fromkeys(name for name in more if name in table.columns)]
    return table.filter(pl.col("value").is_not_null()).select(columns).sort(present)


def _warn_of_percent(table: pl.DataFrame) -> None:
    """Warn of collections with some values in shares (0 to 1) and some in percent."""
    on = [name for name in ("collection", "measure") if name in table.columns]
    value = pl.col("value")
    share, percent = (value > 0) & (value <= _MOST_SHARE), (value > _MOST_SHARE)
    found = table.group_by(on, maintain_order=True).agg(
        runs=pl.col("run").filter(share).unique().sort(),
        place=pl.col("place").filter(share).first(),
        of=pl.col("run").n_unique(),
        rest=percent.sum(),
        fits=(value.filter(share).max() * _PERCENT <= value.max() * 2) & (value.max() <= _PERCENT),
        far=value.filter(percent).min() > 5 * value.filter(share).max(),
        least=value.min() >= 0,
    )
    has_both = (pl.col("rest") > 0) & (pl.col("runs").list.len() > 0)
    mixed = found.filter(has_both, "fits", "far", "least")
    if mixed.height:
        first = mixed.row(0, named=True)
        names = ", ".join(map(repr, first["runs"][:3])) + ", ..." * (len(first["runs"]) > 3)
        warn(
            f"{first['place']}: in collection {first['collection']!r} the values of "
            f"{printed.counted(len(first['runs']), 'run')} ({names}) are at most 1, and others "
            "reach up to 100: shares seem to be mixed with percent "
            f"(in {printed.counted(mixed.height, 'collection')}); give all in one unit"
        )
