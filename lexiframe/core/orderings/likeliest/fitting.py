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
    """Runs ``a`` and ``b`` of pairs, and how often a won, b won, and neither.

    ``x`` has a column for each covariate: by how much a's answer exceeds b's in it.
    """

    n_runs: int
    a: np.ndarray
    b: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    ties: np.ndarray
    x: np.ndarray | None = None

    @property
    def covariates(self) -> np.ndarray:
        """Return ``x``, without columns where there are no covariates."""
        return np.zeros((len(self.a), 0)) if self.x is None else self.x

    def differences(self, theta: np.ndarray) -> np.ndarray:
        """Return β_a − β_b + x γ for θ = (β, log ν, γ)."""
        difference = theta[self.a] - theta[self.b]
        if self.x is not None:
            difference = difference + self.x @ theta[self.n_runs + 1 :]
        return np.asarray(difference)

    def with_prior(self, prior: float) -> Counts:
        """Add a run with which each other was compared ``prior`` times, half of them won."""
        if not prior:
            return self
        runs, half = np.arange(self.n_runs), np.full(self.n_runs, prior / 2)
        new = np.full(self.n_runs, self.n_runs)
        parts = zip(
            (self.a, self.b, self.wins, self.losses, self.ties, self.covariates),
            (runs, new, half, half, 0.0 * runs, np.zeros((len(runs), self.covariates.shape[1]))),
            strict=True,
        )
        return Counts(self.n_runs + 1, *(np.concatenate(two) for two in parts))

    def run_sums(self, of_pairs: np.ndarray) -> np.ndarray:
        """Return for each run the sum over pairs in which it is a, minus the sum where it is b."""
        s = self.n_runs
        return np.asarray(np.bincount(self.a, of_pairs, s) - np.bincount(self.b, of_pairs, s))

    def square(self, of_pairs: np.ndarray, turned: np.ndarray) -> np.ndarray:
        """Return runs × runs: ``of_pairs`` at (a, b), and ``turned`` at (b, a)."""
        s = self.n_runs
        there = np.bincount(self.a * s + self.b, of_pairs, s * s)
        back = np.bincount(self.b * s + self.a, turned, s * s)
        return (there + back).reshape(s, s)


@dataclass(frozen=True)
class Fit:
    """Strengths (Σ β = 0), log ν (NaN without ties in the model), and the log-likelihood.

    ``gamma`` has the coefficients of covariates.
    """

    beta: np.ndarray
    log_nu: float
    gamma: np.ndarray
    loglik: float
    bread: np.ndarray
    """The inverse of the information of θ = (β, log ν, γ), where β sum to 0."""
    steps: int = 0
    """How many steps Newton's method took."""

    @property
    def theta(self) -> np.ndarray:
        """All parameters: β, log ν, γ."""
        return np.concatenate([self.beta, [self.log_nu], self.gamma])

    @property
    def nu(self) -> float:
        """ν of Davidson's model: 0 where there are no ties in the model."""
        return 0.0 if np.isnan(self.log_nu) else float(np.exp(self.log_nu))


