"""Offline interleaving by a user who wants a number of relevant items: from their ranks alone."""

from __future__ import annotations

import numpy as np

from lexiframe.base import in_threads, sums
from lexiframe.projection import RankedRuns

_ITEMS = 1 << 12  # relevant items of the requests that are looked at together, or one request's
_CELLS = 1 << 18  # pairs × items in the arrays of one step, which bounds the memory in use


def preferences_by_clicks(ranked: RankedRuns, queries: np.ndarray, *, dcg: bool) -> np.ndarray:
    """Return Δ of all pairs of runs in some of the judged requests: requests × pairs.

    The requests are those with relevant items, or all; one without has 0. The user wants each
    number of items with equal probability, or with ``dcg`` c of them ∝ 1 / log2(c + 1).
    """
    is_relevant, n_runs = ranked.judged.is_relevant, len(ranked.runs)
    n_items = ranked.judged.n_relevant[queries]
    delta = np.zeros((len(queries), n_runs * (n_runs - 1) // 2))
    asked = np.flatnonzero(n_items)
    ends = n_items[asked].cumsum()
    changes = np.flatnonzero(np.diff((ends - 1) // _ITEMS)) + 1
    ranks = np.array([run.rank[is_relevant] for run in ranked.runs])

    def of_block(block: np.ndarray) -> np.ndarray:
        m = n_items[asked[block]]
        end = ends[block[-1]]
        return _request_deltas(ranks[:, end - m.sum() : end], m, dcg=dcg)

    blocks = np.split(np.arange(len(asked)), changes)
    values = [*in_threads(of_block, blocks, "interleaving")]
    delta[asked] = np.concatenate(values)
    return delta


def _request_deltas(ranks: np.ndarray, m: np.ndarray, *, dcg: bool) -> np.ndarray:
    """Return Δ of all pairs of runs: requests × pairs.

    ``ranks`` is runs × items, 0 for an item that is not retrieved; the first m[0] items are those
    of the first request, and so on.
    """
    n_runs, n_items = ranks.shape
    first = np.cumsum(m) - m
    weight = np.ones(n_items, np.int64)  # whole numbers, so that ties are exact
    if dcg:
        c = np.arange(1, n_items + 1) - np.repeat(first, m)
        weight = 1 / np.log2(c + 1)
    place, found = _number_ranks(ranks, np.repeat(np.arange(len(m)), m))
    a, b = np.triu_indices(n_runs, k=1)
    delta = np.empty((len(m), len(a)))
    step = max(1, _CELLS // n_items)
    for start in range(0, len(a), step):
        some = slice(start, start + step)
        signs = _twice_the_signs(place, found, a[some], b[some])
        delta[:, some] = np.add.reduceat(signs * weight, first, axis=1).T
    delta /= 2 * np.add.reduceat(weight, first)[:, None]
    return np.where(np.abs(delta) <= sums.TIE, 0.0, delta) if dcg else delta


def _number_ranks(ranks: np.ndarray, request: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the ranks at which any run has an item, over all requests; count items down to them.

    Return the number of each item's rank, runs × items, and the count for each run, runs × numbers.
    An item that is not retrieved stands behind all ranks of its request. Hence the counts of all
    runs are the same where a request ends, and their differences are those of one request.
    """
    absent = int(ranks.max()) + 1
    key = np.where(ranks > 0, ranks, absent) + request * (absent + 1)
    known, place = np.unique(key, return_inverse=True)
    place = place.reshape(ranks.shape)
    n_runs = len(ranks)
    cell = place + len(known) * np.arange(n_runs)[:, None]
    counts = np.bincount(cell.ravel(), minlength=n_runs * len(known)).reshape(n_runs, -1)
    return place.astype(np.int32), counts.cumsum(axis=1, dtype=np.int32)


def _twice_the_signs(
    place: np.ndarray, found: np.ndarray, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Return 2 E[sgn(hits(π, k_c) − hits(π′, k_c))] over both outcomes: pairs × items by c.

    The items are clicked in the order of the better of their two ranks, so that sorting these gives
    k_c. All items down to k_c have been clicked, but for one case: each list has another item at
    rank k_c, and c is the first click of the two. Then the list that goes first is one ahead.
    With a lead d of π down to k_c the signs of d + 1 and of d − 1 are then added up.
    """
    click = np.minimum(place[a], place[b])
    click.sort(axis=1)
    n = found.shape[1]
    lead = found.take(click + n * a[:, None]) - found.take(click + n * b[:, None])
    is_first_of_two = click[:, :-1] == click[:, 1:]
    lead[:, :-1] *= 2 - is_first_of_two
    lead[:, -1] *= 2
    return np.asarray(np.clip(lead, -2, 2))
