"""How small a difference is none."""

from __future__ import annotations

import numpy as np

TIE = 1e-12
"""A weighted preference or a difference of metrics as small as this is rounding: a tie."""


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
