"""The power of the paired t-test by simulation: on requests drawn from the observed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from lexiframe.base import progress, resampling
from lexiframe.pairwise import Pairs
from lexiframe.significance.differences import alike

AT_ONCE = 2**20
"""The number of cells (samples × pairs of runs) tested at once: an array of them takes 8 MB."""

SIZES = [2]
"""The sizes of samples that are tried: they rise by 1, later by 7 %."""
while SIZES[-1] < 100_000:
    SIZES.append(min(100_000, max(SIZES[-1] + 1, SIZES[-1] * 107 // 100)))


_EQUAL = 1e-13
"""A variance that is no more than this share of the mean square is one of rounding alone."""

Room = Callable[[np.ndarray], np.ndarray]
"""From mean differences to how far they are on the side of a limit where a test may reject."""


def simulated_size(
    pairs: Pairs,
    power: float,
    alpha: float,
    samples: int,
    seed: int,
    room: Room = np.abs,
    *,
    with_margin: bool = False,
) -> np.ndarray:
    """Find for each pair the least of `SIZES` at which enough samples are significant.

    The t-test asks whether ``room`` of the mean difference is above 0: by default whether there is
    a difference, in either direction, so that ``alpha`` is the level of both sides. ``with_margin``
    says that samples of equal differences do not reject. The result is 0 for a pair that no size is
    enough for, or whose room is a tie.
    """
    required = np.zeros(len(pairs.a), np.int64)
    rounding = pairs.mean_rounding
    rejects = partial(_rejects, alpha=alpha, room=room, with_margin=with_margin)
    for pair, complete in _complete(pairs.values):
        rough = rounding[pair]
        left = np.flatnonzero(room(complete.mean(axis=0)) > rough)
        for size in progress(SIZES, len(SIZES), "simulating requests"):
            share = _significant(complete[:, left], rough[left], size, rejects, samples, seed)
            required[pair[left[share >= power]]] = size
            left = left[share < power]
            if not len(left):
                break
    return required


def simulated_power(
    pairs: Pairs,
    sizes: np.ndarray | None,
    alpha: float,
    samples: int,
    seed: int,
    room: Room = np.abs,
    *,
    with_margin: bool = False,
) -> np.ndarray:
    """Return the share of significant samples, pairs × sizes; NaN for a pair with one request.

    If ``sizes`` is None, there is one size: the number of requests that the pair has. The other
    arguments are as in `simulated_size`.
    """
    rejects = partial(_rejects, alpha=alpha, room=room, with_margin=with_margin)
    shares = np.full((len(pairs.a), 1 if sizes is None else len(sizes)), np.nan)
    rounding = pairs.mean_rounding
    for pair, complete in _complete(pairs.values):
        tried = [len(complete)] if sizes is None else sizes.tolist()
        for k, size in enumerate(progress(tried, len(tried), "simulating requests")):
            share = _significant(complete, rounding[pair], size, rejects, samples, seed)
            shares[pair, k] = share
    return shares


def _complete(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield pairs, those with the same requests together, with their values for these requests.

    Pairs with one request are left out: nothing can be estimated from it.
    """
    for pair, requests in alike(~np.isnan(values)):
        if len(requests) > 1:
            yield pair, values[np.ix_(requests, pair)]


def _significant(
    values: np.ndarray,
    rounding: np.ndarray,
    size: int,
    rejects: Callable[..., np.ndarray],
    samples: int,
    seed: int,
) -> np.ndarray:
    """Draw samples of requests; return for each pair the share of them whose t-test rejects."""
    counts = resampling.drawn_requests(len(values), samples, seed, size=size) / size
    block = max(1, AT_ONCE // samples)
    shares = []
    for start in range(0, values.shape[1], block):
        some = np.s_[start : start + block]
        share = rejects(counts, values[:, some], rounding[some], size).mean(axis=0)
        shares.append(share)
    return np.concatenate([np.empty(0), *shares])


def _rejects(
    weights: np.ndarray,
    values: np.ndarray,
    rounding: np.ndarray,
    size: int,
    alpha: float,
    room: Room,
    with_margin: bool,
) -> np.ndarray:
    """Return where t > t_{1−α/2, n−1}, with t² = n · room² / variance, without a division.

    If the variance is 0 any room above 0 rejects; with a margin none does, because equal
    differences decide nothing there. Rounding may make it slightly more or less than 0, which is
    too little to matter.
    """
    from scipy.stats import t

    mean, square = weights @ values, weights @ values**2
    variance = (square - mean**2) * (size / (size - 1))
    above = room(mean)
    above[above <= rounding] = 0.0
    if with_margin:
        above[variance <= _EQUAL * square] = 0.0
    return np.asarray(size * above**2 > t.isf(alpha / 2, size - 1) ** 2 * variance)
