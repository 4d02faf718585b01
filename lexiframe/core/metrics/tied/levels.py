"""Sums over recall levels of exposure times weight, in expectation over tied orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.graded import GradedMetric
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.kinds.search_length import SearchLength, needs_ranks_of_all
from lexiframe.core.metrics.kinds.subtopic_metrics import SubtopicMetric
from lexiframe.core.metrics.rankings import GRADE, LEVEL, N_RELEVANT, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row
from lexiframe.core.metrics.stretches import begins
from lexiframe.core.metrics.tied.counted_groups import Found, are_divided, relevant_groups, summed
from lexiframe.core.metrics.tied.groups import Exposures, Groups, last_ranks
from lexiframe.core.metrics.tied.order_sums import moments_by_rank, pair_sums
from lexiframe.core.projection import tied_orders

_AFFINE = 1e-12
"""Weights of levels that differ from a straight line by less are on it."""


def level_form(metric: RecallLevelMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ_i z(i, m) Σ_x P(p_i = x) e(x), and its variance."""
    groups, m = relevant_groups(metric, rankings, tied), rankings.first_row("n_relevant")
    divided = are_divided(metric, rankings, groups)
    if divided.any():
        return _imputed_levels(metric, rankings, groups, divided)
    e = Exposures(metric, metric.exposure, groups, m)
    return summed(groups, len(m), *_level_moments(groups, e, level_weights(metric, groups, m)))


def level_weights(metric: RecallLevelMetric, groups: Groups, m: np.ndarray) -> np.ndarray:
    """Return z(i, m) of the levels of all items of groups."""
    frame = pl.DataFrame(
        {"level": groups.levels, "n_relevant": m[np.repeat(groups.ranking, groups.n)]}
    )
    return row_by_row(frame, z=metric.evaluate(metric.weight, LEVEL, N_RELEVANT))["z"].to_numpy()


def _level_moments(
    groups: Groups, e: Exposures, z: np.ndarray, *, with_variance: bool = True
) -> Found:
    """Return mean and variance of Σ_i z_i e(p_i) over the orders of each group.

    ``z`` are the weights of the levels of all items. Where they rise by equal steps within a group,
    as i/m does, the sum is one over pairs of ranks; else the levels are looked at one by one.
    """
    found, n = np.zeros((2, len(groups))), groups.n
    first, last = z[groups.start], z[groups.start + n - 1]
    step = (last - first) / np.maximum(n - 1, 1)
    nth = np.arange(len(z)) - np.repeat(groups.start, n)
    line = np.repeat(first, n) + nth * np.repeat(step, n)
    off = np.abs(z - line) > _AFFINE * np.maximum(np.abs(z), 1e-300)
    is_straight = ~np.maximum.reduceat(off, groups.start) if len(z) else np.ones(0, bool)
    for some, width in groups.batches(np.flatnonzero(is_straight), step == 0):
        of = e.at(some, width)
        slopes = first[some, None] * of, step[some, None] * of
        found[:, some] = pair_sums(*slopes, groups.size[some], n[some])
    for some, width in groups.batches(np.flatnonzero(~is_straight), groups.size, n):
        t, r = int(groups.size[some[0]]), int(n[some[0]])
        weights = z[groups.start[some, None] + np.arange(r)]
        found[:, some] = _moments_of_size(weights, e.at(some, width), t, with_variance)
    return found[0], found[1]


