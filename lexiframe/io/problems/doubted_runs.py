"""Rankings of several systems that were taken for one.

A column that is not read, the tags of a file, or its second field may name the systems. Ranks that
begin anew for each of its values show it; documents that occur once for each may show it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from lexiframe.base import Problem, n_and_first
from lexiframe.io.column_forms.column_names import KNOWN_NAMES
from lexiframe.io.problems.doubted_judgments import DOUBT

TAGS, SECOND = "tags", "field 2"
"""What the fields of lines are called that may tell systems apart."""
_SYSTEMS = set(
    "system engine method model retriever ranker reranker searcher algorithm algo approach "
    "pipeline variant configuration config snapshot experiment run encoder tags field".split()
)
"""Words in names of columns that name systems."""
_PARTS = set("passage segment chunk paragraph sentence section part span window sent para".split())
"""Words in names of columns that name parts of documents, which then occur once for each."""
_SAMPLE, _MANY = 1000, 100
"""The rows that are looked at first, and the values there from which on no column names systems."""
_IDS = {*KNOWN_NAMES["query_id"], *KNOWN_NAMES["doc_id"], "text", "title", "url"}
"""Names of columns that describe queries and documents."""
_KINDS = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class SeveralRankings:
    """That a column tells several rankings apart; ``is_certain`` says that ranks show it."""

    problem: Problem
    is_certain: bool


def several_rankings(
    rows: pl.DataFrame, others: pl.DataFrame, where: str
) -> SeveralRankings | None:
    """Return which column that is not read tells several rankings of a query apart; else None.

    ``rows`` have the columns ``query_id``, ``doc_id`` and perhaps ``rank``, and ``others`` has the
    columns of the same rows that are not read.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "rank": [1, 1]})
    >>> engines = pl.DataFrame({"engine": ["old", "new"]})
    >>> print(several_rankings(rows, engines, "a.csv").problem)
    a.csv: expected one ranking for each query, found several, told apart by the column \
engine: 2 ('new', 'old'); if it names the runs, say so: columns={'run': 'engine'}
    """
    candidates = [column for column in others if _may_name_systems(column)]
    if not candidates or rows.height < 2:
        return None
    has_ranks = "rank" in rows.columns
    if has_ranks and _are_unique(rows, "query_id", "rank"):
        return None
    found = [one for column in candidates if (one := _told_apart(rows, column, where)) is not None]
    return min(found, key=lambda one: not one.is_certain, default=None)


def _may_name_systems(column: pl.Series) -> bool:
    """Return whether a column has few values, but more than one."""
    is_kind = column.dtype in _KINDS or column.dtype.is_integer()
    if not is_kind or column.name.partition(":")[0] in _IDS:
        return False
    some = column[:: max(len(column) // _SAMPLE, 1)]
    return some.n_unique() <= _MANY and column.n_unique() > 1


def _told_apart(rows: pl.DataFrame, column: pl.Series, where: str) -> SeveralRankings | None:
    """Return what the values of one column tell apart."""
    rows = rows.with_columns(value=column.cast(pl.String).fill_null(""))
    per_query = rows.group_by("query_id").agg(pl.col("value").n_unique())["value"]
    if not (per_query > 1).any():
        return None
    words = {*re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column.name).lower())}
    names_systems, names_parts = bool(words & _SYSTEMS), bool(words & _PARTS)
    has_lists = rows.select("query_id", "value").n_unique() < rows.height
    if "rank" in rows.columns and (has_lists or names_systems) and _ranks_begin_anew(rows):
        return SeveralRankings(_problem(column, where), is_certain=True)
    is_text = column.dtype in _KINDS
    if names_parts or not (is_text or names_systems):
        return None
    has_twins = not _are_unique(rows, "query_id", "doc_id")
    if has_twins and not _are_unique(rows, "query_id", "doc_id", "value"):
        return None
    if has_twins or names_systems:
        return SeveralRankings(_problem(column, where), is_certain=has_twins and names_systems)
    return None


def _ranks_begin_anew(rows: pl.DataFrame) -> bool:
    """Return whether each value of a query has its own ranks, which all begin at the same one."""
    if not _are_unique(rows, "query_id", "value", "rank"):
        return False
    first = rows.group_by("query_id", "value").agg(pl.col("rank").min())
    late = first["rank"] - first.select(pl.col("rank").min().over("query_id"))["rank"]
    return bool((late <= 1).all())  # some systems count from 0, others from 1


def _are_unique(rows: pl.DataFrame, *names: str) -> bool:
    return not bool(rows.select(pl.struct(names).is_duplicated().any()).item())


def _problem(column: pl.Series, where: str) -> Problem:
    values = column.cast(pl.String).drop_nulls().unique().sort()
    shown = n_and_first(values.to_list())
    fields = {
        TAGS: "query_id q0 doc_id rank score run",
        SECOND: "query_id run doc_id rank score note",
    }
    told = column.name if column.name in fields else f"the column {column.name}"
    advice = f"if it names the runs, say so: columns={{'run': {column.name!r}}}"
    if column.name in fields:
        advice = (
            "write the lines of each to a file of its own, or put a line with the names "
            f"{fields[column.name]} on top, and say header=True"
        )
    found = f"several, told apart by {told}: {shown}"
    return Problem(where, "one ranking for each query", found, advice, DOUBT)
