"""Strings as codes: a few are coded by Python, many by Polars, with the same result."""

import numpy as np
import polars as pl
import pytest

from lexiframe.core.base import coded

NAMES = ["b", "", "B", "10", "9", "é", "e\u0301", "z", "\uffee", "𝔻", "\U0010ffff", "a b", "b\n"]


@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize("order", ["mixed", "in stretches"])
@pytest.mark.parametrize("kind", [pl.String, pl.Enum(NAMES)])
def test_few_and_many_strings_have_the_same_codes(times, order, kind):
    """The names are in the order of their bytes, as Polars sorts strings."""
    rng = np.random.default_rng(times)
    rows = [*NAMES, *rng.choice(NAMES, 40)] * times
    rows = sorted(rows) if order == "in stretches" else rng.permutation(rows).tolist()
    names, codes = coded.encode(pl.Series("doc_id", rows, dtype=kind))
    assert names.to_list() == pl.Series(NAMES).sort().to_list()
    assert names.dtype == pl.String
    assert codes.dtype == np.int64
    assert [names[code] for code in codes.tolist()] == rows


def test_no_strings_have_no_codes():
    names, codes = coded.encode(pl.Series([], dtype=pl.String))
    assert (len(names), codes.dtype, len(codes)) == (0, np.int64, 0)
