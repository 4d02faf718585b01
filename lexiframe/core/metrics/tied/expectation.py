"""Metrics in expectation over tied orders: `expectation`.

All orders within a group of equal scores are equally likely, independently of other groups and
rankings. Each kind of metric has a closed form of its own; the values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.metrics.judged_items import Items
from lexiframe.core.metrics.kinds import counts, judged
from lexiframe.core.metrics.kinds.cascade import CascadeMetric
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.exposures import constant
from lexiframe.core.metrics.kinds.graded import GradedMetric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.ranking_metric import RankingMetric
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.kinds.search_length import SearchLength, needs_ranks_of_all
from lexiframe.core.metrics.kinds.subtopic_metrics import SubtopicMetric
from lexiframe.core.metrics.needed import JUDGED
from lexiframe.core.metrics.rankings import GRADE, LEVEL, N_RELEVANT, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row
from lexiframe.core.metrics.stretches import begins
from lexiframe.core.metrics.tied.groups import Exposures, Groups, last_ranks
from lexiframe.core.metrics.tied.order_sums import linear_variance, moments_by_rank, pair_sums
from lexiframe.core.projection import tied_orders

no_closed_form = tied_orders.no_closed_form
Found = tuple[np.ndarray, np.ndarray]
"""The mean over the orders, and the variance, of each ranking; NaN where it has no closed form."""
_AFFINE = 1e-12
"""Weights of levels that differ from a straight line by less are on it."""


def refuse_without_form(measures: Iterable[Any]) -> None:
    """Raise for a measure that has no closed form over tied orders.

    Preferences by levels have one; compositions, and preferences that users define by functions of
    whole rankings, have none.
    """
    for measure in measures:
        has_form = measure.kind in _PREFERENCES
        if isinstance(measure, Metric):
            has_form = _form_of(measure) is not None
        if not has_form:
            raise no_closed_form(measure)


_PREFERENCES = ("level preference", "lexicographic preference")
"""The kinds of preferences that have a closed form."""


def expectation(metric: Metric, rankings: Rankings, value: np.ndarray) -> Found:
    """Return the mean of a metric over the orders of equal scores, and its standard deviation.

    ``value`` is that of one order, which stays where no item that counts shares its score. The
    standard deviation is NaN where there is no closed form.
    """
    tied, form = _tied_rankings(metric, rankings), _form_of(metric)
    if form is None:
        raise no_closed_form(metric)
    sd = np.full(len(rankings), np.nan if form in _WITHOUT_SD else 0.0)
    if tied.any():
        mean, variance = form(metric, rankings, tied)
        value = np.where(tied, mean, value)
        sd += np.where(tied, np.sqrt(np.maximum(variance, 0)), 0.0)
    return value, sd


def _tied_rankings(metric: Metric, rankings: Rankings) -> np.ndarray:
    """Return the rankings in which an item that the metric counts shares its score."""
    if metric.needs == JUDGED:
        items = rankings.judged_items
        of, (first, last) = items.ranking, _spans(items)
    else:
        of = rankings.ranking
        first, last = (
            rankings.rows[name].fill_null(0).to_numpy() for name in ("tied_from", "tied_to")
        )
    found = np.zeros(len(rankings), bool)
    found[of[first < last]] = True
    return found


def _spans(items: Items) -> np.ndarray:
    """Return the first and the last rank of each judged item; expected ties give them."""
    return np.zeros((2, len(items.rank))) if items.spans is None else items.spans


def _form_of(metric: Metric) -> Callable[[Any, Rankings, np.ndarray], Found] | None:
    """Return the closed form of a metric, if there is one."""
    if isinstance(metric, RankingMetric):
        return _OF_COUNTS.get(metric.function) if type(metric) is RankingMetric else None
    if isinstance(metric, judged.JudgedMetric):
        return _preferred if metric.term is judged.preferred_to_nonrelevant else None
    if getattr(metric, "rank_weights", None) is not None:
        return _weighted_ranks if metric.rank_weights() is not None else None  # type: ignore[attr-defined]
    return _OF_KIND.get(type(metric))


def relevant_groups(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Groups:
    """Return the groups of the relevant items of the tied rankings, seen down to the cut-off."""
    rows, of = rankings.relevant, rankings.relevant_rankings
    first, last = (rows[name].fill_null(0).to_numpy() for name in ("tied_from", "tied_to"))
    groups = Groups.find(
        of, np.where(tied[of], first, 0), last, last_ranks(rankings, metric.cutoff)
    )
    if "corpus_size" in rows.columns:  # places of items that were not retrieved are seen, too
        most = np.inf if metric.cutoff is None else metric.cutoff
        is_imputed = groups.before >= last_ranks(rankings, None)[groups.ranking]
        seen = (is_imputed & (groups.before < most)).astype(np.int64)
        groups = replace(groups, seen=np.where(is_imputed, seen, groups.seen))
    return groups


def _divided(metric: Metric, rankings: Rankings, groups: Groups) -> np.ndarray:
    """Return whether the depth divides each group, and ranks behind it are imputed."""
    if "corpus_size" not in rankings.rows.columns:
        return np.zeros(len(groups), bool)
    depth = last_ranks(rankings, None)[groups.ranking]
    is_divided = (groups.before < depth) & (depth < groups.before + groups.size)
    if metric.cutoff is not None:
        is_divided &= depth < metric.cutoff
    return np.asarray(is_divided)


def _one_item_each(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Groups:
    """Return the groups of relevant items, for metrics in which it matters which item has a rank.

    Imputed ranks are given by grade, so that they depend on the order where the depth divides a
    group.
    """
    groups = relevant_groups(metric, rankings, tied)
    if _divided(metric, rankings, groups).any():
        raise no_closed_form(f"{metric} of imputed ranks")
    return groups


def _added(groups: Groups, n: int, mean: np.ndarray, variance: np.ndarray) -> Found:
    """Return the sums of independent groups in each ranking."""
    return np.bincount(groups.ranking, mean, n), np.bincount(groups.ranking, variance, n)


# --- Sums of exposure times weight -----------------------------------------------------------


def _recall_level(metric: RecallLevelMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ_i z(i, m) Σ_x P(p_i = x) e(x), and its variance."""
    groups, m = relevant_groups(metric, rankings, tied), rankings.first_row("n_relevant")
    divided = _divided(metric, rankings, groups)
    if divided.any():
        return _imputed_levels(metric, rankings, groups, divided)
    e = Exposures(metric, metric.exposure, groups, m)
    return _added(groups, len(m), *_level_moments(groups, e, _weights(metric, groups, m)))


