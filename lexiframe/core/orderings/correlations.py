"""Correlations between orderings of runs: `rank_correlations`, `bootstrap_correlations`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, progress, resampling, schemas, typed
from lexiframe.core.metrics import derived
from lexiframe.core.orderings.chosen_rule import ChosenRule
from lexiframe.core.orderings.coefficients import (
    ALL_ORDERS,
    FEW,
    PERSISTENCE,
    CorrelationMethod,
    coefficient,
    kendall_of_few,
    share_as_strong,
)
from lexiframe.core.orderings.missing_requests import Missing, settle
from lexiframe.core.orderings.order import ordering_table, warn_of_cycles
from lexiframe.core.orderings.ordered import Ordered, laid_out, resampled
from lexiframe.core.orderings.rules import AnyMethod
from lexiframe.core.pairwise import By, PairsLike, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import OrderingsTable, RequestsLike


@alone.each_collection
@typed
@grouping.takes_groups
def rank_correlations(
    o: OrderingsTable,
    /,
    method: CorrelationMethod = "kendall",
    *,
    p: float = PERSISTENCE,
    matrix: bool = False,
    by: By = None,
) -> pl.DataFrame:
    """Correlate every two orderings of the runs.

    Parameters
    ----------
    o
        The table of `order_runs`, or several of them concatenated.
    method : {"kendall", "tau_ap", "tau_ap_symmetric", "rbo", "spearman"}
        ``kendall``: Kendall's τ-b, which accounts for ties.
        ``tau_ap``: AP correlation with ordering_a as the truth: for each run of ordering_b, the
        share of the runs above it that ordering_a has above it too, so that the top counts more.
        With ties it is τ_AP,b: a run's rank is the first of its group of ties.
        ``tau_ap_symmetric``: the mean of τ_AP with each of the two orderings as the truth.
        ``rbo``: rank-biased overlap, extrapolated; tied runs are all included from the first rank
        of their group.
        ``spearman``: Spearman's ρ of the mid-ranks.
    p : float
        For rbo: the persistence, between 0 and 1; the smaller it is, the more the top counts.
    matrix : bool
        Return the correlations as `agreement_matrix` does: measures × measures.
    by
        Columns of ``o`` that name groups of requests: the table is computed within each group.

    Returns
    -------
    polars.DataFrame
        Key ``method, ordering_a, ordering_b`` with ordering_a < ordering_b, sorted by it; for
        ``tau_ap`` both directions.
        An ordering has the name of its measure, or of its measure and method (``"RPP borda"``) when
        the table has several methods of a measure, or orders by a metric otherwise than by its mean
        (``"AP win_rate"``). ``method`` shows p unless it is the default:
        ``rbo(p=0.8)``. ``correlation`` is in −1..1, for rbo in 0..1; it is null for fewer than two
        runs and, except for rbo, when an ordering ties all runs. ``p_value`` is that of the
        two-sided test of independence (null for τ_AP and rbo), ``n`` the runs in both orderings.

    Raises
    ------
    LexiframeError
        For an unknown method, a p outside 0..1, or a p for another method than rbo.

    Notes
    -----
    τ-b and ρ are those of `scipy.stats.kendalltau` and `scipy.stats.spearmanr`. Kendall, "The
    treatment of ties in ranking problems", Biometrika 1945, doi:10.1093/biomet/33.3.239; Yilmaz,
    Aslam & Robertson, SIGIR 2008, doi:10.1145/1390334.1390435; Urbano & Marrero, "The Treatment of
    Ties in AP Correlation", ICTIR 2017, doi:10.1145/3121050.3121106; Webber, Moffat & Zobel, "A
    similarity measure for indefinite rankings", ACM TOIS 2010, doi:10.1145/1852102.1852106.

    Up to eight runs p is exact: the share of all orders of one ordering, with its ties, that
    correlate with the other as strongly, in either direction. Above, p of τ without ties is exact
    up to 33 runs; with ties it is that of a normal distribution, and p of ρ that of Student's t.
    Where all orders of nine runs give a p of .01 to .1, p of ρ is .67 to .96 of it (of 12 runs .71
    to 1, of 20 .90 to .99). Where runs are tied in two or three groups, p of nine runs is .15 to
    1.0 of it for ρ, and .5 to 1.3 for τ: a p of .12 by ρ, or .08 by τ, can come out below .05.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> o = pl.DataFrame({"measure": ["AP"] * 3 + ["RR"] * 3, "method": "mean",
    ...                   "run": ["a", "b", "c"] * 2, "value": 0.0,
    ...                   "rank": [1.0, 2.0, 3.0, 1.0, 3.0, 2.0]})
    >>> lf.rank_correlations(o)["correlation"].round(3).to_list()
    [0.333]
    >>> lf.rank_correlations(o, "tau_ap").select("ordering_a", "ordering_b", "correlation").rows()
    [('AP', 'RR', 0.5), ('RR', 'AP', 0.5)]
    >>> lf.rank_correlations(o, "tau_ap", matrix=True).rows()
    [('AP', 1.0, 0.5), ('RR', 0.5, 1.0)]
    """
    name, correlate = coefficient("rank_correlations", method, p)
    by_name = _ranks_by_name(schemas.check(o, schemas.ORDERINGS).drop_nulls("rank"))
    rows = []
    for a, b in _ordering_pairs(by_name, method):
        common = [run for run in by_name[a] if run in by_name[b]]  # a join takes much longer
        x, y = (np.array([by_name[one][run] for run in common], float) for one in (a, b))
        correlation, p_value = _tested(x, y, method) or (correlate(x[None], y[None])[0], np.nan)
        rows.append((name, a, b, correlation, p_value, len(x)))
    table = pl.DataFrame(rows, schema=schemas.CORRELATIONS.required, orient="row")
    table = table.with_columns(pl.selectors.float().fill_nan(None))
    if matrix:  # few ask for it
        from lexiframe.core.orderings.matrix import agreement_matrix

        return agreement_matrix(table)
    return table


@alone.each_collection
@typed
def bootstrap_correlations(
    d: PairsLike,
    /,
    method: CorrelationMethod = "kendall",
    *,
    order: AnyMethod = "mean",
    samples: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    p: float = PERSISTENCE,
    missing: Missing | None = None,
    matrix: bool = False,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Correlate the orderings by every two measures, with bootstrap intervals over the requests.

    Parameters
    ----------
    d
        The table of `scores`, or of `preferences`.
    method, p
        As for `rank_correlations`.
    order
        How each measure orders the runs: a method of `order_runs`.
    missing
        As for `order_runs`.
    samples : int
        The number of bootstrap samples. Each draws as many requests as there are, with replacement;
        all measures share the samples, so both orderings of a pair are of the same requests.
    seed : int
        The same seed gives the same samples.
    alpha : float
        The intervals are those at level 1 − alpha; between 0 and 1.
    matrix : bool
        Return the correlations, without intervals, as `agreement_matrix` does.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        The columns of `rank_correlations`, computed on all requests, and after them ``ci_low`` and
        ``ci_high``: the correlation ± twice the 1 − α quantile of its distance to the correlations
        of the samples in which one is defined, within the bounds of the coefficient; null when
        there is none, or no correlation.

    Raises
    ------
    LexiframeError
        As `order_runs` and `rank_correlations`; when samples is not a whole number from 1, seed not
        one from 0, or alpha not between 0 and 1; and for infinite values.

    Notes
    -----
    The intervals are symmetric bootstrap intervals (Hall, "On symmetric bootstrap confidence
    intervals", JRSS B 50, 1988), twice as wide, and contain the correlation of the data. Runs that
    are close swap ranks from sample to sample, and not in the same way under both measures: the
    data correlate less than the true means do, and by more than samples tell.

    Coverage of the τ-b of the true means, whose level is .95, in 200 simulations each (judges: 150)
    of normal scores with a standard deviation of .25 and a correlation of .7 between two measures
    (.9 between two judges that agree, whose true means are nearly the same), of the intervals taken
    (twice), of half the width (symmetric), of percentiles, and of the jackknife on Fisher's z
    (``python -m tests.core.orderings.test_coverage_of_correlations``):

    ===========================  ========  =====  =========  ===========  =========
    runs, spread of their means  requests  twice  symmetric  percentiles  jackknife
    ===========================  ========  =====  =========  ===========  =========
    8, 0.3                       25        1.00   .99        .94          .99
    8, 0.3                       50        1.00   .97        .96          .95
    8, 0.3                       200       1.00   .98        .98          .73
    30, 0.3                      25        .99    .81        .56          .96
    30, 0.3                      50        1.00   .88        .72          .99
    30, 0.3                      200       1.00   .94        .90          1.00
    30, 0.1                      25        .99    .57        .21          .89
    30, 0.1                      50        .99    .66        .29          .94
    30, 0.1                      200       .99    .80        .51          .99
    15, 0.3, judges that agree   25        1.00   .67        .01          .82
    15, 0.3, judges that agree   50        1.00   .75        .08          .99
    15, 0.3, judges that agree   200       1.00   .85        .52          .97
    30, 0.3, judges that agree   25        .96    .51        .00          .53
    30, 0.3, judges that agree   50        .95    .63        .00          .86
    30, 0.3, judges that agree   200       1.00   .74        .10          1.00
    ===========================  ========  =====  =========  ===========  =========

    They hold at least .95, and mostly more, at the price of their width: .42 in place of .25 for 15
    runs, judges that agree and 25 requests. More requests make them narrower, more samples do not.
    ρ, τ_AP and rbo have them too; those of ρ and τ_AP held .98 to 1 (120 simulations).

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> s = pl.DataFrame({"run": ["a", "a", "b", "b"] * 2, "query_id": ["1", "2"] * 4,
    ...                   "measure": ["AP"] * 4 + ["RR"] * 4,
    ...                   "value": [0.5, 0.75, 0.25, 0.5, 1.0, 0.25, 0.5, 0.5]})
    >>> lf.bootstrap_correlations(s).select("correlation", "ci_low", "ci_high").row(0)
    (1.0, -1.0, 1.0)
    """
    table = correlate_samples(
        d, [method], order=order, samples=samples, seed=seed, alpha=alpha, p=p,
        missing=missing, requests=requests, by=by,
    )  # fmt: skip
    groups = table.columns[: table.columns.index("method")]
    if matrix:  # few ask for it
        from lexiframe.core.orderings.matrix import agreement_matrix

        return agreement_matrix(table, by=groups or None)
    return table


