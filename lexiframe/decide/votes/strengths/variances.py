"""Standard errors of strengths: sandwiches over requests, judges, both, or single judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.sparse import coo_array

from lexiframe.core.base import LexiframeError, check_choice, sums
from lexiframe.core.orderings.likeliest.fitting import Fit, probabilities
from lexiframe.decide.votes.strengths.judged import Judged

Unit = Literal["request", "judge", "both", "judgment"]
UNITS = get_args(Unit)
Interval = Literal["sandwich", "bootstrap", "percentile"]
_BLOCK = 4096
"""For how many pairs percentiles are taken at once."""


@dataclass(frozen=True)
class Spread:
    """The covariance of the parameters (β, log ν, γ), and its degrees of freedom.

    ``least`` is a covariance below which no variance may fall, or None. ``drawn``, samples × runs,
    are strengths in samples whose percentiles are the intervals, or None. Covariances of groups are
    widened (`widening`) unless they were before.
    """

    covariance: np.ndarray
    df: float
    least: np.ndarray | None = None
    drawn: np.ndarray | None = None
    is_widened: bool = False

    @property
    def widening(self) -> float:
        """√(K/(K − 1)) for K groups: standard errors over few groups are small."""
        return 1.0 if np.isinf(self.df) or self.is_widened else float(np.sqrt(1 + 1 / self.df))

    def half_width(self, value: np.ndarray, se: np.ndarray, level: float) -> np.ndarray:
        """Return half the widths of intervals: NaN where no two groups differ."""
        reach = sums.t_reach(self.df, (1 - level) / 2) * self.widening
        return np.asarray(np.where(_varies_from_zero(value, se), se * reach, np.nan))

    def around_runs(self, beta: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the intervals of strengths."""
        if self.drawn is not None:
            return _percentiles(self.drawn, level)
        half = self.half_width(beta, self.parameter_errors()[: len(beta)], level)
        return beta - half, beta + half

    def around_differences(
        self, difference: np.ndarray, a: np.ndarray, b: np.ndarray, level: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the intervals of β_a − β_b."""
        if self.drawn is not None:
            blocks = range(0, len(a), _BLOCK)
            rows = [slice(start, start + _BLOCK) for start in blocks]
            ends = [_percentiles(self.drawn[:, a[r]] - self.drawn[:, b[r]], level) for r in rows]
            low, high = (np.concatenate(one) for one in zip(*ends, strict=True))
            return low, high
        half = self.half_width(difference, self.difference_errors(a, b), level)
        return difference - half, difference + half

    def difference(self, other: Spread) -> Spread:
        """Return the spread of the difference to independent parameters."""
        covariance = [one.widening**2 * one.covariance for one in (self, other)]
        return Spread(np.sum(covariance, axis=0), min(self.df, other.df), is_widened=True)

    def parameter_errors(self) -> np.ndarray:
        """Return the standard error of each parameter."""
        variance = np.diag(self.covariance)
        if self.least is not None:
            variance = np.maximum(variance, np.diag(self.least))
        return np.asarray(np.sqrt(np.maximum(variance, 0)))

    def difference_errors(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the standard errors of β_a − β_b."""

        def variance(v: np.ndarray) -> np.ndarray:
            d = np.diag(v)
            return np.asarray(d[a] + d[b] - 2 * v[a, b])

        found = variance(self.covariance)
        if self.least is not None:
            found = np.maximum(found, variance(self.least))
        return np.asarray(np.sqrt(np.maximum(found, 0)))

    def p_values(self, value: np.ndarray, se: np.ndarray) -> np.ndarray:
        """Return two-sided p-values of value = 0; without a standard error nothing is decided."""
        size = np.abs(value)
        t = np.divide(
            size, se * self.widening, out=np.zeros_like(size), where=_varies_from_zero(value, se)
        )
        return sums.above_zero(2 * sums.t_above(t, self.df))


def _varies_from_zero(value: np.ndarray, se: np.ndarray) -> np.ndarray:
    return np.asarray(se > sums.TIE * np.maximum(1, np.abs(value)))


def _percentiles(drawn: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


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
    slope, by_nu = _likelihood_scores(judged, fitted)
    alone = np.arange(len(slope))
    if by == "judgment":
        return Spread(_sandwich(judged, fitted, slope, by_nu, alone), np.inf)
    sizes = {"request": judged.n_requests, "judge": judged.n_judges}
    groups = {"request": judged.request, "judge": judged.judge}
    units = [*groups] if by == "both" else [by]
    k = min(sizes[unit] for unit in units)
    if k < 2:
        return None
    parts = [_sandwich(judged, fitted, slope, by_nu, groups[unit]) for unit in units]
    if by != "both":
        return Spread(parts[0], k - 1)
    least = _sandwich(judged, fitted, slope, by_nu, alone)
    return Spread(parts[0] + parts[1] - least, k - 1, least)


def _likelihood_scores(judged: Judged, fitted: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives of each judgment's log-likelihood by the difference and by log ν."""
    difference = fitted.beta[judged.a] - fitted.beta[judged.b] + judged.x @ fitted.gamma
    p_a, p_b, p_tie = probabilities(difference, fitted.log_nu)
    w = judged.weight
    if np.isnan(fitted.log_nu):
        return w * (judged.share - p_a), np.zeros_like(w)
    wins, losses, ties = judged.outcomes()
    return (wins - losses) / 2 - w * (p_a - p_b) / 2, ties - w * p_tie


def _sandwich(
    judged: Judged, fitted: Fit, slope: np.ndarray, by_nu: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Return the sandwich H⁻¹ (Σ u uᵀ) H⁻¹ over groups of judgments."""
    s, k = len(fitted.beta), int(group.max()) + 1
    parts = [(slope, judged.a), (-slope, judged.b)]
    if not np.isnan(fitted.log_nu):
        parts.append((by_nu, np.full(len(group), s)))
    for place, column in enumerate(judged.x.T, start=s + 1):
        parts.append((slope * column, np.full(len(group), place)))
    values, columns = (np.concatenate(one) for one in zip(*parts, strict=True))
    shape = (k, len(fitted.bread))
    u = coo_array((values, (np.tile(group, len(parts)), columns)), shape).tocsr()
    total = np.asarray(u.sum(axis=0)).ravel()  # 0, but for a prior, which is no group's
    squares = np.asarray((u.T @ u).todense())
    meat = squares - np.outer(total, total) / k
    # What rounding leaves of groups that are all alike must not pass for a small standard error.
    size = np.sqrt(np.maximum(np.diag(squares), np.bincount(columns, values**2, len(squares))))
    meat[np.abs(meat) <= sums.TIE * np.outer(size, size)] = 0
    return np.asarray(fitted.bread @ meat @ fitted.bread)
