"""The tables of collections: their weights, their influence, their agreement, small sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import progress
from lexiframe.core.orderings import coefficients, kendall_of_all
from lexiframe.core.pairwise import arrays
from lexiframe.decide.leaderboards.board import Board
from lexiframe.decide.leaderboards.least_squares import parts_of
from lexiframe.decide.leaderboards.ranked import Ranked, warn_of_prior
from lexiframe.decide.leaderboards.schemas import (
    COLLECTION_CORRELATIONS,
    COLLECTION_WEIGHTS,
    CONNECTED_PARTS,
    LEAVE_ONE_OUT,
    RULE_CORRELATIONS,
    SMALLEST_SET,
)
from lexiframe.decide.leaderboards.settled import Settled

SPLITS, RANDOM_SETS, MOST = 20, 200, 12
"""How many halves of the runs, random sets, and collections the smallest set is sought with."""


def weights_table(settled: Settled) -> pl.DataFrame:
    """Return each collection's weight, and its share in the variance of the mean over runs.

    w_c Cov(x_c, x̄)/Var(x̄) over the runs that have all collections; null if their means are equal.
    """
    board, w = settled.board, settled.weights
    x = board.cells[:, ~np.isnan(board.cells).any(axis=0)]
    share = np.full(len(w), np.nan)
    if x.shape[1] > 1:
        mean = (w[:, None] * x).sum(axis=0)
        centred = mean - mean.mean()
        if np.ptp(mean) > 1e-12 * max(1.0, float(np.abs(mean).max())):
            of_each = (x - x.mean(axis=1, keepdims=True)) @ centred
            share = w * of_each / (centred @ centred)
    table = pl.DataFrame(
        {
            "collection": board.collections,
            "group": board.groups or [None] * len(w),
            "weight": w,
            "share": share,
            "n_runs": (~np.isnan(board.cells)).sum(axis=1),
        },
        schema=COLLECTION_WEIGHTS.columns,
    )
    return table.with_columns(pl.col("share").fill_nan(None)).sort("collection")


def leave_one_out_table(ranked: Ranked) -> pl.DataFrame:
    """Return the order without each collection, with the remaining weights divided by their sum."""
    settled, whole = ranked.settled, ranked.values_and_ranks[1]
    runs, collections = settled.board.runs, settled.board.collections
    if len(collections) < 2:
        return pl.DataFrame(schema=LEAVE_ONE_OUT.columns)
    found = ranked.leave_each_out()
    warn_of_prior(found, "boards without one collection")
    is_known = ~np.isnan(found.ranks).all(axis=1)
    ranks = np.where(is_known[:, None], found.ranks, whole)
    moved = np.abs(ranks - whole)
    most = moved.argmax(axis=1)
    first = [sorted(run for run, r in zip(runs, of_one, strict=True) if r == 1) for of_one in ranks]
    now = sorted(run for run, r in zip(runs, whole, strict=True) if r == 1)
    table = pl.DataFrame(
        {
            "rule": [ranked.name] * len(collections),
            "collection": collections,
            "tau": coefficients.kendall(ranks, whole[None]),
            "run": [runs[n] for n in most],
            "rank": whole[most],
            "rank_without": ranks[np.arange(len(most)), most],
            "first": first,
            "first_changes": [one != now for one in first],
        },
        schema=LEAVE_ONE_OUT.columns,
    )
    known = [pl.when(pl.Series(is_known)).then(pl.col(c)).alias(c) for c in table.columns[2:]]
    table = table.with_columns(pl.col("tau").fill_nan(None)).with_columns(known)
    return table.sort("rule", "collection")


def correlations_table(settled: Settled) -> pl.DataFrame:
    """Return τ-b between every two collections, over the runs that have both."""
    board = settled.board
    n, known = len(board.collections), ~np.isnan(board.cells)
    ranks = arrays.Cells(pl.Series(board.runs), board.cells, board.rounding).ranks
    tau = kendall_of_all(np.where(known, ranks, np.nan))
    shared = known.astype(np.int64) @ known.astype(np.int64).T
    a, b = np.triu_indices(n, k=1)
    table = pl.DataFrame(
        {
            "collection_a": [board.collections[i] for i in a],
            "collection_b": [board.collections[i] for i in b],
            "tau": tau[a, b],
            "n": shared[a, b],
        },
        schema=COLLECTION_CORRELATIONS.columns,
    )
    return table.with_columns(pl.col("tau").fill_nan(None))


def rules_table(ranked: list[Ranked]) -> pl.DataFrame:
    """Return τ-b between every two rules, and the run that moves most from one to the other."""
    rows = []
    for n, a in enumerate(ranked):
        for b in ranked[n + 1 :]:
            one, other = sorted((a, b), key=lambda r: r.name)
            in_a, in_b = one.values_and_ranks[1], other.values_and_ranks[1]
            most = int(np.abs(in_a - in_b).argmax())
            tau = float(coefficients.kendall(in_a[None], in_b[None])[0])
            run = one.settled.board.runs[most]
            rows.append((one.name, other.name, None if tau != tau else tau, run,
                         int(in_a[most]), int(in_b[most])))  # fmt: skip
    table = pl.DataFrame(rows, schema=RULE_CORRELATIONS.columns, orient="row")
    return table.sort("rule_a", "rule_b")


def parts_table(board: Board) -> pl.DataFrame:
    """Return the parts of runs and collections that share nothing, numbered by their first run."""
    known = ~np.isnan(board.cells)
    part = parts_of(known)
    order = {int(p): n for n, p in enumerate(dict.fromkeys(part.tolist()), 1)}
    of_runs = [(order[int(p)], "run", r) for p, r in zip(part, board.runs, strict=True)]
    of_collections = [
        (order[int(part[known[n].argmax()])], "collection", name)
        for n, name in enumerate(board.collections)
        if known[n].any()
    ]
    rows = [*of_runs, *of_collections]
    table = pl.DataFrame(rows, schema=CONNECTED_PARTS.columns, orient="row")
    return table.sort("part", "kind", "name")


def smallest_set_table(settled: Settled, seed: int) -> pl.DataFrame:
    """Return how well the order by few collections, chosen greedily, agrees with the order by all.

    They are chosen on half of the runs and measured on the other half, over seeded splits; beside
    random sets of as many collections.
    """
    board = settled.board
    x = board.cells[:, ~np.isnan(board.cells).any(axis=0)]
    w, (n, n_runs) = settled.weights, x.shape
    if n < 2 or n_runs < 4:
        return pl.DataFrame(schema=SMALLEST_SET.columns)
    points, sizes = w[:, None] * x, min(n, MOST)
    whole, rng = points.sum(axis=0), np.random.default_rng(seed)
    chosen, _ = _greedy(points, w, whole, sizes)
    found = np.empty((SPLITS, sizes))
    for split in progress(range(SPLITS), SPLITS, "smallest set"):
        order = rng.permutation(n_runs)
        one, other = order[: n_runs // 2], order[n_runs // 2 :]
        _, sets = _greedy(points[:, one], w, whole[one], sizes)
        means = np.stack([points[s][:, other].sum(axis=0) / w[s].sum() for s in sets])
        found[split] = coefficients.kendall(means, whole[None, other])
    random = np.stack([_random(points, w, whole, k, rng) for k in range(1, sizes + 1)])
    table = pl.DataFrame(
        {
            "n_collections": np.arange(1, sizes + 1),
            "collection": [board.collections[c] for c in chosen],
            "tau": found.mean(axis=0),
            "tau_sd": found.std(axis=0, ddof=1),
            "random": np.nanmean(random, axis=1),
            "random_low": np.nanquantile(random, 0.05, axis=1),
            "random_high": np.nanquantile(random, 0.95, axis=1),
        },
        schema=SMALLEST_SET.columns,
    )
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _greedy(
    points: np.ndarray, weights: np.ndarray, whole: np.ndarray, sizes: int
) -> tuple[list[int], list[list[int]]]:
    """Return the collections in the order of choice, and the sets: each step raises τ most."""
    chosen: list[int] = []
    sets: list[list[int]] = []
    total, weight = np.zeros(points.shape[1]), 0.0
    for _ in range(sizes):
        left = np.setdiff1d(np.arange(len(points)), chosen)
        means = (total + points[left]) / (weight + weights[left])[:, None]
        best = int(
            left[int(np.nan_to_num(coefficients.kendall(means, whole[None]), nan=-2.0).argmax())]
        )
        chosen.append(best)
        sets.append([*chosen])
        total, weight = total + points[best], weight + float(weights[best])
    return chosen, sets


def _random(
    points: np.ndarray, weights: np.ndarray, whole: np.ndarray, k: int, rng: Any
) -> np.ndarray:
    draws = rng.random((RANDOM_SETS, len(points))).argsort(axis=1)[:, :k]
    inside = np.zeros((RANDOM_SETS, len(points)))
    np.put_along_axis(inside, draws, 1.0, axis=1)
    return coefficients.kendall(inside @ points / (inside @ weights)[:, None], whole[None])
