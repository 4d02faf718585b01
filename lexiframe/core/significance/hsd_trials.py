"""The trials of the randomized HSD: run labels are permuted independently within each request.

Before that, the runs of each request are put into an order that does not depend on their names;
then the trials of a seed do not depend on the names either. This is valid because requests are
permuted independently.

There are three ways to compute the largest |mean difference| of a trial. If the preferences are
differences of values, it is the range of the runs' sums. If they are signs of such differences, the
requests in which a run is ahead are counted, minus those in which the other is. For any other
preferences, whole matrices are permuted and added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations

import numpy as np

from lexiframe.core.base import in_threads
from lexiframe.core.pairwise import Pairs

BLOCK = 512
"""The largest number of trials drawn at once; fewer if there are many runs and requests."""
CELLS = 2**25
"""The number of cells (trials × runs × runs or requests) that a block may have."""
FEW = 8
"""How many trials are added up at once when matrices are permuted: they stay in the cache."""
SOME = 16
"""The number of requests counted at once: counts must fit into a byte, arrays into the cache."""

Trials = Iterable[np.ndarray]
"""For each request the permutations of its runs: trials × runs."""
Statistic = Callable[[Trials], np.ndarray]
"""From trials to the largest |sum over requests| of permuted preferences in each trial."""


def largest_differences(
    pairs: Pairs, values: np.ndarray | None, trials: int, seed: int, label: str
) -> np.ndarray:
    """Return the largest |mean difference| over all pairs of runs in each trial, ascending.

    No difference may be missing. ``values``, requests × runs, are the scores, if the differences
    come from scores. If there are at most ``trials`` + 1 permutations, each is one trial, but for
    the identity, because the p-value counts the observed data as one permutation already.
    """
    n_queries, n_runs = len(pairs.queries), len(pairs.runs)
    largest_sum = _statistic(pairs) if values is None else _range_statistic(values)
    if are_all := _are_all(n_runs, n_queries, trials):
        trials = math.factorial(n_runs) ** n_queries
    size = max(FEW, min(BLOCK, CELLS // (n_runs * max(n_runs, n_queries))))
    starts = range(0, trials, size)
    # Each block has a seed of its own, so that the number of threads changes nothing.
    children = np.random.SeedSequence(seed).spawn(len(starts))

    def block(number: int) -> np.ndarray:
        some = np.arange(starts[number], min(starts[number] + size, trials))
        if are_all:
            return largest_sum(_every(n_runs, n_queries, some))
        return largest_sum(_draw_permutations(n_runs, n_queries, len(some), children[number]))

    largest = np.concatenate([*in_threads(block, range(len(starts)), label)]) / n_queries
    if are_all:
        # One of them changes nothing: drop a trial with the observed value.
        observed = np.abs(pairs.values.mean(axis=0)).max()
        largest = np.delete(largest, np.argmin(np.abs(largest - observed)))
    return np.sort(largest)


# --- Permutations -------------------------------------------------------------------------------


def _are_all(n_runs: int, n_queries: int, trials: int) -> bool:
    """Return whether there are at most ``trials`` + 1 permutations of all requests together."""
    # Logarithms first, because the power may have millions of digits.
    may_be = n_queries * math.lgamma(n_runs + 1) < math.log(trials + 1) + 1
    return may_be and math.factorial(n_runs) ** n_queries <= trials + 1


def _every(n_runs: int, n_queries: int, some: np.ndarray) -> Iterator[np.ndarray]:
    """Yield for each request its permutations in some trials.

    The number of a trial, written to base n_runs!, has a digit for each request, which chooses the
    permutation of that request.
    """
    of_one = np.array([*permutations(range(n_runs))])
    for query in range(n_queries):
        yield of_one[some // len(of_one) ** query % len(of_one)]


def _draw_permutations(
    n_runs: int, n_queries: int, trials: int, seed: np.random.SeedSequence
) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    in_place = np.tile(np.arange(n_runs), (trials, 1))
    for _ in range(n_queries):
        yield rng.permuted(in_place, axis=1)


# --- Statistics ---------------------------------------------------------------------------------


def _statistic(pairs: Pairs) -> Statistic:
    """Return the fastest way to permute these preferences."""
    total = pairs.totals
    values = total / len(pairs.runs)
    # Four roundings: of each value, of their difference, and of the preference itself.
    rounding = 4 * pairs.request_rounding[:, None]
    if (np.abs(values[:, pairs.a] - values[:, pairs.b] - pairs.values) <= rounding).all():
        return _range_statistic(values)
    if (pairs.values == np.sign(total[:, pairs.a] - total[:, pairs.b])).all():
        return _rank_statistic(total)
    return partial(
        _greatest_cell_sum, np.stack([canonical(pairs.square(one)) for one in pairs.values])
    )


def tolerance(pairs: Pairs) -> float:
    """Return the bound of the rounding error of a largest mean difference."""
    return float(pairs.request_rounding.mean())


def _range_statistic(values: np.ndarray) -> Statistic:
    return partial(_greatest_range, np.sort(values, axis=1))


def _greatest_range(values: np.ndarray, trials: Trials) -> np.ndarray:
    """For preferences v_a − v_b, return the greatest sum of v minus the smallest."""
    sums = sum(one.take(places) for one, places in zip(values, trials, strict=True))
    return np.asarray(np.ptp(sums, axis=1))


def _rank_statistic(total: np.ndarray) -> Statistic:
    """Replace values by dense ranks in small integers, since only their order counts."""
    dtype = np.uint8 if total.shape[1] <= 256 else np.uint16
    steps = np.diff(np.sort(total, axis=1), prepend=-np.inf) > 0
    return partial(_greatest_count, (steps.cumsum(axis=1) - 1).astype(dtype))


def _greatest_count(ranks: np.ndarray, trials: Trials) -> np.ndarray:
    """Return per trial the largest |#(r_a > r_b) − #(r_a < r_b)| over pairs, for sgn(r_a − r_b)."""
    drawn = np.stack([one.take(places.T) for one, places in zip(ranks, trials, strict=True)])
    n_queries, n_runs, n_trials = drawn.shape  # trials last: they are compared in vectors
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
    """Count the true cells over at most 255 requests."""
    return np.asarray(is_so.view(np.uint8).sum(axis=0, dtype=np.uint8))


