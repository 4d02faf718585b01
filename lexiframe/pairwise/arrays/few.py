"""The values of single requests, kept beside their sums while there are few: `Few`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lexiframe.base import sums

FEW_OF_ONE_SIZE = 29
"""The most requests of which values are kept that are all −c, 0 or c, in a byte each."""
_MISSING = -128


@dataclass(frozen=True)
class Few:
    """The values of a few requests, requests × columns, as sums of few do not suffice for them.

    Tests of all sign flips and intervals of bets need single values, and evaluations in parts have
    sums. Values of some requests and of others are added; once there are too many, none are kept.

    Attributes
    ----------
    queries
        The requests.
    most
        The most requests of which values of several sizes are kept.
    cells
        The values, NaN where there is none; or, as bytes, their signs where all have one ``size``.
        None: there were too many requests.
    size
        What a sign is multiplied by; 1 where the cells are values.
    """

    queries: pl.Series
    most: int
    cells: np.ndarray | None
    size: float = 1.0

    @classmethod
    def of(cls, queries: pl.Series, values: np.ndarray, most: int) -> Few:
        """Keep the values of requests, if they are few.

        Examples
        --------
        >>> few = Few.of(pl.Series(["q1", "q2"]), np.array([[0.5, -0.5], [0.0, 0.5]]), most=0)
        >>> few.cells.tolist(), few.size, few.values.tolist()
        ([[1, -1], [0, 1]], 0.5, [[0.5, -0.5], [0.0, 0.5]])
        """
        n = len(queries)
        if n <= FEW_OF_ONE_SIZE:
            known = ~np.isnan(values)
            sizes = np.abs(values)
            c = float(sizes.max(initial=0.0, where=known))
            rough = 2 * sums.TIE * max(c, 1.0)
            if np.isfinite(c) and (~known | (sizes == 0) | (sizes >= c - rough)).all():
                signs = np.where(known, np.sign(values), _MISSING).astype(np.int8)
                return cls(queries, most, signs, c)
        return cls(queries, most, values.copy() if n <= most else None)

    @property
    def values(self) -> np.ndarray | None:
        """The values; None where they are not kept."""
        if self.cells is None or self.cells.dtype != np.int8:
            return self.cells
        return np.where(self.cells == _MISSING, np.nan, self.cells * self.size)

    def __getitem__(self, columns: np.ndarray) -> Few:
        """Return some of the columns."""
        return replace(self, cells=None if self.cells is None else self.cells[:, columns])

    def turned(self, columns: np.ndarray) -> Few:
        """Return the values with the other sign where ``columns`` is true."""
        values = self.values
        if values is None:
            return self
        return self.of(self.queries, np.where(columns, 0.0 - values, values), self.most)

    def __add__(self, other: Few) -> Few:
        """Return the values of the requests of both, sorted by their ids."""
        queries = pl.concat([self.queries, other.queries])
        if self.cells is None or other.cells is None or self._exceeds(len(queries)):
            return replace(self, queries=queries.clear(), cells=None)
        order = queries.arg_sort()
        values = np.concatenate([self.values, other.values])[order.to_numpy()]
        return self.of(queries.gather(order), values, self.most)

    def _exceeds(self, n: int) -> bool:
        return n > max(self.most, FEW_OF_ONE_SIZE)
