"""How many pairs of runs a method tells apart: `discriminative_power`."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError, SchemaError
from lexiframe.preferences.groups import By, in_groups
from lexiframe.schemas import COMPARISONS, POWER, check


def discriminative_power(c: Any, alpha: float = 0.05, *, by: By = None) -> pl.DataFrame:
    """Give the share of pairs of runs that each measure tells apart.

    Parameters
    ----------
    c
        The table of `compare`, or those of several tests or corrections concatenated.
    alpha : float
        A pair is told apart when its corrected p-value is below alpha.
    by
        Columns of ``c`` that name groups of requests: the power is that within each group.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, alpha``, sorted by it: ``n_pairs``, ``n_significant``,
        ``power`` = n_significant / n_pairs, in 0..1.

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
    >>> lf.discriminative_power(lf.compare(d)).select("measure", "n_pairs", "power").rows()
    [('RPP', 1, 1.0)]
    """
    if not 0 < alpha < 1:
        raise LexiframeError(f"discriminative_power: expected alpha between 0 and 1, found {alpha}")
    if by is not None:
        return in_groups(partial(discriminative_power, alpha=alpha), c, None, by)
    comparisons = check(c, COMPARISONS)
    if comparisons.select(COMPARISONS.key).is_duplicated().any():
        raise SchemaError(
            f"comparisons: expected one row for each {', '.join(COMPARISONS.key)}, found several; "
            "tables with other families, baselines or levels go in one by one, and groups of "
            "requests with by="
        )
    return (
        comparisons.group_by("measure", "test", "correction")
        .agg(
            pl.lit(alpha).alias("alpha").first(),
            pl.len().cast(pl.Int64).alias("n_pairs"),
            (pl.col("p_adjusted") < alpha).sum().cast(pl.Int64).alias("n_significant"),
        )
        .with_columns(power=pl.col("n_significant") / pl.col("n_pairs"))
        .sort("measure", "test", "correction")
        .select(*POWER.columns)
    )
