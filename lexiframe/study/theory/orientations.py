"""How a metric reacts when the first, or the last, relevant item moves: `orientation`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import typed
from lexiframe.core.metrics import scores
from lexiframe.core.pairwise import parse_measures
from lexiframe.study.theory.arguments import check_sizes, refuse_large, sizes_of
from lexiframe.study.theory.rankings import positions_of
from lexiframe.typing import MeasureLike

_RANKINGS = ("first at n - m + 1", "first at 1", "last at m", "last at n")


@typed
def orientation(
    measures: MeasureLike | Iterable[MeasureLike], n: int, m: int | Iterable[int]
) -> pl.DataFrame:
    """Compute how much a metric changes when its first, or its last, relevant item is moved.

    Parameters
    ----------
    measures
        Metrics or their notation, one or several.
    n
        The number of items that are ranked.
    m
        The number of relevant items, one or several: ``range(1, 16)``.

    Returns
    -------
    polars.DataFrame
        Key ``measure, m``, sorted by it. ``precision_orientation``: the value when the first
        relevant item is at rank 1, minus that when it is at rank n − m + 1, all others being at the
        end of the ranking. ``recall_orientation``: the value when the last relevant item is at
        rank m, minus that when it is at rank n, all others being at the top. Those of a search
        length are negated, because smaller is better. Those of TSE are divided by the range of its
        values for this m, so that they are the same for every exposure.

    Raises
    ------
    LexiframeError
        For a measure that is no metric, or needs more than the ranks of relevant items; and unless
        1 ≤ m ≤ n.

    Notes
    -----
    μ(1, n−m+2..n) − μ(n−m+1..n), and μ(1..m) − μ(1..m−1, n): Diaz, Ekstrand & Mitra, ACM TORS 2025,
    doi:10.1145/3728373, arXiv:2302.11370, section 3.1.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> lf.theory.orientation(["RR", "R@1000"], n=100_000, m=4).select(
    ...     "measure", pl.col("precision_orientation", "recall_orientation").round(4)
    ... ).rows()
    [('R@1000', 0.25, 0.25), ('RR', 1.0, 0.0)]
    """
    metrics: list[Any] = [*parse_measures(measures)]  # `scores` refuses preferences
    sizes = sizes_of(m)
    for size in sizes:
        check_sizes("orientation", n, size)
        refuse_large("orientation", size)
    groups = [(np.array([size]), _extremes(n, size)[None]) for size in sizes]
    p = positions_of(groups, _RANKINGS, n)
    values = scores(p, metrics).pivot("run", index=["measure", "query_id"], values="value")
    late, soon, top, low = (pl.col(name) for name in _RANKINGS)
    smaller = [str(metric) for metric in metrics if metric.smaller_is_better]
    of_last_item = [str(metric) for metric in metrics if metric.name == "TSE"]
    sign = pl.when(pl.col("measure").is_in(smaller)).then(-1.0).otherwise(1.0)
    scale = sign / pl.when(pl.col("measure").is_in(of_last_item)).then(top - low).otherwise(1.0)
    return values.select(
        "measure",
        m=pl.col("query_id").cast(pl.Int64),  # requests are called by their m
        precision_orientation=(soon - late) * scale,
        recall_orientation=(top - low) * scale,
    ).sort("measure", "m")


def _extremes(n: int, m: int) -> np.ndarray:
    """Return the ranks of the four rankings that are compared, in the order of their names."""
    last, first = np.arange(n - m + 1, n + 1), np.arange(1, m + 1)
    return np.stack([last, np.append(1, last[1:]), first, np.append(first[:-1], n)])
