"""What grew faster than the data, and does so no more: counts and ratios, for clocks differ."""

import sys
import tracemalloc

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


@pytest.mark.parametrize("make", [growth.columns_of_csv, growth.columns_of_json])
def test_columns_beside_a_run_make_no_queries_of_their_own(make):
    make(3)()
    assert queries_of(make(40)) == queries_of(make(80)) > 0


def test_a_group_of_requests_makes_few_queries():
    few, many = (queries_of(growth.groups_of_requests(n)) for n in (5, 15))
    assert many - few < 10 * 40  # before, 80 each


@pytest.mark.parametrize(
    "make, n", [(growth.runs_against_a_baseline, 500), (growth.fields_of_records, 1500)]
)
def test_twice_the_data_take_twice_the_memory(make, n):
    """An array of all pairs of runs took four times as much, and so did a column of each field."""
    peaks = []
    for call in (make(n), make(n), make(2 * n)):
        tracemalloc.start()
        call()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 2.5 * peaks[1]
