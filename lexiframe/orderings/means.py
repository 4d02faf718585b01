"""Means of the runs with intervals: the table ``means`` of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.layouts.arrays import PairCube, Pairs, ScoreCube
from lexiframe.layouts.cube import PairsLike, is_scores, pair_cube, score_cube
from lexiframe.layouts.groups import By, by_groups
from lexiframe.metrics.derived import known_metric
from lexiframe.orderings.rule import Rule
from lexiframe.orderings.weighted import ordered
from lexiframe.schemas import MEANS
from lexiframe.typing import RequestsLike


@by_groups
def run_means(
    d: PairsLike, /, alpha: float = 0.05, *, requests: RequestsLike = None, by: By = None
) -> pl.DataFrame:
    """Compute the mean of each run over the requests, under each measure, with its interval.

    Parameters
    ----------
    d
        The table of `scores`, whose values are averaged; or that of `preferences`, of which each
        request's share of the other runs that the run is preferred to is averaged (0..1; a tie
        counts as half). With preferences of all pairs that is ``win_rate`` of `order_runs`.
    alpha : float
        The intervals have level 1 − alpha.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``run, measure``, sorted by it. ``mean`` is that of the ``n`` requests that have a
        value; of logarithms (gm_map, gm_bpref) it is exp of their mean, as trec_eval prints it.
        ``ci_low, ci_high``, mean ± t · sd/√n with Student's t of n − 1 degrees of freedom,
        are null for one request and for an infinite mean. ``rank`` is that by mean, from 1, the
        best; runs of equal mean share the mean of their ranks. Counts such as num_ret have no best,
        so their rank is null.

    Examples
    --------
    >>> import polars as pl
    >>> s = pl.DataFrame({"run": ["a", "a", "b", "b"], "query_id": ["q1", "q2"] * 2,
    ...                   "measure": "AP", "value": [0.5, 0.7, 0.1, 0.1]})
    >>> run_means(s).select("run", "mean", pl.col("ci_low").round(3), "rank", "n").rows()
    [('a', 0.6, -0.671, 1.0, 2), ('b', 0.1, 0.1, 2.0, 2)]
    """
    of_scores = is_scores(d)
    cube = score_cube(d) if of_scores else shares_won(pair_cube(d))
    every = np.ones((1, len(cube.queries)))
    tables = []
    for (measure, scores), order in zip(cube, ordered(cube, every, Rule("mean")), strict=True):
        mean = order.values[0]
        n, low, high = _interval(scores.values, mean, alpha)
        if of_scores and _is_logarithm(measure):
            mean, low, high = (np.exp(np.minimum(end, 0)) for end in (mean, low, high))
        ranks = None if of_scores and is_count(measure) else order.ranks[0]
        columns = {"mean": mean, "ci_low": low, "ci_high": high, "rank": ranks, "n": n}
        named = {"run": order.runs, "measure": measure, **columns}
        tables.append(pl.DataFrame(named, schema_overrides={"rank": pl.Float64}))
    table = pl.concat([pl.DataFrame(schema=MEANS.columns), *tables])
    return table.with_columns(pl.col("ci_low", "ci_high").fill_nan(None)).sort(MEANS.key)


def best_first(
    means: pl.DataFrame, measures: Sequence[str], by: Sequence[str] = ()
) -> pl.DataFrame:
    """Sort means by group and measure as asked for, the runs of each by rank under the first one.

    So the runs of all measures have the same order, the best by the first measure first; runs of
    the same rank are sorted by name. Where the first measure is a count, which has no best, the
    first that is none decides.

    Examples
    --------
    >>> means = pl.DataFrame({"run": ["a", "b"] * 2, "measure": ["RR", "RR", "AP", "AP"],
    ...                       "rank": [1.0, 2.0, 2.0, 1.0]})
    >>> best_first(means, ["AP", "RR"]).select("measure", "run").rows()
    [('AP', 'b'), ('AP', 'a'), ('RR', 'b'), ('RR', 'a')]
    """
    place = pl.col("measure").cast(pl.Enum(list(dict.fromkeys(measures))))
    ranked = means.filter(pl.col("rank").is_not_null()).sort(place)
    ranked = ranked.filter(pl.col("measure") == pl.col("measure").first())
    first = ranked.select(*by, "run", first="rank")
    joined = means.join(first, on=[*by, "run"], how="left", nulls_equal=True)
    last = [False] * (len(by) + 1) + [True] * 2
    return joined.sort(*by, place, "first", "run", nulls_last=last).drop("first")


def is_count(measure: str) -> bool:
    """Return whether a measure counts items or requests: more is neither better nor worse.

    Examples
    --------
    >>> is_count("num_ret"), is_count("AP")
    (True, False)
    """
    metric = known_metric(measure)
    return metric is not None and metric.aggregate == "sum"


def _is_logarithm(measure: str) -> bool:
    metric = known_metric(measure)
    return metric is not None and metric.aggregate == "geometric mean"


def shares_won(cube: PairCube) -> ScoreCube:
    """Return for each request the share of the other runs that each run is preferred to."""
    shares = np.stack([_shares(pairs) for pairs in cube.whole()])
    no = np.zeros(len(cube.measures), bool)
    return ScoreCube(cube.measures, cube.queries, cube.runs, shares, no, no)


def _shares(pairs: Pairs) -> np.ndarray:
    """Return (wins + ties/2) / comparisons: requests × runs, NaN without a comparison."""
    known = ~np.isnan(pairs.values)
    lead = _by_run(pairs, np.sign(np.where(known, pairs.values, 0)).astype(np.int8), -1)
    n = _by_run(pairs, known.astype(np.int8), 1)
    none = np.full(n.shape, np.nan)
    return np.asarray(np.divide(n + lead, 2 * n, out=none, where=n > 0))


def _by_run(pairs: Pairs, values: np.ndarray, sign: int) -> np.ndarray:
    """Sum whole numbers of the pairs by run, with ``sign`` for run b: requests × runs.

    Sums over blocks of pairs with the same run a: a matrix of pairs × runs, as for a product, would
    not fit in memory for 1,000 runs.
    """
    order = np.argsort(pairs.a, kind="stable")
    a, b, values = pairs.a[order], pairs.b[order], values[:, order]
    sums = np.zeros((len(pairs.queries), len(pairs.runs)), np.int64)
    runs, starts = np.unique(a, return_index=True)
    for run, first, last in zip(runs, starts, [*starts[1:], len(a)], strict=True):
        block = values[:, first:last]
        sums[:, run] += block.sum(axis=1, dtype=np.int64)
        sums[:, b[first:last]] += sign * block
    return sums


def _interval(values: np.ndarray, mean: np.ndarray, alpha: float) -> tuple[np.ndarray, Any, Any]:
    """Return n and the ends of Student's interval of each column's mean; NaN where there is none.

    The deviation of equal values is exactly 0, which their differences from a rounded mean are not.
    """
    from scipy.special import stdtrit

    n = np.asarray((~np.isnan(values)).sum(axis=0), np.int64)
    with np.errstate(invalid="ignore"):
        squares = np.nansum((values - mean) ** 2, axis=0)
    deviation = np.sqrt(squares / np.maximum(n - 1, 1))
    deviation[np.nanmax(values, axis=0) == np.nanmin(values, axis=0)] = 0
    half = stdtrit(np.maximum(n - 1, 1), 1 - alpha / 2) * deviation / np.sqrt(n)
    half = np.where((n > 1) & np.isfinite(mean), half, np.nan)
    with np.errstate(invalid="ignore"):
        return n, mean - half, mean + half
