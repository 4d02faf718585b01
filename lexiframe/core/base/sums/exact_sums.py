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
ROWS_TOGETHER = 2**4
"""The number of rows that are added as they are, before their sums are added as int64.

Long rows side by side are added faster.
"""
_PART = 50
"""The bits of a number that are added at once, as an int64."""
UNCARRIED = 2**12
"""The rows after which sums are carried: 2^12 parts of up to 2^50 are at most 2^62."""
_CELLS = 2**14
"""The numbers that are handled at once, so that intermediate results stay in the cache."""
_POWER = 900
"""Up to here a power of 2 is a float, also after some bits more are added above it."""
_LEAST = -1074
"""Every float is a multiple of 2 to this power."""


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
    def add_up(cls, values: np.ndarray) -> ExactSums:
        """Add up the columns of a matrix without NaN, rows × columns.

        Examples
        --------
        >>> values = np.array([[1e16, 0.1], [1.0, 0.2], [-1e16, 0.3]])
        >>> ExactSums.add_up(values).rounded().tolist()
        [1.0, 0.6]
        >>> values.sum(axis=0).tolist()
        [0.0, 0.6000000000000001]
        """
        n_rows, n_columns = values.shape
        rows = rows_at_once(_CELLS, n_rows, n_columns)
        adder = Adder(n_columns)
        number, spare = np.empty((2, rows, n_columns))
        for first in range(0, n_rows, rows):
            block = values[first : first + rows]
            np.copyto(number[: len(block)], block)
            adder.add(number[: len(block)], spare[: len(block)])
        return adder.sums()

    @classmethod
    def zero(cls, n_columns: int) -> ExactSums:
        """Return the sums of no numbers."""
        return cls(np.zeros((1, n_columns), np.int64), 0, np.zeros(n_columns))

    @classmethod
    def side_by_side(cls, parts: Sequence[ExactSums]) -> ExactSums:
        """Join sets of column sums, side by side."""
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
        """Carry the excess of each digit to the next one, and leave out zeros at both ends."""
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
        self._by_unit: dict[int, np.ndarray] = {}
        self._uncarried = 0

    def add(
        self,
        values: np.ndarray,
        spare: np.ndarray,
        largest: float | None = None,
    ) -> None:
        """Add at most `UNCARRIED` rows without NaN.

        Both arrays, of one shape, are overwritten: new ones would take as much time as the sums.
        ``largest`` is a bound on the numbers' sizes, if one is known.
        """
        if self._uncarried + len(values) > UNCARRIED:  # they could exceed an int64
            self._sums, self._by_unit, self._uncarried = self.sums(), {}, 0
            self._infinite = np.zeros_like(self._infinite)
        self._uncarried += len(values)
        if largest is None:
            largest = _largest(values)
        if largest == np.inf:
            np.copyto(spare, values)
            np.copyto(spare, 0.0, where=np.isfinite(values))
            with np.errstate(invalid="ignore"):
                self._infinite += spare.sum(axis=0)
            np.copyto(values, 0.0, where=~np.isfinite(values))
            largest = _largest(values)
        for unit, part in _exponent_parts(values, spare, largest):
            self._by_unit[unit] = self._by_unit.get(unit, 0) + part

    def sums(self) -> ExactSums:
        """Return the sums of all rows so far."""
        lowest = self._sums.lowest
        highest = lowest + len(self._sums.digits)
        if self._by_unit:
            lowest = min(lowest, min(self._by_unit) // _WIDTH)
            highest = max(highest, max(self._by_unit) // _WIDTH + 3)
        digits = np.zeros((highest - lowest, len(self._infinite)), np.int64)
        before = self._sums.lowest - lowest
        digits[before : before + len(self._sums.digits)] = self._sums.digits
        for unit, part in self._by_unit.items():  # each reaches into up to three digits
            place, above = divmod(unit, _WIDTH)
            first = place - lowest
            digits[first] += (part & ((1 << (_WIDTH - above)) - 1)) << above
            rest = part >> (_WIDTH - above)
            digits[first + 1] += rest & ((1 << _WIDTH) - 1)
            digits[first + 2] += rest >> _WIDTH
        infinite = self._infinite
        if self._sums.infinite.any():
            with np.errstate(invalid="ignore"):
                infinite = infinite + self._sums.infinite
        return ExactSums(digits, lowest, infinite)._carried()


def rows_at_once(cells: int, n_rows: int, n_columns: int) -> int:
    """Return how many rows to add at once, so that they have about ``cells`` cells."""
    rows = cells // max(n_columns, 1)
    if rows > ROWS_TOGETHER:  # so that no rows are left beside the long ones
        rows -= rows % ROWS_TOGETHER
    return max(min(rows, n_rows, UNCARRIED), 1)


def _largest(values: np.ndarray) -> float:
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def exponent_above(size: float) -> int:
    """Return the exponent of a power of 2 that exceeds a size."""
    return math.frexp(size)[1]


def _exponent_parts(
    rest: np.ndarray, spare: np.ndarray, largest: float
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield sums of columns as int64, each with the exponent of its unit, a power of 2.

    ``rest`` has the numbers; both arrays are overwritten.
    """
    if not largest:
        return
    exponent = exponent_above(largest)
    if exponent > _POWER:  # large numbers are handled alone: divided, small ones may lose bits
        large = np.where(np.abs(rest) < 1, 0.0, rest)
        rest -= large
        large *= 2.0**-_POWER
        for unit, part in _exponent_parts(large, spare, largest * 2.0**-_POWER):
            yield unit + _POWER, part
        exponent = 0
    while True:
        unit = max(exponent - _PART, _LEAST)
        # Near 1.5 · 2^52 units all floats are whole numbers of units. So adding this rounds to
        # them, and the bits of the result count them: of its sign and exponent all have the same.
        middle = 1.5 * 2.0 ** (unit + 52)
        np.add(rest, middle, out=spare)
        counted = sums_of_whole(spare.view(np.int64))
        counted -= _wrapped(len(rest) * int(np.float64(middle).view(np.int64)))
        yield unit, counted
        spare -= middle
        if are_equal(rest, spare):
            return
        rest -= spare
        exponent = unit - 1


def are_equal(some: np.ndarray, others: np.ndarray) -> bool:
    """Return whether two matrices are equal; mostly the first row tells that they are not."""
    return bool((some[:1] == others[:1]).all()) and bool((some == others).all())


def _wrapped(number: int) -> np.int64:
    """Return a number as the int64 that equals it up to a multiple of 2^64, as sums of int64 do."""
    return np.int64((number + 2**63) % 2**64 - 2**63)


def sums_of_whole(values: np.ndarray) -> np.ndarray:
    """Return the sums of columns of whole numbers.

    The sum of any `ROWS_TOGETHER` of them must fit into their type.
    """
    return np.asarray(np.add.reduce(fold_rows(np.add, values), axis=0, dtype=np.int64))


def fold_rows(how: np.ufunc, values: np.ndarray) -> np.ndarray:
    """Fold rows of a matrix to fewer ones by a function such as `numpy.add` or `numpy.maximum`.

    Every `ROWS_TOGETHER` rows become one, in long rows side by side, which NumPy joins faster.

    Examples
    --------
    >>> fold_rows(np.add, np.arange(34).reshape(17, 2)).tolist()
    [[240, 256], [32, 33]]
    """
    n_rows, n_columns = values.shape
    many = n_rows - n_rows % ROWS_TOGETHER
    if not many:
        return values
    beside = values[:many].reshape(ROWS_TOGETHER, many // ROWS_TOGETHER * n_columns)
    joined = how.reduce(beside, axis=0, dtype=values.dtype)
    joined = joined.reshape(many // ROWS_TOGETHER, n_columns)
    return joined if many == n_rows else np.concatenate([joined, values[many:]])


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a + b rounded, and its rounding error, which is exact (Knuth's algorithm)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def halves(
    values: np.ndarray, high: np.ndarray | None = None, low: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return two numbers of at most 26 bits that add up to each value (Veltkamp's algorithm).

    The square of the first is exact. Values above 1e300 would overflow. The numbers are written
    into the arrays ``high`` and ``low``, if there are any.
    """
    scaled = np.multiply(values, 134217729.0, out=low)  # 2^27 + 1
    high = np.subtract(scaled, np.subtract(scaled, values, out=high), out=high)
    return high, np.subtract(values, high, out=low)
