"""Answers of estimates by Student's t: tests, and questions with a margin."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.paired_tests import Answers, Outcome, answers


def outcome_by_t(e: sums.Estimates, effect_size: np.ndarray, options: Options) -> Outcome:
    """Return the outcome of Student's t, with an effect size that has no interval."""
    t = e.beyond(0.0)
    p = np.where(np.isnan(t), 1.0, options.p_value(e.below(0.0), e.above(0.0)))
    unknown = np.full(len(t), np.nan)
    return Outcome(effect_size, unknown, unknown, t, p, np.zeros(len(t)))


def answers_by_t(e: sums.Estimates, margin: np.ndarray, options: Options) -> Answers:
    """Ask Student's t whether the mean is above −δ, below δ, above δ and below −δ."""
    ends, none = e.ends(options.alpha), np.zeros(len(margin))
    return answers(margin, ends, e.above, e.below, e.apart(), none)


def satterthwaite(terms: np.ndarray, df: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of variances, some of them subtracted, and its degrees of freedom.

    ``terms`` and ``df`` are terms × columns. Where the sum is smaller than its largest term, that
    term and its degrees of freedom are taken (Satterthwaite, Biometrics Bulletin 1946,
    doi:10.2307/3002019).

    Examples
    --------
    >>> satterthwaite(np.array([[4.0], [1.0], [-2.0]]), np.array([[4], [2], [8]]))
    (array([4.]), array([4.]))
    """
    total, place = terms.sum(axis=0), terms.argmax(axis=0)
    largest, its_df = terms.max(axis=0), np.take_along_axis(df, place[None], axis=0)[0]
    freedom = sums.ratio(total**2, (terms**2 / df).sum(axis=0))
    is_smaller = total < largest
    return np.where(is_smaller, largest, total), np.where(is_smaller, its_df, freedom)