def _weights(metric: RecallLevelMetric, groups: Groups, m: np.ndarray) -> np.ndarray:
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
    is_flat = step == 0
    for some, width in groups.batches(np.flatnonzero(is_straight), is_flat):
        of = e.at(some, width)
        found[:, some] = pair_sums(
            first[some, None] * of, step[some, None] * of, groups.size[some], n[some]
        )
    for some, width in groups.batches(np.flatnonzero(~is_straight), groups.size, n):
        of, t, r = e.at(some, width), int(groups.size[some[0]]), int(n[some[0]])
        weights = z[groups.start[some, None] + np.arange(r)]
        levels = np.flatnonzero(weights.any(axis=0))
        weights, chances = weights[:, levels], tied_orders.level_chances(t, r, levels + 1)
        chances = chances[:, :width]
        mean = _level_sums(weights, of, chances)
        found[0, some] = mean
        if not with_variance:
            continue
        square = _level_sums(weights**2, of**2, chances)  # right where one level counts
        several = np.flatnonzero((weights != 0).sum(axis=1) > 1)
        if len(several):
            z_of, of = np.zeros((len(several), r + 1)), of[several]
            z_of[:, levels] = weights[several]
            all_t, all_r = np.full(len(several), t), np.full(len(several), r)
            for moments in moments_by_rank(all_t, all_r, width, _product(z_of, of)):
                square[several] = moments[2].sum(axis=1)
        found[1, some] = np.maximum(square - mean**2, 0)
    return found[0], found[1]


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