def correlate_samples(
    d: Any,
    methods: Sequence[CorrelationMethod],
    *,
    order: AnyMethod,
    samples: int,
    seed: int,
    alpha: float,
    p: float = PERSISTENCE,
    missing: Missing | None = None,
    requests: Any = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute `bootstrap_correlations` by several methods, from orderings that are made once."""
    function = "bootstrap_correlations"
    coefficients = {method: coefficient(function, method, p)[1] for method in methods}
    resampling.check_share(function, "alpha", alpha)
    rule, cycles = ChosenRule(order, missing=missing), list[pl.DataFrame]()

    def with_limits(part: Any) -> pl.DataFrame:
        cube = laid_out(settle(part, missing)[0], order)
        by_name = {o.measure: o for o in resampled(function, cube, rule, samples, seed)}
        table, found = ordering_table(cube, rule, cycles), list[pl.DataFrame]()
        for method, correlate in coefficients.items():
            pairs, whole = _ordering_pairs(by_name, method), rank_correlations(table, method, p=p)
            limits = [
                resampling.symmetric_interval(
                    estimate, correlate(*_common(by_name[a], by_name[b])), alpha, _bounds(method)
                )
                for (a, b), estimate in zip(
                    progress(pairs, len(pairs), "correlating"), whole["correlation"], strict=True
                )
            ]
            low, high = zip(*limits, strict=True) if limits else ((), ())
            columns = {"ci_low": low, "ci_high": high}
            ends = [pl.Series(name, ends, pl.Float64) for name, ends in columns.items()]
            found.append(whole.with_columns(ends))
        return pl.concat(found)

    table = grouping.group_tables(with_limits, d, requests, by)
    warn_of_cycles(cycles)
    return table


def _bounds(method: str) -> tuple[float, float]:
    return (0, 1) if method == "rbo" else (-1, 1)


def _ranks_by_name(orderings: pl.DataFrame) -> dict[Any, dict[str, float]]:
    """Return the rank of each run, sorted by run, for each ordering, by its name."""
    rows = orderings.select("measure", "method").unique()
    several = rows.height > rows["measure"].n_unique() or any(
        how.partition("(")[0] != "mean" and derived.known_metric(measure) is not None
        for measure, how in rows.rows()  # the usual order of a metric is that of its means
    )
    name = pl.concat_str("measure", "method", separator=" ") if several else pl.col("measure")
    if orderings.select(schemas.ORDERINGS.key).is_duplicated().any():
        raise SchemaError(
            f"orderings: expected one row for each {', '.join(schemas.ORDERINGS.key)}, found "
            "several"
        )
    named = orderings.select(pl.col("run", "rank"), ordering=name)
    parts = named.sort("run").partition_by("ordering", as_dict=True, include_key=False)
    return {key[0]: dict(rows.rows()) for key, rows in parts.items()}


def _ordering_pairs(names: Any, method: str) -> list[tuple[str, str]]:
    """Pair the orderings, sorted by the table's key; τ_AP needs both directions."""
    choose = permutations if method == "tau_ap" else combinations
    return [(a, b) for a, b in choose(sorted(names), 2)]


def _tested(x: np.ndarray, y: np.ndarray, method: CorrelationMethod) -> tuple[float, float] | None:
    """Return SciPy's coefficient and p-value; None for a method that SciPy lacks.

    The functions of `coefficients` are for many samples at once, and have no p-values.
    """
    if method not in ("kendall", "spearman"):
        return None
    return _scipy_correlation(tuple(x.tolist()), tuple(y.tolist()), method)


@lru_cache(maxsize=10_000)
def _scipy_correlation(
    x: tuple[float, ...], y: tuple[float, ...], method: CorrelationMethod
) -> tuple[float, float]:
    """Return SciPy's coefficient and p-value, once for equal ranks: many measures order alike.

    SciPy's p of ρ is an approximation for any number of runs; of few it is found by all orders.
    """
    # SciPy would warn of some orderings that have no correlation.
    if len({*x}) < 2 or len({*y}) < 2:
        return np.nan, np.nan
    if method == "kendall" and len(x) <= FEW:
        return kendall_of_few(np.array(x), np.array(y))
    from scipy.stats import kendalltau, spearmanr

    correlation, p_value = kendalltau(x, y) if method == "kendall" else spearmanr(x, y)
    if len(x) <= ALL_ORDERS:
        return float(correlation), share_as_strong(np.array(x), np.array(y), method)
    # Of n! orders at least the same one and its reverse correlate as strongly; SciPy has 0 there.
    least = 2 / math.factorial(min(len(x), 170))
    return float(correlation), max(float(p_value), min(least, 1.0))


def _common(a: Ordered, b: Ordered) -> tuple[np.ndarray, np.ndarray]:
    """Return both orderings' ranks of the runs that they have in common."""
    in_a, in_b = a.runs.is_in(b.runs.to_list()), b.runs.is_in(a.runs.to_list())
    return a.ranks[:, in_a.to_numpy()], b.ranks[:, in_b.to_numpy()]
