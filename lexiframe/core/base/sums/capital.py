"""The capital of bets on values from 0 to 1, and the interval of a mean that follows from it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

CAUTION = 0.9
"""c: a bet risks at most this share of the capital."""
GRID = 1000
"""The ends of an interval are multiples of 1 / GRID."""
_CELLS = 2**16
"""The number of cells (columns × hypotheses) at once."""
_MOST = 5000
"""Of more equal values only so many are bet on: their interval is as narrow as the grid allows."""


def log_capital(
    y: np.ndarray, null: np.ndarray, level: float, planned: int | None = None
) -> np.ndarray:
    """Return ln of the capital after each bet on the mean of y being above ``null``.

    ``y`` are values from 0 to 1 in the order of the bets, requests × columns; ``null`` is m₀ > 0 of
    each column, or hypotheses × 1; ``level`` ℓ ends the bets at a capital of 1/ℓ; ``planned`` is n,
    the number of bets (None: all values). Returns the greatest ln of the capital so far, 0 or more.
    K_t = Π (1 + λ_i (y_i − m₀)), λ_i = min(c/m₀, √(2 ln⁺(1/(ℓ K_{i−1})) / ((n − i + 1) v_{i−1}))),
    v_{i−1} = (¼ + Σ_{j<i} (y_j − μ_j)²)/i, μ_j = (½ + Σ_{l≤j} y_l)/(j + 1): STaR bets (Voráček &
    Orabona, NeurIPS 2025, arXiv:2505.22422) with the variance of Waudby-Smith & Ramdas, JRSS B
    2024, doi:10.1093/jrsssb/qkad009. Each bet knows the values before it only.
    """
    best = np.zeros(np.broadcast_shapes(null.shape, y.shape[1:]))  # without a bet
    for capital in log_capitals(y, null, level, planned or len(y)):
        best = capital
    return np.asarray(best)


def log_capitals(
    y: np.ndarray, null: np.ndarray, level: float, planned: int
) -> Iterator[np.ndarray]:
    """Yield the greatest ln of the capital so far after each bet (see `log_capital`)."""
    n = len(y)
    i = np.arange(1, n + 1)[:, None]
    squares = np.cumsum((y - (0.5 + np.cumsum(y, axis=0)) / (i + 1)) ** 2, axis=0)
    variance = (0.25 + np.concatenate([np.zeros((1, y.shape[1])), squares[:-1]])) / i
    goal, most = np.log(1 / level), CAUTION / null
    best = capital = np.zeros(np.broadcast_shapes(null.shape, y.shape[1:]))
    for value, spread, left in zip(y, variance, range(planned, planned - n, -1), strict=True):
        bet = np.minimum(most, np.sqrt(2 * np.maximum(goal - capital, 0) / (left * spread)))
        capital = capital + np.log1p(bet * (value - null))
        best = np.maximum(best, capital)
        yield best


def interval(
    y: np.ndarray, tail: float, planned: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends, from 0 to 1, of the interval of the mean of each column of y.

    It has the multiples of 1/1000 that bets on neither side reject at ``tail``, and one more at
    each end.

    Examples
    --------
    >>> low, high = interval(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), 0.025)
    >>> low.tolist(), high.tolist()
    ([0.372, 0.0], [1.0, 1.0])
    """
    low, high = (_least_not_rejected(side, tail, planned) - 1 for side in (y, 1 - y))
    return low / GRID, 1 - high / GRID


def _least_not_rejected(y: np.ndarray, tail: float, planned: int | None) -> np.ndarray:
    """Return for each column the least multiple of 1/1000, as a whole number, not rejected.

    Bets that the mean is greater reject all smaller multiples and none that is larger: bisection.
    """
    low, high = np.zeros(y.shape[1], int), np.full(y.shape[1], GRID)  # rejected, not rejected
    n_probes = min(max(_CELLS // max(y.shape[1], 1), 1), 31)
    place = np.arange(1, n_probes + 1)[:, None]
    while len(low) and (high - low).max() > 1:
        probes = low + np.maximum((high - low) * place // (n_probes + 1), 1)
        probes = np.minimum(probes, high)  # of narrow ranges, whose upper end is known
        is_rejected = np.exp(-log_capital(y, probes / GRID, tail, planned)) < tail
        is_rejected &= probes < high
        low = np.where(is_rejected, probes, low).max(axis=0)
        high = np.where(is_rejected, high, probes).min(axis=0)
    return high
