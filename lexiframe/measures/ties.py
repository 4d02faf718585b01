"""How small a difference is none."""

from __future__ import annotations

import numpy as np

TIE = 1e-12
"""A difference as small as this is rounding: a tie. Of values above 1 it is a share of them."""

SHARP = 2.0**-46
"""The same for sums of values that are right to the last bit, as search lengths are (1.4e-14)."""


def difference(a: np.ndarray, b: np.ndarray, tolerance: float = TIE) -> np.ndarray:
    """Return a − b, exactly 0 where |a − b| ≤ tolerance · max(1, |a|, |b|); equal infinities tie.

    Examples
    --------
    >>> difference(np.array([0.1 + 0.2, 1e6 + 0.1]), np.array([0.3, 1e6])).round(6).tolist()
    [0.0, 0.1]
    >>> difference(np.array([np.inf, 1e15 + 1]), np.array([np.inf, 1e15])).tolist()
    [0.0, 0.0]
    """
    with np.errstate(invalid="ignore"):
        delta = a - b
        size = np.maximum(np.maximum(np.abs(a), np.abs(b)), 1.0)
        is_tie = (np.abs(delta) <= tolerance * size) & np.isfinite(size)
    return np.where(is_tie | (a == b), 0.0, delta)


def within(bounds: str, values: np.ndarray) -> np.ndarray:
    """Give the bound in place of a value that only rounding put beyond it.

    Parameters
    ----------
    bounds
        As metrics say them; only ``"0 to 1"`` bounds anything, with whatever is said behind it: a
        greedy ideal is beaten by more than rounding.
    values
        Values of the metric.

    Examples
    --------
    >>> within("0 to 1", np.array([-1e-16, 0.5, 1.0000000000000002, 1.1])).tolist()
    [0.0, 0.5, 1.0, 1.1]
    """
    if not bounds.startswith("0 to 1"):
        return values
    inside = np.clip(values, 0, 1)
    return np.where(np.abs(values - inside) <= TIE, inside, values)
