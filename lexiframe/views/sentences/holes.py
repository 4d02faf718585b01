"""What unjudged documents could change, in words: from the pairs of `hole_sensitivity`."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import escaped, schemas
from lexiframe.views.sentences.rows import attributes_of
from lexiframe.views.sentences.words import for_group, listed

_ENOUGH = 0.95
"""The share of draws from which the order of a pair counts as one that holes do not change."""


def hole_sentences(pairs: pl.DataFrame) -> pl.DataFrame:
    """State, for each measure, which orders of runs unjudged documents could change.

    Parameters
    ----------
    pairs
        The table ``pairs`` of `hole_sensitivity`; attributes of groups may stand in front.

    Returns
    -------
    polars.DataFrame
        Key ``measure``, after the attributes: ``n_pairs``; ``n_open``, the number of pairs whose
        order is the same in less than 95 % of the widened draws (pairs that tie without holes are
        not counted); and ``sentence``.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs, qrels = lf.simulate_collection(requests=9, runs=3, pool_depth=9, pool_share=0.7)
    >>> found = lf.hole_sensitivity(runs, qrels, "AP", samples=50)
    >>> print(lf.verdict(found.pairs)["sentence"][0].partition(":")[0])
    By AP, unjudged documents could change the order of 2 of the 3 pairs of runs
    """
    names = attributes_of(pairs, schemas.HOLE_PAIRS)
    tables = pairs.partition_by(*names, "measure", maintain_order=True)
    return pl.DataFrame([_row(table, names) for table in tables], schema=_schema(pairs, names))


def _schema(pairs: pl.DataFrame, names: list[str]) -> dict[str, Any]:
    found = {name: pairs.schema[name] for name in [*names, "measure"]}
    return found | {"n_pairs": pl.Int64(), "n_open": pl.Int64(), "sentence": pl.String()}


def _row(table: pl.DataFrame, names: list[str]) -> dict[str, Any]:
    """Return the row of one measure in one group."""
    of_group = table.row(0, named=True)
    measure, n_pairs = of_group["measure"], table.height
    ordered = table.filter(pl.col("mean_preference") != 0)
    open_pairs = ordered.filter(pl.col("share_widened") < _ENOUGH).sort("share_widened")
    by = f"By {measure}{for_group(of_group, names)}"
    sentence = f"{by}, {_of_orders(open_pairs, n_pairs)}{_of_conclusions(table)}."
    found = {name: of_group[name] for name in names}
    found |= {"measure": measure, "n_pairs": n_pairs, "n_open": open_pairs.height}
    return found | {"sentence": escaped(sentence)}


def _of_orders(open_pairs: pl.DataFrame, n_pairs: int) -> str:
    """Say how many pairs could change their order, and name those that most probably do."""
    pairs = f"the {n_pairs:,} pairs of runs" if n_pairs > 1 else "the one pair of runs"
    if open_pairs.is_empty():
        any_of = f"any of {pairs}" if n_pairs > 1 else pairs
        return f"unjudged documents are unlikely to change the order of {any_of}"
    named = [_named(row) for row in open_pairs.iter_rows(named=True)]
    how_many = f"{open_pairs.height:,} of {pairs}" if n_pairs > 1 else pairs
    return f"unjudged documents could change the order of {how_many}: {listed(named)}"


def _named(row: dict[str, Any]) -> str:
    """Return the better run of a pair, the other one, and how often their order stays."""
    first, second = row["run_a"], row["run_b"]
    if row["mean_preference"] < 0:
        first, second = second, first
    return f"{first} over {second} ({row['share_widened']:.0%} of the draws keep it)"


def _of_conclusions(table: pl.DataFrame) -> str:
    """Say how many significant differences there are, and how many of them most draws lose."""
    significant = table.filter(pl.col("reject"))
    if significant.is_empty():
        return ""
    lost = significant.filter(pl.col("share_reject") < _ENOUGH).height
    n = significant.height
    if n == 1:
        stays = "could become one that is not" if lost else "is likely to stay so"
        return f"; the one difference that is significant now {stays}"
    if not lost:
        return f"; the {n:,} differences that are significant now are likely to stay so"
    become = "one that is not" if lost == 1 else "ones that are not"
    return f"; of the {n:,} differences that are significant now, {lost:,} could become {become}"
