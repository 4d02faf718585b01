"""The order of rows: `is_in_order`, beside a sort."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexiframe.core.base import schemas
from lexiframe.decide.gates.schemas import EQUIVALENCES

ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "B", "é", None]), st.sampled_from([None, 1, 2]), st.booleans()),
    max_size=5,
)
SCHEMA = {"run": pl.String, "n": pl.Int64, "last": pl.Boolean}


@given(ROWS)
def test_rows_in_order_are_those_that_a_sort_leaves_as_they_are(rows):
    table = pl.DataFrame(rows, SCHEMA, orient="row")
    ordered = table.unique().sort(table.columns)
    if not sum(ordered.null_count().row(0)):
        assert schemas.is_in_order(ordered, table.columns)
    if schemas.is_in_order(table, table.columns):
        assert table.equals(ordered)


def test_rows_that_are_twice_or_have_no_value_are_not_in_order():
    for column in (["a", "a"], [None, "a"], ["a", None], [None, None]):
        table = pl.DataFrame({"run": pl.Series(column, dtype=pl.String)})
        assert not schemas.is_in_order(table, ["run"])
    names = pl.DataFrame({"run": pl.Series(["a", "b"], dtype=pl.Categorical)})
    assert not schemas.is_in_order(names, ["run"])  # categories may have another order


@pytest.mark.parametrize(
    "table, read",
    [
        (schemas.COMPARISONS, "run_a run_b mean_difference p_adjusted reject"),
        (schemas.AGAINST_BASELINE, "run mean_difference p_adjusted reject"),
        (EQUIVALENCES, "run_a run_b mean_difference margin conclusion"),
    ],
)
def test_what_was_found_is_among_the_columns_that_polars_prints(table, read):
    """Of a wide frame it prints the first four and the last four."""
    names = [*table.columns]
    assert {"measure", *read.split()} <= {*names[:4], *names[-4:]}
