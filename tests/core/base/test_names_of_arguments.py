"""Data may be given by name, and names of other libraries are answered with ours."""

import re

import polars as pl
import pytest

import lexiframe as lf

RUNS = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
QRELS = {"1": {"x": 1}}
SCORES = pl.DataFrame({"run": ["a", "b"], "query_id": "1", "measure": "AP", "value": [1.0, 0.5]})


@pytest.mark.parametrize("function, given, said", [
    (lf.evaluate, {"metrics": ["AP"]}, "argument metrics; give the measure: measures="),
    (lf.evaluate, {"k": 10}, "k; give the measure with @k behind its name, as in nDCG@10: m"),
    (lf.evaluate, {"measure": "AP"}, "unknown argument measure; give the measure: measures="),
    (lf.evaluate, {"cutoff": 5}, "with @k behind its name"),
])  # fmt: skip
def test_names_of_other_libraries(function, given, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        function(RUNS, QRELS, **given)


def test_other_names_where_one_measure_is_chosen_and_names_of_nothing():
    board = {"run": ["a", "b"], "news": [1.0, 2.0], "law": [2.0, 3.0]}
    with pytest.raises(TypeError, match=r"leaderboard: .* metric; give the measure: measure=$"):
        lf.leaderboard(board, metric="AP")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        lf.evaluate(RUNS, QRELS, colour="red")
    with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
        lf.read_runs(RUNS, k=10)


def test_a_decision_asks_for_its_margin():
    e = lf.evaluate(RUNS, QRELS, "AP")
    with pytest.raises(TypeError, match=r"^gate: expected a margin, .*; say margin=0.01, or"):
        lf.gate(e, baseline="a", candidate="b")
    with pytest.raises(TypeError, match=r"^equivalence: expected a margin"):
        lf.equivalence(SCORES)


def test_a_table_whose_argument_has_a_letter_for_a_name_comes_first():
    for function, name in ((lf.compare, "scores"), (lf.scores, "positions"), (lf.gate, "data")):
        said = rf"^{function.__name__}: expected the data first, without a name"
        with pytest.raises(TypeError, match=said):
            function(**{name: SCORES})
