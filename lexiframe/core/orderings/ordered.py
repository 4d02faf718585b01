"""Orderings of the runs over all requests, from exact sums.

A method orders the runs by means over the requests, or from the leads of pairs: how many requests
prefer run a to run b, minus those that prefer b.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    printed,
    sums,
    to_polars,
)
from lexiframe.core.orderings.chosen_rule import ChosenRule, refuse_many
from lexiframe.core.orderings.missing_requests import refuse_lacking
from lexiframe.core.orderings.ordering_rules import (
    AnyPairs,
    AnyScores,
    OrderingRule,
    ValuesAndRanks,
    ranks_of,
)
from lexiframe.core.orderings.rules import RULES
from lexiframe.core.pairwise import PairCube, arrays

Table = arrays.ScoreCube | PairCube | arrays.Reduced


@dataclass(frozen=True)
class Ordered:
    """The runs' values and mid-ranks under one measure: samples × runs.

    A run that has none of a sample's requests has the value NaN and comes last.
    """

    measure: str
    runs: pl.Series
    values: np.ndarray
    ranks: np.ndarray


def table_for(d: Any, method: str) -> Table:
    """Turn scores or preferences into the array that the method needs; sums stay unchanged."""
    if isinstance(d, Table):
        return d
    d = to_polars(d)  # once: a stream can be read only once
    if RULES[method].takes_scores and arrays.is_scores(d):
        return arrays.score_cube(d)
    return arrays.pair_cube(d)


def order_whole(table: Table, rule: ChosenRule, *, refuse: bool = True) -> Iterator[Ordered]:
    """Order the runs under each measure over all requests, as one sample.

    Where runs lack requests, `refuse_lacking` raises; or, without ``refuse``, the values have no
    ranks.
    """
    for measure, of_measure in table:
        allows = RULES[rule.method].allows_gaps
        if refuse and not allows:
            refuse_lacking(measure, of_measure, rule.missing)
        values, ranks, _ = _order_by_sums(measure, of_measure, rule)
        found = Ordered(measure, of_measure.runs, values, ranks)
        if not (refuse or allows) and rule.missing is None and of_measure.lacking.any():
            found = replace(found, ranks=np.full_like(found.ranks, np.nan))
        yield found


def _order_by_sums(measure: str, table: Any, rule: ChosenRule) -> ValuesAndRanks:
    declared = declared_for(measure, table, rule)
    if declared.of_samples is not None:
        refuse_weights(table, declared)
        return declared.of_samples(table, None)
    if declared.of_leads is None:
        moments = _rule_moments(table, declared)
        mean, errors = moments.mean[None], moments.mean_rounding[None]
        return ValuesAndRanks(mean, ranks_of(order_sign(table) * mean, errors))
    d = table.differences
    lead = d.lead if rule.counts == "preference" else table.ballots
    if declared.refuse is not None:
        declared.refuse(table, lead, d.n_effective, "order_runs")
    return order_by_leads(table, lead[None], d.n_effective[None], rule)


def _rule_moments(table: Any, rule: OrderingRule) -> sums.Moments:
    if rule.of_sums is not None:
        return rule.of_sums(table)
    if isinstance(table, arrays.RunSums | arrays.PairSums):
        raise LexiframeError(
            f"order_runs: method={rule.name!r} needs the values of each request, found their sums; "
            "give the table of scores or preferences, or take another method"
        )
    values, rounding = rule.of_units(table)  # type: ignore[misc]
    return sums.add_up(values, rounding, table.weighing)


def refuse_weights(table: Any, rule: OrderingRule) -> None:
    """Raise for requests with weights, as the rule has none."""
    if not isinstance(table, arrays.PairSums | arrays.RunSums) and table.weighing is not None:
        raise LexiframeError(f"method={rule.name!r} has no weights; take another method")


def declared_for(measure: str, table: Any, rule: ChosenRule) -> OrderingRule:
    """Return the rule itself, when the table has all that it needs."""
    declared = RULES[rule.method]
    if not (isinstance(table, AnyScores) or declared.allows_gaps):
        refuse_gaps(measure, table)
    return declared


def order_sign(table: Any) -> int:
    """Return −1 where the least value is the best, else 1."""
    return -1 if isinstance(table, AnyScores) and table.smaller_is_better else 1


def order_by_leads(
    pairs: AnyPairs, lead: np.ndarray, n: np.ndarray, rule: ChosenRule
) -> ValuesAndRanks:
    """Order the runs by the leads of pairs and the requests of each pair, samples × pairs."""
    refuse_many(rule.method, len(pairs.runs))
    of_leads: Any = RULES[rule.method].of_leads
    return of_leads(pairs, lead, n, **rule.options)  # type: ignore[no-any-return]


def refuse_gaps(measure: str, pairs: AnyPairs) -> None:
    """Raise when two runs share no request."""
    gaps = np.flatnonzero(pairs.differences.n == 0)
    if len(gaps):
        a, b = pairs.runs[int(pairs.a[gaps[0]])], pairs.runs[int(pairs.b[gaps[0]])]
        n_pairs = printed.counted(len(gaps), "pair")
        raise LexiframeError(
            f"order_runs: {measure} lacks preferences between {n_pairs} of runs "
            f"({a!r} and {b!r} first); compute the preferences of all pairs"
        )
