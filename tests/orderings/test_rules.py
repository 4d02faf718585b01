"""What a rule declares decides how runs are ordered by it, in whole tables and in samples."""

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.base import sums
from lexiframe.orderings.chosen_rule import ChosenRule
from lexiframe.orderings.ordered import laid_out, order_whole, ordered, table_for
from lexiframe.orderings.ordering_rules import OrderingRule
from lexiframe.orderings.rules import RULES
from tests.small_tables import scores

S = scores({"a": [0.9, 0.2, 0.4], "b": [0.5, 0.1, 0.3], "c": [0.1, 0.1, 0.8]})


def mean_places(pairs):
    return pairs.places + 1.0, np.full((1, 1), sums.TIE)


MEAN_PLACE = OrderingRule(
    "mean_place",
    of_units=mean_places,
    of_sums=lambda pairs: sums.Moments.of(*mean_places(pairs)),
    smaller_is_better=True,
)


def test_the_least_mean_comes_first_where_a_rule_says_so(monkeypatch):
    monkeypatch.setitem(RULES, "mean_place", MEAN_PLACE)
    o = lf.order_runs(S, "mean_place")
    assert o.select("run", "rank").rows() == [("a", 1.0), ("c", 2.0), ("b", 3.0)]
    assert o["value"].to_list() == pytest.approx([4 / 3, 2, 7 / 3])


@pytest.mark.parametrize("method", RULES)
def test_a_sample_with_each_request_once_is_the_whole(method):
    """Rules know weights only, not what is weighed."""
    rule, cube = ChosenRule(method), laid_out(S, method)
    whole = next(order_whole(table_for(S, method), rule))
    sample = next(ordered(cube, np.ones((2, len(cube.queries))), rule))
    np.testing.assert_allclose(sample.values[1], whole.values[0], rtol=1e-14)
    assert sample.ranks[1].tolist() == whole.ranks[0].tolist()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_is_of_means_or_of_leads(rule):
    assert (rule.of_units is None) == (rule.of_sums is None) != (rule.of_leads is None)
    assert rule.of_leads is not None or not rule.options
