"""The tables of a leaderboard, for the object that keeps them and for functions that return one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import printed, schemas
from lexiframe.core.significance import ranks
from lexiframe.decide.leaderboards.collection_tables import (
    correlations_table,
    leave_one_out_table,
    parts_table,
    rules_table,
    smallest_set_table,
    weights_table,
)
from lexiframe.decide.leaderboards.in_words import leaderboard_sentences
from lexiframe.decide.leaderboards.ranked import Ranked
from lexiframe.decide.leaderboards.settled import Settled


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
        """The results that are missing; see the class."""
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
        """The dependence on one collection; see the class."""
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
        """The verdict of the tables: a frame with a row for each sentence, which it prints."""
        tables = self.ranking, self.neighbours, self.leave_one_out, self.collection_weights
        return printed.Verdict(leaderboard_sentences(self._ranked, *tables))


_CORRECTED = dict.fromkeys(("max_t", "max_t_bootstrap"), "step_down")
_POSSIBLE = ("rank_low", "rank_high", "rank_low_each", "rank_high_each")


def ranking_table(ranked: Ranked) -> pl.DataFrame:
    """Return the ranking, the first run first."""
    board, n = ranked.settled.board, len(ranked.settled.board.runs)
    value, rank = ranked.values_and_ranks
    value = ranked.shown_sign * value
    of_runs = ranked.settled.n_collections
    table = pl.DataFrame(
        {
            "rule": [ranked.name] * n,
            "run": board.runs,
            "value": value,
            "rank": rank,
            "n_collections": of_runs,
            "incomplete": of_runs < len(board.collections),
        }
    ).with_columns(pl.col("value").fill_nan(None))
    half = np.full(n, np.nan)
    if ranked.design is not None:
        half = ranked.design.intervals(ranked.alpha)
    table = table.with_columns(
        ci_low=pl.Series(value - half).fill_nan(None),
        ci_high=pl.Series(value + half).fill_nan(None),
    )
    columns: dict[str, np.ndarray | None] = dict.fromkeys(_POSSIBLE)
    if ranked.rejected is not None and ranked.design is not None:
        d = ranked.design.differences
        found = [bound for which in ranked.rejected for bound in ranks.possible_ranks(d, which)]
        columns = dict(zip(_POSSIBLE, found, strict=True))
    table = table.with_columns(
        pl.Series(name, values if values is not None else [None] * n, pl.Int64)
        for name, values in columns.items()
    )
    return table.select(*schemas.COLLECTION_RANKING.columns).sort("rule", "rank", "run")


def comparisons_table(ranked: Ranked) -> pl.DataFrame:
    """Return all pairs of runs, with the differences of the values; by Student's t and the test."""
    design, test, rejected = ranked.design, ranked.applied, ranked.rejected
    if design is None:
        return pl.DataFrame(schema=schemas.COLLECTION_COMPARISONS.columns)
    a, b = np.triu_indices(design.points.shape[1], k=1)
    runs = pl.Series(ranked.settled.board.runs)
    half, n = design.half_widths(ranked.alpha)[a, b], len(a)
    d, is_free = design.differences[a, b], design.is_free
    adjusted = ranks.holm_all(design.p_values)[a, b] if test == "holm" and is_free else None
    t = design.statistics[a, b] * np.sign(d)
    table = pl.DataFrame(
        {
            "rule": [ranked.name] * n,
            "test": [test if test in _CORRECTED else "t"] * n,
            "correction": [_CORRECTED.get(test, test)] * n,
            "run_a": runs[a],
            "run_b": runs[b],
            "n": [len(design.points)] * n,
            "df": design.df[a, b] if is_free else [None] * n,
            "mean_difference": d,
            "ci_low": d - half,
            "ci_high": d + half,
            "statistic": np.where(design.se[a, b] > 0, t, np.nan),
            "p_value": design.p_values[a, b],
            "p_adjusted": [None] * n if adjusted is None else adjusted,
            "reject": [None] * n if rejected is None else rejected[0][a, b],
        },
        schema=schemas.COLLECTION_COMPARISONS.columns,
    )
    return table.with_columns(pl.selectors.float().fill_nan(None))


def percentiles_table(ranked: Ranked) -> pl.DataFrame:
    """Return the percentiles of the ranks in resamples, which are no confidence intervals."""
    _, rank = ranked.values_and_ranks
    n, drawn, alpha = len(rank), ranked.drawn, ranked.alpha
    if drawn is None:
        low = high = share = [None] * n
    else:
        low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=0, method="inverted_cdf")
        share = (drawn == 1).mean(axis=0)
    table = pl.DataFrame(
        {
            "rule": [ranked.name] * n,
            "run": ranked.settled.board.runs,
            "rank": rank,
            "percentile_low": low,
            "percentile_high": high,
            "share_first": share,
        },
        schema=schemas.RANK_PERCENTILES.columns,
    )
    return table.sort("rule", "rank", "run")


def neighbours_table(ranked: Ranked, mean: Ranked) -> pl.DataFrame:
    """Return the pairs of runs next to each other in the order; ``mean`` is the rule of means."""
    value, rank = ranked.values_and_ranks
    drawn, rejected = ranked.drawn, ranked.rejected
    runs = ranked.settled.board.runs
    order = sorted(range(len(runs)), key=lambda n: (rank[n], runs[n]))
    a, b = np.array(order[:-1], np.int64), np.array(order[1:], np.int64)
    design, n = mean.design, len(a)
    d = low = high = p = np.full(n, np.nan)
    if design is not None:
        half = design.half_widths(ranked.alpha)[a, b]
        d, p = design.differences[a, b], design.p_values[a, b]
        low, high = d - half, d + half
    kept = np.full(n, np.nan)
    if drawn is not None and n:
        kept = ((drawn[:, a] < drawn[:, b]) + (drawn[:, a] == drawn[:, b]) / 2).mean(axis=0)
    table = pl.DataFrame(
        {
            "rule": [ranked.name] * n,
            "place": np.arange(1, n + 1),
            "run_a": [runs[i] for i in a],
            "run_b": [runs[i] for i in b],
            "value_difference": value[a] - value[b],
            "mean_difference": d,
            "ci_low": low,
            "ci_high": high,
            "p_value": p,
            "reject": [None] * n if rejected is None else rejected[0][a, b],
            "share_in_order": kept,
        },
        schema=schemas.NEIGHBOURS.columns,
    )
    return table.with_columns(pl.selectors.float().fill_nan(None))
