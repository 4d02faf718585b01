"""Sums over requests, from which means, deviations and tests of wins follow: `Moments`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from lexiframe.core.base.sums.bounded_means import add_bounds
from lexiframe.core.base.sums.estimates import Estimates
from lexiframe.core.base.sums.exact_sums import (
    Adder,
    ExactSums,
    are_equal,
    fold_rows,
    halves,
    rows_at_once,
    sums_of_whole,
    two_sum,
)
from lexiframe.core.base.sums.ranking import ratio
from lexiframe.core.base.sums.tolerance import TIE

_CELLS = 2**16
"""The numbers that are handled at once, so that intermediate results stay in the cache."""
_COLUMNS = 2**11
"""The columns of a wide matrix that are handled at once."""
_BESIDE = 2**6
"""The columns of narrow matrices that are handled at once."""
_EXACT = ("total", "squares", "excess")
_SUMS = ("n", "wins", "losses", *_EXACT)

_TIE = np.full((1, 1), TIE)
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
    def add_up(cls, values: np.ndarray, rounding: np.ndarray) -> Moments:
        """Add up values, requests × columns, NaN where there is none.

        ``rounding`` has the rounding error of each value, of each request, or one for all.

        Examples
        --------
        >>> moments = Moments.add_up(np.array([[0.5, 1.0], [-0.25, np.nan]]), np.array([[1e-12]]))
        >>> moments.n.tolist(), moments.mean.tolist(), moments.wins.tolist()
        ([2, 1], [0.125, 1.0], [1, 1])
        """
        if values.shape[1] <= _COLUMNS:
            return _Adder([values], rounding).moments()
        found = list[Moments]()
        for first in range(0, values.shape[1], _COLUMNS):
            some = slice(first, first + _COLUMNS)
            rough = rounding if rounding.shape[1] == 1 else rounding[:, some]
            found.append(_Adder([values[:, some]], rough).moments())
        return cls._joined(found)

    @classmethod
    def add_up_each(cls, several: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[Moments]:
        """Return the moments of each of several matrices of one shape: see `add_up`.

        Narrow ones that have one rounding error, `TIE`, are added up side by side, which is faster.
        """
        width = several[0][0].shape[1] if several else 0
        at_once = _BESIDE // max(width, 1)
        alike = [n for n, of in enumerate(several) if at_once and (of[1] == TIE).all()]
        found = dict[int, Moments]()
        for first in range(0, len(alike), at_once or 1):
            some = alike[first : first + at_once]
            joined = _Adder([several[n][0] for n in some], _TIE).moments()
            found |= {n: joined[width * k : width * (k + 1)] for k, n in enumerate(some)}
        return [found.get(n) or cls.add_up(*of) for n, of in enumerate(several)]

    @classmethod
    def _joined(cls, parts: list[Moments]) -> Moments:
        """Join the moments of several sets of columns, side by side."""
        joined = dict[str, Any]()
        for name in (field.name for field in fields(cls)):
            some = [getattr(part, name) for part in parts]
            joined[name] = ExactSums.side_by_side(some) if name in _EXACT else np.concatenate(some)
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

    def add_bounds(self, least: float, most: float) -> Estimates:
        """Return the means of the values and one more at each bound."""
        return add_bounds(self, least, most)

    @property
    def n_effective(self) -> np.ndarray:
        """The number of requests that tell as much: n, unless they have weights."""
        return self.n

    @property
    def df(self) -> np.ndarray:
        """The degrees of freedom of t."""
        return self.n - 1

    @property
    def unweighed(self) -> Moments:
        """The moments without weights."""
        return self

    @property
    def has_weights(self) -> bool:
        """Whether requests have weights that are not all equal."""
        return False

    @property
    def has_spread(self) -> np.ndarray:
        """Whether the values are enough to tell how much they vary."""
        return np.asarray(self.n_effective >= 2 * (1 - TIE))

    @property
    def won(self) -> np.ndarray:
        """How much of ``n_effective`` is won."""
        return self.wins

    @property
    def lost(self) -> np.ndarray:
        """How much of ``n_effective`` is lost."""
        return self.losses

    @property
    def lead(self) -> np.ndarray:
        """How much more of ``n_effective`` is won than lost."""
        return np.asarray(self.wins - self.losses)

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
        """The rounding error that each mean may have: the mean of the errors of its values."""
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

    @property
    def are_signs(self) -> bool:
        """Whether all values of all columns are −1, 0 or 1."""
        ends = np.concatenate([self.greatest, -self.least])
        if not (ends[np.isfinite(ends)] <= 1).all():
            return False
        return bool((np.abs(self.squares.rounded() - self.wins - self.losses) <= TIE).all())

    @property
    def have_one_size(self) -> bool:
        """Whether all values of all columns are −c, 0 or c, up to rounding, with one c for all."""
        bounds = np.concatenate([self.greatest, -self.least])
        c = bounds.max(initial=-np.inf, where=np.isfinite(bounds)) + TIE / 2
        if not np.isfinite(c) or self.squares.infinite.any():
            return not np.isinf(bounds).any()  # without a value there is no other size
        return bool(self._have_size(c).all())

    @property
    def each_has_one_size(self) -> np.ndarray:
        """Whether all values of a column are −c, 0 or c, up to rounding; they are finite."""
        return self._have_size(np.maximum(self.greatest, -self.least) + TIE / 2)

    def _have_size(self, c: np.ndarray | float) -> np.ndarray:
        """Return whether the values of each column, none larger than c, are −c, 0 or c.

        All that are not 0 have the size c if their squares add up to their number times c².
        """
        n = self.wins + self.losses
        rough = 4 * c * self.mean_rounding * n
        return np.asarray(np.abs(c**2 * n - self.squares.rounded()) <= rough)

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


def _bounds(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least value of each column and the greatest, NaN if one of its values is NaN."""
    least, greatest = (fold_rows(how, values) for how in (np.minimum, np.maximum))
    return least.min(axis=0, initial=np.inf), greatest.max(axis=0, initial=-np.inf)


