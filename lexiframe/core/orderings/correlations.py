"""Correlations between orderings of runs: `rank_correlations`."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, schemas, typed
from lexiframe.core.metrics import derived
from lexiframe.core.orderings.coefficients import (
    ALL_ORDERS,
    FEW,
    PERSISTENCE,
    CorrelationMethod,
    coefficient,
    kendall_of_few,
    share_as_strong,
)
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import OrderingsTable


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
    for a, b in ordering_pairs(by_name, method):
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


def _ranks_by_name(orderings: pl.DataFrame) -> dict[Any, dict[str, float]]:
    """Return the rank of each run, sorted by run, for each ordering, by its name."""
    lazy = orderings.lazy()
    rows = lazy.select("measure", "method").unique().collect()
    several = rows.height > rows["measure"].n_unique() or any(
        how.partition("(")[0] != "mean" and derived.known_metric(measure) is not None
        for measure, how in rows.rows()  # the usual order of a metric is that of its means
    )
    name = pl.concat_str("measure", "method", separator=" ") if several else pl.col("measure")
    if lazy.select(pl.struct(schemas.ORDERINGS.key).is_duplicated().any()).collect().item():
        raise SchemaError(
            f"orderings: expected one row for each {', '.join(schemas.ORDERINGS.key)}, found "
            "several"
        )
    named = lazy.select(pl.col("run", "rank"), ordering=name).sort("run").collect()
    parts = named.partition_by("ordering", as_dict=True, include_key=False)
    return {key[0]: dict(rows.rows()) for key, rows in parts.items()}


def ordering_pairs(names: Any, method: str) -> list[tuple[str, str]]:
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