def _search_length(metric: SearchLength, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the same of imputed ranks, in which a level that is not found has its place."""
    n = metric.values.get("n", "pool")
    if "corpus_size" not in rankings.rows.columns:
        rows = rankings.relevant
        is_found = (rows["tied_to"] <= rows["n_retrieved"]).fill_null(value=False)
        if n != "pool" or not is_found.all():
            if n == "pool" and "pool_size" not in rows.columns:
                raise needs_ranks_of_all(metric)
            rankings = rankings.imputed(n)
    mean, _ = _recall_level(metric, rankings, tied)
    if metric.mean:
        mean = mean / np.maximum(rankings.first_row("n_relevant"), 1)
    return mean, np.full(len(mean), np.nan)


def _imputed_levels(
    metric: RecallLevelMetric, rankings: Rankings, groups: Groups, divided: np.ndarray
) -> Found:
    """Return mean and variance of Σ_i z(i, m) e(p_i) where the depth divides groups.

    The number k of found items is then random, and level i > k has the imputed rank n − (m − i).
    """
    m, n = (rankings.first_row(name) for name in ("n_relevant", "corpus_size"))
    is_last = np.zeros(len(m), bool)
    is_last[groups.ranking[divided]] = True
    depth = last_ranks(rankings, None)[groups.ranking]
    is_plain = ~divided & ~(is_last[groups.ranking] & (groups.before >= depth))
    e = Exposures(metric, metric.exposure, groups, m)
    plain = replace(groups, seen=np.where(is_plain, groups.seen, 0))
    mean, variance = _added(groups, len(m), *_level_moments(plain, e, _weights(metric, groups, m)))
    for some, width in groups.batches(np.flatnonzero(divided), groups.size, groups.n):
        of, r, ranking = e.at(some, width), int(groups.n[some[0]]), groups.ranking[some]
        level = np.arange(1, int(m[ranking].max()) + 2)
        cells = {
            "level": np.minimum(level, m[ranking][:, None]),  # there is no later one
            "n_relevant": np.repeat(m[ranking], len(level)),
            "position": np.maximum(level + (n - m)[ranking][:, None], 1),
        }
        frame = pl.DataFrame({name: of_cell.ravel() for name, of_cell in cells.items()})
        terms = {"z": metric.evaluate(metric.weight, LEVEL, N_RELEVANT), "late": metric.terms()}
        z, late = (
            values.to_numpy().reshape(len(some), -1)
            for values in row_by_row(frame, **{k: v.fill_null(0) for k, v in terms.items()})
        )
        late = np.where(level <= m[ranking][:, None], late, 0)
        rest = late[:, ::-1].cumsum(axis=1)[:, ::-1]  # the sum of this level and the later ones
        own = np.minimum(groups.above[some, None] + np.arange(r + 1), len(level) - 1)
        z, rest = (np.take_along_axis(values, own, axis=1) for values in (z, rest))
        for moments in moments_by_rank(groups.size[some], groups.n[some], width, _product(z, of)):
            p, first, second = moments
        of_group = (first + p * rest).sum(axis=1)
        square = (second + 2 * first * rest + p * rest**2).sum(axis=1)
        np.add.at(mean, ranking, of_group)
        np.add.at(variance, ranking, np.maximum(square - of_group**2, 0))
    return mean, variance


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
    mean, _ = _level_moments(groups, e, _weights(metric, groups, m), with_variance=False)
    lists = np.bincount(groups.ranking, mean, int(of_row.max(initial=-1)) + 1)
    of_rankings = np.add.reduceat(lists, of_row[starts])
    return np.asarray(np.where(np.maximum.reduceat(first < last, starts), of_rankings, total))


def terms_by_level(metric: Any, rankings: Rankings) -> np.ndarray:
    """Return the expected contribution of each relevant item of one ranking, by level.

    Of a graded metric, an item adds its gain times the mean exposure of its group.
    """
    groups = relevant_groups(metric, rankings, np.ones(1, bool))
    if _divided(metric, rankings, groups).any():
        raise no_closed_form(f"{metric} of imputed ranks")
    terms = np.zeros(rankings.relevant.height)
    e = Exposures(metric, metric.exposure, groups, rankings.first_row("n_relevant"))
    if isinstance(metric, GradedMetric):
        weights = rankings.item_values(metric.evaluate(metric.gain, GRADE))[groups.item]
        if metric.normalised:
            weights = ratio(weights, np.repeat(metric._ideals(rankings), len(weights)))
    else:
        weights = _weights(metric, groups, rankings.first_row("n_relevant"))
    for n in range(len(groups)):
        t, r, seen = (int(of[n]) for of in (groups.size, groups.n, groups.seen))
        start, of = int(groups.start[n]), e.at(np.array([n]), seen)[0]
        if isinstance(metric, GradedMetric):
            terms[start : start + r] = of.sum() / t
        else:
            terms[start : start + r] = tied_orders.kept_chances(t, r)[0][:, :seen] @ of
    terms[: len(weights)] *= weights
    if isinstance(metric, GradedMetric):  # its items keep their grades, whatever their level is
        of_items = np.zeros(len(terms))
        of_items[groups.item] = terms[: len(weights)]
        return np.asarray(of_items[np.argsort(rankings.relevant["level"].to_numpy())])
    return terms


# --- Sums of gain times discount ---------------------------------------------------------------


def _graded(metric: GradedMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ over groups of the mean gain times Σ_x e(s + x), over the ideal."""
    groups = _one_item_each(metric, rankings, tied)
    gain = rankings.item_values(metric.evaluate(metric.gain, GRADE))
    e = Exposures(metric, metric.exposure, groups, rankings.first_row("n_relevant"))
    mean, variance = _added(groups, len(rankings), *_gain_moments(groups, e, gain[groups.item]))
    if metric.normalised:
        ideal = metric._ideals(rankings)
        mean, variance = ratio(mean, ideal), ratio(variance, ideal**2)
    return mean, variance


def _gain_moments(groups: Groups, e: Exposures, gain: np.ndarray) -> Found:
    """Return mean and variance of Σ g e of each group; ``gain`` has the g of its items."""
    found = np.zeros((2, len(groups)))
    if not len(groups):
        return found[0], found[1]
    each = np.add.reduceat(gain, groups.start) / groups.size
    squares = np.add.reduceat(np.square(gain - np.repeat(each, groups.n)), groups.start)
    squares += (groups.size - groups.n) * each**2
    for some, width in groups.batches(np.arange(len(groups))):
        of = e.at(some, width)
        found[0, some] = each[some] * of.sum(axis=1)
        found[1, some] = linear_variance(of, groups.size[some], squares[some])
    return found[0], found[1]


def _weighted_ranks(metric: Any, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ_i W(i) g(i) of a user whose reading does not depend on the gains."""
    weights = metric.rank_weights()
    ranks = np.arange(1.0, len(weights) + 1)
    groups = relevant_groups(replace(metric, cutoff=len(weights)), rankings, tied)
    e = Exposures(metric, lambda p: p.replace_strict(ranks, weights), groups, np.zeros(1))
    gain = metric.gains(rankings)[groups.item]
    return _added(groups, len(rankings), *_gain_moments(groups, e, gain))


def _judged_groups(rankings: Rankings, tied: np.ndarray, limit: np.ndarray) -> Groups:
    """Return the groups of the judged items of one run; negative grades are no judgments."""
    items, spans = rankings.judged_items, _spans(rankings.judged_items)
    counted = tied[items.ranking] & (items.grade >= 0)
    return Groups.find(items.ranking, np.where(counted, spans[0], 0), spans[1], limit)


def _judged_sum(metric: Metric, exposure: Any, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ e(p) over the judged items."""
    groups = _judged_groups(rankings, tied, last_ranks(rankings, metric.cutoff))
    e = Exposures(metric, exposure, groups, rankings.first_row("n_relevant"))
    return _added(groups, len(rankings), *_gain_moments(groups, e, np.ones(len(groups.item))))


def _residual(metric: judged.Residual, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return 1 − Σ e(p) over the judged items."""
    mean, variance = _judged_sum(metric, metric.exposure, rankings, tied)
    return 1 - mean, variance


def _judged_share(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the judged items of the top k, over their number."""
    mean, variance = _judged_sum(metric, constant, rankings, tied)
    most = counts.retrieved(rankings)
    if (k := metric.cutoff) is not None:
        is_least = metric.values["denominator"] == "min"
        most = np.minimum(most, k) if is_least else np.full_like(most, k)
    return ratio(mean, most), ratio(variance, most.astype(np.float64) ** 2)


def _unjudged_share(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the documents of the top k without a judgment, over k."""
    mean, variance = _judged_sum(metric, constant, rankings, tied)
    n = counts.retrieved(rankings)
    k = n if metric.cutoff is None else np.full_like(n, metric.cutoff)
    return ratio(np.minimum(n, k) - mean, k), ratio(variance, k.astype(np.float64) ** 2)


# --- Functions of the number of items found ------------------------------------------------------


def _found_items(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the number of relevant items down to the cut-off."""
    groups = relevant_groups(metric, rankings, tied)
    e = Exposures(metric, constant, groups, rankings.first_row("n_relevant"))
    return _added(groups, len(rankings), *_gain_moments(groups, e, np.ones(len(groups.item))))


def _share_found(divisor: Callable[[Metric, Rankings], np.ndarray]) -> Callable[..., Found]:
    """Return the form of a number of items found, over a divisor that no order changes."""

    def share(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
        mean, variance = _found_items(metric, rankings, tied)
        of = divisor(metric, rankings).astype(np.float64)
        return ratio(mean, of), ratio(variance, of**2)

    return share


def _precision_divisor(metric: Metric, rankings: Rankings) -> np.ndarray:
    n = counts.retrieved(rankings)
    return np.minimum(n, counts.relevant(rankings)) if metric.values["relative"] else n


def _harmonic_divisor(metric: Metric, rankings: Rankings) -> np.ndarray:
    beta = metric.values["beta"]
    return np.asarray((beta * counts.relevant(rankings) + counts.retrieved(rankings)) / (beta + 1))


def _squared(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return E r² / (ñ m)."""
    mean, variance = _found_items(metric, rankings, tied)
    most = counts.retrieved(rankings) * counts.relevant(rankings).astype(np.float64)
    return ratio(mean**2 + variance, most), np.full(len(mean), np.nan)


def _utility(metric: Any, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the utility, which is linear in the number of items found."""
    mean, variance = _found_items(metric, rankings, tied)
    a, b, c, d = (metric.values[name] for name in "abcd")
    of_each = a - b - c + d
    one_order = metric.compute(rankings)
    found = counts.relevant_retrieved(rankings)
    return one_order + of_each * (mean - found), variance * of_each**2


def _unchanged(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return a count that no order changes."""
    return metric.compute(rankings), np.zeros(len(rankings))


def _nonrelevant(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the number of documents retrieved that are judged not relevant."""
    items, spans = rankings.judged_items, _spans(rankings.judged_items)
    counted = tied[items.ranking] & items.nonrelevant(rankings.rel) & (items.grade >= 0)
    first = np.where(counted, spans[0], 0)
    groups = Groups.find(items.ranking, first, spans[1], last_ranks(rankings, None))
    e = Exposures(metric, constant, groups, rankings.first_row("n_relevant"))
    return _added(groups, len(rankings), *_gain_moments(groups, e, np.ones(len(groups.item))))


# --- Metrics with memory that have a closed form all the same ------------------------------------


def _cascade(metric: CascadeMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ over groups of Q Σ_x (E_{x−1} − E_x) e(s + x).

    Q is Π (1 − R) of the groups before, and E_x the mean of Π (1 − R) over the x-subsets of the
    group: documents are added to it one by one, and each is in x of the n + 1 places.
    """
    groups = _one_item_each(metric, rankings, tied)
    stays = 1 - rankings.item_values(metric.evaluate(metric.stop, GRADE))[groups.item]
    e = Exposures(metric, metric.exposure, groups, rankings.first_row("n_relevant"))
    mean = np.zeros(len(groups))
    if len(groups):
        of_group = np.multiply.reduceat(stays, groups.start)
        arrives = np.ones(len(groups))
        is_first = coded.begins(groups.ranking)
        for _ in range(int(_places(is_first).max())):  # groups of a ranking, one after the other
            arrives[1:] = np.where(is_first[1:], 1.0, (arrives * of_group)[:-1])
        for some, width in groups.batches(np.arange(len(groups)), groups.n):
            t, r = groups.size[some], int(groups.n[some[0]])
            x = np.arange(width + 1)
            subset = np.ones((len(some), width + 1))
            for j in range(r):
                n_after = (t - r + j + 1)[:, None]
                share = np.minimum(x / n_after, 1)
                before = np.pad(subset[:, :-1], ((0, 0), (1, 0)))
                stay = stays[groups.start[some] + j][:, None]
                subset = (1 - share) * subset + share * stay * before
            mean[some] = arrives[some] * (-np.diff(subset, axis=1) * e.at(some, width)).sum(axis=1)
    return _added(groups, len(rankings), mean, np.full(len(groups), np.nan))


def _preferred(metric: judged.JudgedMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return 1/m Σ of 1 − min(b, m)/min(m, N) over the relevant items retrieved.

    Only the judged documents of a group matter: r relevant ones and v that are not relevant, in
    any order. Where the depth divides the group, the first j of these are seen, j random.
    """
    items, m = rankings.judged_items, counts.relevant(rankings).astype(np.float64)
    nonrelevant = items.nonrelevant(rankings.rel)
    n = np.bincount(items.ranking[nonrelevant & (items.grade >= 0)], minlength=len(m))
    most = np.minimum(m, n) if metric.values["denominator"] == "min" else m
    groups = _judged_groups(rankings, tied, last_ranks(rankings, None))
    mean, variance = np.zeros((2, len(groups)))
    if len(groups):
        is_relevant = ~nonrelevant[groups.item]
        r = np.add.reduceat(is_relevant.astype(np.int64), groups.start)
        others = np.cumsum(~is_relevant) - ~is_relevant
        of_ranking = np.searchsorted(groups.ranking, groups.ranking)
        above = others[groups.start] - others[groups.start[of_ranking]]
        sizes = groups.seen, groups.size, groups.n, r
        for some, width in groups.batches(np.flatnonzero(r > 0), *sizes[1:]):
            t, of_r, both = groups.size[some], r[some], int(groups.n[some[0]])
            found = tied_orders.count_chances(int(t[0]), both, np.array([width]))[0]
            limit, c, k = most[groups.ranking[some]], above[some], np.arange(int(of_r[0]) + 1)
            of_m = m[groups.ranking[some]][:, None]

            def term(
                x: int, c: np.ndarray = c, k: np.ndarray = k, m: np.ndarray = of_m,
                limit: np.ndarray = limit,
            ) -> np.ndarray:  # fmt: skip
                lost = np.minimum(c[:, None] + np.maximum(x - 1 - k, 0), m)
                return np.asarray(1 - ratio(lost, np.broadcast_to(limit[:, None], lost.shape)))

            first, second = np.zeros((2, len(some)))
            each = moments_by_rank(np.full(len(some), both), of_r, both, term)
            for chance, moments in zip(found[1:], each, strict=True):
                first += chance * moments[1].sum(axis=1)
                second += chance * moments[2].sum(axis=1)
            mean[some], variance[some] = first, np.maximum(second - first**2, 0)
    total, spread = _added(groups, len(m), mean, variance)
    return ratio(total, m), ratio(spread, m**2)


def _places(is_first: np.ndarray) -> np.ndarray:
    """Return the place of each group in its ranking, from 0."""
    starts = np.flatnonzero(is_first)
    return np.arange(len(is_first)) - np.repeat(starts, np.diff(starts, append=len(is_first)))


_OF_KIND: dict[type, Callable[[Any, Rankings, np.ndarray], Found]] = {
    RecallLevelMetric: _recall_level,
    SubtopicMetric: _recall_level,
    SearchLength: _search_length,
    GradedMetric: _graded,
    CascadeMetric: _cascade,
    judged.Residual: _residual,
}
_OF_COUNTS: dict[Callable[..., Any], Callable[[Any, Rankings, np.ndarray], Found]] = {
    counts.retrieved: _unchanged,
    counts.relevant: _unchanged,
    counts.one: _unchanged,
    counts.relevant_retrieved: _found_items,
    counts.nonrelevant_retrieved: _nonrelevant,
    counts.precision: _share_found(_precision_divisor),
    counts.recall: _share_found(lambda _, rankings: counts.relevant(rankings)),
    counts.weighted_mean: _share_found(_harmonic_divisor),
    counts.average_precision: _squared,
    counts.utility: _utility,
    judged.judged_share: _judged_share,
    judged.unjudged_share: _unjudged_share,
}
_WITHOUT_SD = (_cascade, _search_length, _squared)
"""The forms of which only the mean is known."""
