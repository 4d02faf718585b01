"""Risk in words: who gains on the baseline, who loses, and how often by more than the margin."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.decide.worst.schemas import RISK


def risk_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure (and group) which runs gain on the baseline, and which lose."""
    return printed.sentence_of_each(table, RISK, ["measure"], _sentence)


def _sentence(part: pl.DataFrame, of_group: str) -> str:
    runs, base = part.filter(pl.col("n") > 0), part.filter(pl.col("n").is_null())["run"]
    begin = f"By {part['measure'][0]}{of_group}"
    if runs.is_empty():
        return f"{begin}, no other run shares a request with {base[0]}."
    if runs.height == 1:
        return f"{begin}, {_of_one(runs.row(0, named=True), base[0])}."
    told = []
    for better, verb in ((True, "gain"), (False, "lose")):
        ahead = pl.col("urisk") > 0 if better else pl.col("urisk") < 0
        names = runs.filter("reject", ahead)["run"].to_list()
        told.append(f"{len(names)} {verb}" + (f" ({printed.listed(names)})" if names else ""))
    most = runs.sort("large_losses", "run", descending=[True, False]).row(0, named=True)
    large = "No run loses more than the margin in any request"
    if most["large_losses"]:
        large = (
            f"Most often {most['run']} loses more than the margin: in {most['large_losses']:,} of "
            f"{printed.counted(most['n'], 'request')}"
        )
    return (
        f"{begin}, of {printed.counted(runs.height, 'run')} {' and '.join(told)} significantly "
        f"against {base[0]}, by URisk. {large}."
    )


def _of_one(row: dict[str, Any], base: str) -> str:
    urisk, low, high, change = (
        printed.cell("urisk", row[name]) for name in ("urisk", "ci_low", "ci_high", "worst_change")
    )
    sure = f" ({low} to {high})" if row["ci_low"] is not None else ""
    decided = "" if row["reject"] else ", which is not significant"
    shares = (printed.percent(row[name]) for name in ("large_low", "large_high"))
    worst = f"; the tenth that loses most changes by {change}" * (row["worst_change"] is not None)
    requests = printed.counted(row["n"], "request")
    return (
        f"{row['run']} gains on {base} in {row['wins']:,} of {requests} and loses in "
        f"{row['losses']:,}, by more than the margin in {row['large_losses']:,} "
        f"({' to '.join(shares)} of requests like these). URisk is {urisk}{sure}{decided}{worst}"
    )
