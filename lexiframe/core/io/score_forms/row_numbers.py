"""Columns that may number the rows of a table, as the index of pandas does, and are no scores.

pandas calls its index ``index`` (``reset_index``), nothing or ``Unnamed: 0`` (CSV), or
``__index_level_0__`` (Parquet). Taken for a run it would take part in every comparison, and it may
hold the ids of the requests: the user has to say what it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import Problem, SchemaError, n_and_first
from lexiframe.core.io.column_forms.column_names import candidates_for
from lexiframe.core.io.score_forms.layouts import WORDS, ScoreTable

_INDEX = re.compile(r"index|level_\d+||Unnamed: \d+(\.\d+)?|__index_level_\d+__")
_OF_ROWS = re.compile(r"(?i)id|row|nr|no|(row|line)[ _]?(id|nr|no|number|index)")
_DROP = "drop it (reset_index(drop=True), to_csv(index=False)), or call the {} otherwise"


def refuse_index(given: ScoreTable) -> None:
    """Raise for a matrix with an index; tables that name their values do not read it."""
    columns = given.table.columns
    if candidates_for(WORDS["value"], columns):
        return
    named = [name for name in columns if _INDEX.fullmatch(name)]
    if named:
        advice = f"{_DROP.format('run')}; if it has the ids of the requests, say so: "
        advice += f"columns={{'query_id': {named[0]!r}}}"
        raise _refusal(given, "a column for each run", named, advice)


def refuse_row_numbers(given: ScoreTable, cells: Sequence[str]) -> None:
    """Raise for columns of a leaderboard that are an index, or called so and whole numbers."""
    found = [
        name
        for name in cells
        if _INDEX.fullmatch(name) or (_OF_ROWS.fullmatch(name) and _are_whole(given.table[name]))
    ]
    if found:
        raise _refusal(given, "a column for each collection", found, _DROP.format("collection"))


def _refusal(given: ScoreTable, expected: str, found: Sequence[str], advice: str) -> SchemaError:
    said = f"columns that may number the rows, as the index of pandas does: {n_and_first(found)}"
    return SchemaError(Problem(given.where, expected, said, advice))


def _are_whole(column: pl.Series) -> bool:
    """Return whether a column has different whole numbers."""
    numbers = column.cast(pl.Float64, strict=False)
    return bool((numbers % 1 == 0).fill_null(value=False).all() and numbers.is_unique().all())
