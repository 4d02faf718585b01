"""Sums are exact, whatever the order and the groups of the addends: against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexiframe.core.base.sums.exact_sums import ExactSums, halves, two_sum

FINITE = st.one_of(
    st.sampled_from([0.0, -0.0, 0.1, 0.2, -0.3, 1.0, -1.0, 1e16, -1e16, 2.0**-40, 5e-324, 1e300]),
    st.floats(-1, 1),
    st.floats(-1e300, 1e300),
    st.floats(1e-300, 1e-290),
)
NUMBERS = FINITE | st.sampled_from([math.inf, -math.inf])


@st.composite
def matrices(draw, numbers=FINITE, max_rows=12):
    rows, columns = draw(st.integers(0, max_rows)), draw(st.integers(0, 3))
    size = rows * columns
    values = draw(st.lists(numbers, min_size=size, max_size=size))
    return np.array(values, np.float64).reshape(rows, columns)


def exact(column):
    return sum(map(Fraction, column.tolist()), Fraction(0))


def value_of(sums, column):
    return sum(
        (
            int(d) * Fraction(2) ** (45 * (sums.lowest + n))
            for n, d in enumerate(sums.digits[:, column])
        ),
        Fraction(0),
    )


def same(one, other):
    assert one.lowest == other.lowest
    np.testing.assert_array_equal(one.digits, other.digits)
    np.testing.assert_array_equal(one.infinite, other.infinite)


@given(matrices())
def test_they_are_the_sums_of_fractions(values):
    sums = ExactSums.add_up(values)
    assert sums.digits.dtype == np.int64
    for n, column in enumerate(values.T):
        assert value_of(sums, n) == exact(column)
    assert (sums.digits[:-1] >= 0).all()
    assert (sums.digits[:-1] < 2**45).all()


@given(matrices())
def test_they_are_rounded_to_the_nearest_float(values):
    """But for sums within 2^−100 of the middle between two floats."""
    sums = ExactSums.add_up(values)
    high, low = sums.parts()
    for column, total, first, rest in zip(values.T, sums.rounded(), high, low, strict=True):
        truth = exact(column)
        assert total == first
        assert abs(Fraction(float(total)) - truth) <= Fraction(math.ulp(total)) * 51 / 100
        error = abs(Fraction(float(first)) + Fraction(float(rest)) - truth)
        assert error <= abs(truth) * Fraction(2) ** -100 + Fraction(5e-324)


def test_sums_of_several_digits_are_rounded_once():
    """To the nearest float, although the digits are added one by one."""
    random = np.random.default_rng(0)
    shape = (3, 5000)
    values = np.ldexp(random.uniform(-1, 1, shape), random.integers(-90, 0, shape))
    expected = [float(exact(column)) for column in values.T]
    np.testing.assert_array_equal(ExactSums.add_up(values).rounded(), expected)


@given(matrices(NUMBERS), st.randoms(use_true_random=False))
def test_any_order_and_any_groups_give_the_same_bits(values, random):
    whole = ExactSums.add_up(values)
    rows = [*range(len(values))]
    random.shuffle(rows)
    cuts = sorted(random.randint(0, len(rows)) for _ in range(3))
    groups = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    parts = [ExactSums.add_up(values[group]) for group in groups]
    random.shuffle(parts)
    total = ExactSums.zero(values.shape[1])
    for part in parts:
        total = part + total if random.random() < 0.5 else total + part
    same(total, whole)
    np.testing.assert_array_equal(total.rounded(), whole.rounded())


@given(matrices(NUMBERS))
@example(np.array([[0.0, 5e-324], [0.1, -3.65629641e-168]]))
def test_columns_and_signs(values):
    """A column's bits depend on nothing else: not on the other columns, nor on its sign."""
    sums = ExactSums.add_up(values)
    signs = np.where(np.arange(values.shape[1]) % 2, -1, 1)
    same(sums.times(signs), ExactSums.add_up(values * signs))
    np.testing.assert_array_equal(sums.times(signs).rounded(), sums.rounded() * signs)
    for n in range(values.shape[1]):
        chosen = np.arange(values.shape[1]) == n
        alone = ExactSums.add_up(values[:, chosen])
        for of_both in zip(sums[chosen].parts(), alone.parts(), strict=True):
            np.testing.assert_array_equal(*of_both)
        for together, by_itself in zip(sums.parts(), alone.parts(), strict=True):
            assert together[n] == by_itself[0] or np.isnan(by_itself[0])
        same(sums[chosen] + ExactSums.zero(1), alone)


def test_infinite_numbers():
    values = np.array([[math.inf, math.inf, 1.0], [1.0, -math.inf, -math.inf], [-5.0, 2.0, 0.0]])
    sums = ExactSums.add_up(values)
    np.testing.assert_array_equal(sums.rounded(), [math.inf, math.nan, -math.inf])
    assert value_of(sums, 0) == -4


def test_no_rows_and_no_columns():
    assert ExactSums.add_up(np.empty((0, 2))).rounded().tolist() == [0.0, 0.0]
    assert ExactSums.add_up(np.empty((3, 0))).rounded().tolist() == []
    same(ExactSums.add_up(np.zeros((5, 2))), ExactSums.zero(2))


def test_a_sum_above_the_largest_float_is_infinite():
    values = np.array([[1.5e308, -1.5e308], [1.5e308, -1.5e308]])
    assert ExactSums.add_up(values).rounded().tolist() == [math.inf, -math.inf]
    assert ExactSums.add_up(values).parts()[1].tolist() == [0.0, 0.0]
    back = ExactSums.add_up(np.concatenate([values, -values[:1]]))
    assert back.rounded().tolist() == [1.5e308, -1.5e308]


@pytest.mark.parametrize("columns", [1, 2, 100])
def test_many_rows(columns):
    """More than are added as floats at once, with digits that are as large as they get."""
    random = np.random.default_rng(columns)
    n = 3 * 2**13 + 7
    values = np.ldexp(random.uniform(-1, 1, (n // columns, columns)), random.integers(-60, 60))
    values[:, 0] = 1 - 2.0**-53
    sums = ExactSums.add_up(values)
    expected = [math.fsum(column) for column in values.T]
    np.testing.assert_array_equal(sums.rounded(), expected)
    order = random.permutation(len(values))
    same(ExactSums.add_up(values[order]), sums)


@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100))
def test_two_sum_and_halves(a, b):
    total, error = two_sum(np.array([a]), np.array([b]))
    assert Fraction(float(total[0])) + Fraction(float(error[0])) == Fraction(a) + Fraction(b)
    high, low = halves(np.array([a]))
    assert high[0] + low[0] == a
    if abs(a) > 1e-100:
        assert Fraction(float(high[0])) ** 2 == Fraction(float(high[0] * high[0]))