def _moments_of_size(
    weights: np.ndarray, e: np.ndarray, t: int, with_variance: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the moments of groups of t documents; ``weights`` are groups × levels."""
    r, width = weights.shape[1], e.shape[1]
    levels = np.flatnonzero(weights.any(axis=0))
    chances = tied_orders.level_chances(t, r, levels + 1)[:, :width]
    mean = _level_sums(weights[:, levels], e, chances)
    if not with_variance:
        return mean, np.zeros(len(mean))
    square = _level_sums(weights[:, levels] ** 2, e**2, chances)  # right where one level counts
    several = np.flatnonzero((weights != 0).sum(axis=1) > 1)
    if len(several):
        of_level = np.pad(weights[several], ((0, 0), (0, 1)))
        sizes = np.full(len(several), t), np.full(len(several), r)
        for moments in moments_by_rank(*sizes, width, _product(of_level, e[several])):
            square[several] = moments[2].sum(axis=1)
    return mean, np.maximum(square - mean**2, 0)


def _level_sums(weights: np.ndarray, of: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return Σ_i w_i Σ_x P(p_i = x) e(x), to bits that do not depend on the other groups.

    A product of matrices is rounded by its shape. Levels are added one after the other, so that
    levels of weight 0, which other groups bring in, change nothing.
    """
    of_levels = np.einsum("gx,ix->gi", of, chances)
    return np.asarray((weights * of_levels).cumsum(axis=1)[:, -1])


def _product(z: np.ndarray, e: np.ndarray) -> Callable[[int], np.ndarray]:
    """Return the function from a rank to z e of the item there, by the number found before."""
    return lambda x: z * e[:, x - 1 : x]


def length_form(metric: SearchLength, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the same of imputed ranks, in which a level that is not found has its place."""
    n = metric.values.get("n", "pool")
    if "corpus_size" not in rankings.rows.columns:
        rows = rankings.relevant
        is_found = (rows["tied_to"] <= rows["n_retrieved"]).fill_null(value=False)
        if n != "pool" or not is_found.all():
            if n == "pool" and "pool_size" not in rows.columns:
                raise needs_ranks_of_all(metric)
            rankings = rankings.imputed(n)
    mean, _ = level_form(metric, rankings, tied)
    if metric.mean:
        mean = mean / np.maximum(rankings.first_row("n_relevant"), 1)
    return mean, np.full(len(mean), np.nan)


def _imputed_levels(
    metric: RecallLevelMetric, rankings: Rankings, groups: Groups, divided: np.ndarray
) -> Found:
    """Return mean and variance of Σ_i z(i, m) e(p_i) where the depth divides groups.

    The number k of found items is then random, and level i > k has the imputed rank n − (m − i).
    """
    m = rankings.first_row("n_relevant")
    is_last = np.zeros(len(m), bool)
    is_last[groups.ranking[divided]] = True
    depth = last_ranks(rankings, None)[groups.ranking]
    is_plain = ~divided & ~(is_last[groups.ranking] & (groups.before >= depth))
    e = Exposures(metric, metric.exposure, groups, m)
    plain = replace(groups, seen=np.where(is_plain, groups.seen, 0))
    of_plain = _level_moments(plain, e, level_weights(metric, groups, m))
    mean, variance = summed(groups, len(m), *of_plain)
    for some, width in groups.batches(np.flatnonzero(divided), groups.size, groups.n):
        z, rest = _weights_and_rest(metric, rankings, groups, some)
        sizes = groups.size[some], groups.n[some]
        for moments in moments_by_rank(*sizes, width, _product(z, e.at(some, width))):
            p, first, second = moments
        of_group = (first + p * rest).sum(axis=1)
        square = (second + 2 * first * rest + p * rest**2).sum(axis=1)
        np.add.at(mean, groups.ranking[some], of_group)
        np.add.at(variance, groups.ranking[some], np.maximum(square - of_group**2, 0))
    return mean, variance


def _weights_and_rest(
    metric: RecallLevelMetric, rankings: Rankings, groups: Groups, some: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return, by the number k found in divided groups, z(k + 1, m), and Σ_{i>k} z e if k is all.

    Both are groups × (r + 1); the rest has imputed ranks.
    """
    ranking, r = groups.ranking[some], int(groups.n[some[0]])
    m, n = (rankings.first_row(name)[ranking][:, None] for name in ("n_relevant", "corpus_size"))
    level = np.arange(1, int(m.max()) + 2)
    cells = {
        "level": np.minimum(level, m),  # there is no later one
        "n_relevant": np.broadcast_to(m, (len(some), len(level))),
        "position": np.maximum(level + n - m, 1),
    }
    frame = pl.DataFrame({name: of_cell.ravel() for name, of_cell in cells.items()})
    terms = {"z": metric.evaluate(metric.weight, LEVEL, N_RELEVANT), "late": metric.terms()}
    z, late = (
        values.to_numpy().reshape(len(some), -1)
        for values in row_by_row(frame, **{k: v.fill_null(0) for k, v in terms.items()})
    )
    late = np.where(level <= m, late, 0)
    rest = late[:, ::-1].cumsum(axis=1)[:, ::-1]  # the sum of this level and the later ones
    own = np.minimum(groups.above[some, None] + np.arange(r + 1), len(level) - 1)
    return np.take_along_axis(z, own, axis=1), np.take_along_axis(rest, own, axis=1)


def subtopic_sums(
    metric: SubtopicMetric, table: pl.DataFrame, starts: np.ndarray, total: np.ndarray
) -> np.ndarray:
    """Return for each ranking Σ over subtopics of Σ_i z(i, m_t) Σ_x P(p_ti = x) e(x).

    ``total`` are the sums of one order, which stay where no relevant item shares its score.
    """
    is_first = begins(table, "run", "query_id", "subtopic")
    of_row = np.cumsum(is_first) - 1
    first, last = (table[name].fill_null(0).to_numpy() for name in ("tied_from", "tied_to"))
    first = np.where(table["level"].is_not_null().to_numpy(), first, 0)
    limit, m = (table[name].to_numpy()[is_first] for name in ("n_retrieved", "n_relevant"))
    if metric.cutoff is not None:
        limit = np.minimum(limit, metric.cutoff)
    groups = Groups.find(of_row, first, last, limit)
    e = Exposures(metric, metric.exposure, groups, m)
    mean, _ = _level_moments(groups, e, level_weights(metric, groups, m), with_variance=False)
    lists = np.bincount(groups.ranking, mean, int(of_row.max(initial=-1)) + 1)
    of_rankings = np.add.reduceat(lists, of_row[starts])
    return np.asarray(np.where(np.maximum.reduceat(first < last, starts), of_rankings, total))


def terms_by_level(metric: Any, rankings: Rankings) -> np.ndarray:
    """Return the expected contribution of each relevant item of one ranking, by level.

    Of a graded metric, an item adds its gain times the mean exposure of its group.
    """
    groups = relevant_groups(metric, rankings, np.ones(1, bool))
    if are_divided(metric, rankings, groups).any():
        raise tied_orders.no_closed_form(f"{metric} of imputed ranks")
    terms = np.zeros(rankings.relevant.height)
    e = Exposures(metric, metric.exposure, groups, rankings.first_row("n_relevant"))
    if isinstance(metric, GradedMetric):
        weights = rankings.item_values(metric.evaluate(metric.gain, GRADE))[groups.item]
        if metric.normalised:
            weights = ratio(weights, np.repeat(metric._ideals(rankings), len(weights)))
    else:
        weights = level_weights(metric, groups, rankings.first_row("n_relevant"))
    for n in range(len(groups)):
        t, r, seen = (int(of[n]) for of in (groups.size, groups.n, groups.seen))
        start, of = int(groups.start[n]), e.at(np.array([n]), seen)[0]
        if isinstance(metric, GradedMetric):
            terms[start : start + r] = of.sum() / t
        else:
            terms[start : start + r] = tied_orders.kept_chances(t, r, 0, r)[0][:, :seen] @ of
    terms[: len(weights)] *= weights
    if isinstance(metric, GradedMetric):  # its items keep their grades, whatever their level is
        of_items = np.zeros(len(terms))
        of_items[groups.item] = terms[: len(weights)]
        return np.asarray(of_items[np.argsort(rankings.relevant["level"].to_numpy())])
    return terms
