"""First looks at data: each is cheap, and the module of a doubt is loaded where it sees a sign."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.base import Problem
from lexiframe.core.io.columns import KNOWN_NAMES

DOUBT = "doubt"
"""The kind of a problem of content that can be read and is probably something else."""
TAGS, SECOND = "tags", "field 2"
"""What the fields of lines are called that may tell systems apart."""
TIME = 1e6
"""No scale of grades begins here; dates (20240131) and times (978300760) are all greater."""
LONGEST_SCALE = 10.0
"""Grades and ratings mostly go up to this number at most; numbers of items go further."""
NO_SYSTEMS = {*KNOWN_NAMES["query_id"], *KNOWN_NAMES["doc_id"], "text", "title", "url"}
"""Names of columns that describe queries and documents."""
KINDS = (pl.String, pl.Categorical, pl.Enum)
"""The types of columns of text."""
_SAMPLE, _MANY = 1000, 100
"""The rows that are looked at first, and the values there from which on no column names systems."""
_SMALL, _BLOCKS = 10_000, 0.2
"""Files with more rows are in no order if they have more stretches than this share of rows."""
_FOLDS = set("fold folds kfold split splits cv".split())
"""Words in names of columns that divide a data set."""


@dataclass(frozen=True)
class SeveralRankings:
    """That there may be several rankings of a query; ``is_certain`` says that it cannot be one.

    ``has_twins`` says that documents are repeated.
    """

    problem: Problem
    is_certain: bool
    has_twins: bool


def may_be_several(rows: pl.DataFrame, others: pl.DataFrame) -> bool:
    """Return whether a column may name systems, or ranks may begin anew: see `several_rankings`."""
    has_ranks = "rank" in rows.columns
    may_be = any(map(may_name_systems, others)) or (has_ranks and may_begin_anew(rows))
    if rows.height < 2 or not may_be:
        return False
    return not (has_ranks and rows.select(pl.struct("query_id", "rank").is_unique().all()).item())


def may_begin_anew(rows: pl.DataFrame) -> bool:
    """Return whether scores rise twice to the first row of a query, as where a second run begins.

    Only then are ranks worth reading. In files in no order, scores rise in many rows.
    """
    scores = rows["score"].to_numpy()
    starts = np.flatnonzero(scores[1:] > scores[:-1]) + 1  # in a third of the time of Polars
    if not len(starts) or (rows.height > _SMALL and len(starts) > _BLOCKS * rows.height):
        return False
    return bool(rows["query_id"].gather([0, *starts]).is_duplicated().any())


def may_name_systems(column: pl.Series) -> bool:
    """Return whether a column has few values, but more than one."""
    is_kind = column.dtype in KINDS or column.dtype.is_integer()
    if not is_kind or column.name.partition(":")[0] in NO_SYSTEMS:
        return False
    return some_of(column).n_unique() <= _MANY and column.n_unique() > 1


def some_of(column: pl.Series) -> pl.Series:
    """Return the rows of a column that are looked at first."""
    step = max(len(column) // _SAMPLE, 1)
    return column if step == 1 else column[np.arange(0, len(column), step)]


def may_be_other_lines(rows: pl.DataFrame) -> bool:
    """Return whether lines without names may be no judgments: see `doubted_lines`."""
    if not rows.height:
        return False
    grades = rows["relevance"]
    may_be_lists = rows["query_id"][0] == "0" and bool((grades > LONGEST_SCALE).any())
    return may_be_lists or bool((grades >= TIME).all()) or iteration_varies(rows)


def iteration_varies(rows: pl.DataFrame) -> bool:
    """Return whether there is a second field, and more than one value in it."""
    return "iteration" in rows.columns and bool((rows["iteration"] != rows["iteration"][0]).any())


def names_folds(name: str) -> bool:
    """Return whether a column is called like the parts of a data set: see `divided_lists`."""
    return bool(words_of(name) & _FOLDS)


def words_of(name: str) -> set[str]:
    """Return the words in the name of a column."""
    return {*re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())}
