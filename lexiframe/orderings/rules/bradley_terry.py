"""Runs ordered by the strengths that make the wins of units likeliest (Bradley & Terry 1952)."""

from __future__ import annotations

import numpy as np

from lexiframe.base import warn
from lexiframe.orderings.ordering_rules import AnyPairs, OrderingRule, ValuesAndRanks, ranks_of


def bradley_terry(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    """β of P(a over b) = e^{β_a}/(e^{β_a} + e^{β_b}), Σ β = 0; each unit counts once, by its sign.

    Of several samples, those without a maximum get prior = 1, and a warning counts them.
    """
    from lexiframe.orderings.strengths.existence import has_maximum, refuse_no_maximum
    from lexiframe.orderings.strengths.fitting import EQUAL, Counts, fit

    found, without = [], 0
    for of_sample, known in zip(lead, n, strict=True):
        wins, losses = (known + of_sample) / 2, (known - of_sample) / 2
        counts = Counts(len(pairs.runs), pairs.a, pairs.b, wins, losses, np.zeros_like(wins))
        if len(lead) == 1:
            refuse_no_maximum(counts, pairs.runs.to_list(), function="order_runs")
        has = len(lead) == 1 or has_maximum(counts)
        without += not has
        found.append(fit(counts, prior=0.0 if has else 1.0).beta)
    if without:
        warn(f"samples without strengths of greatest likelihood, fitted with prior=1: {without}")
    return np.stack(found), ranks_of(np.stack(found), EQUAL)


RULE = OrderingRule("bradley_terry", of_leads=bradley_terry, allows_gaps=True)
