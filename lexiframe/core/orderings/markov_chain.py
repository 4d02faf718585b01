"""MC4: runs ordered by a Markov chain over majorities (Dwork et al. 2001).

In run a, the chain picks a run b uniformly among all runs. It moves to b if more requests rank b
over a than a over b; otherwise it stays at a.

Dwork et al. order the runs by the stationary distribution, which tells apart only those runs that
the chain keeps visiting: a run that beats all others is never left, and all others then have
probability 0. So `mc4` first groups runs that can reach one another (strongly connected
components), orders the groups, and uses the stationary distribution inside each group.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.orderings.majorities import strong_components
from lexiframe.core.orderings.ordering_rules import AnyLeads, ValuesAndRanks


def mc4(
    votes: np.ndarray, *, iterations: int | None = None, teleport: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return each run's number of layers below it, and its share of its own layer, by MC4.

    ``votes``, runs × runs, is positive where more requests rank the row's run over the column's.
    The shares of a layer sum to 1. With ``iterations`` or ``teleport`` there is one layer, and the
    shares are probabilities after this many steps from the uniform distribution (the authors' tool
    takes 10; the result depends on their number), or the stationary ones of the chain that jumps,
    with the probability ``teleport`` at each step, to a run drawn uniformly. Otherwise the layers
    are formed by the strongly connected components of the chain. Closed components, which the chain
    never leaves, are on top. The longer the longest path from another component to a closed one,
    the lower is that component. Closed components cannot reach one another; they are ordered by the
    probability that the chain from the uniform distribution ends in them, and equally probable ones
    share a layer. Each component of a layer gets a share in proportion to its size, which is
    divided among its runs by their stationary probabilities.

    Examples
    --------
    The first run beats the second and the third, which tie:

    >>> layers, shares = mc4(np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]))
    >>> layers.tolist(), shares.tolist()
    ([1, 0, 0], [1.0, 0.5, 0.5])

    The first run beats the second, and both tie with the third, so that the chain ends in the first
    with probability 2/3:

    >>> layers, shares = mc4(np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]]))
    >>> layers.tolist(), shares.tolist()
    ([2, 0, 1], [1.0, 1.0, 1.0])
    """
    chain = transitions(votes)
    n_runs = len(chain)
    one_layer = np.zeros(n_runs, np.int64)
    if iterations is not None:
        probabilities = np.full(n_runs, 1 / n_runs)
        for _ in range(iterations):
            # Not `probabilities @ chain`, whose last bits may depend on the number of threads.
            probabilities = (probabilities[:, None] * chain).sum(axis=0)
        return one_layer, probabilities
    if teleport is not None:
        return one_layer, stationary((1 - teleport) * chain + teleport / n_runs)
    component = strong_components(votes < 0)
    layers = _layers_below(votes < 0, component)
    shares = np.empty(n_runs)
    for c in range(component.max() + 1):
        members = np.flatnonzero(component == c)
        # The chain that stays in the component, as if there were no other runs.
        within = stationary(transitions(votes[np.ix_(members, members)]))
        shares[members] = within * len(members) / (layers == layers[members[0]]).sum()
    return layers, shares


def transitions(votes: np.ndarray) -> np.ndarray:
    """Return the chain's transition matrix: from the row's run to the column's."""
    chain = (votes < 0) / len(votes)
    return np.asarray(chain + np.diag(1 - chain.sum(axis=1)))


def stationary(chain: np.ndarray) -> np.ndarray:
    """Solve v P = v, Σ v = 1, for an irreducible chain, equally accurately for every entry of v.

    The algorithm of Grassmann, Taksar & Heyman (1985, doi:10.1287/opre.33.5.1107) eliminates the
    states one by one and then restores them. It never subtracts, so no digits cancel: tiny
    probabilities are as accurate as large ones.
    """
    moves = chain.copy()
    for k in range(len(moves) - 1, 0, -1):
        moves[:k, k] /= moves[k, :k].sum()
        moves[:k, :k] += np.outer(moves[:k, k], moves[k, :k])
    v = np.ones(len(moves))
    for k in range(1, len(moves)):
        v[k] = (v[:k] * moves[:k, k]).sum()
    return np.asarray(v / v.sum())


def _layers_below(moves: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Return for each run the number of layers below its component."""
    way_out = _ways_out(moves, component)
    layers = way_out.max() - way_out
    closed = np.unique(component[way_out == 0])
    if len(closed) > 1:
        ends = np.flatnonzero(way_out == 0)
        place = np.searchsorted(closed, component[ends])
        # Compare logarithms: probabilities tie if their ratio is near 1, also tiny ones.
        groups = sums.tie_groups(np.log(_ends_in(moves, place, ends)))
        layers[ends] += groups.max() - groups[place]
    return np.asarray(layers)


def _ends_in(moves: np.ndarray, place: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the probability that the chain from the uniform vector ends in each closed component.

    ``ends`` are the runs of closed components, and ``place`` the component of each one. All other
    runs are eliminated one by one, and the moves through an eliminated run become direct moves. As
    in `stationary` nothing is subtracted, so tiny probabilities are exact.
    """
    n_closed = int(place.max()) + 1
    others = np.setdiff1d(np.arange(len(moves)), ends)
    into = np.zeros((len(ends), n_closed))
    into[np.arange(len(ends)), place] = 1
    onward = np.hstack([moves[np.ix_(others, ends)] @ into, moves[np.ix_(others, others)]])
    mass = np.append(into.sum(axis=0), np.ones(len(others)))
    for k in range(len(others) - 1, -1, -1):
        left = n_closed + k  # the closed components and the runs before this one
        onward[k, :left] /= onward[k, :left].sum()
        mass[:left] += mass[left] * onward[k, :left]
        onward[:k, :left] += np.outer(onward[:k, left], onward[k, :left])
    return np.asarray(mass[:n_closed] / len(moves))


def _ways_out(moves: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Return for each run the longest path from its component to a closed one, in components."""
    n = component.max() + 1
    leads = np.zeros((n, n), bool)
    start, end = np.nonzero(moves)
    leads[component[start], component[end]] = True
    np.fill_diagonal(leads, val=False)
    length = np.zeros(n, np.int64)
    for _ in range(n):
        length = np.where(leads, length + 1, 0).max(axis=1)
    return np.asarray(length[component])


def order_by_chain(
    pairs: AnyLeads, lead: np.ndarray, n: np.ndarray, **options: Any
) -> ValuesAndRanks:
    """Return layers plus shares, and the ranks by layer and then by share."""
    chains = [mc4(pairs.square(of_sample), **options) for of_sample in lead]
    layers, shares = (np.stack(parts) for parts in zip(*chains, strict=True))
    # Shares may be tiny and still differ: compare their logarithms, that is, their ratios.
    places = sums.tie_groups(np.log(np.maximum(shares, _TINY)))
    # Layers come first: there are fewer places than runs.
    return ValuesAndRanks(layers + shares, sums.mid_ranks(layers * len(pairs.runs) - places))


_TINY = np.finfo(np.float64).tiny
