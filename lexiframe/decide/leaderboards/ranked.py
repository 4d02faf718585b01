"""Values and ranks of runs by a rule, the tests of its differences, and its resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, errors, progress, resampling, shown, sums, warn
from lexiframe.core.orderings import in_samples, kemeny_places
from lexiframe.core.orderings import ordering_rules as rules
from lexiframe.core.orderings import rules as known_rules
from lexiframe.core.pairwise import arrays
from lexiframe.core.significance import ranks
from lexiframe.decide.leaderboards.board import Board, numbers_of
from lexiframe.decide.leaderboards.least_squares import adjusted, parts_of
from lexiframe.decide.leaderboards.settled import Settled

Over = Literal["collections", "groups", "requests"]
RankTest = Literal["auto", "holm", "max_t", "max_t_bootstrap"]
_DRAWS = {"max_t": "flip", "max_t_bootstrap": "bootstrap"}
_LAST = -1e300  # below all values; −∞ would make differences NaN
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
    test, alpha, samples, seed
        How pairs of runs are tested, and units are drawn.
    """

    settled: Settled
    rule: RuleLike
    over: Over
    test: RankTest
    alpha: float
    samples: int
    seed: int

    @property
    def name(self) -> str:
        """The name of the rule; of a user's function its ``__name__``."""
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
        if self.rule != "mean" and board.requests is not None and board.requests.are_pseudo:
            raise LexiframeError(
                "leaderboard: no request has a value of a measure of all lists, so that "
                f"{self.name} cannot count requests; take rule='mean', or over='collections'"
            )
        return _weighted_requests(board, weights)

    @property
    def _rule(self) -> rules.OrderingRule | None:
        """The rule; None for a function of one's own."""
        return known_rules.RULES[self.rule] if isinstance(self.rule, str) else None

    @cached_property
    def cells(self) -> arrays.Cells:
        """The results of the runs in the units."""
        board = self.settled.board
        return arrays.Cells(pl.Series(board.runs, dtype=pl.String), self.units[0], board.rounding)

    @property
    def _is_estimated(self) -> bool:
        return self.settled.missing == "adjust" and self.cells.has_gaps

    @cached_property
    def whole(self) -> rules.ValuesAndRanks:
        """The values and ranks by all units, as one sample."""
        weights = self.units[1]
        if not self._is_estimated:
            return self._sample_ranks(len(weights) * weights[None])
        value = adjusted(self.cells.values, weights)[0][None]
        return rules.ValuesAndRanks(value, places_of(value, sums.largest(self.cells.values)))

    @property
    def values_and_ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """The value and the rank of each run."""
        return self.whole.values[0], self.whole.ranks[0]

    @property
    def shown_sign(self) -> float:
        """−1 where values are shown with the other sign: places, and means of errors alone."""
        rule, are_errors = self._rule, bool((self.settled.board.signs < 0).all())
        are_turned = rule is not None and (rule.are_places or (rule.name == "mean" and are_errors))
        return -1.0 if are_turned else 1.0

    def refuse_no_order(self) -> None:
        """Raise where the runs have no order by the rule."""
        if self._rule is not None and self._rule.refuse is not None:
            self._rule.refuse(
                self.cells, *self._leads(of_both=self._rule.allows_gaps), "leaderboard"
            )

    @property
    def n_least_contradicted(self) -> int:
        """The number of orders that the units contradict least."""
        return kemeny_places(self.cells.square(self._leads()[0])).n_orders

    def _leads(self, **how: bool) -> tuple[np.ndarray, np.ndarray]:
        lead, n = self.cells.leads(self.units[1][None], **how)
        return lead[0], n[0]

    def _sample_ranks(self, weights: np.ndarray) -> rules.ValuesAndRanks:
        """Return values and ranks in samples × units, of weights whose mean is 1."""
        if self._rule is not None:
            found = in_samples.ordered_cells(self.cells, weights, self._rule)
            return found._replace(ranks=places_of(-found.ranks))
        drawn = progress(weights, len(weights), f"samples by {self.name}")
        values = np.stack(
            [own_values(self.rule, self.name, self.cells.values, w / w.sum()) for w in drawn]
        )
        return rules.ValuesAndRanks(values, places_of(values))

    @cached_property
    def design(self) -> ranks.Design | None:
        """The design of the tests; None for rules without tests, and with estimated cells."""
        cells, (_, weights, stratum), rule = self.cells, self.units, self._rule
        if rule is None or (rule.takes_scores and cells.has_gaps):
            return None
        if rule.of_units is not None:
            points = rule.of_units(cells)[0]
        elif rule.of_tests is not None and not cells.has_gaps:
            points = rule.of_tests(cells, weights)
        else:
            return None
        if self.over == "groups":
            points, weights = _group_means(points, weights, self.settled.board.groups or [])
            stratum = np.zeros(len(points), np.int64)
        return ranks.Design(points, weights, stratum, self.over == "requests")

    @property
    def applied(self) -> str:
        """The test of pairs; none where a rule that is no mean has too few units for any.

        T-tests of votes and z-scores err too often, since these have few values in few units.
        """
        if self.test != "auto":
            return self.test
        if self.rule == "mean" or self.over == "requests":
            return "holm"
        design = self.design
        are_few = design is None or len(design.points) < ranks.FEWEST_FLIPPED
        return "none" if are_few else "max_t"

    @cached_property
    def rejected(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Which pairs differ, all at once and for each run by itself; None without a test."""
        design = self.design
        if design is None or not design.is_free or design.points.shape[1] < 2:
            return None
        if self.applied == "none":
            return None
        if self.applied == "holm":
            of_pairs = ranks.holm_all(design.p_values), ranks.holm_each(design.p_values)
            return of_pairs[0] < self.alpha, of_pairs[1] < self.alpha
        if self.test == "max_t" and len(design.points) < ranks.FEWEST_FLIPPED:
            warn(
                f"leaderboard: {len(design.points)} units have too few choices of signs to tell "
                f"runs apart by test='max_t', which needs {ranks.FEWEST_FLIPPED}; rule='mean' with "
                "test='holm' needs two"
            )
        draws: Any = _DRAWS[self.applied]
        return ranks.step_down(design, draws, self.samples, self.seed, self.alpha)

    @cached_property
    def drawn(self) -> np.ndarray | None:
        """The ranks in resamples of the units, samples × runs; None for estimated cells."""
        rule, design = self._rule, self.design
        if self._is_estimated:
            return None
        if rule is not None and rule.alike is not None and not self.cells.has_gaps:
            return replace(self, rule=rule.alike).drawn
        if design is not None:
            values = [
                in_samples.weighted_sums(drawn, design.points)
                for drawn in self._weights_drawn(design.stratum, design.weights)
            ]
            return places_of(np.concatenate(values), design.size)
        if self.over == "groups":
            return None
        drawn = self._weights_drawn(self.units[2], self.units[1])
        found = rules.ValuesAndRanks.together(self._sample_ranks(w.shape[1] * w) for w in drawn)
        warn_of_prior(found, "resamples")
        return found.ranks

    def _weights_drawn(self, stratum: np.ndarray, weights: np.ndarray) -> Iterator[np.ndarray]:
        """Yield blocks of samples × units: weights, with the sum 1, of units drawn in strata."""
        for counts in resampling.drawn_in_strata(stratum, self.samples, self.seed):
            drawn = counts * weights
            yield drawn / drawn.sum(axis=1, keepdims=True)

    def leave_each_out(self) -> rules.ValuesAndRanks:
        """Return values and ranks without each collection, with the remaining weights rescaled.

        Ranks are NaN where a collection alone connects some runs to the remaining ones.
        """
        n = len(self.settled.weights)
        if self._rule is None or self._is_estimated:
            each = progress(range(n), n, "leaving one out")
            return rules.ValuesAndRanks.together(self._leave_out(collection) for collection in each)
        requests, of_unit = self.settled.board.requests, np.arange(n)
        if self.over == "requests" and requests is not None:
            of_unit = requests.collection
        left = np.where(np.arange(n)[:, None] == of_unit, 0.0, self.units[1])
        scale = np.count_nonzero(left, axis=1) / left.sum(axis=1)
        return self._sample_ranks(left * scale[:, None])

    def _leave_out(self, collection: int) -> rules.ValuesAndRanks:
        settled = self.settled
        kept = np.arange(len(settled.weights)) != collection
        board = settled.board.part(np.ones(len(settled.board.runs), bool), kept)
        if settled.missing == "adjust" and parts_of(~np.isnan(board.cells)).any():
            return rules.ValuesAndRanks(*np.full((2, 1, len(board.runs)), np.nan))
        weights = settled.weights[kept] / settled.weights[kept].sum()
        return replace(self, settled=replace(settled, board=board, weights=weights)).whole


def warn_of_prior(found: rules.ValuesAndRanks, what: str) -> None:
    """Count the parts of the data without strengths of greatest likelihood, and warn."""
    if found.n_unlike:
        warn(
            f"leaderboard: {found.n_unlike} of {len(found.ranks)} {what} have no strengths of "
            "greatest likelihood, because a run beats or loses to all others; they were fitted "
            "with prior=1"
        )


def places_of(keys: np.ndarray, size: float = 1.0) -> np.ndarray:
    """Rank each row: 1 + the number of runs with a better key; NaN comes last.

    ``size`` is the size of the numbers whose rounding errors the keys have.
    """
    keys = np.where(np.isnan(keys), _LAST, keys)
    large = np.max(np.abs(keys[np.abs(keys) < -_LAST]), initial=size)
    groups = np.atleast_2d(sums.tie_groups(keys, sums.TIE * float(large)))
    rows, n = groups.shape
    cells = groups + np.arange(rows)[:, None] * n
    sizes = np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n)
    first = np.cumsum(sizes, axis=1) - sizes + 1
    return np.asarray(first.ravel()[cells].reshape(keys.shape))


def own_values(rule: Any, name: str, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Call a rule of one's own with cells, units × runs, and weights; it returns a value a run."""
    units, n = cells.shape
    expected = f"leaderboard: expected the rule {name} to return a number for each of {n} runs"
    try:
        found = rule(cells.copy(), weights.copy())
    except Exception as error:
        gaps = ", NaN where missing" if np.isnan(cells).any() else ""
        raise LexiframeError(
            f"leaderboard: the rule {name} raised {type(error).__name__}: "
            f"{errors.one_line(error)}; it gets cells (units × runs), here {units} × {n}{gaps}, "
            "and the weights of the units, and returns a value for each run: compute over axis 0"
        ) from error
    try:
        value = np.asarray(found, np.float64)
    except (TypeError, ValueError):
        raise LexiframeError(f"{expected}, found {shown(found)}") from None
    if value.shape != (n,):
        raise LexiframeError(f"{expected}, found an array of the shape {value.shape}")
    if not np.isfinite(value).all():
        odd = value[~np.isfinite(value)][0]
        raise LexiframeError(f"{expected}, found {odd} where a number is needed")
    return value


def _group_means(
    points: np.ndarray, weights: np.ndarray, groups: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Average the collections of each group."""
    number = numbers_of(groups)
    share = np.bincount(number, weights)
    member = (number == np.arange(len(share))[:, None]) * weights
    return member @ points / share[:, None], share


def _weighted_requests(
    board: Board, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
