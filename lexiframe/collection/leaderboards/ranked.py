"""Values and ranks of runs by a rule, what its differences are tested by, and its resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np

from lexiframe.base import LexiframeError, progress, resampling, sums, warn
from lexiframe.collection.leaderboards.board import Board, numbers_of
from lexiframe.collection.leaderboards.settled import Settled
from lexiframe.orderings import across
from lexiframe.significance import ranks

Over = Literal["collections", "groups", "requests"]
RuleLike = str | Callable[[np.ndarray, np.ndarray], Any]


@dataclass(frozen=True)
class Ranked:
    """A rule over the units that are resampled: collections, groups of them, or requests.

    Attributes
    ----------
    settled
        What is ranked.
    rule
        The name of a rule, or a function of cells (units × runs) and weights of the units.
    over
        What is generalised to.
    """

    settled: Settled
    rule: RuleLike
    over: Over

    @property
    def name(self) -> str:
        """The name of the rule; that of a function of one's own."""
        return self.rule if isinstance(self.rule, str) else self.rule.__name__

    @cached_property
    def units(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cells (units × runs), weights and strata of the units."""
        board, weights = self.settled.board, self.settled.weights
        if self.over != "requests":
            number = np.zeros(len(weights), np.int64)
            if self.settled.of_groups and self.over == "collections":
                number = numbers_of(board.groups or [])
            return board.cells, weights, number
        return _requests(board, weights)

    @property
    def _kind(self) -> across.Across:
        return across.ACROSS[self.rule] if isinstance(self.rule, str) else across.Across()

    @cached_property
    def valued(self) -> across.Valued:
        """The value of each run, and the keys that order the runs."""
        cells, weights, _ = self.units
        if self.settled.missing == "adjust" and np.isnan(cells).any():
            value = across.adjusted(cells, weights)[0]
            return across.Valued(value, value, size=sums.largest(cells))
        return self._of(cells, weights)

    @cached_property
    def values_and_ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """The value and the rank of each run."""
        return self.valued.value, across.places_of(self.valued.keys, self.valued.size)

    def refuse_no_strengths(self) -> None:
        """Raise where the rule needs strengths that are likeliest, and there are none."""
        if self._kind.of_wins is not None:
            cells, weights, _ = self.units
            wins = across.wins_of(cells, weights, self.settled.board.rounding)
            across.refuse_no_strengths(wins, self.settled.board.runs)

    def _of(self, cells: np.ndarray, weights: np.ndarray) -> across.Valued:
        if not isinstance(self.rule, str):
            value = across.own_values(self.rule, self.name, cells, weights)
            return across.Valued(value, value)
        rounding = self.settled.board.rounding
        if self._kind.points is not None:
            points = self._kind.points(cells, rounding)
            value = (weights[:, None] * points).sum(axis=0)
            return across.Valued(value, value, size=sums.largest(points))
        if self._kind.of_wins is not None:
            return self._kind.of_wins(across.wins_of(cells, weights, rounding))
        leads = across.leads_of(cells, weights, rounding)
        return self._kind.of_leads(leads)  # type: ignore[misc]

    @cached_property
    def design(self) -> ranks.Design | None:
        """What is tested; None for rules that are no means of points, and estimated cells.

        Strengths are tested by what each unit adds to them, when all runs have all units.
        """
        cells, weights, stratum = self.units
        rounding, has_gaps = self.settled.board.rounding, np.isnan(cells).any()
        if self._kind.of_wins is not None and not has_gaps:
            points = across.strength_points(cells, weights, rounding)
        elif self._kind.points is None or (self.name == "mean" and has_gaps):
            return None
        else:
            points = self._kind.points(cells, rounding)
        if self.over == "groups":
            points, weights = _of_groups(points, weights, self.settled.board.groups or [])
            stratum = np.zeros(len(points), np.int64)
        return ranks.Design(points, weights, stratum, self.over == "requests")

    def resampled_ranks(self, samples: int, seed: int) -> np.ndarray | None:
        """Return the ranks in resamples of the units, samples × runs; None for estimated cells."""
        cells, weights, stratum = self.units
        if self.settled.missing == "adjust" and np.isnan(cells).any():
            return None
        if self._kind.of_wins is not None and not np.isnan(cells).any():
            # Without gaps strengths have the order of Borda's points, in each resample too.
            return Ranked(self.settled, "borda", self.over).resampled_ranks(samples, seed)
        design = self.design
        if design is not None:
            sums = [
                across.weighted_sums(drawn, design.points)
                for drawn in _drawn(design.stratum, design.weights, samples, seed)
            ]
            return across.places_of(np.concatenate(sums), design.size)
        if self.over == "groups":
            return None
        label = f"resamples by {self.name}"
        drawn = chain.from_iterable(_drawn(stratum, weights, samples, seed))
        found = [self._of(cells, of_one) for of_one in progress(drawn, samples, label)]
        warn_of_prior(found, "resamples")
        return across.places_of(np.stack([of_one.keys for of_one in found]))


def warn_of_prior(found: list[across.Valued], what: str) -> None:
    """Count the parts of the data in which no strengths are likeliest."""
    if n := sum(one.has_prior for one in found):
        warn(
            f"leaderboard: {n} of {len(found)} {what} have no strengths of greatest likelihood, "
            "because a run beats or loses to all others; they were fitted with prior=1"
        )


def _drawn(
    stratum: np.ndarray, weights: np.ndarray, samples: int, seed: int
) -> Iterator[np.ndarray]:
    """Yield blocks of samples × units: the weights, with the sum 1, of units drawn in strata."""
    for counts in resampling.drawn_in_strata(stratum, samples, seed):
        drawn = counts * weights
        yield drawn / drawn.sum(axis=1, keepdims=True)


def _of_groups(
    points: np.ndarray, weights: np.ndarray, groups: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Average the collections of each group."""
    number = numbers_of(groups)
    share = np.bincount(number, weights)
    member = (number == np.arange(len(share))[:, None]) * weights
    return member @ points / share[:, None], share


def _requests(board: Board, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    requests = board.requests
    advice = "take over='collections', or leave it out"
    if requests is None:
        raise LexiframeError(
            "leaderboard: over='requests' needs the scores of requests (a column query_id), found "
            "one number for each run and collection; take over='collections'"
        )
    n = np.bincount(requests.collection, minlength=len(weights))
    known = ~np.isnan(requests.cells)
    for c in np.flatnonzero(n < 2):
        raise LexiframeError(
            f"leaderboard: over='requests' needs several requests of each collection, found {n[c]} "
            f"of {board.collections[c]!r}; {advice}"
        )
    if not known.all():
        at, run = (int(where[0]) for where in np.nonzero(~known))
        c = requests.collection[at]
        lacking = int((~known[requests.collection == c, run]).sum())
        raise LexiframeError(
            "leaderboard: over='requests' compares runs by the same requests, and run "
            f"{board.runs[run]!r} lacks {lacking} of {n[c]} requests of "
            f"{board.collections[c]!r}; {advice}"
        )
    return requests.cells, (weights / n)[requests.collection], requests.collection