def _greatest_cell_sum(matrices: np.ndarray, trials: Trials) -> np.ndarray:
    """For any preferences, add up the cells of the permuted matrices."""
    n_runs = matrices.shape[1]
    a, b = np.triu_indices(n_runs, k=1)
    sums = np.zeros((0, 0))
    for matrix, places in zip(matrices, trials, strict=True):
        if not sums.size:
            sums = np.zeros((len(places), len(a)))
        for first in range(0, len(places), FEW):
            some = places[first : first + FEW]
            # All indices are valid, so "clip" changes nothing but spares the check of bounds.
            cells = (some * n_runs).take(a, axis=1) + some.take(b, axis=1)
            sums[first : first + FEW] += matrix.ravel().take(cells, mode="clip")
    return np.asarray(np.abs(sums).max(axis=1))


def canonical(matrix: np.ndarray) -> np.ndarray:
    """Return a request's antisymmetric matrix with rows and columns in an order of its own.

    Runs are ordered by the sum of their row, then by its sorted cells. Where these are equal, runs
    with the same row may come in any order, and the runs of a cycle come in the order of the cycle.
    (For some cycles of eight or more runs within one request, the order may depend on the names.)
    """
    cells = np.sort(matrix, axis=1)
    keys = [*cells.T[::-1], cells.sum(axis=1)]  # lexsort sorts by the last key first
    order = np.lexsort(keys)
    if (cells[order[1:]] == cells[order[:-1]]).all(axis=1).any():
        order = np.lexsort([_colours(matrix), *keys])
    return np.ascontiguousarray(matrix[np.ix_(order, order)])


def _colours(matrix: np.ndarray) -> np.ndarray:
    """Number the runs by colour refinement, so that each has a number of its own."""
    cells = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape)
    colour = _refined(_twins(cells), cells)
    while colour.max() < len(colour) - 1:
        several = np.flatnonzero(np.bincount(colour)[colour] > 1)
        alike = several[colour[several] == colour[several].min()]
        # Doubled colours leave room for a new one: the run chosen comes just before those like it.
        apart = (2 * colour + (np.arange(len(colour)) != run) for run in alike)
        colour = min(
            (_refined(one, cells) for one in apart), key=lambda c: _describe_colouring(c, cells)
        )
    return colour


def _twins(cells: np.ndarray) -> np.ndarray:
    """Number the runs that have equal rows from 0, in any order: swapping them changes nothing."""
    same = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(same, kind="stable")
    first = np.searchsorted(same[order], same[order])
    number = np.empty(len(same), np.int64)
    number[order] = np.arange(len(same)) - first
    return number


def _refined(colour: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Split colours by the preferences over the runs of each colour until nothing changes."""
    n_colours = -1
    while colour.max() > n_colours:
        n_colours = colour.max()
        colour = np.unique(_signatures(colour, cells), axis=0, return_inverse=True)[1].ravel()
    return colour


def _signatures(colour: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return each run's colour, and its sorted pairs of a preference and the other run's colour."""
    # Colours are below 2 n, so each sum stands for one pair of a preference and a colour.
    return np.column_stack([colour, np.sort(cells * (2 * len(cells)) + colour, axis=1)])


def _describe_colouring(colour: np.ndarray, cells: np.ndarray) -> list[list[int]]:
    """Describe a colouring in a way that does not depend on the order of the runs."""
    signatures: list[list[int]] = _signatures(colour, cells).tolist()
    return sorted(signatures)
