"""The trials of the randomised HSD: labels of runs are permuted, request by request.

In a trial the runs of each request change places, whatever they do in others. So a request's runs
may be sorted beforehand, by their values; then what is drawn does not depend on their names.
Three ways to the same number, by what the preferences are: differences of values, whose largest
mean difference is a range; signs of differences, which are counts; anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations

import numpy as np

from lexiframe.layouts.arrays import Pairs
from lexiframe.orderings.win_rates import total_preferences
from lexiframe.progress import in_threads
from lexiframe.significance.canonical import canonical

BLOCK = 512
"""How many trials are drawn together at most; fewer where runs and requests are many."""
CELLS = 2**25
FEW = 8
"""As many trials of whole matrices stay near the processor."""
SOME = 16
"""As many requests are counted in a byte; and arrays of a few hundred kilobytes are quick."""

Trials = Iterable[np.ndarray]
"""For each request the runs that stand at the places of the runs: trials × runs."""
Statistic = Callable[[Trials], np.ndarray]
"""Σ over the requests of the permuted preferences: the largest of any pair, for each trial."""


def largest_differences(
    pairs: Pairs, values: np.ndarray | None, trials: int, seed: int, label: str
) -> np.ndarray:
    """Give the largest |mean difference| over all pairs of runs in each trial, in ascending order.

    Parameters
    ----------
    pairs
        The differences, without gaps.
    values
        Requests × runs, when the differences are those of values.
    trials, seed
        How many trials, and what they are drawn from. When all permutations are no more than
        ``trials`` + 1, each is one trial, but for the one that changes nothing.
    """
    n_queries, n_runs = len(pairs.queries), len(pairs.runs)
    largest_sum = _statistic(pairs) if values is None else _of_values(values)
    if are_all := _are_all(n_runs, n_queries, trials):
        trials = math.factorial(n_runs) ** n_queries
    size = max(FEW, min(BLOCK, CELLS // (n_runs * max(n_runs, n_queries))))
    starts = range(0, trials, size)
    children = np.random.SeedSequence(seed).spawn(len(starts))

    def block(number: int) -> np.ndarray:
        some = np.arange(starts[number], min(starts[number] + size, trials))
        if are_all:
            return largest_sum(_every(n_runs, n_queries, some))
        return largest_sum(_drawn(n_runs, n_queries, len(some), children[number]))

    largest = np.concatenate([*in_threads(block, range(len(starts)), label)]) / n_queries
    if are_all:
        observed = np.abs(pairs.values.mean(axis=0)).max()
        largest = np.delete(largest, np.argmin(np.abs(largest - observed)))
    return np.sort(largest)


# --- Permutations -------------------------------------------------------------------------------


def _are_all(n_runs: int, n_queries: int, trials: int) -> bool:
    """Tell whether all permutations are no more than ``trials`` + 1."""
    may_be = n_queries * math.lgamma(n_runs + 1) < math.log(trials + 1) + 1  # the power may be huge
    return may_be and math.factorial(n_runs) ** n_queries <= trials + 1


def _every(n_runs: int, n_queries: int, some: np.ndarray) -> Iterator[np.ndarray]:
    """Give some of all permutations; the digits of a trial's number say which of each request."""
    of_one = np.array([*permutations(range(n_runs))])
    for query in range(n_queries):
        yield of_one[some // len(of_one) ** query % len(of_one)]


def _drawn(
    n_runs: int, n_queries: int, trials: int, seed: np.random.SeedSequence
) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    in_place = np.tile(np.arange(n_runs), (trials, 1))
    for _ in range(n_queries):
        yield rng.permuted(in_place, axis=1)


# --- Statistics ---------------------------------------------------------------------------------


def _statistic(pairs: Pairs) -> Statistic:
    """Choose the fastest way to permute preferences, by looking at them."""
    total = total_preferences(pairs)
    values = total / len(pairs.runs)
    rounding = 4 * pairs.request_rounding[:, None]  # a difference, two values, and a tie
    if (np.abs(values[:, pairs.a] - values[:, pairs.b] - pairs.values) <= rounding).all():
        return _of_values(values)
    if (pairs.values == np.sign(total[:, pairs.a] - total[:, pairs.b])).all():
        return _of_ranks(total)
    return partial(_by_cells, np.stack([canonical(pairs.square(one)) for one in pairs.values]))


def tolerance(pairs: Pairs) -> float:
    """Give how much of the largest mean difference may be rounding, in any trial."""
    return float(pairs.request_rounding.mean())


def _of_values(values: np.ndarray) -> Statistic:
    return partial(_by_range, np.sort(values, axis=1))


def _by_range(values: np.ndarray, trials: Trials) -> np.ndarray:
    """Preferences v_a − v_b: the largest is that of the greatest sum over the smallest."""
    sums = sum(one.take(places) for one, places in zip(values, trials, strict=True))
    return np.asarray(np.ptp(sums, axis=1))


def _of_ranks(total: np.ndarray) -> Statistic:
    """Turn what signs are the signs of into dense ranks, in small integers."""
    dtype = np.uint8 if total.shape[1] <= 256 else np.uint16
    steps = np.diff(np.sort(total, axis=1), prepend=-np.inf) > 0
    return partial(_by_counts, (steps.cumsum(axis=1) - 1).astype(dtype))


def _by_counts(ranks: np.ndarray, trials: Trials) -> np.ndarray:
    """Preferences sgn(r_a − r_b): requests with r_a > r_b less those with r_a < r_b."""
    drawn = np.stack([one.take(places.T) for one, places in zip(ranks, trials, strict=True)])
    n_queries, n_runs, n_trials = drawn.shape  # comparisons run along the trials
    largest = np.zeros(n_trials, np.int64)
    for a in range(n_runs - 1):
        lead = np.zeros((n_runs - a - 1, n_trials), np.int64)
        for first in range(0, n_queries, SOME):
            run, others = np.split(drawn[first : first + SOME, a:], [1], axis=1)
            lead += _count(run > others)
            lead -= _count(run < others)
        np.maximum(largest, np.abs(lead).max(axis=0), out=largest)
    return largest


def _count(is_so: np.ndarray) -> np.ndarray:
    """Count over at most 255 requests."""
    return np.asarray(is_so.view(np.uint8).sum(axis=0, dtype=np.uint8))


def _by_cells(matrices: np.ndarray, trials: Trials) -> np.ndarray:
    """Any preferences: the cells of the permuted matrices, added up."""
    n_runs = matrices.shape[1]
    a, b = np.triu_indices(n_runs, k=1)
    sums = np.zeros((0, 0))
    for matrix, places in zip(matrices, trials, strict=True):
        if not sums.size:
            sums = np.zeros((len(places), len(a)))
        for first in range(0, len(places), FEW):
            some = places[first : first + FEW]
            cells = (some * n_runs).take(a, axis=1) + some.take(b, axis=1)
            sums[first : first + FEW] += matrix.ravel().take(cells, mode="clip")
    return np.asarray(np.abs(sums).max(axis=1))