class _Adder:
    """Moments to which one block of rows after the other is added.

    Arrays of the size of a block are filled again for each: the system clears new ones, which would
    take as much time as all that is done with them.
    """

    def __init__(self, beside: Sequence[np.ndarray], rounding: np.ndarray) -> None:
        n_rows, n_columns = len(beside[0]), sum(values.shape[1] for values in beside)
        self.n, self.wins, self.losses = np.zeros((3, n_columns), np.int64)
        self.least, self.greatest = np.full((2, n_columns), [[np.inf], [-np.inf]])
        self.total, self.squares, self.excess = (Adder(n_columns) for _ in range(3))
        rows = rows_at_once(_CELLS, n_rows, n_columns)
        room, is_so = np.empty((4, rows, n_columns)), np.empty((rows, n_columns), bool)
        for first in range(0, n_rows, rows):
            blocks = [values[first : first + rows] for values in beside]
            self.floats, self.is_so = room[:, : len(blocks[0])], is_so[: len(blocks[0])]
            if len(blocks) > 1:
                blocks = [np.concatenate(blocks, axis=1, out=self.floats[0])]
            self.add(blocks[0], rounding if len(rounding) == 1 else rounding[first : first + rows])

    def moments(self) -> Moments:
        """Return the moments of all rows."""
        exact = (self.total.sums(), self.squares.sums(), self.excess.sums())
        return Moments(self.n, self.wins, self.losses, *exact, self.least, self.greatest)

    def add(self, values: np.ndarray, rounding: np.ndarray) -> None:
        """Add a block of rows: values and their rounding errors."""
        n_rows, own, is_so = len(values), self.floats[0], self.is_so
        if not values.flags.c_contiguous or values.dtype != np.float64:
            np.copyto(own, values)
            values = own
        least, greatest = _bounds(values)
        has_gaps = bool(np.isnan(least).any())
        if has_gaps:
            np.isnan(values, out=is_so)
            self.n += n_rows - sums_of_whole(is_so.view(np.uint8))
            least = np.fmin.reduce(values, axis=0, initial=np.inf)
            greatest = np.fmax.reduce(values, axis=0, initial=-np.inf)
        else:
            self.n += n_rows
        largest = max(float(greatest.max(initial=0.0)), -float(least.min(initial=0.0)))
        self._add_bounds(values, rounding, least, greatest, is_so if has_gaps else None)
        if has_gaps:
            np.copyto(own, values)
            np.copyto(own, 0.0, where=is_so)
            values = own
        if largest:
            self._add_values(values, largest)

    def _add_bounds(
        self,
        values: np.ndarray,
        rounding: np.ndarray,
        least: np.ndarray,
        greatest: np.ndarray,
        missing: np.ndarray | None,
    ) -> None:
        """Add the bounds of the values, and the excess."""
        if (rounding == TIE).all():
            least, greatest = least + TIE / 2, greatest - TIE / 2
        else:
            least = np.fmin.reduce(values + rounding / 2, axis=0, initial=np.inf)
            greatest = np.fmax.reduce(values - rounding / 2, axis=0, initial=-np.inf)
            excess = np.broadcast_to(rounding / TIE - 1, values.shape).copy()
            if missing is not None:
                excess[missing] = 0.0
            self.excess.add(excess, np.empty_like(excess))
        np.minimum(self.least, least, out=self.least)
        np.maximum(self.greatest, greatest, out=self.greatest)

    def _add_values(self, values: np.ndarray, largest: float) -> None:
        """Add values without NaN and not all 0: each value, and two numbers for its square.

        The two numbers add up to the square with 78 bits.
        """
        own, high, low, spare = self.floats
        wins = sums_of_whole(np.greater(values, 0.0, out=self.is_so).view(np.uint8))
        losses = sums_of_whole(np.less(values, 0.0, out=self.is_so).view(np.uint8))
        self.wins += wins
        self.losses += losses
        if largest == 1 and are_equal(values, np.rint(values, out=spare)):  # their counts are sums
            for adder, row in ((self.total, wins - losses), (self.squares, wins + losses)):
                adder.add(row[None].astype(np.float64), spare[:1])
            return
        large = np.abs(values) > _LARGE if largest > _LARGE else None
        known = values if large is None else np.where(large, 0.0, values)
        halves(known, high, low)
        low *= np.add(high, known, out=spare)
        bound = min(largest, _LARGE) ** 2
        self.squares.add(low, spare, bound * 2.0**-24)
        high *= high
        if large is not None:
            np.copyto(high, np.inf, where=large)
            bound = np.inf
        self.squares.add(high, spare, bound)
        np.copyto(own, values)
        self.total.add(own, spare, largest)


def _product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a · b rounded, and its rounding error (Dekker's algorithm)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = halves(a), halves(b)
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest
