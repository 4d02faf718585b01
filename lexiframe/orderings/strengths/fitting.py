"""Strengths of greatest likelihood, by Newton's method on counts of pairs.

Both models are concave in their parameters. Their only flat direction is the one in which all
strengths grow alike, which Σ β = 0 takes away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

MOST_STEPS = 100
ENOUGH = 1e-12
ROUNDING = 1e-13
"""A log-likelihood that falls by no more than this share of it may have fallen by rounding."""
EQUAL = 1e-9
"""Strengths that differ by less are equal: Newton's steps end at 1e-12."""


@dataclass(frozen=True)
class Counts:
    """Runs ``a`` and ``b`` of pairs, and how often a won, b won, and neither."""

    n_runs: int
    a: np.ndarray
    b: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    ties: np.ndarray

    def with_prior(self, prior: float) -> Counts:
        """Add a run with which each other was compared ``prior`` times, half of them won."""
        if not prior:
            return self
        runs, half = np.arange(self.n_runs), np.full(self.n_runs, prior / 2)
        new = np.full(self.n_runs, self.n_runs)
        parts = zip(
            (self.a, self.b, self.wins, self.losses, self.ties),
            (runs, new, half, half, np.zeros(self.n_runs)),
            strict=True,
        )
        return Counts(self.n_runs + 1, *(np.concatenate(two) for two in parts))

    def square(self, of_pairs: np.ndarray, turned: np.ndarray) -> np.ndarray:
        """Return runs × runs: ``of_pairs`` at (a, b), and ``turned`` at (b, a)."""
        s = self.n_runs
        there = np.bincount(self.a * s + self.b, of_pairs, s * s)
        back = np.bincount(self.b * s + self.a, turned, s * s)
        return (there + back).reshape(s, s)


@dataclass(frozen=True)
class Fit:
    """Strengths (Σ β = 0), log ν (NaN without ties in the model), and the log-likelihood."""

    beta: np.ndarray
    log_nu: float
    loglik: float
    bread: np.ndarray
    """The inverse of the information of (β, log ν), where β sum to 0: (runs + 1) × (runs + 1)."""

    @property
    def nu(self) -> float:
        """ν of Davidson's model: 0 where there are no ties in the model."""
        return 0.0 if np.isnan(self.log_nu) else float(np.exp(self.log_nu))


def fit(
    counts: Counts, *, davidson: bool = False, prior: float = 0.0, start: np.ndarray | None = None
) -> Fit:
    """Find the maximum, which must exist (`components`, `ties_are_bounded`)."""
    n = counts.n_runs
    whole = counts.with_prior(prior)
    davidson = davidson and bool(counts.ties.any())
    theta = np.zeros(whole.n_runs + 1)
    if start is not None:
        theta[:n] = start
    for _ in range(MOST_STEPS):
        value, gradient, information = _likelihood(whole, theta, davidson)
        step = np.linalg.solve(_invertible(information, davidson)[0], gradient)
        gain = gradient @ step
        if gain < ENOUGH**2 or np.abs(step).max() < ENOUGH:
            theta = theta + step
            break
        size, least = 1.0, value - ROUNDING * abs(value)  # near the maximum, a sum's last bits
        while size > 1e-6 and _value(whole, theta + size * step, davidson) < least:
            size /= 2
        theta = theta + size * step
    centre = np.eye(whole.n_runs + 1)[[*range(n), whole.n_runs]]
    centre[:n, :n] -= 1 / n
    theta, bread = centre @ theta, centre @ inverse_of(information, davidson) @ centre.T
    value = _value(counts, theta, davidson)  # of the judgments alone, without the prior's
    return Fit(theta[:n], float(theta[n]) if davidson else np.nan, value, bread)


def _invertible(information: np.ndarray, davidson: bool) -> tuple[np.ndarray, float]:
    """Return H + h J, which has an inverse, and h: J = 1/S everywhere, where β sum to 0.

    Where there is no ν, its corner is 1.
    """
    s = len(information) - 1
    h = float(np.trace(information[:s, :s]) / s)
    whole = information.copy()
    whole[:s, :s] += h / s
    if not davidson:
        whole[s, s] = 1.0
    return whole, h


def inverse_of(information: np.ndarray, davidson: bool) -> np.ndarray:
    """Invert H on the space where β sum to 0: (H + h J)⁻¹ − J/h, J = 1/S everywhere."""
    s = len(information) - 1
    whole, h = _invertible(information, davidson)
    inverse = np.asarray(np.linalg.inv(whole))
    inverse[:s, :s] -= 1 / (s * h)
    if not davidson:
        inverse[s, s] = 0.0
    return inverse


def probabilities(
    difference: np.ndarray, log_nu: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probabilities that a wins, that b wins, and of a tie (0 where log ν is NaN)."""
    if np.isnan(log_nu):
        return expit(difference), expit(-difference), np.zeros_like(difference)
    terms = np.stack([difference / 2, -difference / 2, np.full_like(difference, log_nu)])
    terms = np.exp(terms - terms.max(axis=0))
    a, b, tie = terms / terms.sum(axis=0)
    return a, b, tie


def _value(c: Counts, theta: np.ndarray, davidson: bool) -> float:
    difference = theta[c.a] - theta[c.b]
    if not davidson:
        half = c.ties / 2
        won, lost = (-np.logaddexp(0, -difference), -np.logaddexp(0, difference))
        return float((c.wins + half) @ won + (c.losses + half) @ lost)
    p_a, p_b, p_tie = probabilities(difference, theta[-1])
    return float((xlogy(c.wins, p_a) + xlogy(c.losses, p_b) + xlogy(c.ties, p_tie)).sum())


def _likelihood(
    c: Counts, theta: np.ndarray, davidson: bool
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the log-likelihood at (β, log ν), its gradient and its information."""
    n, difference = c.wins + c.losses + c.ties, theta[c.a] - theta[c.b]
    p_a, p_b, p_tie = probabilities(difference, theta[-1] if davidson else np.nan)
    if davidson:
        # d/d(difference) of log p is ±1/2, or 0 for a tie, minus its mean m.
        m = (p_a - p_b) / 2
        slope = (c.wins - c.losses) / 2 - n * m
        curve, cross = n * ((p_a + p_b) / 4 - m**2), -n * m * p_tie
    else:
        slope, curve, cross = c.wins + c.ties / 2 - n * p_a, n * p_a * p_b, np.zeros_like(n)
    size = len(theta)
    gradient, information = np.zeros(size), np.zeros((size, size))
    s = c.n_runs
    gradient[:s] = np.bincount(c.a, slope, s) - np.bincount(c.b, slope, s)
    information[:s, :s] = -c.square(curve, curve)
    np.fill_diagonal(information[:s, :s], -information[:s, :s].sum(axis=1))
    if davidson:
        gradient[s] = (c.ties - n * p_tie).sum()
        information[s, s] = (n * p_tie * (1 - p_tie)).sum()
        information[:s, s] = np.bincount(c.a, cross, s) - np.bincount(c.b, cross, s)
        information[s, :s] = information[:s, s]
    return _value(c, theta, davidson), gradient, information
