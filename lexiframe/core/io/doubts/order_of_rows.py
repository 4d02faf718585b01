"""Scores that order the documents otherwise than the rows of a table lie.

Rows mostly lie in the order of the ranking. Where they do not fall by the scores, a column may
decide that is not read, or low scores may be the better ones, as the name of their column says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.core.base import Problem
from lexiframe.core.io.columns import KNOWN_NAMES, TIMES
from lexiframe.core.io.doubts.first_looks import DOUBT, words_of
from lexiframe.core.io.files.form import Opened
from lexiframe.core.io.files.tables import as_table

_HEAD = 64
"""The first rows of a table, which are looked at before all of them are."""
_KEYS = ("run", "query_id")
"""The columns whose rows are of one request."""
_MOST = 0.75
"""The share of requests whose rows follow a column that may decide."""
_BY_CHANCE = 10
"""So many steps from row to row do not all lead downwards, or upwards, by chance."""
_LOW = set("distance distances dist dists loss losses error err cost costs".split())
_PLACES = set("position pos place rank ranking".split())
_OTHERS = {name for ours, names in KNOWN_NAMES.items() if ours != "score" for name in names} | TIMES
"""Names of columns that order no documents."""
_RIGHT = "; if the scores are right, ranked_by='score'"


def doubted_order(
    rows: pl.DataFrame, others: pl.DataFrame, where: str, called: str
) -> Problem | None:
    """Return the doubt that the scores order the documents; None without one.

    ``rows`` have the columns ``query_id``, ``score`` and perhaps ``run``; ``others`` are unread
    columns of these rows, and ``called`` is the user's name for the column of scores.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": "q", "score": [n % 3 for n in range(20)]})
    >>> others = pl.DataFrame({"rerank_score": range(20, 0, -1)})
    >>> print(doubted_order(rows, others, "a.csv", "score"))
    a.csv: expected rows that fall by score, found rows that fall by rerank_score in 1 of 1 \
