"""Which way a measure points: a column of the scores table says so, else its name."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import RULES, scores

S = scores({"a": [1.0, 2.0], "b": [3.0, 5.0], "c": [3.0, 4.0]}, "my length")
SMALL = S.with_columns(smaller_is_better=pl.lit(True))


def ranks(s, method="mean"):
    return dict(lf.order_runs(s, method).sort("run").select("run", "rank").iter_rows())


@pytest.mark.parametrize("method", RULES)
def test_the_column_says_which_scores_are_good(method):
    """Of runs that no rule lets tie: c wins against one of the others once less than that one."""
    large = scores({"a": [1.0, 2.0, 1.0], "b": [3.0, 5.0, 3.0], "c": [3.0, 4.0, 1.0]}, "my length")
    small = large.with_columns(smaller_is_better=pl.lit(True))
    assert ranks(small, method) == {"a": 1, "b": 3, "c": 2}
    assert ranks(large, method) == {"a": 3, "b": 1, "c": 2}
    assert ranks(small.with_columns(smaller_is_better=pl.lit(False)), method) == ranks(
        large, method
    )


def test_without_the_column_or_a_value_in_it_the_name_says_it():
    asl = S.with_columns(measure=pl.lit("ASL"))
    nothing_said = SMALL.with_columns(smaller_is_better=pl.lit(None, pl.Boolean))
    assert ranks(asl) == {"a": 1, "b": 3, "c": 2}
    assert ranks(nothing_said) == ranks(S)
    assert ranks(nothing_said.with_columns(measure=pl.lit("ASL"))) == ranks(asl)
    said_once = SMALL.with_columns(smaller_is_better=pl.Series([True] + [None] * 5))
    assert ranks(said_once) == ranks(SMALL)


def test_differences_point_the_same_way():
    assert lf.compare(SMALL)["mean_difference"].to_list() == [2.5, 2.0, -0.5]
    assert lf.tukey_hsd(SMALL)["mean_difference"].to_list() == [2.5, 2.0, -0.5]
    assert lf.win_rates(SMALL)["wins"].to_list() == [2, 2, 0]
    first = lf.rank_distributions(SMALL, samples=20).filter(rank=1)
    assert first.select("run", "probability").rows() == [("a", 1.0)]


def test_both_directions_in_one_measure():
    both = SMALL.with_columns(smaller_is_better=pl.col("run") == "a")
    message = "^scores: expected one direction of each measure, found my length with true and with"
    for function in (lf.order_runs, lf.compare, lf.tukey_hsd):
        with pytest.raises(lf.SchemaError, match=message):
            function(both)
    true, words, others = (
        SMALL.with_columns(smaller_is_better=pl.lit(value)) for value in (True, "true", "yes")
    )
    assert lf.compare(words).equals(lf.compare(true))  # as CSV has it
    with pytest.raises(lf.SchemaError, match=r"expected Boolean in smaller_is_better, found .*yes"):
        lf.compare(others)
