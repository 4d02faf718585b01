"""Moments against fractions, NumPy and SciPy, and in any order to the same bits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from lexiframe.core.base.sums import moments as moments_module
from lexiframe.core.base.sums.exact_sums import ExactSums, halves
from lexiframe.core.base.sums.moments import Moments
from lexiframe.core.base.sums.tolerance import TIE, rounding

ROUGH = np.full((1, 1), TIE)
VALUES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1 / 3, math.nan, math.nan]),
    st.floats(-1, 1),
    st.floats(-1e6, 1e6),
    st.floats(-1e140, 1e140),
)
INFINITE = st.sampled_from([math.inf, -math.inf, 1e200])


@st.composite
def matrices(draw, values=VALUES):
    rows, columns = draw(st.integers(0, 10)), draw(st.integers(1, 3))
    size = rows * columns
    found = draw(st.lists(values, min_size=size, max_size=size))
    return np.array(found, np.float64).reshape(rows, columns)


def facts(m):
    sums = [
        part for s in (m.total, m.squares, m.excess) for part in (s.digits, s.lowest, s.infinite)
    ]
    counts = [m.n, m.wins, m.losses, m.ties, m.least, m.greatest]
    return [*counts, *sums, m.mean, m.mean_rounding, m.deviation, m.are_equal]


def same(one, other):
    for a, b in zip(facts(one), facts(other), strict=True):
        np.testing.assert_array_equal(a, b)


@given(matrices())
def test_counts_means_and_deviations(values):
    found = Moments.add_up(values, rounding(values))
    for n, column in enumerate(values.T):
        known = [x for x in column.tolist() if not math.isnan(x)]
        assert found.n[n] == len(known)
        counts = found.wins[n], found.ties[n], found.losses[n]
        assert counts == tuple(sum(sign(x) == s for x in known) for s in (1, 0, -1))
        if not known:
            assert math.isnan(found.mean[n])
            assert found.mean_rounding[n] == TIE
            continue
        exact = [*map(Fraction, known)]
        mean = sum(exact) / len(exact)
        assert found.mean[n] == pytest.approx(float(mean), rel=1e-15, abs=1e-323)
        rough = sum(TIE * max(1.0, abs(x)) for x in known) / len(known)
        assert found.mean_rounding[n] == pytest.approx(rough, rel=1e-14)
        if len(known) > 1:
            around = sum((x - mean) ** 2 for x in exact) / (len(exact) - 1)
            expected = 0.0 if found.are_equal[n] else root(around)
            # The squares have 78 bits at least, of which those of the largest value count.
            largest = max(map(abs, known))
            assert found.deviation[n] == pytest.approx(expected, rel=1e-12, abs=largest * 1e-11)


def test_matrices_side_by_side():
    """Gaps, large and infinite values, and one value beside narrow columns of small ones."""
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (4100, 3)):
        several = [rng.random(shape) * size for size in (1, -1e-9, 1e3, 1, 1)]
        several[3][0], several[4][-1] = math.nan, math.inf
        each = [(values, rounding(values)) for values in several]
        for found, of in zip(Moments.add_up_each(each), each, strict=True):
            none = Moments.add_up(of[0][:0], ROUGH)  # by which digits are those of one matrix
            same(found + none, Moments.add_up(*of) + none)


def sign(x):
    return (x > 0) - (x < 0)


def root(x):
    return math.sqrt(float(x))


@pytest.mark.parametrize("size", [0.0, 0.3, 1.0, 1000.0, 1e9])
def test_a_constant_and_a_little_noise(size):
    """Almost all bits cancel in Σx² − (Σx)²/n."""
    random = np.random.default_rng(1)
    noise = random.normal(0, max(1.0, size) * 1e-8, (997, 4))
    values = size + noise
    found = Moments.add_up(values, rounding(values))
    exact = [variance(column) for column in values.T]
    np.testing.assert_allclose(
        found.deviation, [root(x) for x in exact], rtol=1e-6 if size > 1 else 1e-9
    )
    t = stats.ttest_1samp(noise if size == 0 else values, 0).statistic
    ours = found.mean / (found.deviation / np.sqrt(found.n))
    np.testing.assert_allclose(ours, t, rtol=1e-6)


def variance(column):
    exact = [*map(Fraction, column.tolist())]
    mean = sum(exact) / len(exact)
    return sum((x - mean) ** 2 for x in exact) / (len(exact) - 1)


def test_numpy_agrees():
    values = np.random.default_rng(0).uniform(-1, 1, (5000, 7))
    values[::3, 2] = np.nan
    found = Moments.add_up(values, ROUGH)
    np.testing.assert_allclose(found.mean, np.nanmean(values, axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.deviation, np.nanstd(values, axis=0, ddof=1), rtol=1e-13)
    np.testing.assert_array_equal(found.least - TIE / 2, np.nanmin(values, axis=0))


@given(matrices(VALUES | INFINITE), st.randoms(use_true_random=False))
def test_any_order_and_any_groups_give_the_same_bits(values, random):
    whole = Moments.add_up(values, rounding(values))
    rows = [*range(len(values))]
    random.shuffle(rows)
    cut = random.randint(0, len(rows))
    parts = [Moments.add_up(values[g], rounding(values[g])) for g in (rows[:cut], rows[cut:])]
    random.shuffle(parts)
    same(parts[0] + parts[1], whole)


@pytest.mark.parametrize("smallest", [1.0, 2.0**-22, 2.0**-24, 1e-30, 1e-300])
@pytest.mark.parametrize("size", [1.0, 19.5, 1e-90, 1e120, 1e200])
def test_numbers_near_each_other_are_added_to_the_sums_of_any(size, smallest):
    """However far apart the numbers are, the sums are those of the numbers and of their squares."""
    random = np.random.default_rng(5)
    values = random.choice([-1.0, 1.0], (700, 5)) * smallest ** random.random((700, 5)) * size
    values[:, 0] = np.sign(values[:, 0])
    values[::7] = 0.0
    found = Moments.add_up(values, rounding(values))
    small = np.where(np.abs(values) > 1e140, 0.0, values)
    high, low = halves(small)
    squares = np.where(small == values, high * high, np.inf)
    expected = ExactSums.add_up(np.concatenate([squares, low * (high + small)]))
    for sums, others in ((found.total, ExactSums.add_up(values)), (found.squares, expected)):
        np.testing.assert_array_equal(sums.digits, others.digits)
        np.testing.assert_array_equal(sums.infinite, others.infinite)
        assert sums.lowest == others.lowest


@example(np.array([[-1.0, 0.5]]))
@given(matrices(VALUES | INFINITE))
def test_columns_and_turned_ones(values):
    turned = np.arange(values.shape[1]) % 2 == 0
    found = Moments.add_up(values, rounding(values))
    flipped = np.where(turned, 0.0 - values, values)
    same(found.turned(turned), Moments.add_up(flipped, rounding(flipped)))
    for n in range(values.shape[1]):
        chosen = np.arange(values.shape[1]) == n
        alone = Moments.add_up(values[:, chosen], rounding(values[:, chosen]))
        same(found[chosen] + nothing(), alone)
        for name in ("mean", "deviation", "mean_rounding"):
            np.testing.assert_array_equal(getattr(found[chosen], name), getattr(alone, name))


def nothing():
    return Moments.add_up(np.empty((0, 1)), ROUGH)


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e5 + 0.1, -7e10])
def test_equal_values_up_to_rounding_have_no_deviation(constant):
    noise = np.random.default_rng(0).uniform(-0.4, 0.4, (50, 1)) * TIE * max(1, abs(constant))
    found = Moments.add_up(constant + noise, rounding(constant + noise))
    assert found.deviation.tolist() == [0.0]
    assert found.are_equal.all()
    other = np.concatenate([constant + noise, [[constant + 2 * TIE * max(1, abs(constant))]]])
    assert Moments.add_up(other, rounding(other)).deviation[0] > 0


def test_the_tolerance_is_that_of_the_scores_not_of_their_difference():
    """Differences of large scores have the rounding error of the scores."""
    values = np.array([[1e-7], [-1e-7], [0.0]])
    assert Moments.add_up(values, np.full((3, 1), 1e-6)).deviation.tolist() == [0.0]
    assert Moments.add_up(values, ROUGH).deviation[0] == pytest.approx(1e-7)
    assert Moments.add_up(values, np.full((3, 1), 1e-6)).mean_rounding[0] == pytest.approx(1e-6)


@pytest.mark.filterwarnings("error")
def test_infinite_and_missing_values():
    inf, nan = math.inf, math.nan
    values = np.array([[inf, inf, nan, 1.0, inf], [inf, -inf, nan, nan, 1.0]])
    found = Moments.add_up(values, rounding(values))
    np.testing.assert_array_equal(found.mean, [inf, nan, nan, 1.0, inf])
    np.testing.assert_array_equal(found.n, [2, 2, 0, 1, 2])
    assert found.deviation[0] == 0  # equal infinities tie
    assert math.isnan(found.deviation[1])


@pytest.mark.filterwarnings("error")
def test_squares_of_very_large_values_count_as_infinite():
    values = np.array([[1e160, 1e150], [-1e160, -1e150], [3.0, 3.0]])
    found = Moments.add_up(values, rounding(values))
    np.testing.assert_array_equal(found.mean, [1.0, 1.0])
    np.testing.assert_array_equal(found.deviation, [math.inf, math.inf])


@given(matrices(st.one_of(VALUES, INFINITE)))
def test_columns_beside_each_other_have_the_same_bits(values):
    """Of many columns some are added up at a time."""
    whole = Moments.add_up(values, rounding(values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moments_module, "_COLUMNS", 1)
        same(Moments.add_up(values, rounding(values)), whole)
