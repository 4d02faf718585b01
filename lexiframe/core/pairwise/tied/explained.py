"""The part of `explain` over tied orders: ranks that levels can have, and chances at each level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics import GradedMetric, Rankings, RecallLevelMetric, terms_by_level
from lexiframe.core.pairwise.lexicographic import LexicographicPreference
from lexiframe.core.pairwise.preference_entries import LP, LR
from lexiframe.core.pairwise.recall_paired import LevelPreference
from lexiframe.core.pairwise.tied.expected import readings
from lexiframe.core.pairwise.tied.rank_chances import RankChances
from lexiframe.core.projection import blocks, tied_orders

_SURE = 1 - 1e-12


def sums_over_levels(measures: Iterable[Any]) -> tuple[Any, ...]:
    """Return the measures whose expectation is a sum over recall levels."""
    kinds = (LevelPreference, LexicographicPreference)
    return tuple(
        measure
        for measure in measures
        if isinstance(measure, kinds) or type(measure) in (RecallLevelMetric, GradedMetric)
    )


def tied_block(request: blocks.Block, runs: np.ndarray) -> blocks.Block:
    """Return a request in two of its runs, which are independent even if they are one."""
    of: tied_orders.TiedItems = request.tied
    tied = replace(of, first=of.first[:, runs], last=of.last[:, runs], limit=of.limit[runs])
    return blocks.Block(request.positions[:, runs], request.relevance[:, runs], tied=tied)


def put_chances(table: pl.DataFrame, request: blocks.Block) -> pl.DataFrame:
    """Put the lowest and highest rank of each level, and its chances, in place of one order's.

    The sign and the deciding level stay only where they are sure.
    """
    parts = [_threshold_columns(request, grade) for grade in table["threshold"].unique(
        maintain_order=True)]  # fmt: skip
    found = pl.concat(parts) if parts else pl.DataFrame()
    table = table.with_columns(found.get_columns())
    lowest = pl.col("threshold") == pl.col("threshold").min()
    decided = {str(one): _decides(one, request, table) for one in (LR, LP)}
    names = [
        pl.when(lowest & pl.Series(np.abs(of) >= _SURE)).then(pl.lit(name))
        for name, of in decided.items()
    ]
    is_sure = pl.max_horizontal("p_better", "p_equal", "p_worse") >= _SURE
    decides = pl.concat_str(names, separator=", ", ignore_nulls=True)
    return table.with_columns(
        sign=pl.when(is_sure).then((pl.col("p_better") - pl.col("p_worse")).round().cast(pl.Int64)),
        decides=pl.when(decides != "").then(decides),
    )


def _threshold_columns(request: blocks.Block, grade: float) -> pl.DataFrame:
    items = request.tied.counted(request.relevance >= grade, None)
    m = int((request.relevance[:, 0] >= grade).sum())
    columns = {}
    for side, run in (("a", 0), ("b", 1)):
        first, last = (of[:m, run, 0] for of in (items.first, items.last))
        nth = np.arange(m) - np.searchsorted(first, first)
        behind = np.searchsorted(first, first, side="right") - np.arange(m) - 1
        found = first < tied_orders.NEVER
        low, high = np.where(found, first + nth, 0), np.where(found, last - behind, 0)
        limit = items.limit[run, 0]
        for name, rank in (("low", low), ("high", high)):
            is_rank = pl.Series((rank > 0) & (rank <= limit))
            columns[f"{name}_{side}"] = pl.Series(rank, dtype=pl.Int64).set(~is_rank, None)
    better, worse = _level_chances(items, m)
    chances = {"p_better": better, "p_equal": np.maximum(1 - better - worse, 0), "p_worse": worse}
    return pl.DataFrame(columns | chances)


def _level_chances(items: tied_orders.TiedItems, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return P(p_i < p′_i) and P(p_i > p′_i) of the levels of one request in two runs."""
    better, worse = np.zeros((2, m))
    for some, chance, later in RankChances.lay_out(items, 0).blocks(m):
        better[some] = (chance[:, 0] * later[:, 1]).sum(axis=1)
        worse[some] = (chance[:, 1] * later[:, 0]).sum(axis=1)
    return better, worse


def _decides(
    measure: LexicographicPreference, request: blocks.Block, table: pl.DataFrame
) -> np.ndarray:
    """Return, for each row, how far its level decides for a, less for b, among all items."""
    found = np.append(_by_level(measure, request), 0.0)
    level = table["level"].to_numpy() - 1
    return np.asarray(found[np.minimum(level, len(found) - 1)])


def _by_level(measure: LexicographicPreference, request: blocks.Block) -> np.ndarray:
    """Return the expected contribution of each level to a lexicographic preference."""
    asked = np.ones((1, 1), bool)
    ((_, _, _, read),) = readings(measure, request, asked, by_level=True)
    of = read.better - read.worse if measure.magnitude is None else read.size
    return np.asarray(of[:, 0])


def measure_columns(
    measure: Any,
    table: pl.DataFrame,
    request: blocks.Block,
    of_grade: np.ndarray,
    weight: np.ndarray,
    rankings: dict[str, Rankings],
) -> Iterator[pl.Series]:
    """Yield the columns of a measure; ``of_grade`` are the rows that have its numbers.

    ``weight`` are the weights of the levels for a preference by levels, and ``rankings`` have the
    two runs, for a metric.
    """
    name = str(measure)
    if isinstance(measure, LevelPreference):
        won = np.zeros(table.height)
        for grade in table["threshold"].unique(maintain_order=True):
            rows = (table["threshold"] == grade).to_numpy()
            items = request.tied.counted(request.relevance >= grade, measure.cutoff)
            better, worse = _level_chances(items, int(rows.sum()))
            won[rows] = better - worse
        yield pl.Series(f"{name} weight", weight)
        yield pl.Series(name, weight * won + 0.0)
    elif isinstance(measure, LexicographicPreference):
        values = np.zeros(table.height)
        values[of_grade] = _by_level(measure, request)[: int(of_grade.sum())]
        yield pl.Series(name, values)
    elif type(measure) in (RecallLevelMetric, GradedMetric):
        for side, of in rankings.items():
            values = np.zeros(table.height)
            values[of_grade] = terms_by_level(measure, of)
            yield pl.Series(f"{name}_{side}", values).set(pl.Series(~of_grade), None)
    else:
        raise LexiframeError(
            f"explain: {name} has no terms of single levels over tied orders; ask for preferences "
            "such as RPP and LR, or metrics such as AP and nDCG"
        )
