"""Student's paired t-test, and the same with a margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.significance.clusters import clustered, clustered_t
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.estimates import answers_by_t
from lexiframe.core.significance.paired_tests import (
    Answers,
    Outcome,
    PairedTest,
    d_z_outcome,
    p_of_t,
    standardised,
)


def t_test(d: Any, options: Options) -> Outcome:
    """t = mean / (sd / √n), d_z = mean / sd."""
    if options.clusters is not None:
        return clustered_t(d, options)
    _, t = standardised(d)
    p_value = p_of_t(t, d.n, options, d.df)
    return d_z_outcome(d, options, t, p_value, np.minimum(p_value, _least_p(d, options)))


def _least_p(d: Differences | sums.Moments, options: Options) -> np.ndarray:
    """Return a p that t does not fall below, whichever run wins the requests that are not ties.

    By weights it is not known, which 0 says.

    The sizes of k differences that are not 0, of which M is the greatest and S the sum of squares,
    add up to at most M + √((k − 1)(S − M²)), where all but M have one size.
    """
    x = d.moments if isinstance(d, Differences) else d
    if x.has_weights:
        return np.zeros(len(x.n))
    n, k, squares = np.asarray(x.n), x.wins + x.losses, x.squares.rounded()
    largest = np.minimum(np.maximum(np.abs(x.least), np.abs(x.greatest)), np.sqrt(squares))
    total = largest + np.sqrt(np.maximum(k - 1, 0) * (squares - largest**2))
    around = squares - total**2 / n
    with np.errstate(divide="ignore", invalid="ignore"):
        t = total / n / np.sqrt(np.maximum(around, 0.0) / np.maximum(n - 1, 1)) * np.sqrt(n)
    t *= -1 if options.alternative == "less" else 1
    # Of sizes that are equal up to rounding, signs decide.
    are_equal = around <= sums.TIE * squares
    return np.where(are_equal, options.least_p(0.5**k), p_of_t(t, n, options))


def p_of_t_test(d: Differences | sums.Moments, options: Options) -> np.ndarray:
    """Return p of `t_test` alone: the interval of the effect size takes far longer."""
    return p_of_t(standardised(d)[1], d.n, options, d.df)


def t_answers(d: Any, margin: np.ndarray, options: Options) -> Answers:
    """Student's t: t = (mean − limit) / (sd / √n), n − 1 degrees of freedom."""
    has_clusters = options.clusters is not None
    e = clustered(d, options) if has_clusters else sums.Estimates.of_values(d)
    return answers_by_t(e, margin, options)


TEST = PairedTest("t", "paired t-test", t_test, of_sums=True, shifted=t_answers)
