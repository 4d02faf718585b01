"""`aggregates` refuses what every other function of scores refuses."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import scores

S = scores({"a": [0.5, 0.25], "b": [1.0, 0.5]})


@pytest.mark.parametrize("compute", [lf.aggregates, lambda s: lf.order_runs(s, "mean")])
@pytest.mark.parametrize(
    "table, message",
    [
        (pl.concat([S, S]), "scores: expected one row for each run, query_id, measure, found seve"),
        (pl.concat([S, S[:1].with_columns(value=0.75)]), "one row for each run, query_id, measure"),
        (S.with_columns(value=float("nan")), "expected a number in each row of the column value"),
        (S.with_columns(value=None), "expected a number in each row of the column value"),
    ],
)
def test_a_table_that_has_no_one_mean(table, message, compute):
    with pytest.raises(lf.SchemaError, match=message):
        compute(table)
