"""Random requests, signs and halves, which depend on the seed alone, not on the number of threads.

Requests are drawn once for all pairs of runs and all measures, so that results for different pairs
rest on the same samples. A sample is a row of counts (how often each request was drawn), so the
sums over all samples are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lexiframe.core.base.errors import LexiframeError, shown
from lexiframe.core.base.memory_use import refuse_more_than_available
from lexiframe.core.base.sums.tolerance import TIE


def drawn_requests(n: int, samples: int, seed: int, *, size: int | None = None) -> np.ndarray:
    """Count how often each request is drawn with replacement: samples × n.

    Each sample draws n requests, or ``size``. Where samples are looked at one after the other
    `drawn_blocks` takes less memory.
    """
    refuse_many(samples, n, "samples")
    counts, first = np.empty((samples, n)), 0
    for block in drawn_blocks(n, samples, seed, size=size):
        counts[first : first + len(block)] = block
        first += len(block)
    return counts


def drawn_blocks(
    n: int, samples: int, seed: int, *, size: int | None = None, rows: int | None = None
) -> Iterator[np.ndarray]:
    """Yield the samples of `drawn_requests` in blocks; only one block has to be in memory.

    A block has ``rows`` samples (by default `rows_at_once`); the last may have fewer.
    """
    rng, chances = np.random.default_rng(seed), np.full(n, 1 / n)
    rows = rows_at_once(n) if rows is None else rows
    for first in range(0, samples, rows):
        # Draws with replacement are counted by a multinomial distribution: no draw is stored.
        drawn = rng.multinomial(
            n if size is None else size, chances, size=min(rows, samples - first)
        )
        yield drawn.astype(np.float64)


def drawn_in_strata(stratum: np.ndarray, samples: int, seed: int) -> Iterator[np.ndarray]:
    """Yield blocks of samples × units: each unit's stratum, 0, 1 …, is drawn with replacement.

    Stratum s is drawn with the seed ``seed`` + s.
    """
    rows = rows_at_once(len(stratum))
    of_strata = [
        drawn_blocks(int(n), samples, seed + s, rows=rows)
        for s, n in enumerate(np.bincount(stratum))
    ]
    for blocks in zip(*of_strata, strict=True):
        counts = np.empty((len(blocks[0]), len(stratum)))
        for s, block in enumerate(blocks):
            counts[:, stratum == s] = block
        yield counts


@dataclass(frozen=True)
class Samples:
    """The samples of `drawn_requests`, which can be looked at several times, in blocks.

    Few are drawn once and kept; more than memory should hold are drawn anew each time.
    """

    n: int
    samples: int
    seed: int
    rows: int

    def __len__(self) -> int:
        """Return the number of blocks."""
        return -(-self.samples // self.rows)

    def __iter__(self) -> Iterator[np.ndarray]:
        if self.n * self.samples > _NUMBERS:
            return drawn_blocks(self.n, self.samples, self.seed, rows=self.rows)
        starts = range(0, self.samples, self.rows)
        return (self._kept[start : start + self.rows] for start in starts)

    @cached_property
    def _kept(self) -> np.ndarray:
        return drawn_requests(self.n, self.samples, self.seed)


ROWS = 200
"""The number of trials at once: as many rows of means stay in the processor's cache."""
_NUMBERS = 2**23
"""The drawn numbers in a block of trials of very many requests."""


