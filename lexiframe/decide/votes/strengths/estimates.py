"""From judgments to strengths and their covariance, the basis of all tables of strengths."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lexiframe.core.base import LexiframeError
from lexiframe.core.orderings.likeliest.existence import refuse_no_maximum
from lexiframe.core.orderings.likeliest.fitting import MOST_STEPS, Counts, Fit, fit
from lexiframe.decide.votes.strengths.covariates import refuse_collinear, refuse_separated
from lexiframe.decide.votes.strengths.judged import Judged
from lexiframe.decide.votes.strengths.resampling import resampled
from lexiframe.decide.votes.strengths.variances import Interval, Spread, Unit, spread


@dataclass(frozen=True)
class How:
    """How strengths and their intervals are estimated, as `bradley_terry` has it."""

    davidson: bool
    prior: float
    by: Unit
    interval: Interval
    samples: int
    seed: int
    level: float


@dataclass(frozen=True)
class Estimate:
    """Strengths, and how sure they are: ``spread`` is None for one group of judgments."""

    judged: Judged
    counts: Counts
    fitted: Fit
    spread: Spread | None
    without_maximum: int = 0


def estimated(judged: Judged, how: How) -> Estimate:
    """Estimate the strengths, which must have a maximum, and how sure they are."""
    counts, names = judged.counts(), judged.covariates
    refuse_no_maximum(counts, judged.runs, prior=how.prior, davidson=how.davidson)
    refuse_collinear(counts, names)
    fitted = fit(counts, davidson=how.davidson, prior=how.prior)
    log_odds = counts.differences(fitted.theta)
    has_ended = fitted.steps < MOST_STEPS
    refuse_separated(counts, names, log_odds, has_ended=has_ended)
    if not has_ended:
        raise LexiframeError(
            f"bradley_terry: the likeliest strengths were not found in {MOST_STEPS} steps, as some "
            "judgments are all but certain; give prior=1, or leave covariates out"
        )
    found = spread(judged, fitted, how.by)
    # Samples of groups that are all alike differ by rounding alone.
    if how.interval == "sandwich" or found is None or not found.covariance.any():
        return Estimate(judged, counts, fitted, found)
    group = judged.request if how.by == "request" else judged.judge
    drawn, without = resampled(
        judged, group, fitted, prior=how.prior, davidson=how.davidson, samples=how.samples,
        seed=how.seed,
    )  # fmt: skip
    covariance = np.zeros_like(found.covariance)
    covariance[: len(judged.runs), : len(judged.runs)] = np.cov(drawn, rowvar=False)
    percentiles = drawn if how.interval == "percentile" else None
    found = replace(found, covariance=covariance, drawn=percentiles)
    return Estimate(judged, counts, fitted, found, without)
