"""Random requests and signs, from a seed: the same whatever the number of threads.

Requests are drawn once for all pairs of runs and all measures, so that what is computed from them
can be compared; a sum over drawn requests is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiframe.errors import LexiframeError


def drawn_requests(n: int, samples: int, seed: int, *, size: int | None = None) -> np.ndarray:
    """Draw n requests (or ``size``) of n with replacement, ``samples`` times.

    Returns
    -------
    numpy.ndarray
        samples × n: how often each request was drawn.

    Examples
    --------
    >>> drawn_requests(3, samples=2, seed=0).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n if size is None else size, np.full(n, 1 / n), size=samples)
    return counts.astype(np.float64)


def signs(n: int, trials: int, seed: int) -> np.ndarray:
    """Draw n signs ``trials`` times; all 2^n of them, each once, when they are no more.

    Returns
    -------
    numpy.ndarray
        trials × n, of 1 and −1; without the trial that changes nothing, if they are all.

    Examples
    --------
    >>> signs(2, trials=5, seed=0).tolist()
    [[-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    if n < 40 and 2**n <= trials + 1:
        flipped = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    else:
        flipped = np.random.default_rng(seed).integers(0, 2, (trials, n), np.int8)
    return 1.0 - 2.0 * flipped


def halves(
    n: int, splits: int, seed: int, *, block: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Split n requests at random into two disjoint halves, ``splits`` times, ``block`` at once.

    Yields
    ------
    first, second
        Splits × n, of 0 and 1: the requests of each half. Both have ⌊n/2⌋; of an odd number one
        request is in neither. The size of the blocks changes nothing but memory.

    Examples
    --------
    >>> first, second = next(halves(5, splits=2, seed=0, block=2))
    >>> first.sum(axis=1).tolist(), second.sum(axis=1).tolist(), (first * second).any()
    ([2.0, 2.0], [2.0, 2.0], np.False_)
    """
    rng = np.random.default_rng(seed)
    for start in range(0, splits, block):
        order = rng.random((min(block, splits - start), n)).argsort(axis=1)
        yield (order < n // 2).astype(np.float64), (order >= n - n // 2).astype(np.float64)


def percentiles(values: np.ndarray, alpha: float) -> tuple[float | None, float | None]:
    """Give the α/2 and 1 − α/2 quantiles of the values that are numbers.

    Examples
    --------
    >>> percentiles(np.array([0.0, 1.0, np.nan]), alpha=0.5)
    (0.25, 0.75)
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def check_draws(called: str, name: str, number: object, seed: object) -> None:
    """Raise unless ``number`` of trials or samples, called ``name``, and the seed can be used."""
    asked: tuple[tuple[str, object, int], ...] = ((name, number, 1), ("seed", seed, 0))
    for what, value, least in asked:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise LexiframeError(
                f"{called}: expected {what} to be a whole number from {least}, found {value!r}"
            )


def check_share(called: str, name: str, value: float) -> None:
    """Raise unless an argument, a level or a power, lies between 0 and 1."""
    if not 0 < value < 1:
        raise LexiframeError(f"{called}: expected {name} between 0 and 1, found {value}")