def fit(
    counts: Counts, *, davidson: bool = False, prior: float = 0.0, start: np.ndarray | None = None
) -> Fit:
    """Find the maximum, which must exist (`components`, `ties_are_bounded`, `refuse_separated`).

    If it was not found, the inverse of the information is NaN, and all steps were taken.
    """
    n = counts.n_runs
    whole = counts.with_prior(prior)
    s, davidson = whole.n_runs, davidson and bool(counts.ties.any())
    theta = np.zeros(s + 1 + counts.covariates.shape[1])
    if start is not None:
        theta[:n] = start
    steps = 0
    while steps < MOST_STEPS:
        steps += 1
        value, gradient, information = _likelihood(whole, theta, davidson)
        try:
            step = np.linalg.solve(_invertible(information, s, davidson)[0], gradient)
        except np.linalg.LinAlgError:  # judgments that became certain say no more
            steps = MOST_STEPS
            break
        gain = gradient @ step
        if gain < ENOUGH**2 or np.abs(step).max() < ENOUGH:
            theta = theta + step
            break
        size, least = 1.0, value - ROUNDING * abs(value)  # near the maximum, a sum's last bits
        while size > 1e-6 and _log_likelihood(whole, theta + size * step, davidson) < least:
            size /= 2
        theta = theta + size * step
    centre = np.eye(len(theta))[[*range(n), *range(s, len(theta))]]
    centre[:n, :n] -= 1 / n
    inverse = np.full_like(information, np.nan)
    if steps < MOST_STEPS:
        inverse = inverse_of(information, s, davidson)
    theta, bread = centre @ theta, centre @ inverse @ centre.T
    value = _log_likelihood(counts, theta, davidson)  # of the judgments alone, without the prior's
    log_nu = float(theta[n]) if davidson else np.nan
    return Fit(theta[:n], log_nu, theta[n + 1 :], value, bread, steps)


def _invertible(information: np.ndarray, s: int, davidson: bool) -> tuple[np.ndarray, float]:
    """Return H + h J, which has an inverse, and h: J = 1/S everywhere, where β sum to 0.

    Without ν, its corner is 1.
    """
    h = float(np.trace(information[:s, :s]) / s)
    whole = information.copy()
    whole[:s, :s] += h / s
    if not davidson:
        whole[s, s] = 1.0
    return whole, h


def inverse_of(information: np.ndarray, s: int, davidson: bool) -> np.ndarray:
    """Invert H on the space where β sum to 0: (H + h J)⁻¹ − J/h, J = 1/S everywhere."""
    whole, h = _invertible(information, s, davidson)
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


def _log_likelihood(c: Counts, theta: np.ndarray, davidson: bool) -> float:
    difference = c.differences(theta)
    if not davidson:
        half = c.ties / 2
        won, lost = (-np.logaddexp(0, -difference), -np.logaddexp(0, difference))
        return float((c.wins + half) @ won + (c.losses + half) @ lost)
    p_a, p_b, p_tie = probabilities(difference, theta[c.n_runs])
    return float((xlogy(c.wins, p_a) + xlogy(c.losses, p_b) + xlogy(c.ties, p_tie)).sum())


def _likelihood(
    c: Counts, theta: np.ndarray, davidson: bool
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the log-likelihood at (β, log ν), its gradient and its information."""
    n, s, x = c.wins + c.losses + c.ties, c.n_runs, c.covariates
    difference = c.differences(theta)
    p_a, p_b, p_tie = probabilities(difference, theta[s] if davidson else np.nan)
    if davidson:
        # d/d(difference) of log p is ±1/2, or 0 for a tie, minus its mean m.
        m = (p_a - p_b) / 2
        slope = (c.wins - c.losses) / 2 - n * m
        curve, cross = n * ((p_a + p_b) / 4 - m**2), -n * m * p_tie
    else:
        slope, curve, cross = c.wins + c.ties / 2 - n * p_a, n * p_a * p_b, np.zeros_like(n)
    by_nu, size = c.ties - n * p_tie if davidson else np.zeros(1), len(theta)
    gradient, information = np.zeros(size), np.zeros((size, size))
    gradient[:s], gradient[s], gradient[s + 1 :] = c.run_sums(slope), by_nu.sum(), slope @ x
    information[:s, :s] = -c.square(curve, curve)
    np.fill_diagonal(information[:s, :s], -information[:s, :s].sum(axis=1))
    information[:s, s], information[s, s] = c.run_sums(cross), (n * p_tie * (1 - p_tie)).sum()
    for place, column in enumerate(x.T, start=s + 1):
        information[:s, place], information[s, place] = c.run_sums(curve * column), cross @ column
        information[s + 1 :, place] = (curve * column) @ x
    information[s, :s] = information[:s, s]
    information[s + 1 :, : s + 1] = information[: s + 1, s + 1 :].T
    return _log_likelihood(c, theta, davidson), gradient, information
