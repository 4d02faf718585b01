"""Lines that can be read as judgments and cannot be judgments: interactions, times, ids of items.

Lines without names are taken for judgments by their number of fields. These functions ask whether
their content can be that.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from lexiframe.core.base import Problem, printed, schemas
from lexiframe.core.io.doubts.first_looks import DOUBT, LONGEST_SCALE, TIME, iteration_varies

_LAST_TIME = 1e19
"""Nanoseconds since 1970 stay below; what is greater is a number of its own."""
_OFTIMES = 1e8
"""Seconds since 1970 are at least so many, since 1973."""
_COUNT = 100.0
"""Grades that are all different up to here may be shares in percent."""
_ENOUGH = 20
"""So many lines show what a field holds, where its values alone do not."""
_NAMED = "put a line with the names {} on top, and say header=True"


def doubted_lines(rows: pl.DataFrame, where: str) -> Problem | None:
    """Return the doubt that lines without names are judgments, with the reader for them; or None.

    It is asked where `may_be_other_lines` holds. ``rows`` have the columns ``query_id``,
    ``doc_id``, ``relevance`` and, of lines of four fields, ``iteration``; ids are text.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["7", "9"], "relevance": [9e8, 8e8]})
    >>> print(doubted_lines(rows, "u.txt"))
    u.txt: expected grades, found 800000000 as the least, as times are; if each line has a user, \
an item and a time, put a line with the names user_id item_id timestamp on top, and say \
header=True (or the names query_id doc_id relevance, if these are grades)
    """
    for look in (_times, _lists_of_items, _items_as_iterations):
        what = look(rows)
        if what is not None:
            ours = " ".join(name for name in schemas.QRELS.columns if name in rows.columns)
            unless = f" (or the names {ours}, if {what.ours})"
            advice = f"if {what.described}, {_NAMED.format(what.names)}{unless}"
            return Problem(where, what.expected, what.found, advice, DOUBT)
    return None


@dataclass(frozen=True)
class _Lines:
    """Lines that may be no judgments: expectation, finding, likely content, names of fields.

    ``ours`` says when they are judgments after all.
    """

    expected: str
    found: str
    described: str
    names: str
    ours: str = "these are grades"


def _times(rows: pl.DataFrame) -> _Lines | None:
    """Describe lines whose last field is a time; None for other lines."""
    least = _least_grade(rows["relevance"])
    # Where the second field is the same in all lines, they are judgments: their grades are odd.
    if not TIME <= least < _LAST_TIME or (
        "iteration" in rows.columns and not iteration_varies(rows)
    ):
        return None
    found = f"{least:.15g} as the least, as times are"
    if "iteration" in rows.columns:
        described = "each line has a user, an item, a rating and a time"
        return _Lines("grades", found, described, "user_id item_id rating timestamp")
    described = "each line has a user, an item and a time"
    return _Lines("grades", found, described, "user_id item_id timestamp")


def _lists_of_items(rows: pl.DataFrame) -> _Lines | None:
    """Describe lines that hold a user, counted from 0, and its items; None for other lines.

    Files of LightGCN in which each user chose two items, or three, look so.
    """
    grades = rows["relevance"]
    greatest = _greatest(grades)
    if rows["query_id"][0] != "0" or rows.height < 2 or greatest <= LONGEST_SCALE:
        return None
    if not iteration_varies(rows) and "iteration" in rows.columns:
        return None
    ids = rows.select(pl.exclude("relevance").cast(pl.Int64, strict=False))
    if any(column.has_nulls() for column in ids) or (grades != grades.round()).any():
        return None
    if not (ids["query_id"].diff().drop_nulls() > 0).all():
        return None
    return _Lines(
        "judgments",
        f"another query in each line, from 0 on, and numbers up to {greatest:g} behind it",
        "each line has a user and all items of this user, write a line for each item",
        "user_id item_id",
    )


def _items_as_iterations(rows: pl.DataFrame) -> _Lines | None:
    """Describe lines with items in their second field and none in the third; else None."""
    if not iteration_varies(rows) or not _are_items(rows):
        return None
    documents, n_items = rows["doc_id"].unique(), rows["iteration"].n_unique()
    ours, greatest = "field 3 has the documents", _greatest(rows["relevance"])
    if len(documents) == 1 and greatest <= 0:
        found = f"{documents[0]!r} in all lines, grade 0, and {n_items} values in field 2"
        described = "field 2 has the relevant documents, keep the first two fields"
        return _Lines("documents in field 3", found, described, "query_id doc_id", ours)
    numbers = documents.cast(pl.Float64, strict=False)
    if rows.height < _ENOUGH or numbers.has_nulls():
        return None
    low, high = _least_grade(numbers), _greatest(numbers)
    if low >= -_COUNT and high <= _COUNT and len(documents) < n_items:
        numbers_found = printed.counted(len(documents), "number")
        ends = " to ".join(dict.fromkeys((f"{low:g}", f"{high:g}")))
        found = f"{numbers_found} ({ends}), and {n_items} values in field 2"
        described = "field 2 has the items and field 3 their ratings"
        names = "user_id item_id rating other"
        return _Lines("documents in field 3", found, described, names, ours)
    if low >= _OFTIMES and greatest <= LONGEST_SCALE:
        ends = " to ".join(dict.fromkeys((f"{low:.15g}", f"{high:.15g}")))
        found = f"{ends}, as times are, and {n_items} values in field 2"
        described = "each line has a user, an item, a time and a rating"
        names = "user_id item_id timestamp rating"
        return _Lines("documents in field 3", found, described, names, ours)
    return None


def _least_grade(numbers: pl.Series) -> float:
    return float(numbers.min())  # type: ignore[arg-type]


def _greatest(numbers: pl.Series) -> float:
    return float(numbers.max())  # type: ignore[arg-type]


def _are_items(rows: pl.DataFrame) -> bool:
    """Return whether the second field names items: once in each query, and it does not count."""
    nth = pl.int_range(pl.len()).over("query_id")
    steps = pl.col("iteration").cast(pl.Int64, strict=False) - nth
    once = pl.struct("query_id", "iteration").is_unique().all()
    counts = steps.is_in([0, 1]).fill_null(value=False).all()
    return bool(rows.select(once & ~counts).item())
