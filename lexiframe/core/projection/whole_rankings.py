"""Whole rankings of a request as matrices with a column for each run; documents are numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lexiframe.core.projection.ranked_runs import RankedRuns


@dataclass(frozen=True)
class WholeRankings:
    """One request in every run; ranks count from 1.

    Attributes
    ----------
    length
        The number of documents in each ranking.
    document
        (longest + 1) × runs, the number of the document at each rank; after the end of a ranking
        it is the greatest number, which belongs to no document.
    rank
        documents × runs, the rank of each. A document that a run lacks has a rank below all others,
        and the additional last document has it in every run.
    relevant
        runs × m, the ranks of the relevant items, with the same rank for absent ones.
    hits
        runs × k from 0 to longest + 1, the number of relevant items in the top k.
    """

    length: np.ndarray
    document: np.ndarray
    rank: np.ndarray
    relevant: np.ndarray
    hits: np.ndarray


def rankings_of(ranked: RankedRuns) -> Callable[[int, np.ndarray], WholeRankings]:
    """Return a function from the index of a judged request to its rankings by some of the runs.

    The runs are given by their numbers, in the order of their names. They have to be ranked with
    ``documents=True``.
    """
    n_relevant = ranked.judged.n_relevant
    items = np.array([run.rank[ranked.judged.is_relevant] for run in ranked.runs])
    last_item = n_relevant.cumsum()
    retrieved = np.array([run.retrieved for run in ranked.runs])
    last_row = retrieved.cumsum(axis=1)

    def rankings(query: int, runs: np.ndarray) -> WholeRankings:
        length = retrieved[runs, query]
        rows = zip(runs, last_row[runs, query], length, strict=True)
        documents = [ranked.runs[run].documents[last - n : last] for run, last, n in rows]
        last = last_item[query]
        return _laid_out(documents, length, items[runs, last - n_relevant[query] : last])

    return rankings


def _laid_out(documents: list[np.ndarray], length: np.ndarray, items: np.ndarray) -> WholeRankings:
    """Make the matrices of the codes of each run's documents and the ranks of relevant items."""
    n_runs, longest = len(length), int(length.max())
    dtype = np.dtype(np.int16 if longest < _absent(np.int16) else np.int32)
    document, rank = ranks_of(documents, length, _absent(dtype), dtype)
    found = np.zeros((n_runs, longest + 2), dtype)
    run, item = np.nonzero(items)
    found[run, items[run, item]] = 1
    relevant = np.where(items > 0, items, _absent(dtype)).astype(dtype)
    return WholeRankings(length, document, rank, relevant, found.cumsum(axis=1, dtype=dtype))


def ranks_of(
    documents: list[np.ndarray], length: np.ndarray, absent: int, dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray]:
    """Number the documents of one request; return ``document`` and ``rank`` of `WholeRankings`.

    ``documents`` are the codes of each run's documents by rank, ``length`` their numbers, and
    ``absent`` the rank of a document that a run lacks.
    """
    longest = int(length.max())
    known, number = np.unique(np.concatenate(documents), return_inverse=True)
    run, place = np.nonzero(np.arange(longest) < length[:, None])
    document = np.full((longest + 1, len(length)), len(known))
    document[place, run] = number
    rank = np.full((len(known) + 1, len(length)), absent, dtype)
    rank[number, run] = place + 1
    return document, rank


def _absent(dtype: type | np.dtype) -> int:
    """Return the rank for documents that were not retrieved; twice that still fits the type."""
    return int(np.iinfo(dtype).max // 2)
