"""Sums over requests, from which means, deviations and tests of wins follow: `Moments`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from lexiframe.base.sums.exact_sums import Adder, ExactSums, halves, sums_of_whole, two_sum
from lexiframe.base.sums.ranking import ratio
from lexiframe.base.sums.tolerance import TIE

_CELLS = 2**16
"""The numbers that are handled at once, so that intermediate results stay in the cache."""
_COLUMNS = 2**11
"""The columns of a wide matrix that are handled at once."""
_EXACT = ("total", "squares", "excess")
_SUMS = ("n", "wins", "losses", *_EXACT)

_Matrix: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Values, requests × columns, and their rounding errors."""
_LARGE = 1e140
"""The squares of larger numbers count as infinite."""


@dataclass(frozen=True)
class Moments:
    """Counts and sums of each column of a matrix, requests × columns, which replace the matrix.

    The columns are pairs of runs with their preferences, or runs with their scores. Moments of
    some requests and of others are added; the result has the same bits in whatever order.

    Attributes
    ----------
    n, wins, losses
        The number of requests that have a value, a positive one, and a negative one.
    total, squares
        The exact sums of the values and of their squares.
    excess
        The exact sum, over the values, of (rounding error of the value) / `TIE` − 1.
    least, greatest
        The least value and the greatest, the first plus and the second minus half the rounding
        error: all values may be equal if ``greatest`` does not exceed ``least``.
    """

    n: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    total: ExactSums
    squares: ExactSums
    excess: ExactSums
    least: np.ndarray
    greatest: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, rounding: np.ndarray) -> Moments:
        """Add up values, requests × columns, NaN where there is none.

        ``rounding`` has the rounding error of each value, of each request, or one for all.

        Examples
        --------
        >>> moments = Moments.of(np.array([[0.5, 1.0], [-0.25, np.nan]]), np.array([[1e-12]]))
        >>> moments.n.tolist(), moments.mean.tolist(), moments.wins.tolist()
        ([2, 1], [0.125, 1.0], [1, 1])
        """
        (moments,) = cls.of_each([(values, rounding)])
        return moments

    @classmethod
    def of_each(cls, matrices: Sequence[_Matrix]) -> list[Moments]:
        """Add up the values of several matrices of the same requests, each beside its ``rounding``.

        They are added up together, because many small arrays take more time than a large one.
        """
        if not matrices:
            return []
        edges = np.cumsum([0, *(values.shape[1] for values, _ in matrices)])
        n_rows, n_columns = len(matrices[0][0]), int(edges[-1])
        if len(matrices) > 1 and n_columns > _COLUMNS:
            return [cls.of(*matrix) for matrix in matrices]
        if n_columns > _COLUMNS:
            return [cls._of_wide(*matrices[0])]
        rows = max(min(_CELLS // max(n_columns, 1), n_rows), 1)
        adder = _Adder(n_columns, rows)
        for first in range(0, n_rows, rows):
            adder.add([_rows(matrix, first, first + rows) for matrix in matrices])
        found = adder.moments()
        if len(matrices) == 1:
            return [found]
        return [found[slice(first, last)] for first, last in pairwise(edges.tolist())]

    @classmethod
    def _of_wide(cls, values: np.ndarray, rounding: np.ndarray) -> Moments:
        """Add up the values of many columns, some columns after the other."""
        found = list[Moments]()
        for first in range(0, values.shape[1], _COLUMNS):
            some = slice(first, first + _COLUMNS)
            rough = rounding if rounding.shape[1] == 1 else rounding[:, some]
            found.append(cls.of(values[:, some], rough))
        return cls._joined(found)

    @classmethod
    def _joined(cls, parts: list[Moments]) -> Moments:
        """Return the moments of some columns beside those of others."""
        joined = dict[str, Any]()
        for name in (field.name for field in fields(cls)):
            some = [getattr(part, name) for part in parts]
            joined[name] = ExactSums.beside(some) if name in _EXACT else np.concatenate(some)
        return cls(**joined)

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of the requests of both, which have the same columns."""
        added = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        least = np.minimum(self.least, other.least)
        greatest = np.maximum(self.greatest, other.greatest)
        return Moments(**added, least=least, greatest=greatest)

    def __getitem__(self, columns: np.ndarray | slice) -> Moments:
        """Return the moments of some columns."""
        return Moments(*(getattr(self, field.name)[columns] for field in fields(self)))

    def turned(self, columns: np.ndarray) -> Moments:
        """Return the moments with the other sign where ``columns`` is true."""
        sign = np.where(columns, -1, 1)
        return replace(
            self,
            wins=np.where(columns, self.losses, self.wins),
            losses=np.where(columns, self.wins, self.losses),
            total=self.total.times(sign),
            least=np.where(columns, 0.0 - self.greatest, self.least),
            greatest=np.where(columns, 0.0 - self.least, self.greatest),
        )

    @property
    def ties(self) -> np.ndarray:
        """The number of values that are 0."""
        return np.asarray(self.n - self.wins - self.losses)

    @cached_property
    def mean(self) -> np.ndarray:
        """The mean of each column; NaN where it has no value."""
        return ratio(self.total.rounded(), self.n)

    @cached_property
    def mean_rounding(self) -> np.ndarray:
        """The rounding error that each mean may have: the mean of those of its values."""
        return np.asarray(TIE * (1 + self.excess.rounded() / np.maximum(self.n, 1)))

    @cached_property
    def deviation(self) -> np.ndarray:
        """The standard deviation of each column, with n − 1; NaN where it has no value.

        It is exactly 0 where all values are equal up to rounding. Otherwise the t of two copies of
        a run, or of runs that differ by a constant, would be the ratio of two rounding errors.
        """
        with np.errstate(invalid="ignore"):
            around = self._squares_around_mean() / np.maximum(self.n - 1, 1)
            deviation = np.sqrt(np.maximum(around, 0.0))
        return np.asarray(np.where(self.are_equal, 0.0, deviation))

    @property
    def are_equal(self) -> np.ndarray:
        """Whether all values of a column are equal up to rounding.

        They are when some number is within half the rounding error of each value.
        """
        return np.asarray(self.greatest <= self.least)

    def _squares_around_mean(self) -> np.ndarray:
        """Return Σx² − (Σx)²/n.

        It is computed with 106 bits, because most bits cancel where the values vary little.
        """
        # Where squares count as infinite, so does their sum, and the square of the total overflows.
        total, rest = (np.where(self.squares.infinite, 0.0, x) for x in self.total.parts())
        n = np.where(self.n > 0, self.n, np.nan)
        high, low = _product(total, total)
        quotient = high / n
        back, error = _product(quotient, n)
        correction = ((high - back) - error + low + 2 * total * rest) / n
        squares, more = self.squares.parts()
        difference, lost = two_sum(squares, -quotient)
        infinite = self.squares.infinite - self.total.infinite**2
        return np.asarray(difference + (lost + more - correction) + infinite)


def _rows(matrix: _Matrix, first: int, last: int) -> _Matrix:
    values, rounding = matrix
    return values[first:last], rounding if len(rounding) == 1 else rounding[first:last]


class _Adder:
    """Moments to which one block of rows after the other is added.

    The arrays are filled again for each block: the system clears new ones, which would take as much
    time as all that is done with them.
    """

    def __init__(self, n_columns: int, n_rows: int) -> None:
        self.n, self.wins, self.losses = np.zeros((3, n_columns), np.int64)
        self.least, self.greatest = np.full((2, n_columns), [[np.inf], [-np.inf]])
        self.total, self.squares, self.excess = (Adder(n_columns) for _ in range(3))
        self.floats = np.empty((3, n_rows, n_columns))
        self.other = np.empty((n_rows, n_columns))
        self.is_so = np.empty((n_rows, n_columns), bool)

    def add(self, matrices: Sequence[_Matrix]) -> None:
        """Add a block of rows: values, side by side, and their rounding errors."""
        n_rows = len(matrices[0][0])
        (values, high, low), is_so = self.floats[:, :n_rows], self.is_so[:n_rows]
        np.concatenate([values for values, _ in matrices], axis=1, out=values)
        np.isnan(values, out=is_so)
        has_gaps = is_so.any()
        self.n += n_rows - sums_of_whole(is_so.view(np.uint8)) if has_gaps else n_rows
        largest = self._add_bounds(matrices, values, high, is_so)
        if has_gaps:
            np.copyto(values, 0.0, where=is_so)
        np.greater(values, 0, out=is_so)
        self.wins += sums_of_whole(is_so.view(np.uint8))
        np.less(values, 0, out=is_so)
        self.losses += sums_of_whole(is_so.view(np.uint8))
        self._add_squares(values, high, low, largest)
        self.total.add(values, high, largest)

    def _add_bounds(
        self,
        matrices: Sequence[_Matrix],
        values: np.ndarray,
        other: np.ndarray,
        missing: np.ndarray,
    ) -> float:
        """Add the bounds of the values, and the excess; return the largest size of a value."""
        least = np.fmin.reduce(values, axis=0, initial=np.inf)
        greatest = np.fmax.reduce(values, axis=0, initial=-np.inf)
        largest = max(float(greatest.max(initial=0.0)), -float(least.min(initial=0.0)))
        if all((rounding == TIE).all() for _, rounding in matrices):
            least, greatest = least + TIE / 2, greatest - TIE / 2
        else:
            shapes = [(rounding, values.shape) for values, rounding in matrices]
            rounding = np.concatenate([np.broadcast_to(*shape) for shape in shapes], axis=1)
            least = np.fmin.reduce(values + rounding / 2, axis=0, initial=np.inf)
            greatest = np.fmax.reduce(values - rounding / 2, axis=0, initial=-np.inf)
            self.excess.add(np.where(missing, 0.0, rounding / TIE - 1), other)
        np.minimum(self.least, least, out=self.least)
        np.maximum(self.greatest, greatest, out=self.greatest)
        return largest

    def _add_squares(
        self, values: np.ndarray, high: np.ndarray, low: np.ndarray, largest: float
    ) -> None:
        """Add two numbers that add up to each square, with at least 78 bits."""
        large = np.abs(values) > _LARGE if largest > _LARGE else None
        known = values if large is None else np.where(large, 0.0, values)
        halves(known, high, low)
        low *= np.add(high, known, out=self.other[: len(high)])
        high *= high
        bound = min(largest, _LARGE) ** 2
        self.squares.add(low, self.other[: len(high)], bound * 2.0**-24)
        if large is not None:
            np.copyto(high, np.inf, where=large)
            bound = np.inf
        self.squares.add(high, low, bound)

    def moments(self) -> Moments:
        """Return the moments of all rows so far."""
        return Moments(
            self.n,
            self.wins,
            self.losses,
            self.total.sums(),
            self.squares.sums(),
            self.excess.sums(),
            self.least,
            self.greatest,
        )


def _product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a · b rounded, and its rounding error (Dekker's algorithm)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = halves(a), halves(b)
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest
