"""Kemeny's order: the order of runs that the requests contradict least, found exactly."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lexiframe.orderings.majorities import strong_components
from lexiframe.orderings.ordering_rules import AnyPairs, OrderingRule, ValuesAndRanks, ranked


def kemeny(votes: np.ndarray) -> np.ndarray:
    """Return for each run the number of runs below it minus the number above it.

    Placing a before b costs the number of requests that rank b over a. Several orders may share the
    least cost; a run counts as above another only if it precedes the other in all of them.
    ``votes``, runs × runs, has the number of requests that rank the row's run over the column's,
    minus the number that rank them the other way round.

    If each run of a set beats each run outside it, the set comes first in every order of least cost
    (the extended Condorcet criterion of Truchon 1998). So only the strongly connected components of
    the relation "does not lose to" need a search.

    Examples
    --------
    The first two runs tie, and both beat the third:

    >>> kemeny(np.array([[0, 0, 1], [0, 0, 1], [-1, -1, 0]])).tolist()
    [1, 1, -2]
    """
    component = strong_components(votes >= 0)
    over = votes > 0  # decides between components; inside of one, orders have to be searched
    for c in np.flatnonzero(np.bincount(component) > 1):
        members = np.flatnonzero(component == c)
        over[np.ix_(members, members)] = over_in_every_order(votes[np.ix_(members, members)])
    return np.asarray(over.sum(axis=1) - over.sum(axis=0))


def over_in_every_order(votes: np.ndarray) -> np.ndarray:
    """Return whether the row's run comes before the column's in every order of least cost.

    The search finds one order of least cost. Then it repeatedly looks for another, which reverses
    as many as possible of the pairs that no order so far has reversed. It stops when no such pair
    can be reversed.

    Examples
    --------
    In a cycle three orders share the least cost, and no run is before another in all of them:

    >>> over_in_every_order(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])).any()
    np.False_
    """
    a, b = np.triu_indices(len(votes), k=1)
    gain = votes[a, b]
    first = _order(gain, gain, -np.inf, len(votes))
    never_turned = np.ones(len(gain), bool)
    while never_turned.any():
        # Maximise the reversals among orders of least cost; costs are whole numbers.
        turning = np.where(never_turned, 1 - 2 * first, 0)
        turned = first != _order(turning, gain, gain @ first - 0.5, len(votes))
        if not (turned & never_turned).any():
            break
        never_turned &= ~turned
    over = np.zeros(votes.shape, bool)
    over[a, b] = never_turned & (first == 1)
    over[b, a] = never_turned & (first == 0)
    return over


def _order(gain: np.ndarray, bounded: np.ndarray, least: float, n_runs: int) -> np.ndarray:
    """Find the order x that maximises gain · x subject to bounded · x ≥ least.

    x has an entry for each pair of runs a < b: 1 if a comes before b, else 0. The constraints
    0 ≤ x_ab + x_bc − x_ac ≤ 1 for a < b < c make x an order: they exclude all cycles.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    pair = np.zeros((n_runs, n_runs), np.int64)
    pair[np.triu_indices(n_runs, k=1)] = np.arange(len(gain))
    a, b, c = np.array([*combinations(range(n_runs), 3)], np.int64).reshape(-1, 3).T
    transitive = np.zeros((len(a), len(gain)))
    for ends, sign in (((a, b), 1), ((b, c), 1), ((a, c), -1)):
        transitive[np.arange(len(a)), pair[ends]] = sign
    rules = LinearConstraint(
        np.vstack([transitive, bounded]),
        np.append(np.zeros(len(a)), least),
        np.append(np.ones(len(a)), np.inf),
    )
    everything = np.ones(len(gain))
    exact = {"mip_rel_gap": 0.0}  # by default the solver accepts orders of nearly the least cost
    found = milp(
        -gain, integrality=everything, bounds=Bounds(0, 1), constraints=rules, options=exact
    )
    return np.asarray(np.rint(found.x), np.int64)


def _of_leads(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    value = np.stack([kemeny(pairs.square(of_sample)) for of_sample in lead])
    return ranked(value.astype(np.float64))


RULE = OrderingRule("kemeny", of_leads=_of_leads, options=("votes",), most_runs=12)
