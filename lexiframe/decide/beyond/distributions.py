"""Entropies of distributions, in bits: one distribution in each row."""

from __future__ import annotations

import numpy as np


def shares(weights: np.ndarray) -> np.ndarray:
    """Return each row divided by its sum; NaN where that is 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def entropy(p: np.ndarray) -> np.ndarray:
    """−Σ p log₂ p, where 0 log₂ 0 is 0."""
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    return np.asarray(np.maximum(-(p * logs).sum(axis=1), 0.0))


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The entropy of the mean of two distributions, less the mean of their entropies.

    Examples
    --------
    >>> jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).tolist()
    [1.0]
    """
    return np.asarray(np.maximum(entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2, 0.0))


def kullback_leibler(p: np.ndarray, q: np.ndarray, *, alpha: float) -> np.ndarray:
    """Σ p log₂(p / ((1 − α) q + α p)), where 0 log₂ 0 is 0."""
    ratio = np.divide(p, (1 - alpha) * q + alpha * p, out=np.ones_like(p), where=p > 0)
    return np.asarray(np.maximum((p * np.log2(ratio)).sum(axis=1), 0.0))
