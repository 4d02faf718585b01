"""The agreement of a judge's findings with the first judge's, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import printed, schemas

_COUNTS = ("found", "missed", "reversed")


def trust_sentences(
    answers: pl.DataFrame,
    conclusions: pl.DataFrame,
    shifts: pl.DataFrame,
    correlations: pl.DataFrame,
    by: Sequence[str],
) -> pl.DataFrame:
    """Compare, in words, each judge's conclusions with the first judge's, by measure.

    ``conclusions`` are the rows about the first judge, ``shifts`` the movements of runs, and
    ``correlations`` the similarities of orders, perhaps among the best runs alone.
    """
    moved = {"name_a": "judge_a", "name_b": "judge_b"}
    same = [*by, "measure", *moved]
    answers = answers.rename({theirs: ours for ours, theirs in moved.items()})
    table = conclusions.drop("tau").join(
        answers, on=same, how="left", nulls_equal=True, maintain_order="left"
    )
    most = shifts.rename({theirs: ours for ours, theirs in moved.items()})
    most = most.sort("shift", "run", descending=[True, False])
    most = most.group_by(same, maintain_order=True).agg(
        pl.first("run", "rank_a", "rank_b", "shift"),
        tied=(pl.col("shift") == pl.max("shift")).sum(),
    )
    table = table.join(most, on=same, how="left", nulls_equal=True, maintain_order="left")
    best = pl.col("method").str.extract(r"^kendall\(top=(\d+)\)$").alias("top")
    of_best = correlations.with_columns(best).drop_nulls("top")
    of_best = of_best.select(
        *by,
        "measure",
        "top",
        name_a="judge_a",
        name_b="judge_b",
        tau_of_top="correlation",
        n_top="n",
    )
    table = table.join(
        of_best,
        on=[*by, "measure", "name_a", "name_b"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return printed.sentence_of_each(table, schemas.CONCLUSIONS, schemas.CONCLUSIONS.key, _sentence)


def _sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    by = f"By {row['measure']}{of_group} ({row['test']}, {row['correction']}), "
    if row["n_pairs"] == 0:
        return f"{by}no pair of runs is compared by both {row['name_a']} and {row['name_b']}."
    said = f"{by}{_differences(row)}{_sides(row)}{_order(row)}{_gain(row)}"
    answer = (row["answer"] or "not known").capitalize()
    return f"{said} Can conclusions be drawn from {row['name_b']}? {answer}: {row['reason']}."


def _differences(row: dict[str, Any]) -> str:
    a, b, more = row["name_a"], row["name_b"], row["invented"]
    n = row["found"] + row["missed"] + row["reversed"]
    pairs = printed.counted(row["pairs"], "pair")
    if not n:
        claims = f"{b} finds {more:,}" if more else f"neither does {b}"
        return f"{a} finds no significant difference in {pairs} of runs; {claims}."
    found, missed, turned = (f"{row[name]:,}" if row[name] else "none" for name in _COUNTS)
    others = printed.counted(more, "pair") if more else "no pair"
    return (
        f"{n:,} of {pairs} of runs differ{'s' * (n == 1)} significantly by {a}; of these {b} finds "
        f"{found}, misses {missed} and reverses {turned}. By {b} alone {others} "
        f"differ{'s' * (more <= 1)} significantly."
    )


def _sides(row: dict[str, Any]) -> str:
    n = row["AD"] + row["MD"] + row["PD"]
    none = "" if row["reversed"] else ", in none of them significantly by both"
    ahead = f"{row['name_a']} and {row['name_b']} put different runs ahead"
    return f" In {printed.counted(n, 'pair')} {ahead}{none}." if n else ""


def _order(row: dict[str, Any]) -> str:
    if row["tau"] is None:
        return ""
    best = ""
    if row["tau_of_top"] is not None:
        of = f"the {row['top']} best by {row['name_a']}"
        best = f", among {of} {row['tau_of_top']:.2f} (n = {row['n_top']})"
    return f" Kendall's τ between the orders of the runs is {row['tau']:.2f}{best}."


def _gain(row: dict[str, Any]) -> str:
    """Name the run that gains most by the second judge."""
    if not row["shift"]:  # no run moves, or no order is known
        return ""
    others = f"; {printed.counted(row['tied'] - 1, 'other run')} as much" * (row["tied"] > 1)
    return (
        f" {printed.shortened(row['run'])} gains most by {row['name_b']}: rank {row['rank_b']:g} "
        f"instead of {row['rank_a']:g}{others}."
    )
