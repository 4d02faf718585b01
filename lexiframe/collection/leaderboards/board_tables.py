"""The tables of a leaderboard, for the object that keeps them and for functions that return one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
import polars as pl

from lexiframe.base import check_choice, printed, resampling, schemas
from lexiframe.collection.leaderboards.asked import Rules, ranked_of
from lexiframe.collection.leaderboards.board import Group
from lexiframe.collection.leaderboards.collection_tables import (
    correlations_table,
    leave_one_out_table,
    parts_table,
    rules_table,
    smallest_set_table,
    weights_table,
)
from lexiframe.collection.leaderboards.in_words import leaderboard_sentences
from lexiframe.collection.leaderboards.rank_tables import (
    RankTest,
    comparisons_table,
    neighbours_table,
    percentiles_table,
    ranking_table,
    rejected,
)
from lexiframe.collection.leaderboards.ranked import Over, Ranked
from lexiframe.collection.leaderboards.settled import Missing, Settled, Weights


def ranked_and_how(
    x: Any,
    rule: Rules = "mean",
    missing: Missing = "complete",
    weights: Weights = None,
    group: Group = None,
    over: Over = "collections",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    test: RankTest = "holm",
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
) -> tuple[list[Ranked], dict[str, Any]]:
    """Return what each rule ranks, and how; raise for what cannot be: see `leaderboard`."""
    resampling.check_share("leaderboard", "alpha", alpha)
    resampling.check_draws("leaderboard", "samples", samples, seed)
    check_choice("leaderboard", test, get_args(RankTest), "test")
    ranked = ranked_of(x, rule, missing, weights, group, over, measure, smaller_is_better)
    return ranked, {
        "rules": [one.name for one in ranked], "missing": missing, "over": over, "test": test,
        "alpha": alpha, "samples": samples, "seed": seed,
    }  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class BoardTables:
    """The tables of `Leaderboard`, where they are described; each is made when first asked for."""

    _ranked: list[Ranked]
    _how: dict[str, Any]

    @property
    def _settled(self) -> Settled:
        return self._ranked[0].settled

    @cached_property
    def _rejected(self) -> list[tuple[np.ndarray, np.ndarray] | None]:
        how = self._how
        return [
            rejected(one, how["test"], how["alpha"], how["samples"], how["seed"])
            for one in self._ranked
        ]

    @cached_property
    def _drawn(self) -> list[np.ndarray | None]:
        return [
            one.resampled_ranks(self._how["samples"], self._how["seed"]) for one in self._ranked
        ]

    def _each(self, table: Callable[..., pl.DataFrame], *more: Any) -> pl.DataFrame:
        together = [table(one, *(m[n] for m in more)) for n, one in enumerate(self._ranked)]
        return pl.concat(together).sort("rule", maintain_order=True)

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """The ranking; see the class."""
        alpha = self._how["alpha"]
        return self._each(lambda one, r: ranking_table(one, r, alpha), self._rejected)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The values of the runs that are ranked; see the class."""
        board = self._settled.board
        c, r = np.nonzero(~np.isnan(board.cells))
        columns = {
            "run": [board.runs[n] for n in r],
            "collection": [board.collections[n] for n in c],
            "value": (board.cells * board.signs[:, None])[c, r],
        }
        return schemas.COLLECTION_SCORES.arranged(pl.DataFrame(columns))

    @cached_property
    def gaps(self) -> pl.DataFrame:
        """What is missing; see the class."""
        return self._settled.gaps

    @cached_property
    def comparisons(self) -> pl.DataFrame:
        """All pairs of runs; see the class."""
        test, alpha = self._how["test"], self._how["alpha"]
        return self._each(
            lambda one, r: comparisons_table(one, test, None if r is None else r[0], alpha),
            self._rejected,
        )

    @cached_property
    def neighbours(self) -> pl.DataFrame:
        """Runs next to each other; see the class."""
        mean = Ranked(self._settled, "mean", self._ranked[0].over)
        alpha = self._how["alpha"]
        return self._each(
            lambda one, r, d: neighbours_table(one, mean, None if r is None else r[0], d, alpha),
            self._rejected,
            self._drawn,
        )

    @cached_property
    def rank_percentiles(self) -> pl.DataFrame:
        """Ranks in resamples; see the class."""
        alpha = self._how["alpha"]
        return self._each(lambda one, d: percentiles_table(one, d, alpha), self._drawn)

    @cached_property
    def collection_weights(self) -> pl.DataFrame:
        """Weights of collections; see the class."""
        return weights_table(self._settled)

    @cached_property
    def leave_one_out(self) -> pl.DataFrame:
        """What hangs on one collection; see the class."""
        return self._each(leave_one_out_table)

    @cached_property
    def correlations(self) -> pl.DataFrame:
        """Which collections agree; see the class."""
        return correlations_table(self._settled)

    @cached_property
    def rule_correlations(self) -> pl.DataFrame:
        """Which rules agree; see the class."""
        return rules_table(self._ranked)

    @cached_property
    def smallest_set(self) -> pl.DataFrame:
        """How few collections give nearly the same order; see the class."""
        return smallest_set_table(self._settled, self._how["seed"])

    @cached_property
    def components(self) -> pl.DataFrame:
        """Parts of runs and collections that share nothing; see the class."""
        return parts_table(self._settled.whole)

    @cached_property
    def verdict(self) -> printed.Verdict:
        """What the tables say: a row for each sentence, which it prints; a frame to filter."""
        test, alpha = self._how["test"], self._how["alpha"]
        return printed.Verdict(
            leaderboard_sentences(
                self._ranked,
                self.ranking,
                self.neighbours,
                self.leave_one_out,
                self.collection_weights,
                test,
                alpha,
            )
        )
