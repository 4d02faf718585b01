"""Which test a gate decides with, and how its p-values are corrected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.betting_on_means import p_above
from lexiframe.core.significance.corrections import correct
from lexiframe.decide.gates.gate_rules import Require, Rule

RARE, FEW_VALUES, ENOUGH = 0.2, 3, 10
"""Differences are rare where fewer than this share of them is not 0, and discrete where they have
no more than so many values: there the t-test does not keep its level. Fewer than ten requests do
not tell."""
FEW, MOST, MANY, SURE = 0.03, 0.4, 25, 4
"""Losses are rare and large where this share of the requests, those that lose most, has more than
so much of the sum of squares, in so many requests or more, which normal differences hardly ever do.
It matters where the mean is above the limit by less than so many standard errors: of losses of one
size of which one was seen, there are hardly ever more than 1 + 3.74 (Poisson, 95 %)."""


class Chosen(NamedTuple):
    """A test, and why it was chosen; nothing if it is the usual one, or was asked for."""

    test: str
    why: str = ""


def chosen_test(measure: str, pairs: Any, pair: int, bets: Bets, limit: float) -> Chosen:
    """Return the sequential test where t may err and the measure is bounded, else t.

    ``limit`` is the mean difference above which the pair passes.
    """
    x = pairs.values[:, pair]
    said = doubt_of_t(x[~np.isnan(x)], limit)
    if not said:
        return Chosen("t")
    try:
        bets.bound_measure(measure, pairs, 0.05)
    except LexiframeError:
        return Chosen("t", f"{said}, so that t may err more often than α; betting, a sequential "
                           "test, does not, but needs the measure's bounds (bounds=)")  # fmt: skip
    return Chosen("betting", f"tested by betting, a sequential test, because {said}, where t may "
                             "err more often than α")  # fmt: skip


def doubt_of_t(x: np.ndarray, limit: float) -> str:
    """Return the reason for doubting t: rare or discrete differences, or rare and large losses; "".

    Examples
    --------
    >>> doubt_of_t(np.array([-0.8] + [0.01, 0.0, -0.01, 0.02] * 9), -0.05)
    'large losses in at most 2 of 37 requests have 97 % of the variance of the differences'
    """
    n, differ, values = len(x), np.count_nonzero(x), len(np.unique(x))
    if n >= ENOUGH and not differ:
        return f"all {n:,} differences are 0"
    if n >= ENOUGH and (differ < RARE * n or values <= FEW_VALUES):
        return f"{differ:,} of {n:,} differences are not 0, and they have {values} values"
    few, squares = math.ceil(FEW * n), (x - x.sum() / max(n, 1)) ** 2
    if n < MANY or not 0 < x.sum() - n * limit < SURE * math.sqrt(squares.sum()):
        return ""
    share = np.sort(squares[x < x.mean()])[-few:].sum() / squares.sum()
    said = f"large losses in at most {few:,} of {n:,} requests have {100 * share:.0f} %"
    return f"{said} of the variance of the differences" * bool(share > MOST)


def fewest_ties(margin: float, bets: Bets) -> int:
    """Return the least number of requests without any difference that shows "not worse".

    Below a thousandth of the bound it is extrapolated from the thousandth, in proportion.
    """
    bets, least = replace(bets, n_planned=None), bets.bound / 1000
    if margin < least:
        return math.ceil(fewest_ties(least, bets) * least / margin)
    if margin >= bets.bound:
        return 1  # nothing can be worse by more

    def passes(n: int) -> bool:
        return bool(p_above(np.zeros((n, 1)), -margin, bets)[0] < bets.level)

    high = 1
    while not passes(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def check_require(require: Require | Sequence[Require]) -> Rule:
    """Return the claim to show, and whether all or any measures have to; raise for other words."""
    names = [require] if isinstance(require, str) else [*require]
    for name in names:
        check_choice("gate", name, get_args(Require), "require")
    claims = [name for name in names if name not in ("all", "any")]
    numbers = [name for name in names if name in ("all", "any")]
    if len(claims) > 1 or len(numbers) > 1:
        raise LexiframeError(
            "gate: expected require to be one of 'not-worse', 'better', 'equivalent', and 'all' or "
            f"'any', found {', '.join(map(repr, names))}"
        )
    return Rule(next(iter(claims), "not-worse"), next(iter(numbers), "all") == "any")


def adjusted(table: pl.DataFrame, p: str, correction: str, rule: Rule) -> pl.Series:
    """Correct the p-values of the rows for a gate's measures and candidates.

    Where all measures have to pass, a candidate's p is the largest of its rows. Holm's correction
    over several candidates multiplies the rows of one by the number of candidates whose p is no
    less.
    """
    values = table[p].to_numpy()
    if rule.is_any or correction != "holm" or table["candidate"].n_unique() == 1:
        return pl.Series(correct(values, correction))
    names = table["candidate"]
    largest = table.group_by("candidate", maintain_order=True).agg(pl.col(p).max())
    order = largest.sort(p, maintain_order=True)["candidate"].to_list()
    found, least = np.ones(len(values)), 0.0
    for place, candidate in enumerate(order):
        rows = (names == candidate).to_numpy()
        found[rows] = np.minimum(np.maximum(values[rows] * (len(order) - place), least), 1.0)
        least = found[rows].max()
    return pl.Series(found)


def usual_correction(rule: Rule, candidates: Sequence[str]) -> str:
    """Return the correction of a gate that was not told any."""
    return "holm" if rule.is_any or len(candidates) > 1 else "none"


def bets_in_family(
    bets: Bets, correction: str, rule: Rule, rows: int, candidates: Sequence[str]
) -> Bets:
    """Return bets for the level that the correction leaves to a row."""
    every = rows if rule.is_any or len(candidates) == 1 else len(candidates)
    return bets.share_in_family(every, [correction])
