"""The betting test, which keeps its level for any number of requests and any distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.intervals import one_sided
from lexiframe.core.significance.paired_tests import (
    Answers,
    Outcome,
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


def p_above(x: np.ndarray, limit: Any, bets: Bets, share: float = 1.0) -> np.ndarray:
    """Return p of the hypothesis that the mean is at most ``limit``, for each column of x.

    ``share`` of the level is for this question.
    """
    limit, b = np.asarray(limit, float), bets.bound
    inside = limit > -b
    null = np.where(inside, (limit / b + 1) / 2, 1.0)
    best = sums.capital.log_capital((x / b + 1) / 2, null, bets.level * share, bets.n_planned)
    # A limit that no difference can be below is no hypothesis: nothing is shown.
    return np.asarray(np.where(inside & (limit < b), np.exp(-best), 1.0))


def p_either(x: np.ndarray, limit: Any, bets: Bets) -> np.ndarray:
    """Return p of the hypothesis that the mean is ``limit``: bets on both sides, half each."""
    limit = np.asarray(limit, float)
    p = np.minimum(p_above(x, limit, bets, 0.5), p_above(-x, -limit, bets, 0.5))
    return np.asarray(np.minimum(1.0, 2 * p))


def interval(x: np.ndarray, bets: Bets, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of an interval: the limits that bets on neither side reject at ``tail``.

    The limits are tried on a grid; the ends are one step outside of the limits that are not
    rejected. If all limits are rejected in a given order, the order is refused.
    """
    b = bets.bound
    low, high = sums.capital.interval((x / b + 1) / 2, tail, bets.n_planned)
    if bets.given is not None and (low > high).any():
        raise _no_random_order(len(x))
    return b * (2 * low - 1), b * (2 * high - 1)


def intervals_after(
    x: np.ndarray, looks: Sequence[int], bets: Bets
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the intervals of the first few differences, at the level of the bets.

    ``looks`` are their numbers, ascending; one pass through x gives the intervals of `interval`.
    """
    b, step = bets.bound, 2 * bets.bound / sums.capital.GRID
    limit = b * np.linspace(-1, 1, sums.capital.GRID + 1)[1:-1]
    sides = [
        sums.capital.log_capitals(
            (sign * x[:, None] / b + 1) / 2,
            (sign * limit[:, None] / b + 1) / 2,
            bets.level,
            bets.n_planned or len(x),
        )
        for sign in (1, -1)
    ]
    asked, least = {*looks}, -np.log(bets.level)
    found = []
    for n, (above, below) in enumerate(zip(*sides, strict=True), start=1):
        if n in asked:
            kept = limit[(np.maximum(above, below) <= least)[:, 0]]
            if not len(kept):
                raise _no_random_order(n)
            found.append((kept[0] - step, kept[-1] + step))
    low, high = np.array(found).T
    return low, high


def _no_random_order(n: int) -> LexiframeError:
    return LexiframeError(
        f"betting: expected requests in random order, found that no mean fits the first {n:,}, as "
        "later differences are others than earlier ones; begin anew, with requests in random order"
    )
