"""The names of columns of votes, and which pairs of columns name the two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import polars as pl

from lexiframe.core.base import LexiframeError, Problem, ReadError
from lexiframe.core.io.columns import VOTES, spelled

PAIRS_OF_RUNS = {
    ("run_a", "run_b"): False,
    ("left", "right"): True,
    ("model_left", "model_right"): True,
    ("model_a", "model_b"): True,
    ("system_a", "system_b"): True,
    ("model_1", "model_2"): False,
    ("run_1", "run_2"): False,
    ("system_1", "system_2"): False,
    ("generator_1", "generator_2"): False,
}
"""The two columns that name the runs, and whether the first of them was shown first: arenas show
model_a on the left, AlpacaEval shows its two outputs in a random order."""
CHOSEN = (
    ("chosen_model", "rejected_model"),
    ("model_chosen", "model_rejected"),
    ("winner", "loser"),
    ("chosen", "rejected"),
)
"""Two columns that name the runs, of which the first one won."""
ONE_HOT = (
    ("winner_model_a", "winner_model_b", "winner_tie"),
    ("winner_a", "winner_b", "winner_tie"),
)
"""Three columns of 0 and 1, of which the one with 1 says who won."""
GAMES: dict[tuple[str, str], tuple[str | None, str | None]] = {
    ("g1_winner", "g2_winner"): ("model_1", "model_2"),
    ("win_1", "win_2"): (None, None),
}
"""Who won two games, and who was shown first in each (MT-Bench; evalscope does not say it)."""
ARENA_HARD = ("model", "games")
"""Arena-Hard's columns: a model, and its two games against a baseline, which is A in the first."""
COUNTS = ("n_judgments", "weight", "count", "n_votes", "votes")
"""How many judgments a row stands for."""
SHARES = ("share", "p_a", "prob_a", "probability_a", "prob_model_a", "win_probability_a")
"""What the first run has of a judgment, from 0 to 1."""
SCORES_OF_SIDES = (
    ("score_a", "score_b"),
    ("score_1", "score_2"),
    ("score_left", "score_right"),
    ("rating_a", "rating_b"),
)
"""What somebody gave to each of the two answers: the higher one wins."""
SCORES_OF_CHOSEN = (
    ("scores_chosen", "scores_rejected"),
    ("score_chosen", "score_rejected"),
    ("chosen_score", "rejected_score"),
    ("reward_chosen", "reward_rejected"),
    ("chosen_reward", "rejected_reward"),
)
"""What a reward model gave to the two answers: the higher one wins, whichever was called chosen."""


_KNOWN = [word for words in (
    *PAIRS_OF_RUNS, *CHOSEN, *ONE_HOT, *GAMES, ARENA_HARD, ("baseline",), COUNTS, SHARES,
    *SCORES_OF_SIDES, *SCORES_OF_CHOSEN, *chain.from_iterable(VOTES.values()),
) for word in words]  # fmt: skip
_SPELLED = {other: word for word in _KNOWN for other in spelled([word])}
_SPELLED |= {word: word for word in _KNOWN}


def plain_names(names: Sequence[str]) -> dict[str, str]:
    """Return known names for columns that are written in another case or style.

    Examples
    --------
    >>> plain_names(["Model_A", "modelB", "winner", "Date"])
    {'Model_A': 'model_a', 'modelB': 'model_b'}
    """
    found = {name: _SPELLED[name] for name in names if _SPELLED.get(name, name) != name}
    taken = Counter([*names, *found.values()])
    return {name: word for name, word in found.items() if taken[word] == 1}


def are_votes(names: Sequence[str]) -> bool:
    """Return whether columns name two runs and the preferred one."""
    known = {plain_names(names).get(name, name) for name in names}
    return any({*pair} <= known for pair in [*PAIRS_OF_RUNS, *CHOSEN, *GAMES, ARENA_HARD])


def refuse_cells(
    cells: pl.Series,
    bad: pl.Series,
    where: str,
    expected: str,
    advice: str = "",
    kind: type[LexiframeError] = ReadError,
) -> None:
    """Raise for the cells that are bad, with the first of them and its row."""
    if len(at := bad.fill_null(value=False).arg_true()):
        found = f"{cells[at[0]]!r} in row {at[0] + 1} ({len(at)} such rows)"
        raise kind(Problem(where, expected, found, advice))
