"""Kemeny's order by weights: the mean place of each run over all orders of least cost, exactly.

The orders are searched by subsets (Held & Karp): the least cost of putting a set of runs first is
that of the set without its last run, plus the cost of putting this run behind the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST_RUNS = 12
"""The largest number of runs that are searched: 2^12 sets."""


class Places(NamedTuple):
    """The mean place of each run, the number of orders of least cost, and this cost."""

    places: np.ndarray
    n_orders: int
    cost: float


def kemeny_places(leads: np.ndarray) -> Places:
    """Return mean places over all orders that the weight of the units contradicts least.

    ``leads``, runs × runs, is the weight of the units that prefer the row's run to the column's,
    minus that of the others. Placing a before b costs half the lead of b over a: the weight against
    it, but for a number that all orders share.

    Examples
    --------
    >>> kemeny_places(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]]))
    Places(places=array([2., 2., 2.]), n_orders=3, cost=-0.5)
    """
    n = len(leads)
    sets = np.arange(2**n)
    member = (sets[:, None] >> np.arange(n) & 1).astype(bool)
    # The cost of putting a run behind all of a set, for each set without the run.
    behind = np.where(member, np.inf, member @ -leads / 2)
    onward = sets[:, None] | (1 << np.arange(n))
    first, ways = _from_the_front(member, behind)
    last, ways_on = _from_the_back(member, behind, onward)
    cost = first[:, None] + behind + last[onward]
    is_least = cost <= first[-1] + _SAME
    n_orders = np.where(is_least, ways[:, None] * ways_on[onward], 0.0)
    place = member.sum(axis=1, keepdims=True) + 1
    mean = (n_orders * place).sum(axis=0) / ways[-1]
    return Places(mean, int(ways[-1]), float(first[-1]))


_SAME = 1e-9
"""Costs are sums of up to 66 weights, each of at most 1: these differ by no more than rounding."""


def _from_the_front(member: np.ndarray, behind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least cost of each set as the first runs, and the number of its orders."""
    n = member.shape[1]
    cost, ways = np.zeros(len(member)), np.ones(len(member))
    for size in range(1, n + 1):
        sets = np.flatnonzero(member.sum(axis=1) == size)
        before = sets[:, None] & ~(1 << np.arange(n))  # the set itself for a run that is not in it
        total = np.where(member[sets], cost[before] + behind[before, np.arange(n)], np.inf)
        cost[sets] = total.min(axis=1)
        is_least = total <= cost[sets, None] + _SAME
        ways[sets] = np.where(is_least, ways[before], 0.0).sum(axis=1)
    return cost, ways


def _from_the_back(
    member: np.ndarray, behind: np.ndarray, onward: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least cost of all other runs behind each set, and the number of their orders."""
    n = member.shape[1]
    cost, ways = np.zeros(len(member)), np.ones(len(member))
    for size in range(n - 1, -1, -1):
        sets = np.flatnonzero(member.sum(axis=1) == size)
        total = behind[sets] + cost[onward[sets]]
        cost[sets] = total.min(axis=1)
        is_least = total <= cost[sets, None] + _SAME
        ways[sets] = np.where(is_least, ways[onward[sets]], 0.0).sum(axis=1)
    return cost, ways
