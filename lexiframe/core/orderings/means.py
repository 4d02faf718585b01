"""Means of the runs with intervals: the table ``means`` of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, sums, to_polars
from lexiframe.core.metrics import Bounds, derived
from lexiframe.core.orderings.missing_requests import Missing, check_missing, settle
from lexiframe.core.orderings.ordered import table_for
from lexiframe.core.orderings.ordering_rules import AnyScores, ranks_of
from lexiframe.core.pairwise import By, PairCube, PairsLike, arrays, facts, grouping
from lexiframe.typing import RequestsLike


@grouping.takes_groups
def run_means(
    d: PairsLike,
    /,
    alpha: float = 0.05,
    *,
    missing: Missing | None = None,
    known: facts.Known | None = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute the mean of each run over the requests, under each measure, with its interval.

    ``d`` has scores, or preferences: then each request's share of the other runs to which the run
    is preferred is averaged (0..1; a tie counts as half). ``missing`` is as for `order_runs`, but
    None ranks no runs where some lack requests; ``known`` are facts of measures. Within groups
    ``by``, attributes are the first columns. Key ``run, measure``. ``mean`` is over the ``n``
    requests that have a value; for logarithms (gm_map, gm_bpref) it is exp of their mean, as in
    trec_eval. ``ci_low, ci_high`` are null for one request and for an infinite mean. For hits, 0
    and 1 alone, they are Clopper and Pearson's (Biometrika 1934, doi:10.1093/biomet/26.4.404). For
    other measures with bounds they are Student's mean ± t · sd/√n of the values and of one more at
    each bound, as t of the values alone holds too few means where most values are alike and few far
    away; they end at the bounds. Without bounds, or for values beyond them (in percent, say), they
    are Student's, and null where all values are equal. ``rank`` is by mean, 1 the best; equal means
    share the mean of their ranks. It is null for counts such as num_ret, which have no best, and
    for means over different requests. Of scores with ``ties_sd`` the means have it too: √Σ sd² / n,
    as tied orders are independent in the requests; null where it is null in one.
    """
    d = d if isinstance(d, PairCube | arrays.Reduced) else to_polars(d)  # once: may be a stream
    check_missing("means", missing)
    d, _ = settle(d, missing)
    of_scores = arrays.is_scores(d)
    tables, told = [], {}
    for measure, of_measure in table_for(d, "mean") if of_scores else arrays.cube_or_sums(d):
        of = facts.metric_facts(measure, known) if of_scores else facts.Facts("preference")
        if isinstance(of_measure, AnyScores):
            moments, sign = of_measure.scores, -1 if of_measure.smaller_is_better else 1
            ends = _ends_of(of.limits)
        else:
            moments, sign, ends = of_measure.shares, 1, of.mean_range
        can_be_hits = of_scores and (of.are_hits or not of.bounds)
        mean = moments.mean
        low, high = _mean_intervals(moments, ends, alpha, can_be_hits=can_be_hits)
        ranks = ranks_of(sign * mean, moments.mean_rounding)
        if of.aggregate == "geometric mean":
            mean, low, high = (np.exp(np.minimum(end, 0)) for end in (mean, low, high))
        is_unequal = missing is None and of_measure.lacking.any()
        shown = None if of.is_count or is_unequal else ranks
        columns = {"mean": mean, "ci_low": low, "ci_high": high, "rank": shown, "n": moments.n}
        if isinstance(of_measure, AnyScores) and (ties := of_measure.ties) is not None:
            sd = np.sqrt(ties.total.rounded()) / np.maximum(moments.n, 1)
            columns["ties_sd"] = np.where(ties.n < moments.n, np.nan, sd)
        if moments.has_weights:
            columns["n_effective"] = moments.n_effective
        named = {"run": of_measure.runs, "measure": measure, **columns}
        tables.append(pl.DataFrame(named, schema_overrides={"rank": pl.Float64}))
        told[measure] = of
    none = pl.DataFrame(
        schema={name: schemas.MEANS.columns[name] for name in schemas.MEANS.required}
    )
    table = pl.concat([none, *tables], how="diagonal")
    table = table.with_columns(pl.col("^(ci_low|ci_high|ties_sd)$").fill_nan(None))
    return facts.within_bounds(table, told).sort(schemas.MEANS.key)


def best_first(
    means: pl.DataFrame, measures: Sequence[str], by: Sequence[str] = ()
) -> pl.DataFrame:
    """Sort means by group and by the user's measures, the runs by rank under the first measure.

    So the runs of all measures have one order; runs of equal rank are sorted by name. Where the
    first measure is a count, which has no best, the first one that is no count decides.
    """
    place = pl.col("measure").cast(pl.Enum(list(dict.fromkeys(measures))))
    ranked = means.filter(pl.col("rank").is_not_null()).sort(place)
    ranked = ranked.filter(pl.col("measure") == pl.col("measure").first())
    first = ranked.select(*by, "run", first="rank")
    joined = means.join(first, on=[*by, "run"], how="left", nulls_equal=True)
    last = [False] * (len(by) + 1) + [True] * 2
    return joined.sort(*by, place, "first", "run", nulls_last=last).drop("first")


def is_count(measure: str) -> bool:
    """Return whether a measure counts items or requests: more is neither better nor worse."""
    metric = derived.known_metric(measure)
    return metric is not None and metric.aggregate == "sum"


def _ends_of(limits: Bounds) -> tuple[float, float]:
    """Return the least and the greatest value of a metric; infinite where one is not known."""
    return (limits.low, limits.high) if 0 < limits.width < np.inf else (-np.inf, np.inf)


def _mean_intervals(
    moments: sums.Moments, bounds: tuple[float, float], alpha: float, *, can_be_hits: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the interval of each mean; NaN where there is none.

    For hits, all 0 or 1, they are Clopper and Pearson's; otherwise Student's, over the values and
    one more at each bound, if the bounds are known and hold all values (unlike percentages).
    """
    least, most = moments.least.min(initial=np.inf), moments.greatest.max(initial=-np.inf)
    if can_be_hits and moments.are_signs and not moments.losses.any():
        low, high = sums.bounded_means.hits_ends(moments.won, moments.n_effective, alpha / 2)
    elif np.isfinite(bounds).all() and bounds[0] <= least and most <= bounds[1]:
        low, high = moments.add_bounds(*bounds).ends(alpha / 2)
    else:
        low, high = sums.Estimates.of_values(moments).ends(alpha / 2)
    low, high = (np.where(moments.has_spread, end, np.nan) for end in (low, high))
    return sums.bounded_means.hold_mean(low, high, moments.mean)
