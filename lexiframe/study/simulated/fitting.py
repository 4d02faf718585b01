"""Fitting to a real collection: its design is taken over, the model and the pool are fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import polars as pl
import pyarrow as pa
from scipy.optimize import least_squares
from scipy.special import expit, logit, ndtri

from lexiframe.core.base import progress
from lexiframe.core.metrics import scores
from lexiframe.core.pairwise import arrays
from lexiframe.core.projection import positions
from lexiframe.study.simulated.model import (
    CANDIDATES,
    PROPORTIONS,
    SPREADS,
    Design,
    Draw,
    Model,
    Pool,
    draws,
    item_scores,
    relevant_ranks,
)
from lexiframe.study.simulated.statistics import half_distances, statistics, values_of

_CELLS = 5_000_000
"""The fit simulates about this many item scores at most: of large collections, fewer requests."""
_STEP = 0.1
_ROUNDS = 8


def imitate(
    runs: pa.Table, qrels: pa.Table, rel: float | None, seed: int
) -> tuple[Model, Design, Pool]:
    """Take over the design of a collection, and fit the model and the pool to it."""
    p = positions(runs, qrels, rel=rel, judged=True)
    values = values_of(p)
    design = _design_of(p, runs, values["AP"])
    model = fit(design, values, seed)
    counts = p.group_by("query_id").agg(pl.col("n_judged", "n_relevant").first())
    n_not_relevant = float((counts["n_judged"] - counts["n_relevant"]).to_numpy().mean())
    judged = float(values["Judged@10"].mean())
    return model, design, fit_pool(model, design, judged, n_not_relevant, seed)


def _design_of(p: pl.DataFrame, runs: pa.Table, ap: np.ndarray) -> Design:
    """Return the design of a collection: the numbers that need no fit.

    How easy a request is, and how good a run, follows from its mean AP.
    """
    by_request = p.group_by("query_id").agg(pl.col("n_relevant").first()).sort("query_id")
    by_run = p.group_by("run").agg(pl.col("n_retrieved").max()).sort("run")
    items = p.filter(pl.col("level").is_not_null()).unique(["query_id", "doc_id"])
    grades = items["relevance"].value_counts(normalize=True).sort("relevance")
    listed = pl.DataFrame(runs).sort("run", "query_id", "score")
    same = pl.all_horizontal(pl.col(c) == pl.col(c).shift() for c in ("run", "query_id", "score"))
    tied = listed.group_by("run").agg(same.mean().alias("tied")).sort("run").to_series(1)
    depth = by_run["n_retrieved"].to_numpy()
    return Design(
        by_request["n_relevant"].to_numpy(),
        _probits(ap.mean(axis=1)),
        _probits(ap.mean(axis=0)),
        depth,
        tied.fill_null(0.0).to_numpy(),
        grades["relevance"].to_numpy(),
        grades["proportion"].to_numpy(),
        CANDIDATES * int(depth.max()),
    )


def _probits(share: np.ndarray) -> np.ndarray:
    """Convert values in 0..1 to normal quantiles, then to mean 0 and standard deviation 1."""
    normal = ndtri(share.clip(0.005, 0.995))
    spread = normal.std()
    return np.asarray((normal - normal.mean()) / (spread or 1.0))


def fit(design: Design, values: dict[str, np.ndarray], seed: int) -> Model:
    """Find the model whose rankings have nearly the statistics of the collection.

    The fit minimises a sum of squares: the differences between the statistics of the model and of
    the collection, each divided by the mean distance between random halves of the collection (at
    least 0.005). The random numbers are fixed, so that the sum changes with the parameters alone. A
    statistic that the collection or all its halves lack, because AP or RR is constant, is left out;
    one that rankings of the model lack counts as 0, as for unrelated rankings.
    """
    values = {name: table for name, table in values.items() if name != "Judged@10"}
    target = np.array([*statistics(values).values()])
    expected = np.array([*half_distances(values, 10, seed).values()])
    is_known = np.isfinite(target) & np.isfinite(expected)
    weight = 1 / np.maximum(expected[is_known], 0.005)
    design = _smaller(design)
    drawn = [*draws(design, seed)]
    start = _parameters_of(Model())
    steps = range(_ROUNDS * (len(start) + 2))
    bar = iter(progress(steps, len(steps), "fitting the simulation"))

    @lru_cache(maxsize=1)  # the slopes at a point need the residuals that were just computed there
    def at(parameters: tuple[float, ...]) -> np.ndarray:
        next(bar, None)
        found = statistics(_drawn_scores(_model_of(np.array(parameters)), design, drawn))
        return np.asarray((np.nan_to_num([*found.values()]) - target)[is_known] * weight)

    def residuals(parameters: np.ndarray) -> np.ndarray:
        return at(tuple(parameters))

    def slopes(parameters: np.ndarray) -> np.ndarray:
        here = residuals(parameters)
        ahead = parameters + _STEP * np.eye(len(parameters))
        return np.column_stack([(residuals(point) - here) / _STEP for point in ahead])

    return _model_of(least_squares(residuals, start, slopes, max_nfev=_ROUNDS).x)


def _parameters_of(model: Model) -> np.ndarray:
    """Return the parameters that are fitted, as numbers without bounds."""
    spreads = np.log([getattr(model, name) for name in SPREADS])
    shares = logit([getattr(model, name) for name in PROPORTIONS])
    return np.array([model.skill, *spreads, *shares])


def _model_of(parameters: np.ndarray) -> Model:
    spreads, shares = np.exp(parameters[1:5]), expit(parameters[5:])
    fitted = dict(zip((*SPREADS, *PROPORTIONS), [*spreads.tolist(), *shares.tolist()], strict=True))
    return Model(skill=float(parameters[0]), **fitted)


def _smaller(design: Design) -> Design:
    """Keep at most about _CELLS item scores of requests (at least 4 requests), evenly spaced."""
    n = len(design.n_relevant)
    cells = (design.n_relevant + design.candidates) * len(design.ability)
    kept = max(4, min(n, int(n * _CELLS / cells.sum())))
    chosen = np.linspace(0, n - 1, kept).round().astype(int)
    return replace(design, n_relevant=design.n_relevant[chosen], ease=design.ease[chosen])


def _drawn_scores(model: Model, design: Design, drawn: Sequence[Draw]) -> dict[str, np.ndarray]:
    """Score rankings of the model by AP, nDCG@10 and RR."""
    ranks = [relevant_ranks(model, design, draw, q) for q, draw in enumerate(drawn)]
    n_runs, sizes = len(design.ability), design.n_relevant
    ranking = np.repeat(np.arange(len(sizes) * n_runs), sizes.repeat(n_runs))
    position = np.concatenate([rank.ravel() for rank in ranks])
    order = np.lexsort((np.where(position, position, np.iinfo(np.int64).max), ranking))
    grade = np.concatenate([np.tile(draw.grade, n_runs) for draw in drawn])
    p = pl.DataFrame(
        {
            "run": (ranking % n_runs).astype(np.int64),
            "query_id": ranking // n_runs,
            "doc_id": order,
            "relevance": grade[order],
            "position": position[order],
            "level": np.arange(len(ranking)) - np.searchsorted(ranking, ranking) + 1,
            "n_relevant": sizes.repeat(n_runs)[ranking],
            "n_retrieved": np.tile(design.depth, len(sizes))[ranking],
        }
    ).with_columns(pl.col("position").replace(0, None))
    cube = arrays.score_cube(scores(p, ["AP", "nDCG@10", "RR"]))
    return dict(zip(cube.measures, cube.values, strict=True))


def fit_pool(model: Model, design: Design, judged: float, n_not_relevant: float, seed: int) -> Pool:
    """Find to which depth runs are pooled, and which share of the pool's other items is judged.

    All relevant items are judged; the pool's other items are not relevant. ``judged`` is the wanted
    share of judged items in the top 10, ``n_not_relevant`` the wanted mean number of judged items
    that are not relevant, with less weight. If none of the pool's other items is in a top 10, their
    share follows from their number.
    """
    if not n_not_relevant:
        return Pool(0, 1.0, all_relevant=True)
    design = _smaller(design)
    depths = np.unique(np.geomspace(1, design.depth.max(), 30).round().astype(int))
    relevant, others, pooled = 0.0, np.zeros(len(depths)), np.zeros(len(depths))
    for q, draw in enumerate(draws(design, seed)):
        order = np.argsort(-item_scores(model, design, draw, q), axis=1)
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(order.shape[1])[None], axis=1)
        in_top, m = (rank < 10).mean(axis=0) / 10, len(draw.grade)
        is_pooled = rank.min(axis=0)[m:, None] < depths
        relevant += in_top[:m].sum() / len(design.ease)
        others += in_top[m:] @ is_pooled / len(design.ease)
        pooled += is_pooled.sum(axis=0) / len(design.ease)
    of_number = np.divide(n_not_relevant, pooled, out=np.ones_like(pooled), where=pooled > 0)
    share = np.divide(judged - relevant, others, out=of_number, where=others > 0).clip(0, 1)
    miss = np.abs(relevant + share * others - judged) / 0.01
    miss += 0.5 * np.abs(np.log((1 + share * pooled) / (1 + n_not_relevant)))
    best = int(miss.argmin())
    return Pool(int(depths[best]), float(share[best]), all_relevant=True)
