"""Weights: how much recall level i of m counts, z(i, m), as Polars expressions."""

from __future__ import annotations

import polars as pl

from lexiframe.metrics import exposures


def share_of_levels(
    i: pl.Expr, m: pl.Expr, *, denominator: str = "m", cutoff: int | None = None
) -> pl.Expr:
    """i / m, or i / min(m, k) with ``denominator="min"``, or i / k with ``"k"``."""
    return i / _items(m, denominator, cutoff)


def uniform(
    i: pl.Expr, m: pl.Expr, *, denominator: str = "m", cutoff: int | None = None
) -> pl.Expr:
    """1 / m, or 1 / min(m, k) with ``denominator="min"``, or 1 / k with ``"k"``."""
    return 1 / _items(m, denominator, cutoff)


def _items(m: pl.Expr, denominator: str, cutoff: int | None) -> pl.Expr:
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
    return 1 / _items(m, "min", cutoff) + i * 0


def harmonic(i: pl.Expr, m: pl.Expr, *, cutoff: int) -> pl.Expr:
    """2 / (k + m) at every level, where k is the cut-off."""
    return 2 / (m + cutoff) + i * 0


def per_rank(i: pl.Expr, m: pl.Expr, *, cutoff: int) -> pl.Expr:
    """1 / k at every level, where k is the cut-off."""
    return i * 0 + 1 / cutoff
