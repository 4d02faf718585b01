"""Ideal rankings of documents that serve several subtopics: the greedy and the optimal one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.metrics.stretches import begins

ALIKE = 1e-12
"""Gains whose relative difference is at most this count as equal: it may be rounding."""

MOST_STEPS = 200_000
"""The greatest number of partial rankings that are tried at one rank."""


@dataclass(frozen=True)
class Serving:
    """Which documents serve which subtopics: a row for each pair, sorted by request and document.

    Attributes
    ----------
    queries
        The requests, sorted.
    first_document, first_row
        Where the documents of each request begin, and where the rows of each document begin.
    subtopic
        The subtopic of each row. Subtopics of different requests have different numbers.
    """

    queries: pl.Series
    first_document: np.ndarray
    first_row: np.ndarray
    subtopic: np.ndarray

    @classmethod
    def index(cls, rows: pl.DataFrame) -> Serving:
        """Return the index of distinct rows ``query_id, subtopic, doc_id``."""
        rows = rows.sort("query_id", "doc_id")
        queries, query = coded.encode(rows["query_id"])
        names, code = coded.encode(rows["subtopic"])
        _, subtopic = np.unique(query * len(names) + code, return_inverse=True)
        first_row = np.flatnonzero(begins(rows, "query_id", "doc_id"))
        first_document = np.searchsorted(query[first_row], np.arange(len(queries)))
        return cls(queries, first_document, first_row, subtopic)

    @property
    def n_documents(self) -> np.ndarray:
        """The number of documents of each request."""
        return np.diff(np.append(self.first_document, len(self.first_row)))

    def kinds(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield each request's kinds of documents (kinds × subtopics) and the size of each kind."""
        rows = np.append(self.first_row, len(self.subtopic))
        documents = np.append(self.first_document, len(self.first_row))
        for first, last in pairwise(documents):
            subtopics, code = np.unique(
                self.subtopic[rows[first] : rows[last]], return_inverse=True
            )
            serves = np.zeros((last - first, len(subtopics)), bool)
            serves[np.repeat(np.arange(last - first), np.diff(rows[first : last + 1])), code] = True
            yield np.unique(serves, axis=0, return_counts=True)


def greedy_gains(serving: Serving, alpha: float, depth: int) -> Iterator[np.ndarray]:
    """Yield the gain of each request's greedy ideal ranking at rank 1, 2 ... up to ``depth``.

    It is 0 after the last document; there are as many ranks as the longest ranking has. The gain of
    a document is Σ_t (1 − α)^(documents above it that serve t), over the subtopics that it serves.
    Among documents with the greatest gain, the one with the greatest id is next, as in ndeval.
    """
    n_documents = serving.n_documents
    document = np.arange(len(serving.first_row))
    query = np.repeat(np.arange(len(n_documents)), n_documents)
    document_of_row = np.repeat(
        document, np.diff(np.append(serving.first_row, len(serving.subtopic)))
    )
    left = np.ones(len(document), bool)
    worth = np.ones(serving.subtopic.max(initial=-1) + 1)
    for _ in range(min(depth, n_documents.max(initial=0))):
        gain = np.where(left, np.add.reduceat(worth[serving.subtopic], serving.first_row), -1.0)
        best = np.maximum.reduceat(gain, serving.first_document)
        is_best = left & (gain >= (best * (1 - ALIKE))[query])
        last = np.maximum.reduceat(np.where(is_best, document, -1), serving.first_document)
        yield np.maximum(best, 0.0)
        left[last[last >= 0]] = False
        is_next = np.zeros(len(document), bool)
        is_next[last[last >= 0]] = True
        worth[serving.subtopic[is_next[document_of_row]]] *= 1 - alpha


def greatest_sum(
    kinds: np.ndarray, n_of_kind: np.ndarray, alpha: float, exposures: np.ndarray
) -> float | None:
    """Return the greatest Σ_r e(r) · gain(r) of any ranking, or None if there are too many to try.

    ``kinds`` (kinds × subtopics) says which kind of document serves which subtopic, ``n_of_kind``
    how many documents of each kind there are; ``exposures`` e(1), e(2) ... decrease. The gain of a
    document depends only on how many documents of each kind stand above it. Of all partial rankings
    with equal counts only the best is kept, and it is dropped when another is ahead by more than it
    can still gain. A kind is used only after all kinds that serve its subtopics and more are used
    up: as exposures decrease, swapping the two never lowers the sum.
    """
    wider = (kinds[:, None] <= kinds[None, :]).all(axis=2) & ~np.eye(len(kinds), dtype=bool)
    used, total = np.zeros((1, len(kinds)), np.int64), np.zeros(1)
    exposures = exposures[: n_of_kind.sum()]
    for rank, exposure in enumerate(exposures):
        gains = (1 - alpha) ** (used @ kinds) @ kinds.T
        ahead = total + exposures[rank:].sum() * gains.max(axis=1)
        used, total, gains = (x[ahead >= total.max() * (1 - ALIKE)] for x in (used, total, gains))
        left = used < n_of_kind
        state, kind = np.nonzero(left & ~(left @ wider.T))
        if len(state) > MOST_STEPS:
            return None
        sums = total[state] + exposure * gains[state, kind]
        used = used[state]
        used[np.arange(len(used)), kind] += 1
        used, group = np.unique(used, axis=0, return_inverse=True)
        total = np.zeros(len(used))
        np.maximum.at(total, group.ravel(), sums)
    return float(total.max())
