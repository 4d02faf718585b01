"""The Markov chain MC4, whose computing is loaded when it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiframe.core.orderings.ordering_rules import AnyLeads, OrderingRule, ValuesAndRanks


def _order(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray, **options: Any) -> ValuesAndRanks:
    from lexiframe.core.orderings.markov_chain import order_by_chain

    return order_by_chain(pairs, lead, n, **options)


RULE = OrderingRule("mc4", of_leads=_order, options=("votes", "iterations", "teleport"))
