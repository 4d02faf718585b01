"""Kemeny's order, whose computing is loaded when it is asked for."""

from __future__ import annotations

import numpy as np

from lexiframe.core.orderings.ordering_rules import AnyLeads, OrderingRule, ValuesAndRanks


def _order(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    from lexiframe.core.orderings.least_contradicted import kemeny

    return kemeny(pairs, lead, n)


RULE = OrderingRule("kemeny", of_leads=_order, options=("votes",), most_runs=12, are_places=True)
