"""Recall levels: relevant items are numbered from 1 within their ranking, the best rank first.

The rows that have them are the same in every run: they follow from the judgments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.projection.judgments import JudgedItems
from lexiframe.core.projection.policies import NoRelevant
from lexiframe.core.projection.ranks_and_ties import RANKS


def levels_in(group: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """Number rows from 1 within their group, in the order of their keys.

    ``group`` has the number of each row's group and never decreases. The keys are whole numbers
    from 0, one for each row; rows with equal keys are numbered in the order that they have.

    Examples
    --------
    >>> levels_in(np.array([0, 0, 0, 1]), np.array([8, 2, 5, 9])).tolist()
    [3, 1, 2, 1]
    """
    begins = np.flatnonzero(coded.begins(group))
    sizes = np.diff(begins, append=len(group))
    nth = np.arange(1, len(group) + 1) - np.repeat(begins, sizes)

    if not keys:
        return nth
    level = np.empty(len(group), np.int64)
    level[coded.order_of(group, *keys)] = nth
    return level


@dataclass(frozen=True)
class RowsOfARun:
    """The rows that every run has, and how the recall levels of its items are found.

    Attributes
    ----------
    table
        The columns of the positions that follow from the judgments.
    item, query
        For each row the index of its judged item, -1 in a request without any, and of its request.
    has_all
        Whether the rows are the judged items, in the same order.
    levels_of
        Returns the recall level of each row, given a run's ranks of the judged items.
    """

    table: pl.DataFrame
    item: np.ndarray
    query: np.ndarray
    has_all: bool
    levels_of: Callable[[np.ndarray], np.ndarray]

    @classmethod
    def lay_out(
        cls, index: JudgedItems, no_relevant: NoRelevant, *, judged: bool, subtopics: bool
    ) -> RowsOfARun:
        """Return the rows for judged items."""
        rows = _rows_of_a_run(index, no_relevant, judged=judged, subtopics=subtopics)
        item, query = rows["item"].to_numpy(), rows["query"].to_numpy()
        table = rows.drop("item", "query", "list", "is_relevant")
        has_all = np.array_equal(item, np.arange(index.items.height))
        return cls(table, item, query, has_all, _level_order(rows))

    def positions_of(self, rank: np.ndarray) -> np.ndarray:
        """Return the rank of each row's item, given a run's ranks; 0 for one without an item."""
        return rank if self.has_all else np.where(self.item < 0, 0, rank[self.item])


def _rows_of_a_run(
    index: JudgedItems, no_relevant: NoRelevant, *, judged: bool, subtopics: bool
) -> pl.DataFrame:
    """Return the rows that every run has: the items, and a row for a request without any.

    Recall levels are counted within each ``list``: a request, or a subtopic of it.
    """
    items = _items_of_subtopics(index) if subtopics else _items(index)
    if not (judged or items["is_relevant"].all()):
        items = items.filter("is_relevant")
    number = items["list"].to_numpy()
    counted = number if items["is_relevant"].all() else number[items["is_relevant"].to_numpy()]
    in_list = np.bincount(counted, minlength=int(number.max(initial=-1)) + 1)
    items, n_relevant = items.with_columns(n_relevant=in_list[number]), index.n_relevant
    if no_relevant == "drop":
        if n_relevant.all():
            return items
        return items.filter(n_relevant[items["query"].to_numpy()] > 0)
    empty = np.flatnonzero(n_relevant == 0)
    kept = pl.DataFrame({"query_id": index.queries.gather(empty), "query": empty}).with_columns(
        item=pl.lit(-1, pl.Int64), list=pl.lit(-1, pl.Int64), n_relevant=pl.lit(0, pl.Int64)
    )
    key = ["query_id", *["subtopic"] * subtopics, "doc_id"]
    return pl.concat([items, kept], how="diagonal").sort(key)


def _items(index: JudgedItems) -> pl.DataFrame:
    number = pl.col("item").cast(pl.Int64)
    return index.items.with_row_index("item").with_columns(
        number, query=index.query, list=index.query
    )


def _items_of_subtopics(index: JudgedItems) -> pl.DataFrame:
    """Return a row for each subtopic that an item was judged for, with its grade there."""
    items = _items(index).select("query_id", "doc_id", "item", "query")
    rows = index.judgments.rename({"iteration": "subtopic"}).filter(pl.col("item") >= 0)
    item = rows["item"].to_numpy()
    _, subtopic = coded.encode(rows["subtopic"])
    order = coded.order_of(index.query[item], subtopic, item)
    rows = pl.concat([items[item], rows.drop("item")], how="horizontal")[order]
    number = pl.struct("query", "subtopic").rle_id().cast(pl.Int64)
    return rows.with_columns(list=number)


def _level_order(template: pl.DataFrame) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from one run's ranks of the items to the recall levels of its rows.

    Relevant items are numbered by position; all other items get 0. Items that were not retrieved
    come last, in increasing order of grade. Imputed ranks rise with the level, so that the omitted
    items of the highest grades get the last places of the corpus.
    """
    is_relevant = template["is_relevant"].fill_null(value=False)
    rows = template.select("item", "list", "relevance")
    all_count = is_relevant.all()
    relevant = np.arange(template.height) if all_count else is_relevant.arg_true().to_numpy()
    rows = rows if all_count else rows[relevant]
    if has_grades := rows["relevance"].min() != rows["relevance"].max():
        relevance = rows["relevance"].to_numpy()
        grade = np.searchsorted(np.unique(relevance), relevance)
        by_grade = coded.order_of(rows["list"].to_numpy(), grade)
        relevant, rows = relevant[by_grade], rows[by_grade]
    item, group = rows["item"].to_numpy(), rows["list"].to_numpy()
    nth = levels_in(group).astype(RANKS)
    sizes = np.diff(np.flatnonzero(coded.begins(group)), append=len(group))
    last = sizes.cumsum() - 1

    def levels(rank: np.ndarray) -> np.ndarray:
        position = rank[item]
        n_found: np.ndarray = (position > 0).cumsum(dtype=RANKS)
        # before an absent item are all that were found, and those absent that stand before it here
        level: np.ndarray = nth - n_found
        level += np.repeat(n_found[last], sizes)
        found = np.flatnonzero(position)
        level[found] = levels_in(group[found], position[found])
        if all_count and not has_grades:
            return level
        of_each: np.ndarray = np.zeros(template.height, RANKS)
        of_each[relevant] = level
        return of_each

    return levels
