"""Sums over requests of the answers of the runs, and of the effect of ties: `CoverageSums`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, sums
from lexiframe.core.metrics.catalogues.ranked import AP, RR, nDCG
from lexiframe.core.metrics.kinds.derived import known_metric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.needed import RELEVANT
from lexiframe.core.metrics.scored import values_of
from lexiframe.core.metrics.stretches import begins
from lexiframe.core.metrics.value_arrays import Values
from lexiframe.core.projection import (
    NoRelevant,
    RankedRuns,
    answers,
    effect_of_ties,
    levels_in,
)

MEASURES = (AP, RR, nDCG @ 10)
"""The measures that show what ties can change, in the order in which tables are sorted."""
_RISING = ("recall level", "graded", "cascade", "recall curve")
"""The kinds of metrics by which a better rank and a higher grade are never worth less."""


def bounded(measures: Iterable[Any]) -> tuple[Metric, ...]:
    """Return `MEASURES`, and further metrics whose bounds under ties are known.

    Their kinds are built in, and a relevant item at a better rank never lowers them.
    """
    others = [
        measure
        for measure in measures
        if isinstance(measure, Metric) and measure.kind in _RISING and measure.needs == RELEVANT
        if "gains" not in measure.given and measure not in MEASURES
        if known_metric(str(measure)) == measure
    ]
    return (*MEASURES, *sorted(others, key=str))


_GREATEST = ("depth", "largest_tie")
"""The counts that do not add up: the greatest one counts."""


def columns_of(bounds: Iterable[str], *, is_expected: bool) -> list[str]:
    """Return the columns of `coverage`, which has two more where ties are expected, and bounds."""
    others = () if is_expected else answers.OF_EXPECTED
    columns = [name for name in schemas.COVERAGE.columns if name not in others]
    return [*dict.fromkeys([*columns, *bounds])]


def columns_of_bounds(metrics: Iterable[Metric]) -> list[str]:
    """Return the columns with the least and the greatest mean that ties allow."""
    return [f"{metric}_{end}" for metric in metrics for end in ("min", "max")]


@dataclass(frozen=True)
class CoverageSums:
    """The counts and sums of `coverage` for some requests, which add up.

    ``counts`` are those of `counts_of`; ``bounds`` has the moments, over requests, of the scores
    with ties at their worst and at their best, by the name of the column. ``known`` are rows of
    the table, of other runs, that need not be computed.
    """

    counts: pl.DataFrame
    bounds: Mapping[str, sums.Moments]
    known: pl.DataFrame | None = None

    def __add__(self, other: CoverageSums) -> CoverageSums:
        """Return the counts and sums of the requests of both, which have the same runs."""
        joined = {
            name: (np.maximum if name in _GREATEST else np.add)(ours, other.counts[name])
            for name, ours in self.counts.drop("run").to_dict().items()
        }
        bounds = {name: moments + other.bounds[name] for name, moments in self.bounds.items()}
        return CoverageSums(self.counts.with_columns(**joined), bounds)

    def table(self) -> pl.DataFrame:
        """Return the table of `coverage`."""
        share = pl.col("judged_first") / pl.col("first")
        means = {name: moments.mean for name, moments in self.bounds.items()}
        others = [name for name in means if name not in schemas.COVERAGE.columns]
        found = self.counts.with_columns(
            judged_at_10=pl.when(pl.col("first") > 0).then(share)
        ).with_columns(**means)
        columns = columns_of(others, is_expected="tied" in found.columns)
        found = found.select(columns)
        return found if self.known is None else pl.concat([self.known, found]).sort("run")


def no_coverage(
    runs: Sequence[str], metrics: Sequence[Metric] = MEASURES, *, is_expected: bool = False
) -> CoverageSums:
    """Return the counts and sums of no requests, for some runs, with the bounds of some metrics."""
    names = (*answers.COUNTS, *(answers.OF_EXPECTED if is_expected else ()))
    zeros = {name: pl.Series([0] * len(runs), dtype=pl.Int64) for name in names}
    counts = pl.DataFrame({"run": pl.Series([*runs], dtype=pl.String), **zeros})
    none = sums.Moments.add_up(np.empty((0, len(runs))), np.full((1, 1), sums.TIE))
    return CoverageSums(counts, dict.fromkeys(columns_of_bounds(metrics), none))


def coverage_sums(
    ranked: RankedRuns,
    p: pl.DataFrame,
    metrics: Sequence[Metric] = MEASURES,
    values: Values | None = None,
    no_relevant: NoRelevant = "drop",
) -> CoverageSums:
    """Count and sum up the columns of `coverage`, for runs with all judged items ranked.

    ``p`` are their positions, and ``values`` the known values of the ``metrics`` that have
    something to count. Requests in which ties affect the rank of a relevant item are scored twice
    more, with these items at their worst and at their best ranks.
    """
    if not ranked.runs:
        return no_coverage([], metrics, is_expected="tied_from" in p.columns)
    if values is None:
        values = values_of(p, _reached_metrics(metrics, p), no_relevant, ranked)
    known = values.part([metric for metric in metrics if metric in values.metrics])
    ends = _extreme_scores(ranked, p, known, no_relevant)
    nothing = np.full((ends[0].shape[1], len(ranked.runs)), np.nan)
    rounding = np.full((1, 1), sums.TIE)
    of_each = [
        (of[:, :, known.metrics.index(one)].T if one in known.metrics else nothing, rounding)
        for one in metrics
        for of in ends
    ]
    both = [of for of in sums.Moments.add_up_each(of_each) for _ in range(2 // len(ends))]
    bounds = dict(zip(columns_of_bounds(metrics), both, strict=True))
    return CoverageSums(answers.counts_of(ranked), bounds)


def _reached_metrics(metrics: Iterable[Metric], p: pl.DataFrame) -> list[Metric]:
    """Return the metrics whose own ``rel``, if there is one, some item of the positions reaches."""
    greatest = p["relevance"].drop_nulls().to_numpy().max(initial=-np.inf)
    return [metric for metric in metrics if metric.rel is None or metric.rel <= greatest]


_ROWS = 2**18
"""The positions in which ties are looked for at once."""


def _extreme_scores(
    ranked: RankedRuns, p: pl.DataFrame, known: Values, no_relevant: NoRelevant
) -> list[np.ndarray]:
    """Return the scores, runs × requests × metrics, with ties at their worst and at their best.

    They are NaN where a value does not count. Where nothing is tied, both are one array.
    """
    n_runs, n_metrics = len(ranked.runs), len(known.metrics)
    shape = (n_runs, -1 if p.height else 0, n_metrics)
    values = np.where(known.kept, known.values, np.nan).reshape(shape)
    if not any(len(run.tied.item) for run in ranked.runs):
        return [values]
    worst, best = values, values.copy()
    height = max(p.height // n_runs, 1)
    few = max(_ROWS // height, 1)
    for n in range(0, n_runs, few):
        some = replace(ranked, runs=ranked.runs[n : n + few])
        ends = (of.reshape(-1, n_metrics) for of in (worst[n : n + few], best[n : n + few]))
        _put_extremes(some, p[n * height :][: few * height], known.metrics, no_relevant, *ends)
    return [worst, best]


def _put_extremes(
    ranked: RankedRuns,
    p: pl.DataFrame,
    metrics: Sequence[Metric],
    no_relevant: NoRelevant,
    worst: np.ndarray,
    best: np.ndarray,
) -> None:
    """Put in the scores, rankings × metrics, of requests with ties at their worst and best."""
    row = _rows_of_tied_items(ranked, p)
    if not len(row):
        return
    request = np.cumsum(begins(p, "run", "query_id")) - 1
    tied, is_tied = np.unique(request[row]), np.isin(request, request[row])
    # Levels follow from ranks, also those of items that were not retrieved: they come last.
    position = p["position"].fill_null(effect_of_ties.NOWHERE).to_numpy().copy()
    table = p.filter(is_tied)
    some = _reached_metrics(metrics, table)
    column = np.flatnonzero([metric in some for metric in metrics])
    for values, ranks in ((worst, "worst"), (best, "best")):
        position[row] = np.concatenate([getattr(run.tied, ranks) for run in ranked.runs])
        moved = values_of(_moved(table, position[is_tied], request[is_tied]), some, no_relevant)
        values[np.ix_(tied, column)] = np.where(moved.kept, moved.values, np.nan)


def _rows_of_tied_items(ranked: RankedRuns, p: pl.DataFrame) -> np.ndarray:
    """Return the rows of relevant items that share their score with another document.

    All runs have the same rows: the same requests and items, in the same order.
    """
    height = p.height // len(ranked.runs)
    row = np.zeros(ranked.judged.items.height, np.int64)
    row[ranked.judged.is_relevant] = p["doc_id"].head(height).is_not_null().arg_true().to_numpy()
    return np.concatenate([n * height + row[run.tied.item] for n, run in enumerate(ranked.runs)])


def _moved(p: pl.DataFrame, position: np.ndarray, request: np.ndarray) -> pl.DataFrame:
    """Return positions with other ranks, and with the recall levels that follow from them."""
    level = levels_in(request, position)
    found = pl.col("position") < effect_of_ties.NOWHERE
    table = drop_spans(p).with_columns(position=position, level=level)
    return table.with_columns(pl.when(found).then("position"))


def drop_spans(p: pl.DataFrame) -> pl.DataFrame:
    """Return positions without the further ranks that ties allow, which are no bounds of means."""
    return p.drop("tied_from", "tied_to", strict=False)
