"""Positions in random orders of documents of equal score: `RandomOrders`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.projection import levels_in

_ITEM = ["run", "query_id", "doc_id"]


@dataclass(frozen=True)
class RandomOrders:
    """Positions with ``ties="expected"``, and the groups of equal scores in which items stand.

    Attributes
    ----------
    p
        The positions, run by run.
    row, item_of_row
        The rows whose item shares its score, and the number of that item: an item that is relevant
        for several subtopics has a row for each.
    group, size, before
        For each item the number of its group, which never decreases, the documents in the group,
        and the documents before it.
    repeated
        The rows for several orders, by their number.
    """

    p: pl.DataFrame
    row: np.ndarray
    item_of_row: np.ndarray
    group: np.ndarray
    size: np.ndarray
    before: np.ndarray
    repeated: dict[int, tuple[pl.DataFrame, np.ndarray]] = field(default_factory=dict)

    @classmethod
    def find(cls, p: pl.DataFrame) -> RandomOrders:
        """Find the groups once, for any number of orders."""
        rows = p.with_row_index("row").filter(pl.col("tied_from") < pl.col("tied_to"))
        items = rows.unique(_ITEM).sort("run", "query_id", "tied_from", "doc_id")
        numbered = items.select(*_ITEM).with_row_index("item")
        item = rows.join(numbered, on=_ITEM, how="left", maintain_order="left")["item"]
        group = items.select(pl.struct("run", "query_id", "tied_from").rle_id()).to_series()
        first, last = (items[name].to_numpy() for name in ("tied_from", "tied_to"))
        columns = (rows["row"], item, group)
        row, of_row, number = (of.to_numpy().astype(np.int64) for of in columns)
        return cls(p, row, of_row, number, size=last - first + 1, before=first - 1)

    def positions(self, n: int, rng: np.random.Generator) -> pl.DataFrame:
        """Return the positions in n orders, all equally likely: each request stands there n times.

        Numbers before the names of the requests put those of one order side by side.
        """
        group = self.group + np.arange(n)[:, None] * (self.group.max(initial=-1) + 1)
        place = distinct_places(group.ravel(), np.tile(self.size, n), rng).reshape(n, -1)
        rank = np.tile(self.p["position"].fill_null(0).to_numpy(), (n, 1))
        rank[:, self.row] = (self.before + place + 1)[:, self.item_of_row]
        rank[rank > self.p["n_retrieved"].to_numpy()] = 0
        table, order = self._repeated(n)
        columns = {"position": rank.ravel(), "level": self._levels(rank).ravel()}
        found = (pl.Series(name, values[order]) for name, values in columns.items())
        return table.with_columns(pl.when(of > 0).then(of).alias(of.name) for of in found)

    def _repeated(self, n: int) -> tuple[pl.DataFrame, np.ndarray]:
        """Return the rows n times, run by run, with the cell of n × rows that each stands for."""
        if n not in self.repeated:
            n_runs = self.p["run"].n_unique()
            cells = np.arange(n * self.p.height).reshape(n, n_runs, -1).swapaxes(0, 1).ravel()
            order, row = np.divmod(cells, self.p.height)
            number = pl.Series(order).cast(pl.String).str.zfill(len(str(n)))
            name = pl.concat_str(number, "query_id", separator=" ")
            table = self.p.drop("tied_from", "tied_to")[row].with_columns(name.alias("query_id"))
            self.repeated[n] = table, cells
        return self.repeated[n]

    @cached_property
    def _relevant(self) -> list[np.ndarray]:
        """The rows of relevant items, the number of the list of each, and of its grade from 1."""
        lists = pl.struct("run", "query_id", *{"subtopic"} & {*self.p.columns}).rle_id()
        columns = {"list": lists, "grade": pl.col("relevance").rank("dense")}
        rows = self.p.with_row_index("row").with_columns(**columns).filter(pl.col("level") > 0)
        return [rows[name].to_numpy().astype(np.int64) for name in ("row", *columns)]

    def _levels(self, rank: np.ndarray) -> np.ndarray:
        """Return the recall levels in each order, 0 for items that are not relevant.

        Items that are not retrieved follow, in increasing order of grade, as in `positions`.
        """
        row, lists, grade = self._relevant
        key = np.where(rank[:, row] > 0, rank[:, row], rank.max(initial=0) + grade)
        group = lists + np.arange(len(rank))[:, None] * (lists.max(initial=-1) + 1)
        levels = np.zeros_like(rank)
        levels[:, row] = levels_in(group.ravel(), key.ravel()).reshape(key.shape)
        return levels


def distinct_places(group: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a place from 0 in its group for each item, no two items of a group in the same.

    ``group`` never decreases, and ``size`` has the number of places of each item's group. A place
    that is taken already is drawn again. That treats all places alike, so that all assignments are
    equally likely. Where the items fill over half of the places, all places are shuffled instead.
    """
    nth, number = levels_in(group) - 1, np.cumsum(coded.begins(group)) - 1
    is_full = 2 * np.bincount(number) > size[nth == 0]
    sizes = np.where(is_full, size[nth == 0], 0)
    start = np.cumsum(sizes) - sizes
    of_place = np.repeat(np.arange(len(sizes)), sizes)
    shuffled = np.argsort(of_place + rng.random(len(of_place)) / 2)
    place, item = np.zeros(len(group), np.int64), np.flatnonzero(is_full[number])
    place[item] = shuffled[(start[number] + nth)[item]] - start[number[item]]
    sizes = np.where(is_full, 0, size[nth == 0])
    start, item = np.cumsum(sizes) - sizes, np.flatnonzero(~is_full[number])
    owner = np.full(int(sizes.sum()), -1)
    while len(item):
        place[item] = rng.integers(size[item])
        cell = start[number[item]] + place[item]
        is_free = owner[cell] < 0
        owner[cell[is_free]] = item[is_free]
        item = item[owner[cell] != item]
    return place
