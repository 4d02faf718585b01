"""The difference of a metric between two runs, as a preference."""

from __future__ import annotations

import numpy as np

from lexiframe.measures.ties import TIE


def differences(values: np.ndarray) -> np.ndarray:
    """Give μ(π) − μ(π′) for every pair of runs: runs × runs; 1e-12 and less is a tie, exactly 0.

    Examples
    --------
    >>> differences(np.array([0.5, 0.25])).tolist()
    [[0.0, 0.25], [-0.25, 0.0]]
    """
    delta = values[:, None] - values[None, :]
    return np.where(np.abs(delta) <= TIE, 0.0, delta)
