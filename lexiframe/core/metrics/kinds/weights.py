"""Weights: how much recall level i of m counts, z(i, m), as Polars expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds import exposures

Weight = Callable[..., pl.Expr]


def share_of_levels(
    i: pl.Expr, m: pl.Expr, *, denominator: str = "m", cutoff: int | None = None
) -> pl.Expr:
    """i / m, or i / min(m, k) with ``denominator="min"``, or i / k with ``"k"``."""
    return i / items(m, denominator=denominator, cutoff=cutoff)


def uniform(
    i: pl.Expr, m: pl.Expr, *, denominator: str = "m", cutoff: int | None = None
) -> pl.Expr:
    """1 / m, or 1 / min(m, k) with ``denominator="min"``, or 1 / k with ``"k"``."""
    return 1 / items(m, denominator=denominator, cutoff=cutoff)


def items(m: pl.Expr, *, denominator: str = "m", cutoff: int | None = None) -> pl.Expr:
    """Return m, or the number of relevant items that the first k ranks can hold, or their number.

    These are min(m, k) and k. Without a cut-off all ranks count, and the three are m.
    """
    if denominator == "m" or cutoff is None:
        return m
    return m * 0 + cutoff if denominator == "k" else pl.min_horizontal(m, pl.lit(cutoff))


def share_of_request(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 / m."""
    return 1 / m


def logarithmic(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 / log2(i + 1)."""
    return exposures.logarithmic(i)


def reciprocal(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 / i."""
    return exposures.reciprocal(i)


def shares(weight: Callable[..., Any], sizes: np.ndarray, measure: str) -> list[np.ndarray]:
    """Return p(i | m) ∝ weight(i, m) of the levels of each m: each array sums to 1."""
    i, m = pl.col("i"), pl.col("m")
    levels = np.concatenate([np.arange(1.0, size + 1) for size in sizes])
    frame = pl.DataFrame({"i": levels, "m": np.repeat(sizes.astype(np.float64), sizes)})
    given = weight(i, m)
    given = given if isinstance(given, pl.Expr) else pl.lit(given)
    found = frame.select(weight=(given + 0.0 * i).fill_null(float("nan")))["weight"]
    parts = np.split(found.to_numpy(), np.cumsum(sizes)[:-1])
    for size, values in zip(sizes, parts, strict=True):
        if not (np.isfinite(values).all() and values.min() >= 0 and values.sum() > 0):
            raise LexiframeError(
                f"{measure}: expected finite weights of 0 or more, not all 0, found {values} for "
                f"m = {size}"
            )
    return [values / values.sum() for values in parts]


@dataclass(frozen=True)
class PrecisionWeight:
    """z(i, m) = i p(i | m), where the share p(i | m) of the users wants i relevant items."""

    weight: Callable[..., Any]
    users: str

    def __call__(self, i: pl.Expr, m: pl.Expr) -> pl.Expr:
        """Return i p(i | m)."""
        pair = pl.struct(i=i.cast(pl.Int64), m=m.cast(pl.Int64))
        return pair.map_batches(self._row_weights, return_dtype=pl.Float64, is_elementwise=True)

    def _row_weights(self, pairs: pl.Series) -> pl.Series:
        level, m = (pairs.struct.field(name).fill_null(1).to_numpy() for name in ("i", "m"))
        weights, sizes = np.zeros(len(level)), np.unique(m[m > 0])
        of_sizes = shares(self.weight, sizes, self.users) if len(sizes) else []
        for size, of_size in zip(sizes, of_sizes, strict=True):
            rows = m == size
            weights[rows] = level[rows] * of_size[level[rows] - 1]
        return pl.Series(weights)


def one(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 at every level."""
    return i * 0 + 1


def first(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 if i = 1, else 0."""
    return i == 1


def only(i: pl.Expr, m: pl.Expr, *, level: int) -> pl.Expr:
    """1 if i = level, else 0."""
    return i == level


def last(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 if i = m, else 0."""
    return i == m


def per_rank_that_can_be_relevant(i: pl.Expr, m: pl.Expr, *, cutoff: int) -> pl.Expr:
    """1 / min(m, k) at every level, where k is the cut-off."""
    return 1 / _capped_items(m, cutoff=cutoff) + i * 0


def harmonic(i: pl.Expr, m: pl.Expr, *, cutoff: int) -> pl.Expr:
    """2 / (k + m) at every level, where k is the cut-off."""
    return 1 / _mean_of_m_and_cutoff(m, cutoff=cutoff) + i * 0


def per_rank(i: pl.Expr, m: pl.Expr, *, cutoff: int) -> pl.Expr:
    """1 / k at every level, where k is the cut-off."""
    return i * 0 + 1 / cutoff


def _level(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    return i


def _capped_items(m: pl.Expr, *, cutoff: int) -> pl.Expr:
    return items(m, denominator="min", cutoff=cutoff)


def _mean_of_m_and_cutoff(m: pl.Expr, *, cutoff: int) -> pl.Expr:
    return (m + cutoff) / 2


def _cutoff_ranks(m: pl.Expr, *, cutoff: int) -> pl.Expr:
    return m * 0 + cutoff


_QUOTIENTS: tuple[tuple[Weight, Weight, Weight], ...] = (
    (share_of_levels, _level, items),
    (uniform, one, items),
    (per_rank, one, _cutoff_ranks),
    (per_rank_that_can_be_relevant, one, _capped_items),
    (harmonic, one, _mean_of_m_and_cutoff),
)


def quotient_of(weight: Weight) -> tuple[Weight, Weight] | None:
    """Return N(i, m) and D(m) of a weight that is N / D at each level; None for other weights.

    A sum of terms divided by D once is 1 where it has to be, which a sum of divided terms need not
    be: ten times 1 / 10 is 0.9999999999999999.
    """
    known = (parts for of, *parts in _QUOTIENTS if of is weight)
    return next(((numerator, divisor) for numerator, divisor in known), None)
