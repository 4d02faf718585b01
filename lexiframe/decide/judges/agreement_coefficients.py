"""Coefficients of agreement between two judges beyond chance: Cohen's κ, Krippendorff's α.

Each is 1 − D_o / D_e: the disagreement that was observed, over the one that is expected when the
judges' grades have nothing to do with each other. It is NaN where D_e is 0: both judges then gave
all items the same grade.
"""

from __future__ import annotations

import numpy as np


def kappa(i: np.ndarray, j: np.ndarray) -> float:
    """κ = 1 − D_o / D_e with D = the share of unequal grades (Cohen 1960)."""
    p_i, p_j = _grade_shares(i, j)
    return _beyond_chance(float((i != j).mean()), 1 - float(p_i @ p_j))


def kappa_linear(i: np.ndarray, j: np.ndarray) -> float:
    """κ = 1 − D_o / D_e with D = the mean of |i − j|, for grades numbered in their order.

    E |i − j| of independent i and j is Σ_t P(i ≤ t < j) + P(j ≤ t < i).
    """
    up_to_i, up_to_j = (p.cumsum() for p in _grade_shares(i, j))
    expected = up_to_i @ (1 - up_to_j) + up_to_j @ (1 - up_to_i)
    return _beyond_chance(float(np.abs(i - j).mean()), float(expected))


def kappa_quadratic(i: np.ndarray, j: np.ndarray) -> float:
    """κ = 1 − D_o / D_e with D = the mean of (i − j)², for grades numbered in their order.

    E (i − j)² of independent i and j is Var i + Var j + (E i − E j)².
    """
    expected = i.var() + j.var() + (i.mean() - j.mean()) ** 2
    return _beyond_chance(float(((i - j) ** 2).mean()), float(expected))


def alpha_ordinal(i: np.ndarray, j: np.ndarray) -> float:
    """α = 1 − D_o / D_e with D = the mean of δ²; δ = the distance of mid-ranks (ordinal data).

    Krippendorff's δ(c, k) = Σ_{g=c..k} n_g − (n_c + n_k)/2, where n_g counts the grades g of both
    judges together, is the distance between the mid-ranks of c and k. Over all pairs of the N
    grades, each with another one, the mean of δ² is twice their variance with N − 1.

    Examples
    --------
    >>> round(alpha_ordinal(np.array([0, 1, 2, 2]), np.array([0, 2, 1, 2])), 4)
    0.5625
    """
    counts = np.bincount(np.concatenate([i, j]))
    rank = counts.cumsum() - counts / 2
    expected = 2 * np.concatenate([rank[i], rank[j]]).var(ddof=1)
    return _beyond_chance(float(((rank[i] - rank[j]) ** 2).mean()), float(expected))


def alpha_of(coincidences: np.ndarray, kind: str) -> np.ndarray:
    """Krippendorff's α of coincidences of -1, 0, 1: … × 3 × 3, each pair of values both ways.

    α = 1 − (n − 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck; δ is 1 for unequal values (nominal), or the
    distance of their mid-ranks (ordinal). NaN where all values are the same.

    Examples
    --------
    >>> alpha_of(np.array([[2.0, 0, 1], [0, 0, 0], [1, 0, 2]]), "nominal").round(3).item()
    0.444
    """
    counts = coincidences.sum(axis=-1)
    rank = counts.cumsum(axis=-1) - counts / 2
    delta = (rank[..., :, None] - rank[..., None, :]) ** 2
    if kind == "nominal":
        delta = 1.0 * (np.eye(3) == 0)
    together = counts[..., :, None] * counts[..., None, :]
    expected = (together * delta).sum(axis=(-2, -1)) / (counts.sum(axis=-1) - 1)
    return beyond_chance((coincidences * delta).sum(axis=(-2, -1)), expected)


def beyond_chance(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return 1 − D_o/D_e of many at once; NaN where D_e is 0."""
    known = np.where(expected > 0, expected, np.nan)
    return np.asarray(1 - observed / known)


def _grade_shares(i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which share of each judge's grades is which."""
    n = 1 + max(i.max(), j.max())
    return np.bincount(i, minlength=n) / len(i), np.bincount(j, minlength=n) / len(j)


def _beyond_chance(observed: float, expected: float) -> float:
    return 1 - observed / expected if expected > 0 else np.nan
