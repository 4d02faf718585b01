"""The index of pandas as a column of a matrix: numbers of rows, or ids of requests, but no scores.

pandas calls it ``index`` (``reset_index``), nothing or ``Unnamed: 0`` (CSV), or
``__index_level_0__`` (Parquet). Taken for a run it would take part in every comparison.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from lexiframe.core.base import SchemaError, n_and_first, warn
from lexiframe.core.io.column_forms.column_names import candidates_for
from lexiframe.core.io.score_forms.layouts import WORDS, ScoreTable

_UNNAMED = r"|Unnamed: \d+(\.\d+)?|__index_level_\d+__"
_INDEX = re.compile(rf"index|level_\d+{_UNNAMED}")
_OF_ROWS = re.compile(r"(?i)id|row|nr|no|(row|line)[ _]?(id|nr|no|number|index)")


def place_index(given: ScoreTable) -> ScoreTable:
    """Make an index the column of requests if there is none; otherwise leave it out and note it.

    Tables that name their values keep it, since their other columns are not read. Beside a column
    of runs, whole numbers are those of rows, and rows of one value a run are means, without ids.
    """
    named = [name for name in given.table.columns if _INDEX.fullmatch(name)]
    has = {ours: candidates_for(words, given.table.columns) for ours, words in WORDS.items()}
    if has["value"] or not named:
        return given
    if not has["query_id"]:
        whole, text = (_whole_numbers(given.table[named[0]]), given.table[named[0]].dtype)
        if text == pl.String if whole is None else whole.is_unique().all() and not has["run"]:
            table = given.table.rename({named[0]: WORDS["query_id"][0]})
            given, named = replace(given, table=table), named[1:]
            has["query_id"] = WORDS["query_id"][:1]
    queries = given.table[has["query_id"][0]] if has["query_id"] else None
    left_out = [name for name in named if _is_left_out(given, name, queries)]
    return replace(given, table=given.table.drop(left_out), left_out=tuple(left_out))


def drop_row_numbers(given: ScoreTable, cells: list[str]) -> list[str]:
    """Return the columns of a leaderboard without those that number its rows, and warn of these.

    They are called like an index, a row or an id, and hold different whole numbers.
    """
    named = [name for name in cells if _INDEX.fullmatch(name) or _OF_ROWS.fullmatch(name)]
    whole = {name: _whole_numbers(given.table[name]) for name in named}
    found = [name for name, of in whole.items() if of is not None and of.is_unique().all()]
    if found and len(found) < len(cells):
        warn(
            f"{given.where}: columns that number the rows, left out: {n_and_first(found)}; if one "
            "is a collection, call it otherwise"
        )
        return [name for name in cells if name not in found]
    return cells


def warn_of_index(given: Sequence[ScoreTable]) -> None:
    """Warn of the columns that `place_index` left out."""
    names = dict.fromkeys(name for one in given for name in one.left_out)
    if names:
        places = dict.fromkeys(one.where for one in given if one.left_out)
        where = next(iter(places)) if len(places) == 1 else f"{len(places)} sources"
        warn(
            f"{where}: columns that number the rows or repeat the requests, as the index of pandas "
            f"does, left out: {n_and_first(names)}; if one is a run, call it otherwise"
        )


def _is_left_out(given: ScoreTable, name: str, queries: pl.Series | None) -> bool:
    """Return whether a column is no run; raise if it could be one, and could be an index."""
    column = given.table[name]
    repeats = queries is not None and column.cast(pl.String).equals(queries.cast(pl.String))
    whole = _whole_numbers(column)
    if repeats or re.fullmatch(_UNNAMED, name) or (whole is not None and whole.is_unique().all()):
        return True
    if whole is None:
        return False
    raise SchemaError(
        f"{given.where}: the column {name} holds whole numbers, so it may be the index of "
        "pandas or the scores of a run; drop it (reset_index(drop=True), to_csv(index=False)), or "
        "call the run otherwise"
    )


def _whole_numbers(column: pl.Series) -> pl.Series | None:
    """Return a column of whole numbers from 0 as numbers; None for any other column."""
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        return None
    numbers = column.cast(pl.Float64, strict=False)
    is_whole = ~numbers.is_null() & (numbers % 1 == 0) & (numbers >= 0)
    return numbers if is_whole.all() else None
