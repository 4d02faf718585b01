"""The tables of a leaderboard, for the object that keeps them and for functions that return one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import printed, schemas
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
    comparisons_table,
    neighbours_table,
    percentiles_table,
    ranking_table,
)
from lexiframe.collection.leaderboards.ranked import Ranked
from lexiframe.collection.leaderboards.settled import Settled


@dataclass(frozen=True, repr=False, eq=False)
class BoardTables:
    """The tables of `Leaderboard`, where they are described; each is made when first asked for."""

    _ranked: list[Ranked]
    _how: dict[str, Any]

    @property
    def _settled(self) -> Settled:
        return self._ranked[0].settled

    def _table_of_each(self, table: Callable[..., pl.DataFrame], *more: Any) -> pl.DataFrame:
        together = [table(one, *more) for one in self._ranked]
        return pl.concat(together).sort("rule", maintain_order=True)

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """The ranking; see the class."""
        return self._table_of_each(ranking_table)

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
        return self._table_of_each(comparisons_table)

    @cached_property
    def neighbours(self) -> pl.DataFrame:
        """Runs next to each other; see the class."""
        return self._table_of_each(neighbours_table, replace(self._ranked[0], rule="mean"))

    @cached_property
    def rank_percentiles(self) -> pl.DataFrame:
        """Ranks in resamples; see the class."""
        return self._table_of_each(percentiles_table)

    @cached_property
    def collection_weights(self) -> pl.DataFrame:
        """Weights of collections; see the class."""
        return weights_table(self._settled)

    @cached_property
    def leave_one_out(self) -> pl.DataFrame:
        """What depends on one collection; see the class."""
        return self._table_of_each(leave_one_out_table)

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
        tables = self.ranking, self.neighbours, self.leave_one_out, self.collection_weights
        return printed.Verdict(leaderboard_sentences(self._ranked, *tables))
