"""Scores of several collections in one table: leaderboards, long or wide, and requests of each."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import Problem, ReadError, SchemaError, n_and_first, unknown_name
from lexiframe.core.io.column_forms.column_names import candidates_for, columns_among
from lexiframe.core.io.column_forms.measure_names import are_measures
from lexiframe.core.io.columns import ALL_SCORES, KNOWN_NAMES
from lexiframe.core.io.score_forms.layouts import (
    ScoreTable,
    drop_texts,
    numbers_of,
    plain_name,
    refuse_without_run,
    said_besides,
    texts_among,
)
from lexiframe.core.io.score_forms.row_numbers import drop_row_numbers
from lexiframe.core.io.score_forms.text import PLACE

_NAMES = ("run", "collection", "query_id", "measure", "replicate")
_COUNTS = frozenset(
    "correct incorrect wrong total count n num samples unparsed passed failed skipped errors "
    "accuracy acc stderr".split()
)
_CELL = "\0"  # a prefix for the columns of a matrix, since one may have the name of our column


def has_collections(given: ScoreTable) -> bool:
    """Return whether a table has scores of collections: a column of them, or one for each.

    Without a column of collections, rows of runs and no column of requests are a leaderboard,
    unless all other columns are named like measures of one collection. Several rows of a run make a
    leaderboard only beside several columns, in which a cell is then there twice.
    """
    names = [name for name in given.table.columns if name != PLACE]
    found = {ours: candidates_for(words, names) for ours, words in ALL_SCORES.items()}
    if found["collection"]:
        return True
    if candidates_for(KNOWN_NAMES["doc_id"], names):
        return False  # rows of a run, or of judgments
    taken = {name for several in found.values() for name in several}
    cells = [name for name in names if name not in taken]
    is_wide = len(found["run"]) == 1 and not (found["query_id"] or found["value"])
    texts = texts_among(given.table, cells)
    numbers = pl.Series([name for name in cells if name not in texts], dtype=pl.String)
    if not (is_wide and cells) or are_measures(numbers):
        return False
    return len(cells) > 1 or bool(given.table[found["run"][0]].is_unique().all())


def rows_of_collections(
    given: ScoreTable, measure: str | None, kept: tuple[str, ...] = ()
) -> pl.DataFrame:
    """Return a row for each score: run, collection, request and measure if there are, value.

    ``kept`` are further columns to keep: attributes of collections.
    """
    names = [name for name in given.table.columns if name != PLACE]
    found = columns_among(ALL_SCORES, [name for name in names if name not in kept], given.where)
    if lacking := [name for name in kept if name not in names]:
        raise unknown_name("column", lacking[0], names)
    _refuse_no_names(given, found)
    others = [name for name in names if name not in found.values() and name not in kept]
    rows = (
        _one_value_a_row(given, found, kept)
        if "value" in found
        else _unpivot(given, found, others, kept)
    )
    if measure is not None and "measure" not in rows.columns:
        rows = rows.with_columns(measure=pl.lit(measure))
    if given.is_given or "run" not in rows.columns:
        if given.name is None:
            refuse_without_run(given)
        rows = rows.with_columns(run=pl.lit(given.name))
    return _name_ids(rows, given)


def _refuse_no_names(given: ScoreTable, found: dict[str, str]) -> None:
    """Raise for a column of names that holds lists, structs or bytes."""
    for ours, theirs in found.items():
        dtype = given.table[theirs].dtype
        if ours != "value" and (dtype.is_nested() or dtype in (pl.Binary, pl.Object)):
            advice = "give a name or a number in each row"
            raise SchemaError(Problem(given.where, f"names in {theirs}", str(dtype), advice))


def _one_value_a_row(
    given: ScoreTable, found: dict[str, str], kept: tuple[str, ...]
) -> pl.DataFrame:
    names = [pl.col(theirs).alias(ours) for ours, theirs in found.items() if ours != "value"]
    value = numbers_of(given.table[found["value"]], given, _place_of(given, found)).alias("value")
    besides = said_besides(given.table.drop(kept))
    names += besides
    return given.table.select(PLACE, *names, *kept).with_columns(value)


def _unpivot(
    given: ScoreTable, found: dict[str, str], cells: list[str], kept: tuple[str, ...]
) -> pl.DataFrame:
    """Make a row of each cell: columns are collections of runs, or runs of collections."""
    if not cells or {"run", "collection"} <= found.keys():
        say = f"; say which it is: columns={{'value': {cells[-1]!r}}}" if cells else ""
        raise SchemaError(
            f"{given.where}: expected a column of values (value, score, main_score), or one for "
            f"each collection or run, found the columns "
            f"{', '.join(name for name in given.table.columns[:11] if name != PLACE)}{say}"
        )
    cells = drop_row_numbers(given, cells)
    cells = drop_texts(given, cells, found)
    variable = "run" if "collection" in found else "collection"
    if variable == "run":
        _refuse_counts(given, cells)
    numbers = [
        numbers_of(given.table[name], given, _place_of(given, found, name)).alias(_CELL + name)
        for name in cells
    ]
    index = [pl.col(theirs).alias(ours) for ours, theirs in found.items()]
    wide = given.table.select(PLACE, *index, *kept).with_columns(numbers)
    keys = [PLACE, *found, *kept]
    rows = wide.unpivot(index=keys, variable_name=variable, value_name="value")
    return rows.with_columns(pl.col(variable).str.strip_prefix(_CELL))


def _refuse_counts(given: ScoreTable, cells: list[str]) -> None:
    """Raise for columns that are called like counts and measures: they are of one run."""
    known = {*are_measures(pl.Series(cells, dtype=pl.String))}
    known |= {name for name in cells if plain_name(name) in _COUNTS}
    if len(known) > max(1, len(cells) / 2):
        names = [name for name in cells if name in known]
        found = f"counts and measures of one run: {n_and_first(names)}"
        advice = "call the one to compare value, and name the run in a column run"
        raise SchemaError(Problem(given.where, "a column for each run", found, advice))


def _place_of(given: ScoreTable, found: dict[str, str], cell: str | None = None) -> list[str]:
    """Return for each row the run and the collection that an error should name."""
    parts = [given.table[found[n]].cast(pl.String) for n in ("run", "collection") if n in found]
    named = pl.DataFrame({str(n): part for n, part in enumerate(parts)})
    of_cell = [] if cell is None else [cell]
    return [" in ".join([*map(str, row), *of_cell]) for row in named.rows()]


def _name_ids(rows: pl.DataFrame, given: ScoreTable) -> pl.DataFrame:
    """Make names of all ids, and raise for a blank one."""
    ids = [name for name in _NAMES if name in rows.columns]
    rows = rows.with_columns(pl.col(ids).cast(pl.String))
    for name in ids:
        blank = rows.filter(pl.col(name).is_null() | (pl.col(name).str.strip_chars() == ""))
        if blank.height and not (name == "query_id" and blank.height == rows.height):
            raise ReadError(f"{given.at(blank[PLACE][0])}: expected a name as {name}, found none")
    return rows
