"""Offline interleaving by a user who reads both lists as one, down to a rank drawn uniformly."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lexiframe.core.base import in_threads, sums
from lexiframe.core.pairwise.pair_tiles import number_of, tiles_of
from lexiframe.core.projection import RankedRuns, whole_rankings

_CELLS = 1 << 21  # pairs × ranks in the arrays of one step, which bounds the memory in use


def preferences_by_rank(ranked: RankedRuns, queries: np.ndarray) -> np.ndarray:
    """Return Δ of all pairs of runs in some of the judged requests: requests × pairs.

    The interleaved list ends where one of the rankings does. The runs have to be ranked with all
    their documents.
    """
    n_runs = len(ranked.runs)
    rankings = whole_rankings.rankings_of(ranked)
    longest = max(int(run.retrieved.max()) for run in ranked.runs)
    mass = np.arange(2 * longest + 1)  # of the ranks 1..c: whole numbers, so that ties are exact
    tiles = [*tiles_of(n_runs, longest)]

    def of_request(query: int) -> np.ndarray:
        delta = np.empty(n_runs * (n_runs - 1) // 2)
        for runs, a, b in tiles:
            pair = number_of(runs[a], runs[b], n_runs)
            delta[pair] = _preferences(rankings(query, runs), a, b, mass)
        return delta

    return np.array([*in_threads(of_request, queries.tolist(), "interleaving")])


def _preferences(
    request: whole_rankings.WholeRankings, a: np.ndarray, b: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """Return Δ of pairs of runs; ``a`` is ascending."""
    step = max(1, _CELLS // len(request.document))
    blocks = (slice(first, first + step) for first in range(0, len(a), step))
    of_blocks = (_pair_deltas(request, a[some], b[some], mass) for some in blocks)
    return np.concatenate([np.empty(0), *of_blocks])


def _pair_deltas(
    request: whole_rankings.WholeRankings, a: np.ndarray, b: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """Return Δ of some pairs of runs; ``a`` is ascending.

    The mean of the two outcomes is computed as one fraction: with whole numbers ties are exact.
    """
    shown = _documents_shown(request, a, b)
    won, seen = _outcome(request, a, b, shown, mass)
    lost, other_seen = _outcome(request, b, a, shown, mass)
    delta = (won * other_seen - lost * seen) / np.maximum(2 * seen * other_seen, 1)
    return np.where(np.abs(delta) <= sums.TIE, 0.0, delta)


def _documents_shown(
    request: whole_rankings.WholeRankings, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Count the documents in the top k of either list: k from 0 to longest + 1 × pairs."""
    document, rank = request.document, request.rank
    shown = np.zeros((len(document) + 1, len(a)), rank.dtype)
    k = np.arange(1, len(shown), dtype=rank.dtype)[:, None]
    for run in range(a[0], a[-1] + 1):
        pair = slice(*np.searchsorted(a, [run, run + 1]))
        other = slice(b[pair][0], b[pair][-1] + 1)
        a_is_new = rank.take(document[:, run], axis=0)[:, other] > k
        b_is_new = rank[:, run].copy().take(document[:, other]) >= k
        shown[1:, pair] = a_is_new.view(np.int8) + b_is_new.view(np.int8)
    for above, here in pairwise(shown):
        here += above
    return shown


def _outcome(
    request: whole_rankings.WholeRankings,
    first: np.ndarray,
    second: np.ndarray,
    shown: np.ndarray,
    mass: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return Σ_c p(c) sgn(hits(first, k_c) − hits(second, k_c)) and Σ_c p(c), p up to a factor.

    The user reads the two lists in turn: rank k of the first list at time 2k − 1, and rank k of the
    second at time 2k. After a click k_c does not change until the next click or the end.
    """
    relevant, hits, n = request.relevant, request.hits, len(shown)
    time = np.minimum(2 * relevant[first] - 1, 2 * relevant[second])
    time.sort(axis=1)
    in_first = time & 1
    k = np.minimum((time + 1) >> 1, n - 1).astype(np.intp)
    unseen = np.zeros_like(time)  # at rank k of the second list, when that of the first is clicked
    unseen[:, :-1] = in_first[:, :-1] * (time[:, 1:] == time[:, :-1] + 1)
    lead = hits.take(k + n * first[:, None]) - hits.take(k + n * second[:, None])
    at = (k - in_first) * len(first) + np.arange(len(first))[:, None]
    above = shown.take(at) + in_first - 1
    end = _end(request, first, second, shown)[:, None]
    mass_above = mass.take(np.concatenate([np.minimum(above, end), end], axis=1))
    return (np.sign(lead + unseen) * np.diff(mass_above)).sum(axis=1), mass_above[:, -1]


def _end(
    request: whole_rankings.WholeRankings, first: np.ndarray, second: np.ndarray, shown: np.ndarray
) -> np.ndarray:
    """Count the documents of each interleaved list, which ends where one run's list does."""
    length, other_length = request.length[first], request.length[second]
    n = np.minimum(length, other_length)
    last_of_second = request.document[n - 1, second]
    unseen = (length <= other_length) & (request.rank[last_of_second, first] > n)
    return np.where(n > 0, shown[n, np.arange(len(n))] - unseen, 0)