requests, and by score in 0; if rerank_score decides, columns={'score': 'rerank_score'}; if the \
scores are right, ranked_by='score'
    """
    names = _doubtful(rows.head(_HEAD), others.head(_HEAD)) if others.width else []
    found = _requests(rows, others.select(names)) if names else pl.DataFrame()
    for name in names:
        falls, of, by_score = int(found[f"\0{name}"].sum()), found.height, int(found["falls"].sum())
        is_enough = found["n"].sum() - of >= _BY_CHANCE
        if is_enough and falls >= _MOST * of and 2 * by_score < of:
            follow = f"follow {name}" if _is_low(name) else f"fall by {name}"
            shares = f"in {falls:,} of {of:,} requests, and by {called} in {by_score:,}"
            read = f"{{'score': {name!r}}}" + ", better='low'" * bool(words_of(name) & _LOW)
            if words_of(name) & _PLACES:
                read = f"{{'rank': {name!r}}}, ranked_by='rank'"
            advice = f"if {name} decides, columns={read}{_RIGHT}"
            expected = f"rows that fall by {called}"
            return Problem(where, expected, f"rows that {follow} {shares}", advice, DOUBT)
    return _rising(rows, where, called)


def _rising(rows: pl.DataFrame, where: str, called: str) -> Problem | None:
    """Return that low scores may be the better ones: they rise in all requests, or say it."""
    found = f"the column {called}" * (_is_low(called) and bool((rows["score"] > 0).any()))
    are_places = bool(words_of(called) & _PLACES)
    head = rows.head(_HEAD)
    if not _only_falls(head) and (rises := _requests(head)["rises"]).all() and len(rises):
        of = _requests(rows)
        if of["rises"].all() and of["n"].sum() - of.height >= _BY_CHANCE:
            are_places |= of["counts"].all()
            count = "count 1, 2, 3 ..." if of["counts"].all() else "rise from row to row"
            found = f"scores that {count} in all requests ({of.height:,})"
    if not found:
        return None
    ranks = f"; if they are ranks, give them as rank: columns={{'rank': {called!r}}}" * are_places
    advice = f"if low ones are better, say better='low'{ranks}{_RIGHT}"
    return Problem(where, "scores of which the greatest is the best", found, advice, DOUBT)


def numbers_in_doubt(opened: Opened, found: Mapping[str, str]) -> Sequence[str]:
    """Return columns of a file that its first rows follow, if not the scores, and are not read.

    ``found`` has the names of the read columns, by our names.
    """
    read = {found[name]: name for name in ("run", "query_id", "score") if name in found}
    kinds = {field.name: field.type for field in opened.schema if field.name not in found.values()}
    is_number = (pa.types.is_floating, pa.types.is_integer)
    others = [name for name, kind in kinds.items() if any(test(kind) for test in is_number)]
    try:
        heads = []
        for names in ([*read], others) if others else ():  # the others only in doubt, it takes time
            for batch in islice(opened.batches(names, _HEAD), 1):
                heads.append(pl.DataFrame(as_table(batch.slice(0, _HEAD)).select(names)))
            if not heads or _are_in_order(heads[0].rename(read)):
                return []
        return _doubtful(heads[0].rename(read), heads[1]) if others else []
    except (pa.ArrowException, OSError, pl.exceptions.PolarsError):  # reading it says what is wrong
        return []


def in_order(frame: pl.DataFrame, names: Mapping[str, str]) -> bool:
    """Return whether the first rows of a frame fall by the scores, given our names of columns."""
    rows = frame.head(_HEAD).rename(names)
    return not rows["score"].dtype.is_numeric() or _are_in_order(rows)


def _are_in_order(rows: pl.DataFrame) -> bool:
    """Return whether rows fall by the scores in half of the requests or more."""
    if _only_falls(rows):
        return True
    falls = _requests(rows)["falls"]
    return bool(2 * falls.sum() >= len(falls))


def _only_falls(rows: pl.DataFrame) -> bool:
    """Return whether no score of a few rows is above the one before: `_requests` takes longer."""
    scores, keys = rows["score"].to_list(), [name for name in _KEYS if name in rows.columns]
    before = dict[Any, float]()
    for key, score in zip(rows.select(keys).iter_rows(), scores, strict=True):
        if score is None or not score <= before.get(key, score):
            return False
        before[key] = score
    return True


def _doubtful(rows: pl.DataFrame, others: pl.DataFrame) -> Sequence[str]:
    """Return which of the other columns some rows follow in most requests, if not the scores."""
    if _are_in_order(rows):
        return []
    numbers = [column.name for column in others if _may_decide(column)]
    found = _requests(rows, others.select(numbers))
    return [name for name in numbers if found[f"\0{name}"].sum() >= _MOST * found.height]


def _may_decide(column: pl.Series) -> bool:
    """Return whether a column holds numbers, perhaps with gaps, under a name that may order."""
    if column.name.partition(":")[0] in _OTHERS:
        return False
    if column.dtype != pl.String:
        return column.dtype.is_numeric()
    cells = column.filter(column != "")
    return not cells.cast(pl.Float64, strict=False).has_nulls()


def _is_low(name: str) -> bool:
    return bool(words_of(name) & (_LOW | _PLACES))


def _requests(rows: pl.DataFrame, others: pl.DataFrame | None = None) -> pl.DataFrame:
    """Return for each request of several scores whether rows fall by score and by a column."""
    keys = [name for name in _KEYS if name in rows.columns]
    score, given = pl.col("score"), rows.select(*keys, "score")
    falls: dict[str, pl.Expr] = {}
    for column in [] if others is None else others.cast(pl.Float64, strict=False):
        number = (-column if _is_low(column.name) else column).alias(f"\0{column.name}")
        given = given.with_columns(number)
        filled = pl.col(number.name).drop_nulls()
        falls[number.name] = (filled <= filled.shift()).all() & (filled.n_unique() > 1)
    of_requests = given.group_by(keys).agg(
        **falls,
        n=pl.len(),
        falls=(score <= score.shift()).all(),
        rises=(score >= score.shift()).all(),
        counts=(score == pl.int_range(1, pl.len() + 1)).all(),
        varies=score.n_unique() > 1,
    )
    return of_requests.filter("varies")
