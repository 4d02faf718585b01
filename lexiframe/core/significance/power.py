"""How many pairs of runs differ significantly, and how large a difference it takes."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import resampling, schemas, sums, typed
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.arguments import checked_comparisons
from lexiframe.typing import ComparisonsTable

CURVE = ("measure", "test", "correction")
"""The columns whose values together have a row of `discriminative_power` and a curve each."""


@alone.each_collection
@typed
@grouping.takes_groups
def discriminative_power(
    c: ComparisonsTable, /, alpha: float = 0.05, *, by: By = None
) -> pl.DataFrame:
    """Compute the share of pairs of runs that differ significantly by each measure.

    Parameters
    ----------
    c
        The table of `compare`, or those of several tests or corrections concatenated.
    alpha : float
        A pair differs significantly when its corrected p-value is below alpha.
    by
        Columns of ``c`` that name groups of requests: the power is computed within each group.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, alpha``, sorted by it. Of ``n_pairs`` pairs of runs
        ``n_significant`` differ significantly; ``power`` = n_significant / n_pairs, in 0..1.

    Raises
    ------
    LexiframeError
        For an alpha outside 0..1.

    Notes
    -----
    Sakai, "Evaluating Evaluation Metrics Based on the Bootstrap", SIGIR 2006,
    doi:10.1145/1148170.1148261.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, 0.25, 0.75, 0.5]})
    >>> lf.discriminative_power(lf.compare(d, "t")).select("measure", "n_pairs", "power").rows()
    [('RPP', 1, 1.0)]
    """
    resampling.check_share("discriminative_power", "alpha", alpha)
    power = pl.col("n_significant") / pl.col("n_pairs")
    counted = _count_pairs(c, alpha).lazy().with_columns(power=power)
    return counted.select(*schemas.POWER.columns).collect()


@alone.each_collection
@typed
@grouping.takes_groups
def asl_curve(c: ComparisonsTable, /, *, by: By = None) -> pl.DataFrame:
    """Sort the p-values of all pairs of runs: the curve of achieved significance levels.

    The lower the curve of a measure, the more pairs differ significantly by it, at any level.

    Parameters
    ----------
    c, by
        As for `discriminative_power`.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, place``, sorted by it. ``place`` is 1 for the smallest
        p-value; ``share`` = place / number of pairs, above 0 and up to 1. ``p_value`` and
        ``p_adjusted`` are those of ``run_a`` and ``run_b``, whose names order equal p-values.

    Notes
    -----
    The p-value at the share x is the level from which the share x of the pairs is significant;
    `discriminative_power` reads the same curve the other way: the share at a given level. Sakai,
    "Evaluating Evaluation Metrics Based on the Bootstrap", SIGIR 2006, doi:10.1145/1148170.1148261.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3"] * 2, "run_a": "a",
    ...                   "run_b": ["b"] * 3 + ["c"] * 3, "measure": "LR",
    ...                   "preference": [1.0, -1.0, 1.0, 1.0, 1.0, 1.0]})
    >>> c = lf.compare(d, "sign", "none")
    >>> lf.asl_curve(c).select("place", "share", "p_value", "run_b").rows()
    [(1, 0.5, 0.25, 'c'), (2, 1.0, 1.0, 'b')]
    """
    return (
        checked_comparisons(c)
        .sort(*CURVE, "p_value", "run_a", "run_b")
        .with_columns(place=pl.int_range(1, pl.len() + 1).over(*CURVE))
        .with_columns(share=pl.col("place") / pl.len().over(*CURVE))
        .select(*schemas.ASL_CURVE.columns)
    )


@alone.each_collection
@typed
@grouping.takes_groups
def smallest_significant_differences(
    c: ComparisonsTable, /, alpha: float = 0.05, *, by: By = None
) -> pl.DataFrame:
    """Find the least mean difference between two runs that each measure finds significant.

    Parameters
    ----------
    c, by
        As for `discriminative_power`.
    alpha : float
        A difference is significant when its corrected p-value is below alpha.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, alpha``, sorted by it. Of ``n_pairs`` pairs of runs
        ``n_significant`` are significant. ``smallest_significant`` is the least |mean_difference|
        of these, and ``run_a`` and ``run_b`` are its pair (of several pairs the first by name).
        ``largest_not_significant`` is the greatest |mean_difference| of the other pairs. Both are
        in the measure's unit, and null when there is no such pair. Where the second is larger, the
        size of a difference alone does not decide its significance.

    Raises
    ------
    LexiframeError
        For an alpha outside 0..1.

    Notes
    -----
    Sakai, "Evaluating Evaluation Metrics Based on the Bootstrap", SIGIR 2006,
    doi:10.1145/1148170.1148261, estimates the difference that significance requires from
    bootstrap samples instead.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"] * 2, "run_a": "a",
    ...                   "run_b": ["b"] * 4 + ["c"] * 4, "measure": "RPP",
    ...                   "preference": [1.0, -0.5, 1.0, 0.5, 0.25, 0.5, 0.375, 0.375]})
    >>> found = lf.smallest_significant_differences(lf.compare(d, "t"))
    >>> found.select("smallest_significant", "run_b", "largest_not_significant").rows()
    [(0.375, 'c', 0.5)]
    """
    resampling.check_share("smallest_significant_differences", "alpha", alpha)
    size, is_significant = pl.col("mean_difference").abs(), pl.col("p_adjusted") < alpha
    smallest = size.filter(is_significant).min()
    # Sizes that equal the smallest up to rounding tie with it; names then choose the pair.
    is_smallest = is_significant & (size <= smallest + sums.TIE * pl.max_horizontal(smallest, 1.0))
    found = (
        smallest.alias("smallest_significant"),
        size.filter(~is_significant).max().alias("largest_not_significant"),
        pl.col("run_a", "run_b").filter(is_smallest).first(),
    )
    return _count_pairs(c, alpha, *found).select(*schemas.SMALLEST_DIFFERENCES.columns)


def _count_pairs(c: ComparisonsTable, alpha: float, *found: pl.Expr) -> pl.DataFrame:
    """Count the pairs and the significant pairs of each curve, and compute ``found``."""
    counts = {"n_pairs": pl.len(), "n_significant": (pl.col("p_adjusted") < alpha).sum()}
    checked = checked_comparisons(c)
    if found:  # which may be the first pair of several
        checked = checked.sort("run_a", "run_b")
    table = (checked.lazy().group_by(*CURVE)).agg(
        *(n.cast(pl.Int64).alias(name) for name, n in counts.items()), *found
    )
    return table.with_columns(alpha=pl.lit(alpha, pl.Float64)).sort(*CURVE).collect()
