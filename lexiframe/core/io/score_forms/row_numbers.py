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
from lexiframe.core.io.columns import SCORES
from lexiframe.core.io.score_forms.layouts import ScoreTable
from lexiframe.core.io.score_forms.text import PLACE

_RESET = re.compile(r"index|level_\d+")  # a run may have such a name, too
_OF_ROWS = re.compile(r"(?i)id|row|nr|no|(row|line)[ _]?(id|nr|no|number|index)")
_UNNAMED = re.compile(r"|Unnamed: \d+(\.\d+)?|__index_level_\d+__")


def place_index(given: ScoreTable) -> ScoreTable:
    """Make an index the column of requests if there is none; otherwise leave it out and note it.

    Tables that name their values keep it, since their other columns are not read.
    """
    named = [name for name in given.table.columns if _is_index(name)]
    has = {ours: candidates_for(words, given.table.columns) for ours, words in SCORES.items()}
    if has["value"] or not named:
        return given
    queries = next((given.table[name] for name in has["query_id"]), None)
    if queries is None:
        given, named = _index_as_queries(given, named, has_runs=bool(has["run"]))
    left_out = [name for name in named if _is_left_out(given, name, queries)]
    return replace(given, table=given.table.drop(left_out), left_out=tuple(left_out))


def drop_row_numbers(given: ScoreTable, cells: list[str]) -> list[str]:
    """Return the columns of a leaderboard without columns that number its rows; warn of these.

    They are called like an index, a row or an id, and count from 0 or 1, in any order of the rows.
    """
    named = [name for name in cells if _is_index(name) or _OF_ROWS.fullmatch(name)]
    found = [name for name in named if _counts_rows(_whole_numbers(given.table[name]))]
    if found and len(found) < len(cells):
        warn(
            f"{given.where}: columns that number the rows, left out: {n_and_first(found)}; if one "
            "is a collection, call it otherwise"
        )
        return [name for name in cells if name not in found]
    return cells


def _counts_rows(whole: pl.Series | None) -> bool:
    """Return whether numbers are 0, 1, 2 … or 1, 2, 3 …, in any order."""
    if whole is None or not len(whole):
        return False
    ordered = whole.sort()
    return ordered[0] in (0, 1) and bool((ordered.diff().drop_nulls() == 1).all())


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


def _is_index(name: str) -> bool:
    return bool(_RESET.fullmatch(name) or _UNNAMED.fullmatch(name))


def _index_as_queries(
    given: ScoreTable, named: list[str], *, has_runs: bool
) -> tuple[ScoreTable, list[str]]:
    """Call the first index with ids ``query_id``; rows of one value a run are means, without ids.

    An index is unnamed, and then the first column, or it has a different value in each row.
    """
    first = next(name for name in given.table.columns if name != PLACE)
    for name in named:
        column = given.table[name]
        is_unnamed = name == first and bool(_UNNAMED.fullmatch(name))
        numbers_rows = has_runs and _numbers_rows(_whole_numbers(column))
        if not numbers_rows and (is_unnamed or _are_ids(column)):
            renamed = given.table.rename({name: SCORES["query_id"][0]})
            return replace(given, table=renamed), [n for n in named if n != name]
    return given, named


def _are_ids(column: pl.Series) -> bool:
    """Return whether values are different whole numbers or texts, where scores are fractions."""
    if column.dtype.is_nested():
        return False
    whole = _whole_numbers(column)
    is_text = column.dtype == pl.String and column.cast(pl.Float64, strict=False).has_nulls()
    return column.is_unique().all() and (whole is not None or is_text)


def _is_left_out(given: ScoreTable, name: str, queries: pl.Series | None) -> bool:
    """Return whether a column is no run; raise if it could be one, and could be an index."""
    column = given.table[name]
    repeats = queries is not None and column.cast(pl.String).equals(queries.cast(pl.String))
    if repeats or _UNNAMED.fullmatch(name):
        return True
    whole = _whole_numbers(column)
    if whole is None:
        return False
    is_binary = len(whole) > 2 and bool((whole <= 1).all())  # Success has such values
    if not is_binary and (whole.is_unique().all() or _numbers_rows(whole)):
        return True
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


def _numbers_rows(whole: pl.Series | None) -> bool:
    """Return whether numbers count from 0, once, or repeatedly as in joined frames."""
    if whole is None or not len(whole):
        return False
    follows = (whole == whole.shift(1) + 1) | (whole == 0)
    return whole[0] == 0 and bool(follows[1:].all())
