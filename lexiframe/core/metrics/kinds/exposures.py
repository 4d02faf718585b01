"""Exposures: how much of a user's attention an item at rank p gets, e(p), as Polars expressions."""

from __future__ import annotations

import polars as pl


def reciprocal(p: pl.Expr) -> pl.Expr:
    """1 / p."""
    return 1 / p


def logarithmic(p: pl.Expr) -> pl.Expr:
    """1 / log2(p + 1)."""
    return 1 / (p + 1).log(2)


def geometric(rank: pl.Expr, *, p: float) -> pl.Expr:
    """(1 − γ) γ^(rank − 1), where γ is called p, as in the notation of ir_measures."""
    return (1 - p) * p ** (rank - 1)


def linear(p: pl.Expr, *, n: float) -> pl.Expr:
    """1 − p / n."""
    return 1 - p / n


def constant(p: pl.Expr) -> pl.Expr:
    """1 at every rank; a metric's cut-off ends it."""
    return p * 0 + 1


def up_to_m(p: pl.Expr, m: pl.Expr) -> pl.Expr:
    """1 if p ≤ m, else 0."""
    return p <= m
