"""Whether strengths of greatest likelihood exist (Ford 1957), and which runs prevent it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components


@dataclass(frozen=True)
class Components:
    """The parts of the runs that never met; the sets that nobody outside of them beat or tied,
    and the sets that beat or tied nobody outside; as lists of numbers of runs."""

    parts: list[list[int]]
    never_lost: list[list[int]]
    never_won: list[list[int]]

    @property
    def exists(self) -> bool:
        """Whether each run can be reached from each other over wins: then the maximum exists."""
        return len(self.parts) == 1 and not self.never_lost


def components(won: np.ndarray) -> Components:
    """Find the components; ``won``, runs × runs, has the wins of the row, with halves of ties.

    Examples
    --------
    Run 0 beat the others, who beat each other:

    >>> components(np.array([[0, 2, 1], [0, 0, 1], [0, 1, 0]])).never_lost
    [[0]]
    """
    graph = csr_array(won > 0)
    _, part = connected_components(graph, directed=False)
    _, strong = connected_components(graph, connection="strong")
    a, b = np.nonzero(won)
    between = strong[a] != strong[b]
    n = strong.max() + 1
    beats, beaten = np.zeros(n, bool), np.zeros(n, bool)
    beats[strong[a[between]]] = True
    beaten[strong[b[between]]] = True
    sets = _members(strong)
    return Components(
        sorted(_members(part)),
        sorted(s for c, s in enumerate(sets) if beats[c] and not beaten[c]),
        sorted(s for c, s in enumerate(sets) if beaten[c] and not beats[c]),
    )


def _members(label: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(label == c).tolist() for c in range(label.max() + 1)]


def ties_are_bounded(wins: np.ndarray, ties: np.ndarray) -> bool:
    """Return whether ν of Davidson's model has a finite best value, where `components` exist.

    It has none when strengths can be so far apart that each win is between runs at least two steps
    apart and each tie between runs at most two steps apart: then larger distances with a larger ν
    are always likelier. There are no such strengths when some cycle has more wins than ties.

    Examples
    --------
    >>> win, tie = np.array([[0, 1], [0, 0]]), np.array([[0, 3], [3, 0]])
    >>> ties_are_bounded(win, tie), ties_are_bounded(win + win.T, tie)
    (False, True)
    """
    if ((wins > 0) & (wins.T > 0)).any():
        return True
    steps = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, 0.0))
    try:
        bellman_ford(csr_array(steps), indices=0)
    except NegativeCycleError:
        return True
    return False


def named(sets: Sequence[Sequence[int]], runs: Sequence[str]) -> str:
    """Name the runs of the first three sets, as an error message shows them."""

    def one(members: Sequence[int]) -> str:
        shown = ", ".join(repr(runs[i]) for i in members[:3])
        return f"{{{shown}{f', ... {len(members)} runs' if len(members) > 3 else ''}}}"

    shown = ", ".join(one(members) for members in sets[:3])
    return shown + (f" and {len(sets) - 3} more" if len(sets) > 3 else "")