def rows_at_once(n: int, most: int = ROWS) -> int:
    """Return the number of trials of n requests in a block: ``most``, or fewer of many requests.

    It is a multiple of 4, so that blocks have no influence on the draws of `flips`.
    """
    return max(4, min(most, _NUMBERS // max(n, 1)) // 4 * 4)


def signs(n: int, trials: int, seed: int) -> np.ndarray:
    """Draw n random signs ``trials`` times, or enumerate all 2^n choices if they are few enough.

    The result is trials × n, of 1 and −1: see `flips`.

    Examples
    --------
    >>> signs(2, trials=5, seed=0).tolist()
    [[-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    refuse_many(n_flips(n, trials), n, "trials")
    return 1.0 - 2.0 * np.concatenate([*flips(n, trials, seed)])


def n_flips(n: int, trials: int) -> int:
    """Return how many choices of n signs `flips` yields."""
    return 2**n - 1 if are_enumerated(n, trials) else trials


def are_enumerated(n: int, trials: int) -> bool:
    """Return whether `flips` yields all choices of signs but the observed one."""
    return n < 40 and 2**n <= trials + 1  # 2^n of many requests has thousands of digits


_FLIPS = 4000
"""The number of trials in a block of `flips`, unless there are very many requests."""


def flips(n: int, trials: int, seed: int) -> Iterator[np.ndarray]:
    """Yield which of n signs are turned, 1 or 0, in blocks of many trials × n.

    An enumeration leaves out the row without a 1, which is the observation itself: p = (1 + count)
    / (1 + trials) counts it already, so p is then exact.

    Examples
    --------
    >>> [block.tolist() for block in flips(2, trials=5, seed=0)]
    [[[1, 0], [0, 1], [1, 1]]]
    """
    total, are_all = n_flips(n, trials), are_enumerated(n, trials)
    rng, rows = np.random.default_rng(seed), rows_at_once(n, _FLIPS)
    for first in range(0, total, rows):
        size = min(rows, total - first)
        if are_all:
            number = np.arange(first + 1, first + size + 1)
            yield ((number[:, None] >> np.arange(n)) & 1).astype(np.int8)
        else:
            yield rng.integers(0, 2, (size, n), np.int8)


_MOST = 2**53  # a larger integer may have no exact float, and Python may refuse to print it
_BYTES_DRAWN = 16
"""For each request or sign that is drawn: an integer and a float of 8 bytes each."""


def refuse_many(times: int, n: int, name: str) -> None:
    """Raise when the drawn numbers need more memory than is available."""
    what = f"{times:,} {name}" + f" of {n:,} requests" * (n > 1)
    refuse_more_than_available(times * n * _BYTES_DRAWN, what, f"take fewer {name}")


def halves(
    n: int, splits: int, seed: int, *, block: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Split n requests at random into two disjoint halves, up to ``block`` splits at once.

    Each half is an array, splits × n, with 1 where the request is in that half and else 0. It has
    ⌊n/2⌋ requests; if n is odd, one request is in neither half. ``block`` has an influence on
    memory only, not on the splits.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, splits, block):
        # The order of random numbers is a random permutation of the requests.
        order = rng.random((min(block, splits - start), n)).argsort(axis=1)
        yield (order < n // 2).astype(np.float64), (order >= n - n // 2).astype(np.float64)


def symmetric_interval(
    estimate: float | None, values: np.ndarray, alpha: float, bounds: tuple[float, float]
) -> tuple[float | None, float | None]:
    """Return the estimate ± twice the 1 − α quantile of the values' distances, within bounds.

    NaN values are left out; None if all are, if there is no estimate, or if the interval would have
    no width, as samples that all agree do not show that it is certain. It is the interval of Hall,
    "On symmetric bootstrap confidence intervals", JRSS B 50 (1988), but twice as wide: τ and other
    numbers of orders are farther from their values for the true means than samples are from them,
    and simulations say that twice the width is enough.

    Examples
    --------
    >>> symmetric_interval(0.75, np.array([0.75, 0.5, 0.25, np.nan]), 0.5, (-1, 1))
    (0.25, 1.0)
    """
    known = values[~np.isnan(values)]
    if estimate is None or np.isnan(estimate) or not len(known):
        return None, None
    half = 2 * float(np.quantile(np.abs(known - estimate), 1 - alpha))
    if half <= TIE:
        return None, None
    return float(max(bounds[0], estimate - half)), float(min(bounds[1], estimate + half))


def check_draws(function: str, name: str, number: Any, seed: Any) -> None:
    """Raise unless the number of trials or samples, called ``name``, and the seed can be used.

    Each trial or sample yields at least one number, so more of them than memory holds are refused.
    """
    for what, value, least in ((name, number, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise LexiframeError(
                f"{function}: expected {what} to be a whole number from {least}, "
                f"found {shown(value)}"
            )
    if number >= _MOST:
        raise LexiframeError(f"{function}: expected fewer {name}, found {shown(number)}")
    refuse_many(int(number), 1, name)


def check_share(function: str, name: str, value: float) -> None:
    """Raise unless an argument (a level or a power) lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise LexiframeError(f"{function}: expected {name} between 0 and 1, found {value}")
