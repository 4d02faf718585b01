"""Whether the intervals reach their level: judgments of one run alone are hidden in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import progress, schemas, sums
from lexiframe.core.metrics import Metric
from lexiframe.study.holes.draws import Drawn, means_of_draws
from lexiframe.study.holes.intervals import Interval, least_factor, range_of_values
from lexiframe.study.holes.items import ABSENT, Pool
from lexiframe.study.holes.model import Evidence, Fit, drawn_grades, fit


def calibrated(
    pool: Pool,
    whole: Fit,
    metrics: Sequence[Metric],
    groups: Sequence[np.ndarray],
    samples: int,
    seed: int,
    alpha: float,
) -> list[pl.DataFrame]:
    """Return for each group of requests the table ``calibration`` of `hole_sensitivity`.

    ``whole`` is the model of all judgments, the start of the search for each further model.
    """
    rows: list[list[dict[str, object]]] = [[] for _ in groups]
    hidden = [*hidden_items(pool)]
    for run, items in progress(hidden, len(hidden), "hiding judgments"):
        rng = np.random.default_rng([seed, run + 1])
        grades = _hidden_grades(pool, whole, items, samples, rng)
        drawn = Drawn(pool, pool.grade, items, grades, [run])
        means = means_of_draws(drawn, metrics, groups, "", pairs=False)
        for found, of_group, of_run in zip(rows, groups, means, strict=True):
            n_holes = int(np.isin(pool.query[items], of_group).sum())
            if n_holes:
                values = {metric: of_run.runs[str(metric)] for metric in metrics}
                found += _calibration_rows(pool.runs[run], n_holes, values, alpha)
    return [_calibration_table(found, alpha) for found in rows]


def hidden_items(pool: Pool) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each run and the judged items that are in its top alone, if there are some."""
    count = pool.is_in_top.sum(axis=0)
    for run, in_top in enumerate(pool.is_in_top):
        items = np.flatnonzero(in_top & (count == 1) & pool.is_judged)
        if len(items) and len(pool.is_in_top) > 1:
            yield run, items


def _hidden_grades(
    pool: Pool, whole: Fit, items: np.ndarray, samples: int, rng: np.random.Generator
) -> np.ndarray:
    """Return grades of hidden items: their own, none, the greatest, then the draws."""
    is_judged = pool.is_judged.copy()
    is_judged[items] = False
    evidence = Evidence.collect(pool, is_judged)
    hidden = evidence.only(np.isin(evidence.item, items))
    probability = fit(evidence, whole).draw(hidden, samples, rng)
    drawn = drawn_grades(pool, probability, items, is_judged, rng)
    fixed = [pool.grade[items], np.full(len(items), ABSENT), np.full(len(items), pool.grade.max())]
    return np.vstack([*fixed, drawn])


def _calibration_rows(
    run: str, n_holes: int, values: dict[Metric, sums.Moments], alpha: float
) -> Iterator[dict[str, object]]:
    """Yield a row for each metric, without numbers that need the other runs."""
    for metric, moments in values.items():
        drawn = moments.mean
        value, without, everything = drawn[:3]
        known = drawn[3:][~np.isnan(drawn[3:])]  # without draws in which nothing is relevant
        if np.isnan(value) or not len(known):
            continue
        interval = Interval.around_draws(known, alpha)
        least, most = range_of_values(metric, drawn[1:3], moments.n[1:3])
        numbers = {
            "value": value, "value_without": without, "mean": interval.mean,
            "draws_low": interval.low, "draws_high": interval.high,
            "naive_low": np.fmin(without, everything), "naive_high": np.fmax(without, everything),
            "below": interval.below, "above": interval.above, "needed": interval.needed(value),
            "least": least, "most": most,
        }  # fmt: skip
        floats = {name: float(number) for name, number in numbers.items()}
        yield {"run": run, "measure": str(metric), "holes": n_holes, **floats}


def _calibration_table(rows: list[dict[str, object]], alpha: float) -> pl.DataFrame:
    """Add the intervals widened by the factor that the other runs need."""
    if not rows:
        return pl.DataFrame(schema=schemas.HOLE_CALIBRATION.columns)
    table = pl.DataFrame(rows).sort("run", "measure")
    needed, run = table["needed"].to_numpy(), table["run"].to_numpy()
    others = {one: least_factor(needed[run != one], 1 - alpha) for one in np.unique(run)}
    factor = np.array([others[one] for one in run])
    interval = Interval(*(table[c].to_numpy() for c in _ENDS))
    low, high = interval.widened_within(factor, *(table[c].to_numpy() for c in ("least", "most")))
    table = table.with_columns(
        factor=factor,
        ci_low=low,
        ci_high=high,
        inside_before=pl.col("needed") <= 1,
        inside=pl.col("needed") <= pl.Series(factor),
    )
    return table.select(*schemas.HOLE_CALIBRATION.columns)


_ENDS = ("mean", "draws_low", "draws_high", "below", "above")


def factor_of(calibration: pl.DataFrame, alpha: float) -> float:
    """Return the factor that all runs together need; 1 when no judgment could be hidden."""
    return least_factor(calibration["needed"].to_numpy(), 1 - alpha)
