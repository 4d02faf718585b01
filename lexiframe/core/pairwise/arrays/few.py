"""The values of single requests, kept beside their sums while there are few: `Few`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

_MISSING = -128


@dataclass(frozen=True)
class Few:
    """The values of a few requests, requests × columns, as sums of few do not suffice for them.

    Joint sign flips need single values, and evaluations in parts have sums. Values of some requests
    and of others are added; once there are too many, none are kept.

    Attributes
    ----------
    queries
        The requests.
    most
        The most requests of which values are kept.
    cells
        The values, NaN where there is none; or, as bytes, their signs where all have one ``size``:
        an eighth of the memory. None: there were too many requests.
    size
        What a sign is multiplied by; 1 where the cells are values.
    """

    queries: pl.Series
    most: int
    cells: np.ndarray | None
    size: float = 1.0

    @classmethod
    def keep(cls, queries: pl.Series, values: np.ndarray, most: int, least: int = 1) -> Few:
        """Keep the values of the requests that have ``least`` of them or more, if these are few."""
        none = cls(queries.clear(), most, None)
        if not most:
            return none
        known = ~np.isnan(values)
        has_some = known.sum(axis=1) >= least
        if has_some.sum() > most:
            return none
        queries, values, known = (
            queries.filter(pl.Series(has_some)),
            values[has_some],
            known[has_some],
        )
        sizes = np.abs(values)
        c = float(sizes.max(initial=0.0, where=known))
        if np.isfinite(c) and (~known | (sizes == 0) | (sizes == c)).all():
            signs = np.where(known, np.sign(values), _MISSING).astype(np.int8)
            return cls(queries, most, signs, c)
        return cls(queries, most, values)

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
        if self.cells is None:
            return self
        is_missing = np.isnan(self.cells) if self.cells.dtype != np.int8 else self.cells == _MISSING
        turned = np.where(columns & ~is_missing, 0 - self.cells, self.cells)
        return replace(self, cells=turned.astype(self.cells.dtype))

    def __add__(self, other: Few) -> Few:
        """Return the values of the requests of both, sorted by their ids."""
        queries = pl.concat([self.queries, other.queries])
        order = queries.arg_sort()
        both = [few.cells for few in (self, other) if few.cells is not None]
        are_signs = len(both) == 2 and both[0].dtype == both[1].dtype == np.int8
        if are_signs and self.size == other.size and len(queries) <= self.most:
            signs = np.concatenate(both)[order.to_numpy()]
            return replace(self, queries=queries.gather(order), cells=signs)
        values, others = self.values, other.values
        if values is None or others is None:
            return replace(self, queries=self.queries.clear(), cells=None)
        values = np.concatenate([values, others])[order.to_numpy()]
        return self.keep(queries.gather(order), values, self.most)
