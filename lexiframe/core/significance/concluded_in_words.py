"""The agreement of conclusions in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed, schemas


def conclusion_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Return a sentence for each row of a table of `conclusions`."""
    return printed.sentence_of_each(
        table, schemas.CONCLUSIONS, schemas.CONCLUSIONS.key, _pair_sentence
    )


def _pair_sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    by, a, b = _measure_begin(row, of_group), row["name_a"], row["name_b"]
    if row["n_pairs"] == 0:
        return f"{by}no pair of runs is compared by both {a} and {b}.{_alone(row)}"
    agree, pairs = row["AA"] + row["MA"] + row["PA"], printed.counted(row["n_pairs"], "pair")
    sure = f"{row['AA']:,} {'is' if row['AA'] == 1 else 'are'} significant on both sides"
    return (
        f"{by}{a} and {b} agree on which run is better in {agree:,} of {pairs}: {sure}, "
        f"{row['MA']:,} on one side, {row['PA']:,} on neither. {_changes(row)}{_ties_sentence(row)}"
        f"{_order(row)}{_alone(row)}"
    )


def _measure_begin(row: dict[str, Any], of_group: str) -> str:
    return f"By {row['measure']}{of_group} ({row['test']}, {row['correction']}), "


def _changes(row: dict[str, Any]) -> str:
    n = row["AD"] + row["MD"] + row["PD"]
    if n == 0:
        return "No pair changes sides."
    counts = {"both sides": row["AD"], "one side": row["MD"]}
    significant = [f"{count:,} significant on {where}" for where, count in counts.items() if count]
    how = " and ".join(significant) or "none of them significant on any side"
    return f"{n:,} pair{'s change' if n > 1 else ' changes'} sides ({how})."


def _ties_sentence(row: dict[str, Any]) -> str:
    n = row["TIE"]
    return f" In {printed.counted(n, 'pair')} the runs are equal on a side." if n else ""


def _order(row: dict[str, Any]) -> str:
    tau = row["tau"]
    return "" if tau is None else f" Kendall's τ between the orders of the runs is {tau:.2f}."


def _alone(row: dict[str, Any]) -> str:
    counts = {row["name_a"]: row["only_a"], row["name_b"]: row["only_b"]}
    return printed.known_by_one_side(counts, "pair", "is compared", "are compared")


def pair_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Name the pairs that change sides for every two tables of `conclusion_pairs`."""
    return printed.sentence_of_each(
        table, schemas.CONCLUSION_PAIRS, schemas.CONCLUSIONS.key, _changes_sentence
    )


def _changes_sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    pair = pl.format("{} and {} ({})", "run_a", "run_b", "category")
    changed = part.filter("changes_side").select(pair).to_series().to_list()
    by, pairs = _measure_begin(row, of_group), printed.counted(part.height, "pair")
    between = f"between {row['name_a']} and {row['name_b']}"
    if not changed:
        return f"{by}none of {pairs} changes sides {between}."
    change = "changes" if len(changed) == 1 else "change"
    return f"{by}{len(changed):,} of {pairs} {change} sides {between}: {printed.listed(changed)}."
