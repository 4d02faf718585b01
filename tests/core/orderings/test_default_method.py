"""`order_runs` without a method: scores by their mean, preferences by shares won."""

import pytest

import lexiframe as lf
from tests.small_tables import scores

# a has the greatest mean, b wins two of three requests
S = scores({"a": [1.0, 0.0, 0.0], "b": [0.0, 0.1, 0.1]})


@pytest.mark.parametrize(
    "options", [{"iterations": 10}, {"teleport": 0.1}, {"votes": "preference"}]
)
def test_an_option_of_mc4_asks_for_it(options):
    assert lf.order_runs(S, **options).equals(lf.order_runs(S, "mc4", **options))
