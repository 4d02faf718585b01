"""The betting test, which keeps its level for any number of requests and any distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError
from lexiframe.core.significance.bets import Bets, interval, p_above, p_either
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.intervals import one_sided
from lexiframe.core.significance.paired_tests import (
    Answers,
    Outcome,
    PairedTest,
    answers,
    d_z_outcome,
)


def betting_test(d: Differences, options: Options) -> Outcome:
    """p = 1 / the greatest capital of bets that the mean is not 0."""
    return betting_at(d, np.zeros(d.values.shape[1]), options)


def betting_at(d: Differences, limit: np.ndarray, options: Options) -> Outcome:
    """Test whether the mean of each pair is its limit."""
    x, bets = _ordered_differences(d, options), options.bets

    def p_of(x: np.ndarray, limit: np.ndarray) -> np.ndarray:
        if options.alternative == "greater":
            return p_above(x, limit, bets)
        if options.alternative == "less":
            return p_above(-x, -limit, bets)
        return p_either(x, limit, bets)

    p = p_of(x, limit)
    sign = -1 if options.alternative == "less" else 1
    return d_z_outcome(d, options, 1 / p, p, p_of(sign * np.abs(x), limit))


def betting_interval(d: Differences, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of the mean difference that belongs to the test."""
    return one_sided(
        *interval(_ordered_differences(d, options), options.bets, options.tail), options
    )


def betting_answers(d: Differences, margin: np.ndarray, options: Options) -> Answers:
    """Bets for each limit: that the mean is above it, and below it."""
    ends = interval(_ordered_differences(d, options), options.bets, options.alpha)
    return shifted_answers(d, margin, options, 0.0 * margin)._replace(
        ci_low=ends[0], ci_high=ends[1]
    )


def shifted_answers(
    d: Differences, margin: np.ndarray, options: Options, shift: np.ndarray
) -> Answers:
    """Return the answers for differences minus a shift, without an interval.

    The limits are shifted, since shifted differences might be out of bounds.
    """
    x, bets = _ordered_differences(d, options), options.bets
    none, least = np.full(len(margin), np.nan), p_above(np.abs(x), -margin, bets)
    return answers(
        margin,
        (none, none),
        lambda limit: p_above(x, limit + shift, bets),
        lambda limit: p_above(-x, -limit - shift, bets),
        p_either(x, shift, bets),
        least,
    )


def _ordered_differences(d: Differences, options: Options) -> np.ndarray:
    """Return the differences in the order of the bets; raise for values out of bounds."""
    bets: Bets = options.bets
    outside = np.abs(d.values) > bets.bound + np.broadcast_to(d.rounding, d.values.shape)
    if outside.any():
        worst: Any = np.abs(d.values).max()
        raise LexiframeError(
            f"betting: expected differences from −{bets.bound:g} to {bets.bound:g}, found "
            f"{outside.sum():,} others (up to {worst:g}); say the bounds of the measure (bounds=)"
        )
    order = bets.sequence("betting", d.n, d.queries, options.seed)
    return np.asarray(np.clip(d.values[order], -bets.bound, bets.bound))


TEST = PairedTest(
    "betting",
    "sequential test by betting",
    betting_test,
    needs_bounds=True,
    shifted=betting_answers,
    interval=betting_interval,
)
