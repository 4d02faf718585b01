"""The agreement of conclusions in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.views.sentences.rows import attributes_of, sentence_of_each
from lexiframe.views.sentences.words import for_group, listed


def conclusion_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Return a sentence for each row of a table of `conclusions`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> named = {name: lf.compare(lf.scores(p, [name])) for name in ("AP", "RR")}
    >>> print(conclusion_sentences(lf.conclusions(named))["sentence"][0])
    By AP vs RR (t, holm), AP and RR agree on which run is better in 3 of 3 pairs: 0 are \
significant on both sides, 2 on one side, 1 on neither. No pair changes sides. Kendall's τ between \
the orders of the runs is 1.00.
    """
    names = attributes_of(table, schemas.CONCLUSIONS)
    return sentence_of_each(table, schemas.CONCLUSIONS.key, names, _sentence)


def _sentence(row: dict[str, Any], names: list[str]) -> str:
    by = f"By {row['measure']}{for_group(row, names)} ({row['test']}, {row['correction']}), "
    a, b = row["name_a"], row["name_b"]
    if row["n_pairs"] == 0:
        return f"{by}{a} and {b} compare no pair of runs both.{_alone(row)}"
    n, agree = row["n_pairs"], row["AA"] + row["MA"] + row["PA"]
    pairs = "pair" if n == 1 else "pairs"
    sure = f"{row['AA']:,} {'is' if row['AA'] == 1 else 'are'} significant on both sides"
    return (
        f"{by}{a} and {b} agree on which run is better in {agree:,} of {n:,} {pairs}: {sure}, "
        f"{row['MA']:,} on one side, {row['PA']:,} on neither. {_changes(row)}{_ties(row)}"
        f"{_order(row)}{_alone(row)}"
    )


def _changes(row: dict[str, Any]) -> str:
    n = row["AD"] + row["MD"] + row["PD"]
    if n == 0:
        return "No pair changes sides."
    counts = {"both sides": row["AD"], "one side": row["MD"]}
    significant = [f"{count:,} significant on {where}" for where, count in counts.items() if count]
    how = " and ".join(significant) or "none of them significant on any side"
    return f"{n:,} pair{'s change' if n > 1 else ' changes'} sides ({how})."


def _ties(row: dict[str, Any]) -> str:
    n = row["TIE"]
    return f" In {n:,} pair{'s' * (n > 1)} the runs are equal on a side." if n else ""


def _order(row: dict[str, Any]) -> str:
    tau = row["tau"]
    return "" if tau is None else f" Kendall's τ between the orders of the runs is {tau:.2f}."


def _alone(row: dict[str, Any]) -> str:
    """Say how many pairs one side alone compares, if there are any."""
    counts = ((row["name_a"], row["only_a"]), (row["name_b"], row["only_b"]))
    said = [
        f" {n:,} pair{'s are' if n > 1 else ' is'} compared by {name} alone."
        for name, n in counts
        if n
    ]
    return "".join(said)


def pair_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Name the pairs that change sides for every two tables of `conclusion_pairs`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> named = {name: lf.compare(lf.scores(p, [name])) for name in ("AP", "RR")}
    >>> print(pair_sentences(lf.conclusion_pairs(named))["sentence"][0])
    By AP vs RR (t, holm), none of 3 pairs changes sides between AP and RR.
    """
    names = attributes_of(table, schemas.CONCLUSION_PAIRS)
    key = [*names, *schemas.CONCLUSIONS.key]
    pair = pl.format("{} and {} ({})", "run_a", "run_b", "category")
    rows = table.group_by(key, maintain_order=True).agg(
        n=pl.len(), changed=pair.filter(pl.col("changes_side"))
    )
    return sentence_of_each(rows, schemas.CONCLUSIONS.key, names, _of_pairs)


def _of_pairs(row: dict[str, Any], names: list[str]) -> str:
    by = f"By {row['measure']}{for_group(row, names)} ({row['test']}, {row['correction']}), "
    n, changed = row["n"], row["changed"]
    pairs = f"{n:,} pair{'s' * (n > 1)}"
    between = f"between {row['name_a']} and {row['name_b']}"
    if not changed:
        return f"{by}none of {pairs} changes sides {between}."
    change = "changes" if len(changed) == 1 else "change"
    return f"{by}{len(changed):,} of {pairs} {change} sides {between}: {listed(changed)}."
