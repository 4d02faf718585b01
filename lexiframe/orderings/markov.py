"""MC4: the runs ordered by a Markov chain over majorities (Dwork et al. 2001).

From run a pick run b uniformly among all runs, and move there if more requests rank b over a than
a over b; else stay.
"""

from __future__ import annotations

import numpy as np

from lexiframe.orderings.ranking import tie_groups


def mc4(
    votes: np.ndarray, *, iterations: int | None = None, teleport: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Value each run by the chain.

    Parameters
    ----------
    votes
        runs × runs, antisymmetric: positive where more requests rank the row's run over the
        column's.
    iterations : int, optional
        The probabilities after so many steps from the uniform ones, in 0..1, as the authors' tool
        has them after 10. They depend on the number of steps.
    teleport : float, optional
        The stationary probabilities, in 0..1, of the chain that jumps to a run drawn uniformly with
        this probability at each step.

    Returns
    -------
    layers, shares
        For each run the number of layers below it and its share of its own. With ``iterations`` or
        ``teleport`` there is one layer, and the shares are the probabilities. Without either the
        chain's strongly connected components are ordered by reachability: those that are not left
        any more are above all others, which are the lower the longer the longest way from them to
        one of those. Of several components that are not left, which cannot reach one another, that
        in which the chain from the uniform probabilities ends with the greater probability is a
        layer above; equally probable ones share a layer. Components of one layer share it by their
        size. In a component the stationary probabilities decide.

    Examples
    --------
    The first run beats the second and the third, which tie:

    >>> layers, shares = mc4(np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]))
    >>> layers.tolist(), shares.tolist()
    ([1, 0, 0], [1.0, 0.5, 0.5])

    The first run beats the second, and splits every majority with the third: the chain ends at the
    first with probability 2/3:

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
            probabilities = (probabilities[:, None] * chain).sum(axis=0)
        return one_layer, probabilities
    if teleport is not None:
        return one_layer, stationary((1 - teleport) * chain + teleport / n_runs)
    component = strong_components(votes < 0)
    layers = _layers(votes < 0, component)
    shares = np.empty(n_runs)
    for c in range(component.max() + 1):
        members = np.flatnonzero(component == c)
        within = stationary(transitions(votes[np.ix_(members, members)]))
        shares[members] = within * len(members) / (layers == layers[members[0]]).sum()
    return layers, shares


def transitions(votes: np.ndarray) -> np.ndarray:
    """Give the chain's matrix: from the row's run to the column's."""
    chain = (votes < 0) / len(votes)
    return np.asarray(chain + np.diag(1 - chain.sum(axis=1)))


def stationary(chain: np.ndarray) -> np.ndarray:
    """Solve v P = v, Σ v = 1, for an irreducible chain, tiny probabilities as exactly as large.

    States are taken out one by one and put back (Grassmann, Taksar & Heyman 1985,
    doi:10.1287/opre.33.5.1107): no subtraction, no loss of digits.
    """
    moves = chain.copy()
    for k in range(len(moves) - 1, 0, -1):
        moves[:k, k] /= moves[k, :k].sum()
        moves[:k, :k] += np.outer(moves[:k, k], moves[k, :k])
    v = np.ones(len(moves))
    for k in range(1, len(moves)):
        v[k] = (v[:k] * moves[:k, k]).sum()
    return np.asarray(v / v.sum())


def strong_components(moves: np.ndarray) -> np.ndarray:
    """Give each run the number of its strongly connected component."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    component: np.ndarray = connected_components(csr_array(moves), connection="strong")[1]
    return component


def _layers(moves: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Give each run the number of layers below its component."""
    way_out = _ways_out(moves, component)
    layers = way_out.max() - way_out
    closed = np.unique(component[way_out == 0])
    if len(closed) > 1:
        ends = np.flatnonzero(way_out == 0)
        place = np.searchsorted(closed, component[ends])
        groups = tie_groups(np.log(_ends_in(moves, place, ends)))
        layers[ends] += groups.max() - groups[place]
    return np.asarray(layers)


def _ends_in(moves: np.ndarray, place: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Give the probability that the chain from the uniform vector ends in each closed component.

    ``ends`` are the runs of closed components, ``place`` the numbers of these. The other runs are
    taken out one by one, and what would go on from them goes on at once, as in `stationary`:
    without a subtraction tiny probabilities are as exact as large ones.
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
    """Give each run the length of the longest way from its component to one without a way out."""
    n = component.max() + 1
    leads = np.zeros((n, n), bool)
    start, end = np.nonzero(moves)
    leads[component[start], component[end]] = True
    np.fill_diagonal(leads, val=False)
    length = np.zeros(n, np.int64)
    for _ in range(n):
        length = np.where(leads, length + 1, 0).max(axis=1)
    return np.asarray(length[component])
