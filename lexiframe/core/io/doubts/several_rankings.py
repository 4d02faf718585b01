"""Rankings of several systems that were taken for one.

A column that is not read, the tags of a file, or its second field may name the systems. Ranks that
begin anew for each of its values show it; documents that occur once for each may show it.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import Problem, n_and_first
from lexiframe.core.io.doubts.first_looks import (
    DOUBT,
    KINDS,
    NO_SYSTEMS,
    SECOND,
    TAGS,
    SeveralRankings,
    may_name_systems,
    words_of,
)

_SYSTEMS = set(
    "system engine method model retriever ranker reranker searcher algorithm algo approach "
    "pipeline variant configuration config snapshot experiment run encoder tags field".split()
)
"""Words in names of columns that name systems."""
_PARTS = set("passage segment chunk paragraph sentence section part span window sent para".split())
"""Words in names of columns that name parts of documents, which then occur once for each."""
_LISTED = 12
"""How many columns a message names."""
_FEW_TWINS = 0.05
"""Of so few requests, parts of one ranking may repeat a document."""


def several_rankings(
    rows: pl.DataFrame, others: pl.DataFrame, where: str, unread: Sequence[str] = ()
) -> SeveralRankings | None:
    """Return the column that distinguishes several rankings of a query, or that ranks begin anew.

    It is asked where `may_be_several` holds.
    ``rows`` have the columns ``query_id``, ``doc_id`` and perhaps ``rank`` and ``score``;
    ``others`` has the unread columns of these rows that are looked at, and ``unread`` names all
    unread ones (`TAGS` and `SECOND` in lines without names of columns).

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": "q", "doc_id": ["a", "a"], "rank": [1, 1]})
    >>> engines = pl.DataFrame({"engine": ["old", "new"]})
    >>> print(several_rankings(rows, engines, "a.csv").problem)
    a.csv: expected one ranking for each query, found several, distinguished by the column \
engine: 2 ('new', 'old'); if it names the runs, say so: columns={'run': 'engine'}
    """
    has_ranks = "rank" in rows.columns
    candidates = others.select(column for column in others if may_name_systems(column))
    varying = _varying_in_queries(rows, candidates)
    twins = _share_with_twins(rows) if varying else 0.0
    told = (_told_apart(rows, column, where, twins) for column in varying)
    found = [one for one in told if one is not None]
    if not found and has_ranks:
        return _begun_anew(rows, where, unread)
    return min(found, key=lambda one: not one.is_certain, default=None)


def _told_apart(
    rows: pl.DataFrame, column: pl.Series, where: str, twins: float
) -> SeveralRankings | None:
    """Return the rankings that the values of one column distinguish; None if there is only one."""
    words = words_of(column.name)
    names_systems, names_parts = bool(words & _SYSTEMS), bool(words & _PARTS)
    may_be_parts = names_parts or not (column.dtype in KINDS or names_systems)
    if may_be_parts and "rank" not in rows.columns:
        return None
    rows = rows.with_columns(value=column.cast(pl.String).fill_null(""))
    has_lists = rows.select("query_id", "value").n_unique() < rows.height
    if "rank" in rows.columns and (has_lists or names_systems) and ranks_begin_anew(rows):
        problem = _problem(column, where, "several", _if_parts(rows, column, twins))
        return SeveralRankings(problem, is_certain=True, has_twins=twins > 0)
    if may_be_parts:
        return None
    if twins and not are_unique(rows, "query_id", "doc_id", "value"):
        return None
    if twins and names_systems:
        return SeveralRankings(_problem(column, where, "several"), is_certain=True, has_twins=True)
    if twins or names_systems:
        may_be = _problem(column, where, "what may be several", _if_one(column))
        return SeveralRankings(may_be, is_certain=False, has_twins=twins > 0)
    return None


def _varying_in_queries(rows: pl.DataFrame, columns: pl.DataFrame) -> list[pl.Series]:
    """Return the columns that have several values in some query; all are looked at in one pass."""
    if not columns.width:
        return []
    numbered = pl.DataFrame([column.alias(f"{n}") for n, column in enumerate(columns)])
    values = numbered.select(pl.all().cast(pl.String).fill_null(""))
    per_query = (
        values.with_columns(query=rows["query_id"]).group_by("query").agg(pl.all().n_unique())
    )
    varies = per_query.drop("query").max().row(0)
    return [column for column, n in zip(columns, varies, strict=True) if n > 1]


def _share_with_twins(rows: pl.DataFrame) -> float:
    """Return the share of queries with a repeated document."""
    twins = rows.filter(pl.struct("query_id", "doc_id").is_duplicated())
    return twins["query_id"].n_unique() / rows["query_id"].n_unique()


def _begun_anew(rows: pl.DataFrame, where: str, unread: Sequence[str]) -> SeveralRankings | None:
    """Return that ranks begin anew in most queries, each time from the first on."""
    falls = pl.col("rank").cast(pl.Float64).diff() < 0
    rows = rows.with_columns(value=falls.fill_null(value=False).cum_sum().over("query_id"))
    anew = rows.filter(pl.col("value") > 0)["query_id"].unique().cast(pl.String).sort()
    is_in_most = 2 * len(anew) > rows["query_id"].n_unique()
    has_lists = 2 * rows.select("query_id", "value").n_unique() <= rows.height
    if not (is_in_most and has_lists and ranks_begin_anew(rows)):
        return None
    has_twins = _share_with_twins(rows) > 0
    one = "duplicates='best' keeps the best of the rows of a document"
    if not has_twins:
        without = "leave the column rank out" if _have_scores(rows) else _COUNTED
        one = NAMED if {*unread} & {*_WITH_RUN} else without
    advice = (
        f"{how_told_apart(unread)}"
        "if these are several runs, write each to a file of its own, or name them in a column run; "
        f"if it is one, {one}"
    )
    found = f"ranks that begin anew for {n_and_first(anew)}"
    problem = Problem(where, "one ranking for each query", found, advice, DOUBT)
    return SeveralRankings(problem, is_certain=False, has_twins=has_twins)


def ranks_begin_anew(rows: pl.DataFrame) -> bool:
    """Return whether each value of a query has its own ranks, which all begin at the same one."""
    if not are_unique(rows, "query_id", "value", "rank"):
        return False
    first = rows.group_by("query_id", "value").agg(pl.col("rank").min())
    late = first["rank"] - first.select(pl.col("rank").min().over("query_id"))["rank"]
    return bool((late <= 1).all())  # some systems count from 0, others from 1


def are_unique(rows: pl.DataFrame, *names: str) -> bool:
    """Return whether no two rows have the same values in some columns."""
    return not bool(rows.select(pl.struct(names).is_duplicated().any()).item())


NAMED = "say so by a name: {'name': file}, or name=file in commands"
"""How to say that lines without names of columns are one run."""
_WITH_RUN = {
    TAGS: "query_id q0 doc_id rank score run",
    SECOND: "query_id run doc_id rank score note",
}
_WITHOUT_RANK = {
    TAGS: "query_id q0 doc_id place score note",
    SECOND: "query_id part doc_id place score note",
}
"""The names of the fields of lines, by the field that tells rankings apart."""


def _problem(column: pl.Series, where: str, several: str, further: str = "") -> Problem:
    values = column.cast(pl.String).drop_nulls().unique().sort()
    told = column.name if column.name in _WITH_RUN else f"the column {column.name}"
    advice = f"if it names the runs, say so: {run_option(column.name)}"
    if column.name in _WITH_RUN:
        advice = f"{'if they are runs, ' if further else ''}{run_option(column.name)}"
    found = f"{several}, distinguished by {told}: {n_and_first(values.to_list())}"
    return Problem(where, "one ranking for each query", found, advice + further, DOUBT)


def run_option(name: str) -> str:
    """Return how to say that a column, or a field of lines, names the runs."""
    if name not in _WITH_RUN:
        return f"columns={{'run': {name!r}}}"
    return (
        "write the lines of each to a file of its own, or put a line with the names "
        f"{_WITH_RUN[name]} on top, and say header=True"
    )


def how_told_apart(unread: Sequence[str]) -> str:
    """Return the advice for an unread column that may distinguish runs; "" if there is none.

    Numbers, dates and several columns together may; a column called like an id, a text or a passage
    does not.
    """
    names = [
        name
        for name in unread
        if name.partition(":")[0] not in NO_SYSTEMS and not words_of(name) & _PARTS
    ]
    if not names:
        return ""
    if names[0] in _WITH_RUN:
        return f"if the {' or '.join(names)} distinguish runs, {run_option(names[0])}; "
    say_so = f"distinguishes runs, say so: {run_option(names[0])}, with text in it"
    if len(names) == 1:
        return f"if the column {names[0]} {say_so}; "
    listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    return (
        f"if one of the columns that are not read ({listed}) {say_so}, and if several do so "
        "together, join their texts in a column run; "
    )


def _if_one(column: pl.Series) -> str:
    """Return the advice for one ranking whose ranks do not begin anew."""
    return (
        f"; if it is one ranking, {NAMED if column.name in _WITH_RUN else 'leave the column out'}"
    )


_COUNTED = "count the ranks of each query from its first document to its last"
"""How to make one ranking of parts that have no scores."""


def _have_scores(rows: pl.DataFrame) -> bool:
    """Return whether rows have scores that are not made of their ranks."""
    return "score" in rows.columns and not (rows["score"] == -rows["rank"]).all()


def _if_parts(rows: pl.DataFrame, column: pl.Series, twins: float) -> str:
    """Return the advice for parts of one ranking, like pages, in which ranks may begin anew.

    Several systems retrieve the same documents, so a repeated document means that these are no
    parts.
    """
    if twins > _FEW_TWINS:
        return ""
    if not _have_scores(rows):
        one = _COUNTED
    elif column.name in _WITH_RUN:
        one = f"put {_WITHOUT_RANK[column.name]} on top, so that the scores decide"
    else:
        one = f"leave the columns {column.name} and rank out, so that the scores decide"
    return f"; if they are parts of one ranking, as pages are, {one}"
