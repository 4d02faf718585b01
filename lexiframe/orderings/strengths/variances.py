"""Standard errors of strengths: sandwiches over requests, judges, both, or single judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import stats
from scipy.sparse import coo_array

from lexiframe.base import LexiframeError, check_choice, sums
from lexiframe.orderings.strengths.fitting import Fit, probabilities
from lexiframe.orderings.strengths.judged import Judged

Unit = Literal["request", "judge", "both", "judgment"]
UNITS = get_args(Unit)


@dataclass(frozen=True)
class Spread:
    """The covariance of the strengths (and log ν behind them), and its degrees of freedom.

    ``least`` is a covariance below which no variance may fall, or None.
    """

    covariance: np.ndarray
    df: float
    least: np.ndarray | None = None

    def reach(self, level: float) -> float:
        """Return by how many standard errors an interval reaches to either side.

        It is the t quantile, times √(K/(K − 1)) for K groups, as a sandwich over few groups is
        small, and so is what samples of them show.
        """
        if np.isinf(self.df):
            return float(stats.norm.ppf((1 + level) / 2))
        wider = np.sqrt((self.df + 1) / self.df)
        return float(stats.t.ppf((1 + level) / 2, self.df) * wider)

    def of_runs(self) -> np.ndarray:
        """Return the standard error of each strength."""
        variance = np.diag(self.covariance)
        if self.least is not None:
            variance = np.maximum(variance, np.diag(self.least))
        return np.asarray(np.sqrt(np.maximum(variance, 0))[:-1])

    def of_differences(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the standard errors of β_a − β_b."""

        def variance(v: np.ndarray) -> np.ndarray:
            d = np.diag(v)
            return np.asarray(d[a] + d[b] - 2 * v[a, b])

        found = variance(self.covariance)
        if self.least is not None:
            found = np.maximum(found, variance(self.least))
        return np.asarray(np.sqrt(np.maximum(found, 0)))

    def p_values(self, difference: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return two-sided p-values of β_a = β_b; without a standard error nothing is decided."""
        wider = 1.0 if np.isinf(self.df) else np.sqrt((self.df + 1) / self.df)
        se = self.of_differences(a, b) * wider
        size = np.abs(difference)
        decides = se > sums.TIE * np.maximum(1, size)
        t = np.divide(size, se, out=np.zeros_like(size), where=decides)
        return np.asarray(2 * stats.t.sf(t, self.df))


def check_unit(judged: Judged, by: str) -> None:
    """Raise when judgments cannot be grouped as asked for."""
    check_choice("bradley_terry", by, UNITS, "by")
    if by in ("judge", "both") and (judged.judge < 0).any():
        raise LexiframeError(
            f"bradley_terry: by={by!r} needs to know who judged, and {(judged.judge < 0).sum():,} "
            "judgments name no judge; give by='request'"
        )
    if by == "judgment" and not judged.are_single:
        raise LexiframeError(
            "bradley_terry: by='judgment' needs single judgments, found means over several; give "
            "what read_preferences returns"
        )


def spread(judged: Judged, fitted: Fit, by: Unit) -> Spread | None:
    """Compute the sandwich H⁻¹ (Σ u uᵀ) H⁻¹, u = the scores of a group; None for one group."""
    scores = _scores(judged, fitted)
    if by == "judgment":
        return Spread(_single(judged, fitted, scores), np.inf)
    sizes = {"request": judged.n_requests, "judge": judged.n_judges}
    groups = {"request": judged.request, "judge": judged.judge}
    units = [*groups] if by == "both" else [by]
    k = min(sizes[unit] for unit in units)
    if k < 2:
        return None
    parts = [_clustered(judged, fitted, scores, groups[unit]) for unit in units]
    covariance = np.sum(parts, axis=0)
    if by != "both":
        return Spread(covariance, k - 1)
    least = _single(judged, fitted, scores)
    return Spread(covariance - least, k - 1, least)


def _scores(judged: Judged, fitted: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives of each judgment's log-likelihood by the difference and by log ν."""
    p_a, p_b, p_tie = probabilities(fitted.beta[judged.a] - fitted.beta[judged.b], fitted.log_nu)
    w = judged.weight
    if np.isnan(fitted.log_nu):
        return w * (judged.share - p_a), np.zeros_like(w)
    wins, losses, ties = judged.outcomes()
    return (wins - losses) / 2 - w * (p_a - p_b) / 2, ties - w * p_tie


def _clustered(
    judged: Judged, fitted: Fit, scores: tuple[np.ndarray, np.ndarray], group: np.ndarray
) -> np.ndarray:
    """Return the sandwich over groups of judgments."""
    slope, by_nu = scores
    s, k = len(fitted.beta), group.max() + 1
    parts = [(slope, judged.a), (-slope, judged.b)]
    if not np.isnan(fitted.log_nu):
        parts.append((by_nu, np.full(len(group), s)))
    values, columns = (np.concatenate(one) for one in zip(*parts, strict=True))
    u = coo_array((values, (np.tile(group, len(parts)), columns)), (k, s + 1)).tocsr()
    total = np.asarray(u.sum(axis=0)).ravel()  # 0, but for a prior, which is no group's
    meat = np.asarray((u.T @ u).todense()) - np.outer(total, total) / k
    return np.asarray(fitted.bread @ meat @ fitted.bread)


def _single(judged: Judged, fitted: Fit, scores: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the sandwich over single judgments, as arena-rank has it."""
    slope, by_nu = scores
    s = len(fitted.beta)
    meat = np.zeros((s + 1, s + 1))
    squares = np.bincount(judged.a * s + judged.b, slope**2, s * s).reshape(s, s)
    meat[:s, :s] = -(squares + squares.T)
    np.fill_diagonal(meat[:s, :s], (squares + squares.T).sum(axis=1))
    meat[:s, s] = np.bincount(judged.a, slope * by_nu, s) - np.bincount(judged.b, slope * by_nu, s)
    meat[s, :s], meat[s, s] = meat[:s, s], by_nu @ by_nu
    return np.asarray(fitted.bread @ meat @ fitted.bread)
