"""Metrics from plain functions of ranks, grades and n, against the built-in ones."""

import numpy as np
import pytest
from hypothesis import given

import lexiframe as lf
from tests.strategies import positions_tables

FOLDER = lf.bundled("example")
RUNS, QRELS = FOLDER / "runs", FOLDER / "qrels.txt"


def precision(ranks, grades, n):
    return (np.arange(1, len(ranks) + 1) / ranks).mean()


def gain(ranks, grades, n):
    return (grades / np.log2(ranks + 1)).sum()


def n_retrieved(ranks, grades, n):
    return n


PEERS = {
    lf.FunctionMetric("ap", precision): lf.AP,
    lf.FunctionMetric("ap", precision) @ 5: lf.AP @ 5,
    lf.FunctionMetric("ap", precision, rel=2): lf.AP(rel=2),
    lf.FunctionMetric("dcg", gain): lf.DCG,
    lf.FunctionMetric("dcg", gain) @ 3: lf.DCG @ 3,
}


@pytest.mark.parametrize("mine", PEERS, ids=str)
def test_a_function_gives_what_the_formula_gives(mine):
    p = lf.positions(RUNS, QRELS)
    try:
        theirs = lf.scores(p, PEERS[mine])
    except lf.LexiframeError:  # no document has the grade
        with pytest.raises(lf.LexiframeError):
            lf.scores(p, mine)
        return
    found = lf.scores(p, mine)
    assert found["measure"].unique().to_list() == [str(mine)]
    assert np.allclose(found["value"], theirs["value"], rtol=1e-12, atol=0)
    key = ["run", "query_id"]
    assert found.select(key).equals(theirs.select(key))


def test_documents_are_counted_up_to_the_cutoff():
    p = lf.positions({"a": {"q": {"x": 3, "y": 2, "z": 1}}}, {"q": {"x": 1, "w": 1}})
    n = lf.FunctionMetric("n", n_retrieved)
    assert lf.scores(p, [n, n @ 2])["value"].to_list() == [3.0, 2.0]


def test_a_plain_function_is_a_metric_by_its_three_arguments():
    e = lf.evaluate(RUNS, QRELS, [precision, "AP", "RPP"])
    assert e.provenance["measures"] == ["precision", "AP", "RPP"]
    means = {m: e.means.filter(measure=m).sort("run")["mean"] for m in ("precision", "AP")}
    assert np.allclose(means["precision"], means["AP"], rtol=1e-12)
    assert e.facts.filter(measure="precision")["kind"].item() == "metric"
    d = lf.preferences(lf.positions(RUNS, QRELS), [precision, lf.AP])
    by = d.pivot("measure", values="preference", index=["query_id", "run_a", "run_b"])
    assert np.allclose(by["precision"], by["AP"], rtol=1e-12)


def test_smaller_values_can_be_better():
    first = lf.FunctionMetric("first", lambda r, g, n: min(r[0], 1000.0), smaller_is_better=True)
    e = lf.evaluate(RUNS, QRELS, [first, "RR"])
    assert e.means.filter(measure="first", rank=1)["run"].item() == "pixels_euclidean"


@pytest.mark.filterwarnings("ignore:requests without a relevant")
def test_where_nothing_is_relevant_the_value_is_zero():
    p = lf.positions({"a": {"q": {"x": 1}, "r": {"x": 1}}}, {"q": {"x": 1}, "r": {"y": 0}},
                     no_relevant="zero")  # fmt: skip
    found = lf.scores(p, lf.FunctionMetric("one", lambda r, g, n: 1.0))
    assert found["value"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize(
    "function, said",
    [
        (lambda r, g, n: "x", "bad: expected one finite number of the ranks .*, found 'x'"),
        (lambda r, g, n: np.nan, "expected one finite number .* not retrieved is infinite"),
        (lambda r, g, n: r, "bad: expected one finite number"),
        (lambda r, g, n: 1 / 0, "bad: the function raised ZeroDivisionError"),
    ],
)
def test_what_is_no_number_is_refused(function, said):
    p = lf.positions({"a": {"q": {"x": 2, "y": 1}}}, {"q": {"x": 1, "z": 1}})
    with pytest.raises(lf.LexiframeError, match=said):
        lf.scores(p, lf.FunctionMetric("bad", function))


def test_a_lambda_needs_a_name():
    with pytest.raises(lf.LexiframeError, match=r"write lexiframe.FunctionMetric\('name'"):
        lf.evaluate(RUNS, QRELS, [lambda ranks, grades, n: 1.0])


@pytest.mark.slow
def test_its_properties_are_found():
    found = lf.testing.check_metric(lf.FunctionMetric("ap", precision, bounds="0 to 1"))
    assert found is not None


@pytest.mark.slow
@given(positions_tables())
def test_random_positions(p):
    mine, theirs = lf.scores(p, lf.FunctionMetric("ap", precision)), lf.scores(p, lf.AP)
    assert np.allclose(mine["value"], theirs["value"], rtol=1e-12, atol=0)


def test_values_outside_of_the_bounds_are_refused():
    p = lf.positions(RUNS, QRELS)
    with pytest.raises(lf.LexiframeError, match="expected values in its bounds, 0 to 1, found 5"):
        lf.scores(p, lf.FunctionMetric("five", lambda r, g, n: 5, bounds="0 to 1"))


@pytest.mark.parametrize(
    "how, said",
    [
        ({"cutoff": 0}, "x@k: expected a whole number from 1, found 0"),
        ({"rel": -1}, r"x\(rel=-1\): expected a positive grade"),
        ({"bounds": "1 to 0"}, "x: expected bounds with the least value first, found '1 to 0'"),
        ({"bounds": "banana"}, "x: expected bounds such as '0 to 1', found 'banana'"),
        ({"bounds": (0, 1)}, "x: expected bounds as text, such as '0 to 1', found"),
    ],
)
def test_what_no_measure_can_have_is_refused_when_it_is_made(how, said):
    with pytest.raises(lf.LexiframeError, match=said):
        lf.FunctionMetric("x", lambda ranks, grades, n: 1.0, **how)
    with pytest.raises(lf.LexiframeError, match=said):
        lf.MatrixPreference("x", lambda ranks: ranks, **how)
    with pytest.raises(lf.LexiframeError, match=said):
        lf.LexicographicPreference("x", "recall", **how)


def test_a_measure_has_a_name():
    for name in ("", " "):
        with pytest.raises(lf.LexiframeError, match="expected a measure with a name, found"):
            lf.FunctionMetric(name, lambda ranks, grades, n: 1.0)
