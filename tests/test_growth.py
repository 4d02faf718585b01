"""What grew fastest with the data, and does so no more: counts of queries, for clocks differ."""

import sys

import pytest

from tests.benchmarks import growth


def queries_of(call):
    """Return how many queries of Polars a call makes; each takes a tenth of a millisecond."""
    found = []

    def note(_frame, event, function):
        found.extend([1] * (event == "c_call" and function.__name__ == "collect"))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(found)


@pytest.mark.parametrize(
    "make, n",
    [(growth.columns_of_csv, 20), (growth.columns_of_json, 40), (growth.fields_of_records, 400)],
)
def test_columns_beside_a_run_make_no_queries_of_their_own(make, n):
    """Of records, each of which has a field of its own, most fields are left out."""
    make(3)()
    few, many = (queries_of(make(size)) for size in (n, 2 * n))
    assert 0 < many < few + n / 10


@pytest.mark.slow
def test_a_group_of_requests_makes_few_queries():
    few, many = (queries_of(growth.groups_of_requests(n)) for n in (2, 7))
    assert many - few < 5 * 40  # before, 80 each
