"""What a rule declares decides how runs are ordered by it, in whole tables and in samples."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import sums
from lexiframe.core.orderings.chosen_rule import ChosenRule
from lexiframe.core.orderings.in_samples import laid_out, ordered
from lexiframe.core.orderings.ordered import order_whole, table_for
from lexiframe.core.orderings.ordering_rules import OrderingRule, ranked
from lexiframe.core.orderings.rules import RULES
from lexiframe.core.pairwise import arrays
from tests.small_tables import scores

S = scores({"a": [0.9, 0.2, 0.4], "b": [0.5, 0.1, 0.3], "c": [0.1, 0.1, 0.8]})


BOARD = pl.DataFrame({"run": list("abc"), "x": [3, 2, 1], "y": [3, 1, 1], "z": [2, 1, 3]})


def least_lead(pairs, lead, n):
    """The share of the units by which a run leads another, of the other that it leads least."""
    return ranked(np.stack([pairs.square(of_sample).min(axis=1) for of_sample in lead / n]))


def squares(table):
    return table.points**2, np.full((1, 1), sums.TIE)


NEW = [
    (OrderingRule("new", of_leads=least_lead), [0, -1 / 3, -1]),
    (OrderingRule("new", of_units=squares), [3, 4.25 / 3, 1.25 / 3]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*cells without a value")
@pytest.mark.parametrize("rule, values", NEW, ids=["leads", "means"])
def test_a_rule_that_is_added_orders_requests_and_collections(rule, values, monkeypatch):
    monkeypatch.setitem(RULES, "new", rule)
    of_requests = lf.order_runs(S, "new")
    of_collections = lf.leaderboard(BOARD, ["borda", "new"])
    ranking = of_collections.ranking.filter(rule="new")
    for table in (of_requests, ranking):
        assert table["run"].to_list() == ["a", "c", "b"]
        assert table["rank"].to_list() == [1, 2, 3]
        assert table["value"].to_list() == pytest.approx(values)
    assert of_collections.rule_correlations.height == 1
    assert of_collections.rank_percentiles["percentile_low"].null_count() == 0
    weights = {"x": 1, "y": 0, "z": 3}
    assert lf.leaderboard(BOARD, "new", weights=weights).ranking["run"].to_list() == [*"cab"]
    gap = BOARD.with_columns(z=pl.Series([None, 1, 3]))
    assert lf.leaderboard(gap, "new", "votes").ranking["run"][0] == "a"


@pytest.mark.parametrize("method", RULES)
def test_a_sample_with_each_request_once_is_the_whole(method):
    """Rules know weights only, not what is weighed."""
    rule, cube = ChosenRule(method), laid_out(S, method)
    whole = next(order_whole(table_for(S, method), rule))
    sample = next(ordered(cube, np.ones((2, len(cube.queries))), rule))
    np.testing.assert_allclose(sample.values[1], whole.values[0], rtol=1e-14)
    assert sample.ranks[1].tolist() == whole.ranks[0].tolist()


@pytest.mark.parametrize("method", ["mean_z", "mean_rank"])
def test_a_rule_that_needs_each_request_is_refused_where_there_are_sums(method):
    folder = lf.bundled("example")
    data = folder / "runs", folder / "qrels.txt"
    e = lf.evaluate(*data, "RPP AP")
    whole = lf.order_runs(e.preferences, method)
    assert whole["measure"].unique().sort().to_list() == ["AP", "RPP"]
    with pytest.raises(lf.LexiframeError, match=f"method='{method}' needs the values of each req"):
        lf.order_runs(arrays.reduced(arrays.pair_cube(e.preferences)), method)
    with pytest.raises(lf.LexiframeError, match="expected order to be one of 'mean', 'win_rate'"):
        lf.evaluate(*data, order=method)


def test_z_scores_are_those_of_requests_where_runs_lack_some():
    s = scores({"a": [0.9, None, 0.4], "b": [0.5, 0.1, 0.4], "c": [0.1, 0.1, 0.4]})
    found = dict(lf.order_runs(s, "mean_z", missing="own").select("run", "value").rows())
    assert found == pytest.approx({"a": 0.5, "b": 0.0, "c": -1 / 3})
