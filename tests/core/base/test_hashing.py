"""The bucket of a request is the same everywhere, for its id as text, integer or category."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexiframe.core.base.coded import categories_of
from lexiframe.core.base.hashing import bucket_of

MASK = (1 << 64) - 1


def mixed(state):
    """SplitMix64's next number, as a loop-free formula on Python's integers."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def hash_of(text):
    data = text.encode()
    state = mixed(len(data))
    for start in range(0, len(data), 8):
        state = mixed((state + int.from_bytes(data[start : start + 8], "little")) & MASK)
    return state


def test_the_mixing_is_that_of_splitmix64():
    """The first numbers of the published generator for the seed 1234567."""
    seeds = [(1234567 + n * 0x9E3779B97F4A7C15) & MASK for n in range(3)]
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [mixed(seed) for seed in seeds] == published


@given(st.lists(st.text(max_size=40)), st.integers(1, 5000))
def test_it_is_the_formula(ids, n):
    expected = [hash_of(text) % n for text in ids]
    found = bucket_of(pl.Series(ids, dtype=pl.String), n)
    assert found.dtype == np.int64
    assert found.tolist() == expected


def test_a_category_has_the_bucket_of_its_text():
    ids = pl.Series(["b", "a", "b", "b", "c"])
    expected = bucket_of(ids, 97).tolist()
    assert bucket_of(ids.cast(pl.Categorical), 97).tolist() == expected
    assert bucket_of(ids.cast(pl.Enum(["c", "b", "a", "x", "y", "z"])), 97).tolist() == expected
    numbers = pl.Series([5, -3, 5])
    assert (
        bucket_of(categories_of(numbers), 97).tolist() == bucket_of(numbers.cast(str), 97).tolist()
    )


@pytest.mark.parametrize("prefix", ["", "u", "user-of-the-shop-"])
@pytest.mark.parametrize("n", [7, 64, 1000])
def test_numbers_in_a_row_spread_evenly(prefix, n):
    """Counts of a fair assignment have this χ² distribution, with n - 1 degrees of freedom."""
    from scipy.stats import chi2

    ids = prefix + pl.Series(np.arange(100_000)).cast(pl.String)
    counts = np.bincount(bucket_of(ids, n), minlength=n)
    expected = len(ids) / n
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert 0.0001 < chi2.sf(statistic, n - 1) < 0.9999
