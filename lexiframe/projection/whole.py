"""Whole rankings as matrices: for each request a column a run, and documents as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lexiframe.projection.collection import RankedRuns


@dataclass(frozen=True)
class WholeRankings:
    """One request in every run; ranks count from 1.

    Attributes
    ----------
    length
        The number of documents in each ranking.
    document
        (longest + 1) × runs, the document at each rank, as a number; behind the end of a ranking
        the greatest number, which is no document's.
    rank
        documents × runs, the rank of each, or ``absent``, as is the last one everywhere.
    relevant
        runs × m, the ranks of the relevant items, or ``absent``.
    hits
        runs × k from 0 to longest + 1, the number of relevant items in the top k.
    """

    length: np.ndarray
    document: np.ndarray
    rank: np.ndarray
    relevant: np.ndarray
    hits: np.ndarray


def rankings_of(ranked: RankedRuns) -> Callable[[int], WholeRankings]:
    """Give the function from the index of a judged request to its rankings, runs sorted by name.

    The runs are to be ranked with their documents.
    """
    n_relevant = ranked.judged.n_relevant
    items = np.array([run.rank[ranked.judged.is_relevant] for run in ranked.runs])
    last_item = n_relevant.cumsum()
    retrieved = np.array([run.retrieved for run in ranked.runs])
    last_row = retrieved.cumsum(axis=1)

    def rankings(query: int) -> WholeRankings:
        length = retrieved[:, query]
        rows = zip(ranked.runs, last_row[:, query], length, strict=True)
        documents = [run.documents[last - n : last] for run, last, n in rows]
        last = last_item[query]
        return _laid_out(documents, length, items[:, last - n_relevant[query] : last])

    return rankings


def _laid_out(documents: list[np.ndarray], length: np.ndarray, items: np.ndarray) -> WholeRankings:
    """Make the matrices of the codes of each run's documents and the ranks of relevant items."""
    n_runs, longest = len(length), int(length.max())
    dtype = np.dtype(np.int16 if longest < _absent(np.int16) else np.int32)
    known, number = np.unique(np.concatenate(documents), return_inverse=True)
    run, place = np.nonzero(np.arange(longest) < length[:, None])
    document = np.full((longest + 1, n_runs), len(known))
    document[place, run] = number
    rank = np.full((len(known) + 1, n_runs), _absent(dtype), dtype)
    rank[number, run] = place + 1
    found = np.zeros((n_runs, longest + 2), dtype)
    run, item = np.nonzero(items)
    found[run, items[run, item]] = 1
    relevant = np.where(items > 0, items, _absent(dtype)).astype(dtype)
    return WholeRankings(length, document, rank, relevant, found.cumsum(axis=1, dtype=dtype))


def _absent(dtype: type | np.dtype) -> int:
    """Stand for the rank of a document that was not retrieved; its double is a number, too."""
    return int(np.iinfo(dtype).max // 2)
