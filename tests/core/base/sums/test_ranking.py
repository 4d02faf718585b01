"""Groups of equal values are the same for many rows at once as for each row alone."""

import numpy as np
import pytest

from lexiframe.core.base.sums.ranking import tie_groups


@pytest.mark.parametrize("columns", [1, 2, 20, 32, 33])
@pytest.mark.parametrize("rounding", [0.0, 1e-12, 0.05])
def test_many_rows_have_the_groups_of_each_alone(columns, rounding):
    random = np.random.default_rng(columns)
    values = random.integers(-4, 5, (400, columns)) / 7
    values[::3] += random.uniform(0, 2e-12, (134, columns))
    errors = np.where(np.arange(400) % 2, rounding, rounding * 2)[:, None]
    for given in (rounding, errors):
        each = np.broadcast_to(given, (400, 1)).ravel().tolist()
        alone = [tie_groups(row, error) for row, error in zip(values, each, strict=True)]
        found = tie_groups(values, given)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, alone)
