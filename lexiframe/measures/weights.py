"""Weights: how much recall level i of m counts, z(i, m).

Each takes Polars expressions of i and m and gives one back.
"""

from __future__ import annotations

import polars as pl


def share_of_levels(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """i / m."""
    return i / m


def uniform(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 / m."""
    return 1 / m


def one(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 at every level."""
    return i * 0 + 1


def only(i: pl.Expr, m: pl.Expr, *, level: int) -> pl.Expr:
    """1 if i = level."""
    return i == level


def last(i: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 if i = m."""
    return i == m


def per_rank(i: pl.Expr, m: pl.Expr, *, cutoff: int) -> pl.Expr:
    """1 / k, with k the cut-off."""
    return i * 0 + 1 / cutoff
