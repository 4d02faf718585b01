"""How much a recall level adds to a difference: for two ranks, and over pairs of real rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.metrics import GradedMetric, Metric, RecallLevelMetric
from lexiframe.core.pairwise import Measure, pairs, parse_measures
from lexiframe.core.projection import alone, blocks
from lexiframe.study.theory.arguments import check_sizes, refuse_large
from lexiframe.study.theory.enumerated import exposure_of, values_of
from lexiframe.typing import MeasureLike, PositionsTable

_GRID = np.arange(-100, 101) / 100
_ROUNDING = 1e-12
_MOST_RANKS = 1000
Differences = Callable[[np.ndarray, np.ndarray], np.ndarray]


@typed
def exposure_differences(
    measures: MeasureLike | Iterable[MeasureLike], n: int = 25
) -> pl.DataFrame:
    """Compute what the i-th relevant item adds to a difference, by its ranks in two rankings.

    Parameters
    ----------
    measures
        Metrics with an exposure, and preferences by recall levels such as ``"RPP"``, for which the
        difference is a sign.
    n
        The greatest rank, at most 1,000.

    Returns
    -------
    polars.DataFrame
        Key ``measure, rank_a, rank_b``, sorted by it: the ``difference`` of the exposures at the
        two ranks, as a share of that at rank 1; its sign for preferences.

    Raises
    ------
    LexiframeError
        For other measures, and other numbers of ranks.

    Notes
    -----
    Δμ_i = δ(f_i) − δ(f′_i), where f_i is a rank and δ the exposure: Diaz & Ferraro, SIGIR 2022,
    section 2, figure 2 (left), doi:10.1145/3477495.3532033.

    Examples
    --------
    >>> import lexiframe as lf
    >>> table = lf.theory.exposure_differences(["RR", "RPP"], n=2)
    >>> table.filter(rank_a=1, rank_b=2).rows()
    [('RPP', 1, 2, 1.0), ('RR', 1, 2, 0.5)]
    """
    check_sizes("exposure_differences", n, 1)
    if n > _MOST_RANKS:
        raise LexiframeError(
            f"exposure_differences: expected ranks up to {_MOST_RANKS:,} at most, found {n:,}"
        )
    a, b = (1 + axis.ravel() for axis in np.indices((n, n)))
    tables = [
        pl.DataFrame({"measure": name, "rank_a": a, "rank_b": b, "difference": difference(a, b)})
        for name, difference in _difference_functions("exposure_differences", measures, n).items()
    ]
    return pl.concat(tables).sort("measure", "rank_a", "rank_b")


@alone.each_collection
@typed
def exposure_distribution(
    p: PositionsTable, /, measures: MeasureLike | Iterable[MeasureLike]
) -> pl.DataFrame:
    """Compute how what the recall levels add to differences is distributed over real rankings.

    Parameters
    ----------
    p
        The table of `positions`.
    measures
        As for `exposure_differences`.

    Returns
    -------
    polars.DataFrame
        Key ``measure, difference``, sorted by it: for differences from −1 to 1 in steps of 0.01 the
        ``cumulative`` share of recall levels of pairs of rankings that have this difference or a
        smaller one, and the share ``below`` it; ``n`` is their number. Each pair counts in both
        directions. Where the two shares of 0 are the same, all ranks have another exposure.

    Raises
    ------
    LexiframeError
        For other measures, and fewer than two runs.

    Notes
    -----
    Diaz & Ferraro, SIGIR 2022, section 2, figure 2 (right), doi:10.1145/3477495.3532033. An item
    that is not retrieved has no exposure, and is worse than every rank.

    Examples
    --------
    The ranks differ at 71 % of the levels of the bundled example:

    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> table = lf.theory.exposure_distribution(p, "RPP").filter(difference=0)
    >>> table.select(equal=(pl.col("cumulative") - pl.col("below")).round(2), n="n").rows()
    [(0.29, 594)]
    """
    requests = [*pairs.rankings_of("exposure_distribution", p)]
    missing = {id(ranks): ranks == blocks.missing(ranks) for ranks in requests}
    found = [int(ranks[~missing[id(ranks)]].max(initial=1)) for ranks in requests]
    last = max(found, default=1)
    differences = _difference_functions("exposure_distribution", measures, last)
    counts = {name: np.zeros((2, len(_GRID)), np.int64) for name in differences}
    n = 0
    for ranks in requests:
        a, b = np.triu_indices(len(ranks), k=1)
        known = np.where(missing[id(ranks)], last + 1, ranks).astype(np.int64)
        n += 2 * len(a) * ranks.shape[1]
        for name, difference in differences.items():
            one_way = difference(known[a], known[b]).ravel()
            counts[name] += _grid_counts(np.concatenate([one_way, -one_way]))
    tables = [
        pl.DataFrame(
            {"measure": name, "difference": _GRID, "cumulative": up_to / n, "below": less / n}
        )
        for name, (up_to, less) in counts.items()
        if n
    ]
    schema = dict.fromkeys(("difference", "cumulative", "below"), pl.Float64())
    empty = pl.DataFrame(schema={"measure": pl.String, **schema})
    return (
        pl.concat([empty, *tables])
        .with_columns(n=pl.lit(n, pl.Int64))
        .sort("measure", "difference")
    )


def _grid_counts(values: np.ndarray) -> np.ndarray:
    """Count the values up to each point of the grid, and the values below it."""
    ordered = np.sort(values)
    up_to = np.searchsorted(ordered, _GRID + _ROUNDING, side="right")
    return np.stack([up_to, np.searchsorted(ordered, _GRID - _ROUNDING)])


def _difference_functions(
    function: str, measures: MeasureLike | Iterable[MeasureLike], n: int
) -> dict[str, Differences]:
    """Return for each measure a function from two ranks up to n + 1, where nothing is, to Δ."""
    refuse_large(function, n)
    return {str(one): _difference(function, one, n) for one in parse_measures(measures)}


def _difference(function: str, measure: Measure, n: int) -> Differences:
    if measure.kind == "level preference":
        return lambda a, b: np.sign(b - a).astype(np.float64)
    if not isinstance(measure, RecallLevelMetric | GradedMetric):
        raise LexiframeError(
            f"{function}: expected metrics with an exposure, such as RBP and nDCG, or preferences "
            f"by recall levels, such as RPP, found {measure}"
        )
    exposure = np.append(_exposures(exposure_of(measure), n), 0.0)
    share = exposure / exposure[0]
    return lambda a, b: np.asarray(share[a - 1] - share[b - 1])


def _exposures(metric: Metric, n: int) -> np.ndarray:
    """Return e(1) to e(n) of one relevant item."""
    return values_of(metric, np.arange(1, n + 1)[:, None], n)
