"""Unjudged documents in words: the orders and the conclusions that they could change."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.study.holes.schemas import HOLE_PAIRS

_ENOUGH = 0.95
"""The share of draws from which the order of a pair counts as one that holes do not change."""
_IS_OPEN = (pl.col("mean_preference") != 0) & (pl.col("share_widened") < _ENOUGH)


def hole_sentences(pairs: pl.DataFrame) -> pl.DataFrame:
    """State, for each measure, which orders of runs unjudged documents could change.

    Attributes of groups may stand in front of ``pairs``. Key ``measure``: ``n_pairs``; ``n_open``,
    the pairs with one order in less than 95 % of the widened draws (without pairs that tie without
    holes); and ``sentence``.
    """
    said = printed.sentence_of_each(pairs, HOLE_PAIRS, ["measure"], _measure_sentence)
    on = said.columns[:-1]
    n_open = _IS_OPEN.sum().cast(pl.Int64)
    counts = pairs.group_by(on).agg(n_pairs=pl.len().cast(pl.Int64), n_open=n_open)
    joined = said.join(counts, on=on, nulls_equal=True, maintain_order="left")
    return joined.select(*on, "n_pairs", "n_open", "sentence")


def _measure_sentence(part: pl.DataFrame, of_group: str) -> str:
    open_pairs = part.filter(_IS_OPEN).sort("share_widened")
    orders = _orders_phrase(open_pairs, part.height)
    return f"By {part['measure'][0]}{of_group}, {orders}{_conclusions_phrase(part)}."


def _orders_phrase(open_pairs: pl.DataFrame, n_pairs: int) -> str:
    """Count the pairs that could change their order, and name the most likely ones."""
    pairs = f"the {n_pairs:,} pairs of runs" if n_pairs > 1 else "the one pair of runs"
    if open_pairs.is_empty():
        any_of = f"any of {pairs}" if n_pairs > 1 else pairs
        return f"unjudged documents are unlikely to change the order of {any_of}"
    named = [_run_pair(row) for row in open_pairs.iter_rows(named=True)]
    how_many = f"{open_pairs.height:,} of {pairs}" if n_pairs > 1 else pairs
    return f"unjudged documents could change the order of {how_many}: {printed.listed(named)}"


def _run_pair(row: dict[str, Any]) -> str:
    """Return the better run of a pair, the other one, and how often their order stays."""
    first, second = row["run_a"], row["run_b"]
    if row["mean_preference"] < 0:
        first, second = second, first
    return f"{first} over {second} ({100 * row['share_widened']:.0f} % of the draws keep this)"


def _conclusions_phrase(table: pl.DataFrame) -> str:
    """Say how many significant differences there are, and how many of them most draws lose."""
    significant = table.filter(pl.col("reject"))
    if significant.is_empty():
        return ""
    lost = significant.filter(pl.col("share_reject") < _ENOUGH).height
    n = significant.height
    if n == 1:
        stays = "could cease to be so" if lost else "is likely to stay so"
        return f"; the one difference that is significant now {stays}"
    if not lost:
        return f"; the {n:,} differences that are significant now are likely to stay so"
    return f"; of the {n:,} differences that are significant now, {lost:,} could cease to be so"
