"""Kemeny's order: the mean place of each run over all orders that the units contradict least.

The orders are searched by subsets (Held & Karp 1962): the least cost of putting a set of runs first
is that of the set without its last run, plus the cost of putting this run behind the others.

Several orders may share the least cost. The mean place over all of them is what leaderboards show
and what can be counted exactly for weights that are no whole numbers, as those of collections. To
compare two runs only where all of these orders agree, as an integer program did, left more ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexiframe.core.orderings.ordering_rules import AnyLeads, ValuesAndRanks, ranked


class Places(NamedTuple):
    """The mean place of each run, the number of orders of least cost, and this cost."""

    places: np.ndarray
    n_orders: int
    cost: float


def kemeny_places(leads: np.ndarray) -> Places:
    """Return mean places over all orders that the weight of the units contradicts least.

    ``leads``, runs × runs, is the weight of the units that prefer the row's run to the column's,
    minus the weight of the opposite. Placing a before b costs half the lead of b over a: the weight
    against it, but for a number that all orders share.

    Examples
    --------
    >>> kemeny_places(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]]))
    Places(places=array([2., 2., 2.]), n_orders=3, cost=-0.5)
    """
    same = _SAME * max(1.0, float(np.abs(leads).max(initial=0.0)))
    sets, runs = np.arange(2 ** len(leads)), np.arange(len(leads))
    member = (sets[:, None] >> runs & 1).astype(bool)
    against = member @ -leads / 2  # the cost of putting a run behind all of a set
    first, ways = _least_costs(member, against, same)
    # Those of the other runs behind a set are the same of the reverse orders, from their other end.
    last, ways_on = (of[::-1] for of in _least_costs(member, -against, same))
    last = last + np.where(member, 0.0, against).sum(axis=1)
    onward = sets[:, None] | (1 << runs)
    cost = np.where(member, np.inf, first[:, None] + against + last[onward])
    n_orders = np.where(cost <= first[-1] + same, ways[:, None] * ways_on[onward], 0.0)
    mean = (n_orders * (member.sum(axis=1, keepdims=True) + 1)).sum(axis=0) / ways[-1]
    return Places(mean, int(ways[-1]), float(first[-1]))


_SAME = 1e-9
"""Costs are sums of up to 66 leads: of those of at most 1, rounding changes them by less."""


def _least_costs(
    member: np.ndarray, against: np.ndarray, same: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least cost of each set as the first runs, and the number of its orders."""
    runs = np.arange(member.shape[1])
    cost, ways = np.zeros(len(member)), np.ones(len(member))
    for size in runs + 1:
        sets = np.flatnonzero(member.sum(axis=1) == size)
        before = sets[:, None] & ~(1 << runs)  # the set itself for a run that is not in it
        total = np.where(member[sets], cost[before] + against[before, runs], np.inf)
        cost[sets] = total.min(axis=1)
        is_least = total <= cost[sets, None] + same
        ways[sets] = np.where(is_least, ways[before], 0.0).sum(axis=1)
    return cost, ways


def kemeny(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    """Mean places with a minus sign: a larger value is better."""
    return ranked(np.stack([-kemeny_places(pairs.square(of_sample)).places for of_sample in lead]))
