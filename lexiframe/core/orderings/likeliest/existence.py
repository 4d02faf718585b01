"""Whether strengths of greatest likelihood exist (Ford 1957), and which runs prevent it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexiframe.core.base import LexiframeError
from lexiframe.core.orderings.likeliest.fitting import Counts


@dataclass(frozen=True)
class Components:
    """Sets of runs, as lists of their numbers.

    ``parts`` never met; nobody outside beat or tied those of ``never_lost``; those of ``never_won``
    beat or tied nobody outside.
    """

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
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array(won > 0)
    _, part = connected_components(graph, directed=False)
    _, strong = connected_components(graph, connection="strong")
    a, b = np.nonzero(won)
    between = strong[a] != strong[b]
    n = strong.max() + 1
    beats, beaten = np.zeros(n, bool), np.zeros(n, bool)
    beats[strong[a[between]]] = True
    beaten[strong[b[between]]] = True
    sets = _component_members(strong)
    return Components(
        sorted(_component_members(part)),
        sorted(s for c, s in enumerate(sets) if beats[c] and not beaten[c]),
        sorted(s for c, s in enumerate(sets) if beaten[c] and not beats[c]),
    )


def _component_members(label: np.ndarray) -> list[list[int]]:
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
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

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


def has_maximum(counts: Counts, *, davidson: bool = False) -> bool:
    """Return whether strengths of greatest likelihood exist for the counts."""
    won = counts.square(counts.wins + counts.ties / 2, counts.losses + counts.ties / 2)
    if not components(won).exists:
        return False
    if not (davidson and counts.ties.any()):
        return True
    ties = counts.square(counts.ties, counts.ties)
    return ties_are_bounded(counts.square(counts.wins, counts.losses), ties)


def why_no_maximum(counts: Counts, runs: list[str]) -> str:
    """Name the sets of runs that prevent strengths of greatest likelihood; nothing if none do."""
    won = counts.square(counts.wins + counts.ties / 2, counts.losses + counts.ties / 2)
    return _reasons(components(won), runs)


def _reasons(found: Components, runs: list[str]) -> str:
    reasons = []
    if len(found.parts) > 1:
        reasons.append(f"{len(found.parts)} parts never met: {named(found.parts, runs)}")
    if found.never_lost:
        reasons.append(f"{named(found.never_lost, runs)} won all comparisons with other runs")
    if found.never_won:
        reasons.append(f"{named(found.never_won, runs)} lost all comparisons with other runs")
    return "; ".join(reasons)


_INSTEAD = {
    "bradley_terry": "judge more pairs, or give prior=1",
    "next_pairs": "ask about them first, or give prior=1",
    "order_runs": "judge more pairs, or take another method",
    "leaderboard": "add collections in which they are not, or take another rule, such as 'borda'",
}
"""What to do where no strengths are likeliest, by the function that was called."""


def refuse_no_maximum(
    counts: Counts, runs: list[str], *, prior: float = 0.0, davidson: bool = False,
    function: str = "bradley_terry",
) -> None:  # fmt: skip
    """Raise where strengths of greatest likelihood do not exist, and say which runs prevent it."""
    if davidson and not (counts.wins.any() or counts.losses.any()):
        raise LexiframeError(
            f"{function}: ties='davidson' needs judgments that are no ties, found ties alone; take "
            "ties='half'"
        )
    if prior:
        return
    won = counts.square(counts.wins + counts.ties / 2, counts.losses + counts.ties / 2)
    found = components(won)
    advice = f"leave these runs out, {_INSTEAD[function]}"
    if found.exists:
        if davidson and not has_maximum(counts, davidson=True):
            raise LexiframeError(
                f"{function}: expected a cycle of runs with more wins than ties, found none, so "
                "that larger strengths with more ties are always likelier; take ties='half', or "
                "give prior=1"
            )
        return
    raise LexiframeError(
        f"{function}: expected that wins lead from each run to each other, found that "
        f"{_reasons(found, runs)}. Their strengths would be infinite or cannot be compared; "
        f"{advice}"
    )
