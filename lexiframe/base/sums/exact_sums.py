"""Sums of floating-point numbers that are the same in whatever order and groups they are added.

Partial sums of batches, threads and machines are added to the same bits as all numbers at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

_WIDTH = 45
"""The number of bits of a digit: the 53 significant bits of a float mostly lie in two digits."""
_ROWS = 2**7
"""The number of rows whose digits are added as floats.

The sum of 2^7 digits up to 2^45 is at most 2^52, so it is exact.
"""
_UNCARRIED = 2**16
"""The rows after which digits are carried: 2^17 digits up to 2^45 are at most 2^62.

A place can have two digits of a row.
"""
_CELLS = 2**16
"""The numbers that are handled at once, so that intermediate results stay in the cache."""
_SLACK = 1.01
"""How much larger than 2^45 a digit may be, so that a bound on the numbers need not be tight."""
_POWER = 1000
"""Up to here a power of 2 is a float."""


@dataclass(frozen=True)
class ExactSums:
    """Exact sums of columns of numbers, as digits of base 2^45.

    Attributes
    ----------
    digits
        Digits × columns, the lowest first. All but the highest are in 0..2^45 − 1; the highest has
        the sign. Equal sums have equal digits.
    lowest
        The exponent of the lowest digit, in multiples of 45.
    infinite
        The sum of the infinite numbers of each column: 0, ±∞, or NaN for both.
    """

    digits: np.ndarray
    lowest: int
    infinite: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> ExactSums:
        """Add up the columns of a matrix without NaN, rows × columns.

        Examples
        --------
        >>> values = np.array([[1e16, 0.1], [1.0, 0.2], [-1e16, 0.3]])
        >>> ExactSums.of(values).rounded().tolist()
        [1.0, 0.6]
        >>> values.sum(axis=0).tolist()
        [0.0, 0.6000000000000001]
        """
        n_rows, n_columns = values.shape
        rows = max(min(_CELLS // max(n_columns, 1), n_rows), 1)
        adder = Adder(n_columns)
        number, whole = np.empty((2, rows, n_columns))
        for first in range(0, n_rows, rows):
            block = values[first : first + rows]
            np.copyto(number[: len(block)], block)
            adder.add(number[: len(block)], whole[: len(block)])
        return adder.sums()

    @classmethod
    def zero(cls, n_columns: int) -> ExactSums:
        """Return the sums of no numbers."""
        return cls(np.zeros((1, n_columns), np.int64), 0, np.zeros(n_columns))

    @classmethod
    def beside(cls, parts: Sequence[ExactSums]) -> ExactSums:
        """Return the sums of some columns beside those of others.

        Examples
        --------
        >>> small, large = (ExactSums.of(np.array([[x]])) for x in (0.1, -1e30))
        >>> ExactSums.beside([small, large]).rounded().tolist()
        [0.1, -1e+30]
        """
        lowest = min(part.lowest for part in parts)
        highest = max(part.lowest + len(part.digits) for part in parts)
        ends = np.cumsum([part.digits.shape[1] for part in parts])
        digits, infinite = np.zeros((highest - lowest, ends[-1]), np.int64), np.zeros(ends[-1])
        for part, end in zip(parts, ends, strict=True):
            rows, columns = part.digits.shape
            start = part.lowest - lowest
            digits[start : start + rows, end - columns : end] = part.digits
            if part.infinite.any():
                infinite[end - columns : end] = part.infinite
        return cls(digits, lowest, infinite)._carried()

    def __add__(self, other: ExactSums) -> ExactSums:
        """Return the sums of the numbers of both."""
        if not any(x.any() for x in (self.digits, other.digits, self.infinite, other.infinite)):
            return ExactSums.zero(self.digits.shape[1])  # which takes no memory until it is used
        lowest = min(self.lowest, other.lowest)
        highest = max(self.lowest + len(self.digits), other.lowest + len(other.digits))
        digits = np.zeros((highest - lowest, self.digits.shape[1]), np.int64)
        for sums in (self, other):
            start = sums.lowest - lowest
            digits[start : start + len(sums.digits)] += sums.digits
        infinite = self.infinite
        if other.infinite.any():  # seldom: zeros take no memory until they are added
            with np.errstate(invalid="ignore"):
                infinite = infinite + other.infinite
        return ExactSums(digits, lowest, infinite)._carried()

    def times(self, signs: np.ndarray) -> ExactSums:
        """Return the sums, each multiplied by its column's sign: 1 or −1."""
        with np.errstate(invalid="ignore"):
            infinite = np.where(self.infinite == 0, 0.0, self.infinite * signs)
        return ExactSums(self.digits * signs, self.lowest, infinite)._carried()

    def __getitem__(self, columns: np.ndarray | slice) -> ExactSums:
        """Return the sums of some columns."""
        return ExactSums(self.digits[:, columns], self.lowest, self.infinite[columns])

    def _carried(self) -> ExactSums:
        """Carry what exceeds a digit to the next one, and leave out zeros at both ends."""
        digits = np.concatenate([self.digits, np.zeros_like(self.digits[:1])])
        for n in range(len(digits) - 1):
            carry = digits[n] >> _WIDTH
            digits[n] -= carry << _WIDTH
            digits[n + 1] += carry
        used = np.flatnonzero(digits.any(axis=1))
        if not len(used):
            return ExactSums(digits[:1], 0, self.infinite)
        # Zeros below go first: else −1, which is the digits 0 and −1 beside a column that has more
        # digits, would become the one digit −2^45, and would be −1 where it is alone.
        first, n_rows = int(used[0]), len(digits)
        digits = digits[first : used[-1] + 1]
        # After carrying, the highest digit of a negative sum is −1. It is added to the digit below,
        # which then has the sign.
        while len(digits) > 1 and ((digits[-1] == 0) | (digits[-1] == -1)).all():
            digits[-2] += digits[-1] << _WIDTH
            digits = digits[:-1]
        if len(digits) < n_rows:  # rows that are left out are freed
            digits = digits.copy()
        return ExactSums(digits, self.lowest + first, self.infinite)

    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """Return each sum as two floats, the rounded sum and the rounded rest.

        Sums above the largest float are infinite.
        """
        high, low = np.zeros(self.digits.shape[1]), np.zeros(self.digits.shape[1])
        # A negative sum has as many digits as the largest sum of another column. To round it to the
        # same bits as when it is alone, its absolute value is rounded.
        sign = np.where(self.digits[-1] < 0, -1, 1)
        positive = self.times(sign)
        with np.errstate(over="ignore", invalid="ignore"):
            for n, digit in enumerate(positive.digits):
                term = np.ldexp(digit.astype(np.float64), _WIDTH * (positive.lowest + n))
                high, error = two_sum(term, high)
                low += error
            total, rest = two_sum(high, low)
        is_finite = np.isfinite(total)
        return np.where(is_finite, total, np.inf) * sign, np.where(is_finite, rest, 0.0) * sign

    def rounded(self) -> np.ndarray:
        """Return the sums as floats."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.parts()[0] + self.infinite)


class Adder:
    """Exact sums of columns to which one block of rows after the other is added."""

    def __init__(self, n_columns: int) -> None:
        self._sums = ExactSums.zero(n_columns)
        self._infinite = np.zeros(n_columns)
        self._by_place: dict[int, np.ndarray] = {}
        self._uncarried = 0

    def add(self, values: np.ndarray, whole: np.ndarray, largest: float | None = None) -> None:
        """Add rows without NaN, of which at most `_UNCARRIED` are added at once.

        Both arrays, of the same shape, are overwritten: new ones would take as much time as the
        sums. ``largest`` is a bound on the numbers' sizes, if one is known.
        """
        if self._uncarried + len(values) > _UNCARRIED:
            self._sums, self._by_place, self._uncarried = self.sums(), {}, 0
            self._infinite = np.zeros_like(self._infinite)
        self._uncarried += len(values)
        if largest is None:
            largest = _largest(values)
        if largest == np.inf:
            np.copyto(whole, values)
            np.copyto(whole, 0.0, where=np.isfinite(values))
            with np.errstate(invalid="ignore"):
                self._infinite += whole.sum(axis=0)
            np.copyto(values, 0.0, where=~np.isfinite(values))
            largest = _largest(values)
        for place, digit in _digits(values, whole, largest):
            self._by_place[place] = self._by_place.get(place, 0) + digit

    def sums(self) -> ExactSums:
        """Return the sums of all rows so far."""
        lowest, highest = min(self._by_place, default=0), max(self._by_place, default=0)
        digits = np.zeros((highest - lowest + 1, len(self._infinite)), np.int64)
        for place, digit in self._by_place.items():
            digits[place - lowest] = digit
        return self._sums + ExactSums(digits, lowest, self._infinite)


def _largest(values: np.ndarray) -> float:
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def _digits(
    rest: np.ndarray, whole: np.ndarray, largest: float
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the columns' sums of one digit, not carried, with its place; a place may come twice.

    ``rest`` has the numbers, and is 0 in the end; ``whole`` is overwritten.
    """
    place = -(-math.frexp(largest / _SLACK)[1] // _WIDTH) - 1
    if place > 0:  # small numbers are handled alone: divided by 2^(45 · place) they may lose bits
        is_small = np.abs(rest) < 1
        yield from _digits(np.where(is_small, rest, 0.0), whole, 1.0)
        np.copyto(rest, 0.0, where=is_small)
    scale = -_WIDTH * place
    if abs(scale) < _POWER:
        rest *= 2.0**scale
    else:
        np.ldexp(rest, scale, out=rest)
    bits = rest.view(np.int64)  # of which it is faster to tell whether any is set
    while np.bitwise_or.reduce(bits, axis=None):
        np.rint(rest, out=whole)
        yield place, sums_of_whole(whole)
        rest -= whole
        rest *= 2.0**_WIDTH
        place -= 1


def sums_of_whole(values: np.ndarray) -> np.ndarray:
    """Return the exact sums of columns of whole numbers, of which any 2^7 have an exact sum.

    The rows are first added in 2^7 groups side by side, because NumPy adds long rows faster.

    Examples
    --------
    >>> sums_of_whole(np.ones((1000, 2), np.uint8)).tolist()
    [1000, 1000]
    """
    n_rows, n_columns = values.shape
    many = n_rows - n_rows % _ROWS
    beside = values[:many].reshape(_ROWS, many // _ROWS * n_columns)
    rest = np.add.reduce(values[many:], axis=0, dtype=values.dtype).astype(np.int64)
    if not many:
        return np.asarray(rest)
    groups = np.add.reduce(beside, axis=0, dtype=values.dtype).astype(np.int64)
    return np.asarray(groups.reshape(many // _ROWS, n_columns).sum(axis=0) + rest)


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a + b rounded, and its rounding error, which is exact (Knuth's algorithm).

    Examples
    --------
    >>> two_sum(np.array([1.0]), np.array([1e-20]))
    (array([1.]), array([1.e-20]))
    """
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def halves(
    values: np.ndarray, high: np.ndarray | None = None, low: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return two numbers of at most 26 bits that add up to each value (Veltkamp's algorithm).

    The square of the first is exact. Values above 1e300 would overflow. The numbers are written
    into the arrays ``high`` and ``low``, if there are any.

    Examples
    --------
    >>> high, low = halves(np.array([0.1]))
    >>> bool(high + low == 0.1), bool(abs(low) < 1e-8)
    (True, True)
    """
    scaled = np.multiply(values, 134217729.0, out=low)  # 2^27 + 1
    high = np.subtract(scaled, np.subtract(scaled, values, out=high), out=high)
    return high, np.subtract(values, high, out=low)
