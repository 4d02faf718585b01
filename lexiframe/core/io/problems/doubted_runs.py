"""Rankings of several systems that were taken for one.

A column that is not read, the tags of a file, or its second field may name the systems. Ranks that
begin anew for each of its values show it; documents that occur once for each may show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.base import Problem, coded, n_and_first
from lexiframe.core.io.column_forms.column_names import KNOWN_NAMES
from lexiframe.core.io.problems.doubted_judgments import DOUBT

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
_LISTED = 12
"""How many columns a message names."""
_FEW_TWINS = 0.05
"""Of so few requests, parts of one ranking may repeat a document."""
_QUERIES, _NEARLY_ALL, _FEWEST_ROWS = 5, 0.9, 6
"""How many queries are looked at first, the share that shows something, and their fewest rows."""
_SMALL, _BLOCKS = 10_000, 0.2
"""Files with more rows are in no order if they have more stretches than this share of rows."""


@dataclass(frozen=True)
class SeveralRankings:
    """That there may be several rankings of a query; ``is_certain`` says that it cannot be one.

    ``has_twins`` says that documents are repeated.
    """

    problem: Problem
    is_certain: bool
    has_twins: bool


def several_rankings(
    rows: pl.DataFrame, others: pl.DataFrame, where: str, unread: Sequence[str] = ()
) -> SeveralRankings | None:
    """Return the column that distinguishes several rankings of a query, or that ranks begin anew.

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
    candidates = [column for column in others if _may_name_systems(column)]
    if rows.height < 2 or not (candidates or (has_ranks and may_begin_anew(rows))):
        return None
    if has_ranks and _are_unique(rows, "query_id", "rank"):
        return None
    found = [one for column in candidates if (one := _told_apart(rows, column, where)) is not None]
    if not found and has_ranks:
        return _begun_anew(rows, where, unread)
    return min(found, key=lambda one: not one.is_certain, default=None)


def may_begin_anew(rows: pl.DataFrame) -> bool:
    """Return whether scores rise twice to the first row of a query, as where a second run begins.

    Only then are ranks worth reading. In files in no order, scores rise in many rows.
    """
    scores = rows["score"].to_numpy()
    starts = np.flatnonzero(scores[1:] > scores[:-1]) + 1  # in a third of the time of Polars
    if not len(starts) or (rows.height > _SMALL and len(starts) > _BLOCKS * rows.height):
        return False
    return bool(rows["query_id"].gather([0, *starts]).is_duplicated().any())


def _may_name_systems(column: pl.Series) -> bool:
    """Return whether a column has few values, but more than one."""
    is_kind = column.dtype in _KINDS or column.dtype.is_integer()
    if not is_kind or column.name.partition(":")[0] in _IDS:
        return False
    some = column[:: max(len(column) // _SAMPLE, 1)]
    return some.n_unique() <= _MANY and column.n_unique() > 1


def _told_apart(rows: pl.DataFrame, column: pl.Series, where: str) -> SeveralRankings | None:
    """Return the rankings that the values of one column distinguish; None if there is only one."""
    rows = rows.with_columns(value=column.cast(pl.String).fill_null(""))
    per_query = rows.group_by("query_id").agg(pl.col("value").n_unique())["value"]
    if not (per_query > 1).any():
        return None
    words = words_of(column.name)
    names_systems, names_parts = bool(words & _SYSTEMS), bool(words & _PARTS)
    has_lists = rows.select("query_id", "value").n_unique() < rows.height
    twins = _share_with_twins(rows)
    if "rank" in rows.columns and (has_lists or names_systems) and _ranks_begin_anew(rows):
        problem = _problem(column, where, "several", _if_parts(rows, column, twins))
        return SeveralRankings(problem, is_certain=True, has_twins=twins > 0)
    is_text = column.dtype in _KINDS
    if names_parts or not (is_text or names_systems):
        return None
    if twins and not _are_unique(rows, "query_id", "doc_id", "value"):
        return None
    if twins and names_systems:
        return SeveralRankings(_problem(column, where, "several"), is_certain=True, has_twins=True)
    if twins or names_systems:
        may_be = _problem(column, where, "what may be several", _if_one(column))
        return SeveralRankings(may_be, is_certain=False, has_twins=twins > 0)
    return None


def changing_tags(rows: pl.DataFrame, where: str) -> Problem | None:
    """Return in how many rankings of a file the tag changes; ``rows`` have query_id and tag."""
    n_tags = rows.group_by("query_id").agg(pl.col("tag").n_unique())["tag"]
    if not (several := int((n_tags > 1).sum())):
        return None
    found = f"several in {several:,} of {len(n_tags):,} requests: "
    found += n_and_first(rows["tag"].unique().sort())
    advice = "if they are runs, write the lines of each to a file of its own; if it is one run, "
    advice += "give it one tag"
    return Problem(where, "one tag in each ranking", found, advice, DOUBT)


def words_of(name: str) -> set[str]:
    """Return the words in the name of a column."""
    return {*re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())}


def _share_with_twins(rows: pl.DataFrame) -> float:
    """Return the share of queries with a repeated document."""
    twins = rows.filter(pl.struct("query_id", "doc_id").is_duplicated())
    return twins["query_id"].n_unique() / rows["query_id"].n_unique()


def share_queries(parts: Sequence[pl.DataFrame]) -> bool:
    """Return whether several parts of a run have rows of the same query."""
    queries = [coded.strings_of(rows["query_id"].unique().cast(pl.String)) for rows in parts]
    return bool(queries) and pl.concat(queries).is_duplicated().any()


def several_in_parts(
    parts: Sequence[pl.DataFrame], names: Sequence[str], where: str
) -> Problem | None:
    """Return that files which were taken for the parts of one run may be several runs.

    They repeat documents of a query, or count its ranks anew.
    """
    given = [rows.with_columns(value=pl.lit(n)) for n, rows in enumerate(parts)]
    rows = pl.concat(map(coded.as_strings, given), how="diagonal")
    rows = rows.filter(pl.col("value").n_unique().over("query_id") > 1)
    keys = rows.select("query_id", "doc_id", "value").unique()
    twins = keys.filter(pl.struct("query_id", "doc_id").is_duplicated())
    has_ranks = "rank" in rows.columns and not rows["rank"].has_nulls()
    has_lists = rows.select("query_id", "value").n_unique() < rows.height
    are_once = has_ranks and _are_unique(rows, "query_id", "rank")
    if twins.height:
        query, doc, _ = twins.sort("query_id", "doc_id", "value").row(0)
        there = twins.filter(query_id=query, doc_id=doc)
        found = f"the document {doc!r} of query {query!r} in several of them"
    elif has_ranks and has_lists and not are_once and _ranks_begin_anew(rows):
        query = rows["query_id"].min()
        there = rows.filter(query_id=query)
        found = f"ranks of query {query!r} that begin anew in several of them"
    else:
        return None
    one, other = (names[n] for n in there["value"].unique().sort()[:2])
    advice = (
        f"if they are runs, name each by its file or a pattern: {{'a': {one!r}, 'b': {other!r}}}; "
        "if they are one run, mend it, or keep the best row of each document with duplicates='best'"
    )
    return Problem(where, "parts of one run", found, advice, DOUBT)


def may_be_one_ranking(rows: pl.DataFrame) -> bool:
    """Return whether several runs have no document in common in the first of some queries.

    Systems mostly do. Only where they do not are ranks worth reading. Most tables are known by one
    query, so that they are read as fast as without this question.
    """
    if "run" not in rows.columns or "replicate" in rows.columns or not rows.height:
        return False
    queries = rows["query_id"][:: max(rows.height // _QUERIES, 1)].unique(maintain_order=True)
    of_queries = (rows.filter(pl.col("query_id") == query) for query in queries)
    some = (of_query for of_query in of_queries if of_query["run"].n_unique() > 1)
    return all(of_query["doc_id"].is_unique().all() for of_query in some)


def divided_ranking(rows: pl.DataFrame, column: str, where: str) -> Problem | None:
    """Return that runs may be one ranking, whose ranks go on from run to run.

    ``rows`` have the columns ``run``, ``query_id``, ``doc_id`` and perhaps ``rank``; ``column`` is
    the user's name for the column of runs. Separate rankings share first ranks, and documents.
    """
    if "rank" not in rows.columns or rows["rank"].has_nulls() or not may_be_one_ranking(rows):
        return None
    rows = rows.filter(pl.col("run").n_unique().over("query_id") > 1)
    rank, n_rows = pl.col("rank"), pl.len()
    are_once = (pl.col("doc_id").n_unique() == n_rows) & (rank.n_unique() == n_rows)
    go_on = are_once & (rank.max() - rank.min() < 2 * n_rows)  # some rows may have been left out
    queries = rows.group_by("query_id").agg(go_on.alias("go_on"), n=n_rows)
    found = queries.filter("go_on")
    if found.height < _NEARLY_ALL * queries.height or found["n"].sum() < _FEWEST_ROWS:
        return None
    query = found["query_id"].cast(pl.String).min()
    there = rows.filter(pl.col("query_id").cast(pl.String) == query)
    runs, ranks = there["run"].cast(pl.String).unique().sort(), there["rank"].sort()
    return Problem(
        where,
        "rankings of several runs",
        f"ranks that go on from run to run: those of query {query!r} are {ranks[0]} to {ranks[-1]} "
        f"over {n_and_first(runs)}, which stand in the column {column}",
        "if this is one ranking, and the column describes its documents, leave the column out, or "
        f"call it note; if these are runs, say so to read_runs: {_run_option(column)}",
        DOUBT,
    )


def _begun_anew(rows: pl.DataFrame, where: str, unread: Sequence[str]) -> SeveralRankings | None:
    """Return that ranks begin anew in most queries, each time from the first on."""
    falls = pl.col("rank").cast(pl.Float64).diff() < 0
    rows = rows.with_columns(value=falls.fill_null(value=False).cum_sum().over("query_id"))
    anew = rows.filter(pl.col("value") > 0)["query_id"].unique().cast(pl.String).sort()
    is_in_most = 2 * len(anew) > rows["query_id"].n_unique()
    has_lists = 2 * rows.select("query_id", "value").n_unique() <= rows.height
    if not (is_in_most and has_lists and _ranks_begin_anew(rows)):
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


def _ranks_begin_anew(rows: pl.DataFrame) -> bool:
    """Return whether each value of a query has its own ranks, which all begin at the same one."""
    if not _are_unique(rows, "query_id", "value", "rank"):
        return False
    first = rows.group_by("query_id", "value").agg(pl.col("rank").min())
    late = first["rank"] - first.select(pl.col("rank").min().over("query_id"))["rank"]
    return bool((late <= 1).all())  # some systems count from 0, others from 1


def _are_unique(rows: pl.DataFrame, *names: str) -> bool:
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
    advice = f"if it names the runs, say so: {_run_option(column.name)}"
    if column.name in _WITH_RUN:
        advice = f"{'if they are runs, ' if further else ''}{_run_option(column.name)}"
    found = f"{several}, distinguished by {told}: {n_and_first(values.to_list())}"
    return Problem(where, "one ranking for each query", found, advice + further, DOUBT)


def _run_option(name: str) -> str:
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
        if name.partition(":")[0] not in _IDS and not words_of(name) & _PARTS
    ]
    if not names:
        return ""
    if names[0] in _WITH_RUN:
        return f"if the {' or '.join(names)} distinguish runs, {_run_option(names[0])}; "
    say_so = f"distinguishes runs, say so: {_run_option(names[0])}, with text in it"
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
