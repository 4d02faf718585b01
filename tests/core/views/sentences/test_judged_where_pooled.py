"""How much of the first ten is judged is said where a pool was judged, and not of test sets."""

import pytest

import lexiframe as lf

SAID = "Less than half of the top 10 of x and y is judged."
RUNS = {
    name: {f"q{n}": {f"d{k}": float(20 - k) for k in range(20)} for n in range(6)} for name in "xy"
}


def judged(*grades):
    """Two judged documents of each request."""
    return {f"q{n}": {f"d{n}": grades[0], f"d{n + 1}": grades[1]} for n in range(6)}


@pytest.mark.slow
@pytest.mark.parametrize("grades, is_said", [((1, 0), True), ((1, 2), False), ((1, 5), False)])
def test_where_every_judgment_is_positive_it_is_always_so(grades, is_said, tmp_path):
    e = lf.evaluate(RUNS, judged(*grades), ["AP", "RR"])
    assert (SAID in str(e)) == is_said
    assert e.provenance["grades"] == [min(grades), max(grades)]
    e.write(tmp_path)
    assert (SAID in str(lf.read_results(tmp_path))) == is_said
    assert e.coverage["judged_at_10"].to_list() == [0.2, 0.2]  # the table has it


def test_with_a_least_grade_of_a_test_set():
    """Grades below it are judged not relevant, but nothing else is judged either."""
    e = lf.evaluate(RUNS, judged(2, 5), ["AP"], rel=4)
    assert SAID not in str(e)
    assert lf.evaluate(RUNS, judged(0, 5), ["AP"], rel=4).provenance["grades"] == [0, 5]


def test_each_collection_is_looked_at():
    e = lf.evaluate({"pool": (RUNS, judged(1, 0)), "test": (RUNS, judged(1, 3))}, measures=["AP"])
    assert f"pool: {SAID}" in str(e)
    assert f"test: {SAID}" not in str(e)
