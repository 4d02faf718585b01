"""Lexicographic preferences: the first, or the last, recall level that differs decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures import notation
from lexiframe.measures.needs import RELEVANT
from lexiframe.preferences.matrices import Request, missing


@dataclass(frozen=True, repr=False)
class LexicographicPreference:
    """Δ(π, π′) = the sign, or the size, of the difference at the recall level that decides.

    With ``direction="precision"`` the smallest level k at which the positions differ decides, with
    ``"recall"`` the largest. Rankings tie only when all their positions are equal. Relevance is
    binary: any positive grade, or ``rel`` and above.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    direction : {"precision", "recall"}
        From which end the levels are compared.
    magnitude : callable, optional
        f, from a Polars expression of ranks to one of numbers: Δ = f(p_k) − f(p′_k), with 0 for
        an item that was not retrieved. Without it Δ = sgn(p′_k − p_k).
    rel : float, optional
        The least relevant grade.
    formula, source, bounds : str, optional
        How `measures` shows it.

    Notes
    -----
    The signs order the rankings of a request totally, so they come from one sort. Diaz, Ekstrand &
    Mitra, "Recall, Robustness, and Lexicographic Evaluation", ACM TORS 2025,
    doi:10.1145/3728373 (recall); Diaz, "Best-Case Retrieval Evaluation", EVIA 2023,
    doi:10.20736/0002001353 (precision).

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.LexicographicPreference("rootLP", "precision", magnitude=lambda p: 1 / p.sqrt())
    rootLP
    """

    name: str
    direction: Literal["precision", "recall"]
    magnitude: Callable[..., Any] | None = None
    rel: float | None = field(default=None, kw_only=True)
    formula: str = field(default="", kw_only=True, compare=False)
    source: str = field(default="", kw_only=True, compare=False)
    bounds: str = field(default="", kw_only=True, compare=False)

    kind: ClassVar[str] = "lexicographic preference"
    needs: ClassVar[str] = RELEVANT

    def __post_init__(self) -> None:
        if self.direction not in ("precision", "recall"):
            raise LexiframeError(
                f"{self.name}: expected direction='precision' or 'recall', found {self.direction!r}"
            )

    def __call__(self, *, rel: float) -> LexicographicPreference:
        """Give the preference with relevance from grade ``rel``."""
        return replace(self, rel=notation.least_grade(self.name, rel))

    def __str__(self) -> str:
        return notation.write(self.name, None, {} if self.rel is None else {"rel": self.rel}, None)

    __repr__ = __str__

    def kernel(self) -> Callable[[Request], np.ndarray]:
        """Give the function from a request to Δ: runs × runs, antisymmetric."""
        return self._matrix

    def _matrix(self, request: Request) -> np.ndarray:
        positions = request.at_least(self.rel)
        if self.direction == "recall":
            positions = positions[:, ::-1]
        order, differs_at = sort_rankings(positions)
        if self.magnitude is None:
            place = np.empty(len(order), np.int64)
            place[order] = np.concatenate([[0], np.cumsum(differs_at < positions.shape[1])])
            signs: np.ndarray = np.sign(place[None, :] - place[:, None], dtype=np.float64)
            return signs
        level = deciding_levels(order, differs_at)
        sizes = np.pad(_sizes(self.magnitude, positions), ((0, 0), (0, 1)))
        if not np.isfinite(sizes).all():
            raise LexiframeError(
                f"{self}: expected finite numbers as magnitude, "
                f"found {sizes[~np.isfinite(sizes)][0]}"
            )
        own = np.take_along_axis(sizes, level, axis=1)
        other = np.take_along_axis(sizes, level.T, axis=1).T
        return np.asarray(own - other)


def _sizes(magnitude: Callable[..., Any], positions: np.ndarray) -> np.ndarray:
    """f(p) of every position, 0 for an item that was not retrieved."""
    p = pl.col("p")
    size = pl.when(p < missing(positions)).then(magnitude(p.cast(pl.Float64))).otherwise(0.0)
    ranks = pl.DataFrame({"p": positions.ravel()})
    return (
        ranks.select(size=size.fill_null(float("nan")))["size"].to_numpy().reshape(positions.shape)
    )


def sort_rankings(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort rankings, best first, and tell where each differs from the one before it.

    Parameters
    ----------
    positions
        runs × m, the column that decides first in front.

    Returns
    -------
    order, differs_at
        The rows sorted; for each but the first, the first column in which it differs from the row
        before it, or m when it is the same.
    """
    m = positions.shape[1]
    order = np.lexsort(positions.T[::-1]) if m else np.arange(len(positions))
    sorted_positions = positions[order]
    differs = sorted_positions[1:] != sorted_positions[:-1]
    differs = np.pad(differs, ((0, 0), (0, 1)), constant_values=True)
    return order, differs.argmax(axis=1)


def deciding_levels(order: np.ndarray, differs_at: np.ndarray) -> np.ndarray:
    """Give the first column in which each pair of runs differs, m for equal ones: runs × runs.

    Of two rows in sorted order it is the least of the columns at which a row between them differs
    from the one before: a running minimum.
    """
    n_runs = len(order)
    before = np.triu(np.broadcast_to(np.concatenate([[0], differs_at]), (n_runs, n_runs)), k=1)
    nothing = np.iinfo(before.dtype).max
    between = np.where(np.tri(n_runs, dtype=bool), nothing, before)
    least = np.minimum.accumulate(between, axis=1)
    least = np.minimum(least, least.T)
    place = np.empty(n_runs, np.int64)
    place[order] = np.arange(n_runs)
    level = least[place][:, place]
    np.fill_diagonal(level, 0)
    return level
