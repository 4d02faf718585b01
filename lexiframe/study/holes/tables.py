"""The tables of values and of pairs, from the means of all draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, sums
from lexiframe.core.metrics import Metric
from lexiframe.core.pairwise import Measure
from lexiframe.core.significance import Options, correct_families, tests
from lexiframe.study.holes.draws import Means
from lexiframe.study.holes.intervals import Interval, range_of_preferences, range_of_values
from lexiframe.study.holes.items import Pool

_FIRST = 2
"""The rows in front of the draws: the holes as they are, and all of them relevant."""


@dataclass(frozen=True)
class Conditions:
    """A group of requests, its factor, and the means of its draws; see `Means`."""

    pool: Pool
    asked: Sequence[Measure]
    alpha: float
    factor: float
    queries: np.ndarray
    means: Means

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The runs a and b of each pair."""
        return np.triu_indices(len(self.pool.runs), k=1)

    def values_of(self, measure: Measure) -> np.ndarray:
        """Return the values of the runs: draws × runs."""
        n_runs = len(self.pool.runs)
        if isinstance(measure, Metric):
            return self.means.runs[str(measure)].mean.reshape(-1, n_runs)
        if n_runs < 2:
            return np.empty((0, n_runs))
        pairs = self.means.pairs[str(measure)].mean.reshape(-1, len(self.ends[0]))
        a, b = self.ends
        square = np.zeros((len(pairs), n_runs, n_runs))
        square[:, a, b], square[:, b, a] = pairs, -pairs
        return np.asarray(square.sum(axis=2) / (n_runs - 1))

    def range_of(self, measure: Measure, values: np.ndarray) -> tuple[Any, Any]:
        """Return the least and the greatest value that each run can have."""
        if not isinstance(measure, Metric):
            return range_of_preferences(measure)
        n = self.means.runs[str(measure)].n.reshape(-1, len(self.pool.runs))
        return range_of_values(measure, values[:_FIRST], n[:_FIRST])

    def widened(self, draws: np.ndarray) -> np.ndarray:
        """Move draws away from their mean by the factor."""
        mean = draws.mean(axis=0)
        return np.asarray(mean + self.factor * (draws - mean))


def values_table(c: Conditions) -> pl.DataFrame:
    """Return the table ``values``."""
    in_group = np.isin(c.pool.query[c.pool.holes], c.queries)
    holes = c.pool.is_in_top[:, c.pool.holes[in_group]].sum(axis=1)
    frames = [_value_rows(c, measure, holes) for measure in c.asked]
    return pl.concat([pl.DataFrame(schema=schemas.HOLE_VALUES.columns), *frames]).sort(
        schemas.HOLE_VALUES.key
    )


def _value_rows(c: Conditions, measure: Measure, holes: np.ndarray) -> pl.DataFrame:
    """Return the rows of one measure."""
    values = c.values_of(measure)
    draws = _draws_with_values(values[_FIRST:])
    if not len(draws):
        return pl.DataFrame(schema=schemas.HOLE_VALUES.columns)
    sign = -1 if isinstance(measure, Metric) and measure.smaller_is_better else 1
    tails = [c.alpha / 2, 1 - c.alpha / 2]
    ranks = np.quantile(sums.mid_ranks(sign * c.widened(draws)), tails, axis=0)
    columns = {
        "run": c.pool.runs, "measure": str(measure), "value": values[0],
        "naive_low": np.fmin(values[0], values[1]), "naive_high": np.fmax(values[0], values[1]),
        "rank": sums.mid_ranks(sign * values[0]), "rank_low": ranks[0], "rank_high": ranks[1],
        "holes": holes, **_summaries(c, draws, c.range_of(measure, values)),
    }  # fmt: skip
    return schemas.table_of(schemas.HOLE_VALUES.columns, len(c.pool.runs), columns)


def _summaries(c: Conditions, draws: np.ndarray, limits: tuple[Any, Any]) -> dict[str, Any]:
    """Return the columns about the draws, which the tables of values and of pairs both have."""
    interval = Interval.around_draws(draws, c.alpha)
    low, high = interval.widened_within(c.factor, *limits)
    return {
        "mean": interval.mean, "ci_low": low, "ci_high": high, "draws_low": interval.low,
        "draws_high": interval.high, "factor": c.factor,
    }  # fmt: skip


def pairs_table(c: Conditions) -> pl.DataFrame:
    """Return the table ``pairs``."""
    frames = [_pair_rows(c, measure) for measure in c.asked if c.means.pairs]
    return pl.concat([pl.DataFrame(schema=schemas.HOLE_PAIRS.columns), *frames]).sort(
        schemas.HOLE_PAIRS.key
    )


def _pair_rows(c: Conditions, measure: Measure) -> pl.DataFrame:
    """Return the rows of one measure."""
    moments, n_pairs = c.means.pairs[str(measure)], len(c.ends[0])
    mean = moments.mean.reshape(-1, n_pairs)
    draws = _draws_with_values(mean[_FIRST:])
    if not len(draws):
        return pl.DataFrame(schema=schemas.HOLE_PAIRS.columns)
    rounding = moments.mean_rounding.reshape(-1, n_pairs)
    sign, sign_of_draws = (
        _mean_sign(mean[0], rounding[0]),
        _mean_sign(mean[_FIRST:], rounding[_FIRST:]),
    )
    widened = _mean_sign(c.widened(draws), rounding[0])
    reject = _rejected(moments, n_pairs, c.alpha)
    with_it = reject[_FIRST:] & ((sign_of_draws == sign) | (sign == 0))
    a, b = (np.array(c.pool.runs)[end] for end in c.ends)
    columns = {
        "measure": str(measure), "run_a": a, "run_b": b, "n": moments.n[:n_pairs],
        "mean_preference": np.where(sign == 0, 0.0, mean[0]),
        "share": (sign_of_draws == sign).mean(axis=0),
        "share_widened": (widened == sign).mean(axis=0), "reject": reject[0],
        "share_reject": with_it.mean(axis=0), **_summaries(c, draws, range_of_preferences(measure)),
    }  # fmt: skip
    return schemas.table_of(schemas.HOLE_PAIRS.columns, n_pairs, columns)


def _draws_with_values(draws: np.ndarray) -> np.ndarray:
    """Return the draws that have values; draws without a relevant document have none."""
    return draws[~np.isnan(draws).all(axis=1)] if draws.size else draws


def _mean_sign(mean: np.ndarray, rounding: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(np.abs(mean) <= rounding, 0, np.sign(mean)))


def _rejected(moments: sums.Moments, n_pairs: int, alpha: float) -> np.ndarray:
    """Return whether each pair differs significantly in each draw: draws × pairs.

    Sums of all draws are known, which suffice for the sign test and t.
    """
    options = Options("two-sided", alpha)
    if moments.have_one_size:
        p = tests.TESTS["sign"].compute(moments, options).p_value
    else:
        p = tests.p_of_t_test(moments, options)
    known = ~np.isnan(p)
    family = np.repeat(np.arange(len(p) // n_pairs), n_pairs)
    adjusted = np.ones(len(p))
    adjusted[known] = correct_families(p[known], family[known], "holm")
    return np.asarray(adjusted < alpha).reshape(-1, n_pairs)
