"""Positions by subtopic as matrices: one for each subtopic of a request, and one of all items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from lexiframe.core.base import coded, schemas
from lexiframe.core.projection import blocks, matrices


@dataclass(frozen=True)
class SubtopicBlock(blocks.Block):
    """One request in every run; ``positions`` belong to the items of any subtopic.

    Attributes
    ----------
    subtopics
        The block of the items of each subtopic.
    names
        The subtopics behind null, which stands for the items of any.
    query_id
        The request.
    """

    subtopics: tuple[blocks.Block, ...]
    names: pl.Series
    query_id: str

    @property
    def lists(self) -> tuple[blocks.Block, ...]:
        """The block of all items, and one of each subtopic."""
        return (self, *self.subtopics)

    def within(self, cutoff: int | None) -> Self:
        """Return the block without retrieved items beyond a rank, for any subtopic."""
        subtopics = tuple(part.within(cutoff) for part in self.subtopics)
        return replace(super().within(cutoff), subtopics=subtopics)

    def populations(self, rel: float | None) -> list[blocks.Population]:
        """Return the relevant items of any subtopic, and then the items of each subtopic."""
        return [part.at_least(rel) for part in self.lists]

    def thresholds(self, populations: Sequence[blocks.Population]) -> pl.DataFrame:
        """Return the name of each list of items in the column ``of``, and the ``query_id``."""
        return pl.DataFrame({"of": self.names}).with_columns(query_id=pl.lit(self.query_id))


@dataclass(frozen=True)
class SubtopicRequests:
    """All requests of a table of positions by subtopic, runs and requests sorted by name.

    Attributes
    ----------
    lists
        For each request a list of the items of any subtopic, then a list for each subtopic. The
        lists are laid out as if each were a request.
    n_lists
        The number of lists of each request.
    names
        The subtopic of each list; null for the items of any.
    """

    queries: pl.Series
    lists: matrices.Requests
    n_lists: np.ndarray
    names: pl.Series

    @property
    def runs(self) -> pl.Series:
        """The runs."""
        return self.lists.runs

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def _first_list(self) -> np.ndarray:
        return np.asarray(np.cumsum(self.n_lists) - self.n_lists)

    def groups(self, most: int) -> list[np.ndarray]:
        """Return a group for each request, because requests have different subtopics."""
        return [np.array([request]) for request in range(len(self))]

    def block(self, requests: np.ndarray) -> SubtopicBlock:
        """Return the block of one request."""
        request = requests[0]
        numbers = self._first_list[request] + np.arange(self.n_lists[request])
        everything, *subtopics = (self.lists.block(numbers[[k]]) for k in range(len(numbers)))
        return SubtopicBlock(
            everything.positions, everything.relevance, tuple(subtopics),
            self.names.gather(numbers), self.queries[int(request)], tied=everything.tied,
        )  # fmt: skip


def subtopic_requests_of(p: Any) -> SubtopicRequests:
    """Convert a table of positions by subtopic to matrices, one request after the other."""
    table = schemas.check(p, schemas.SUBTOPIC_POSITIONS)
    by_subtopic = table.filter(pl.col("subtopic").is_not_null())
    everything = _drop_subtopics(table)
    queries, query = coded.encode(everything["query_id"])
    names, subtopic = coded.encode(by_subtopic["subtopic"])
    query_of_row = queries.search_sorted(by_subtopic["query_id"]).to_numpy().astype(np.int64)
    of_subtopic = query_of_row * (len(names) + 1) + 1 + subtopic
    numbers, list_ = np.unique(
        np.concatenate([query * (len(names) + 1), of_subtopic]), return_inverse=True
    )
    rows = pl.concat([everything, by_subtopic.select(everything.columns)])
    query_of_list = numbers // (len(names) + 1)
    lists = matrices.lay_out(rows, queries.gather(query_of_list), list_, *coded.encode(rows["run"]))
    name = pl.concat([pl.Series([None], dtype=names.dtype), names]).cast(pl.String)
    of_list = name.gather(numbers % (len(names) + 1))
    n_lists = np.bincount(query_of_list, minlength=len(queries))
    return SubtopicRequests(queries, lists, n_lists, of_list)


def _drop_subtopics(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each document, with its greatest grade over all subtopics."""
    request = ("run", "query_id")
    is_relevant = pl.col("level").is_not_null()
    spans = [n for n in ("tied_from", "tied_to", "n_retrieved") if "tied_from" in table.columns]
    documents = table.group_by(*request, "doc_id", maintain_order=True).agg(
        pl.col("relevance").max(), pl.col("position", *spans).first(), is_relevant=is_relevant.any()
    )
    beyond_any_rank = 1 << 62
    place = pl.when("is_relevant").then(pl.col("position").fill_null(beyond_any_rank))
    return documents.select(
        *request,
        "relevance",
        "position",
        *spans,
        level=place.rank("ordinal").over(request).cast(pl.Int64),
        n_relevant=pl.col("is_relevant").sum().over(request).cast(pl.Int64),
    )
