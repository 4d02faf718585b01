"""Circular triples: a judge who prefers x to y, y to z, and z to x."""

from __future__ import annotations

import numpy as np
import polars as pl

BY_CHANCE = 0.25
"""Of the eight ways to decide three pairs at random two are circular."""


def triples(judgments: pl.DataFrame) -> pl.DataFrame:
    """Count for each judge the decided triples of runs within requests, and the circular ones.

    A triple counts when the judge prefers a run in each of its three pairs (several judgments of a
    pair by the sign of their sum). With W = 1 where the row beat the column, tr W³/3 triples are
    circular, of tr (W + Wᵀ)³/6.

    Examples
    --------
    >>> rows = [("1", *pair, "a", "ann") for pair in ("xy", "yz")] + [("1", "x", "z", "b", "ann")]
    >>> names = ["query_id", "run_a", "run_b", "winner", "judge"]
    >>> triples(pl.DataFrame(rows, schema=names, orient="row")).rows()
    [('ann', 1, 1)]
    """
    from scipy.sparse import csr_array

    sign = pl.col("winner").replace_strict({"a": 1, "tie": 0, "b": -1}, return_dtype=pl.Int64)
    pair = ["judge", "query_id", "run_a", "run_b"]
    decided = judgments.filter(pl.col("judge").is_not_null()).group_by(pair).agg(s=sign.sum())
    decided = decided.filter(pl.col("s") != 0)
    won = pl.col("s") > 0
    edges = decided.select(
        "judge",
        "query_id",
        winner=pl.when(won).then("run_a").otherwise("run_b"),
        loser=pl.when(won).then("run_b").otherwise("run_a"),
    )
    ends = [edges.select("judge", "query_id", run=end) for end in ("winner", "loser")]
    nodes = pl.concat(ends).with_columns(
        node=pl.struct("judge", "query_id", "run").rank("dense") - 1
    )
    node = nodes["node"].to_numpy().astype(np.int64)
    of_node = nodes.unique("node").sort("node").select("judge")
    n, m = of_node.height, edges.height
    w = csr_array((np.ones(m), (node[:m], node[m:])), (n, n))
    either = (w + w.T).tocsr()
    through = [np.asarray((x @ x).multiply(x.T).sum(axis=1)).ravel() for x in (either, w)]
    counted = of_node.with_columns(n_triples=through[0] / 6, n_circular=through[1] / 3)
    return (
        counted.group_by("judge")
        .agg(pl.col("n_triples", "n_circular").sum().round().cast(pl.Int64))
        .sort("judge")
    )
