"""Strings as codes: a few are coded by Python, many by Polars, with the same result."""

import numpy as np
import polars as pl

from lexiframe.core.base import coded

NAMES = ["b", "", "B", "10", "9", "é", "e\u0301", "z", "\uffee", "𝔻", "\U0010ffff", "a b", "b\n"]


def test_no_strings_have_no_codes():
    names, codes = coded.encode(pl.Series([], dtype=pl.String))
    assert (len(names), codes.dtype, len(codes)) == (0, np.int64, 0)
