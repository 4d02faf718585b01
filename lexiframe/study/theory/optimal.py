"""The worst case of rankings that have all relevant items on top: `optimal_worst_case`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from scipy.special import comb

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.metrics import GradedMetric, RecallLevelMetric, SearchLength, subtopic_metrics
from lexiframe.core.pairwise import parse_measures
from lexiframe.study.theory.arguments import check_sizes, refuse_large, sizes_of
from lexiframe.typing import MeasureLike


@typed
def optimal_worst_case(measure: MeasureLike, m: int | Iterable[int]) -> pl.DataFrame:
    """Compute the worst case of an optimal ranking, when it is fixed and when it is drawn.

    An optimal ranking has the m relevant items at ranks 1 to m. Each user needs some of these
    items, and the worst case is the value for the user whom the ranking serves worst. A fixed
    ranking always serves the same user worst; if each of the optimal rankings is equally likely,
    the value for a user is the mean over them.

    Parameters
    ----------
    measure
        A recall-level or graded metric, or its notation, whose exposure does not increase with the
        rank and whose weights are not negative. All grades are 1.
    m
        The number of relevant items, one or several: ``range(1, 26)``.

    Returns
    -------
    polars.DataFrame
        One row for each ``m``, sorted: ``deterministic``, the least μ(π, u) over the non-empty sets
        u of relevant items; ``stochastic``, the least expected value E[μ(π, u)].

    Raises
    ------
    LexiframeError
        For another kind of measure, and for an m below 1.

    Notes
    -----
    By symmetry only the number k of items in u matters for the drawn ranking: P(p_i = j) =
    C(j−1, i−1) C(m−j, k−i) / C(m, k). For the fixed one the worst k items are the last ones. Diaz,
    Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, section 7.2.4 and
    appendix C.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.optimal_worst_case("AP", [1, 2]).rows()
    [(1, 1.0, 1.0), (2, 0.5, 0.75)]
    """
    metric = parse_measures(measure)[0]
    is_other = isinstance(metric, SearchLength | subtopic_metrics.SubtopicMetric)
    if not isinstance(metric, RecallLevelMetric | GradedMetric) or is_other:
        raise LexiframeError(
            f"optimal_worst_case: expected a recall-level or graded metric, such as AP or nDCG, "
            f"found {metric}"
        )
    sizes = sizes_of(m)
    for size in sizes:
        check_sizes("optimal_worst_case", size, size)
        refuse_large("optimal_worst_case", size**3)
    rows = [(size, _fixed(metric, size), _least_of_drawn(metric, size)) for size in sizes]
    schema = {"m": pl.Int64, "deterministic": pl.Float64, "stochastic": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _least_sum(metric: RecallLevelMetric | GradedMetric, cells: dict[str, np.ndarray]) -> float:
    """Return the least value, over k, of the sum of the terms times the probability of each cell.

    A cell has an item at rank j that is the i-th of the k items that a user needs.
    """
    j, i, k = (pl.col(name) for name in "jik")
    if isinstance(metric, RecallLevelMetric):
        term = metric.terms(j, i, k)
    else:
        term = metric.terms(j, k, pl.lit(1.0))
    weighted = (term.fill_null(0.0) * pl.col("probability")).sum().alias("value")
    values = pl.DataFrame(cells).group_by("k").agg(weighted).sort("k")["value"]
    if isinstance(metric, GradedMetric) and metric.normalised:
        values = values / _ideal_values(metric, len(values))
    return float(values.min())  # type: ignore[arg-type]


def _ideal_values(metric: GradedMetric, m: int) -> pl.Series:
    """Return, for k = 1..m, the sum of the ideal ranking of k items of grade 1."""
    k, rank = (1 + axis for axis in np.tril_indices(m))
    term = metric.of_ideal.terms(pl.col("rank"), pl.col("k"), pl.lit(1.0)).fill_null(0.0)
    sums = pl.DataFrame({"k": k, "rank": rank}).group_by("k").agg(term.sum().alias("value"))
    return sums.sort("k")["value"]


def _fixed(metric: RecallLevelMetric | GradedMetric, m: int) -> float:
    k, i = (1 + axis for axis in np.tril_indices(m))
    return _least_sum(metric, {"k": k, "i": i, "j": m - k + i, "probability": np.ones(len(k))})


def _least_of_drawn(metric: RecallLevelMetric | GradedMetric, m: int) -> float:
    k, i, j = (1 + axis.ravel() for axis in np.indices((m, m, m)))
    may_be = (i <= k) & (j >= i) & (m - j >= k - i)
    k, i, j = k[may_be], i[may_be], j[may_be]
    probability = comb(j - 1, i - 1) * comb(m - j, k - i) / comb(m, k)
    return _least_sum(metric, {"k": k, "i": i, "j": j, "probability": probability})
