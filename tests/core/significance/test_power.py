"""`discriminative_power` on cases worked by hand."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences

# Sign test, ten requests: p = 2/1024, 22/1024, 112/1024; Holm: 6/1024, 44/1024, 112/1024.
TEN = preferences({"ab": [1] * 10, "ac": [1] * 9 + [-1], "bc": [1] * 8 + [-1] * 2})


@pytest.mark.parametrize(
    "alpha, significant", [(0.005, 0), (0.01, 1), (0.05, 2), (0.11, 3), (112 / 1024, 2)]
)
def test_pairs_whose_corrected_p_value_is_below_alpha(alpha, significant):
    power = lf.discriminative_power(lf.compare(TEN, "sign"), alpha)
    assert power.rows() == [("mine", "sign", "holm", alpha, 3, significant, significant / 3)]


def test_each_measure_test_and_correction_has_a_row():
    ties = preferences({"ab": [0] * 10, "ac": [0] * 10, "bc": [0] * 10}, "blind")
    both = pl.concat([TEN, ties])
    c = pl.concat([lf.compare(both, "sign", "none"), lf.compare(both, "sign", "bonferroni")])
    power = lf.discriminative_power(c.sample(fraction=1, shuffle=True, seed=1))
    assert power.drop("alpha", "n_pairs").rows() == [
        ("blind", "sign", "bonferroni", 0, 0.0),
        ("blind", "sign", "none", 0, 0.0),
        ("mine", "sign", "bonferroni", 1, 1 / 3),
        ("mine", "sign", "none", 2, 2 / 3),
    ]
