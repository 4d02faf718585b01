"""Each measure of the catalogues is its loop of the oracle, which a new one joins by its name.

`LOOPS_OF_OTHER_NAMES` are compared in other modules, as are parameters, cut-offs and least grades.
"""

import inspect
import warnings

import pytest
from hypothesis import given, settings

import lexiframe as lf
from lexiframe.core.metrics.kinds.derived import every_metric
from lexiframe.core.pairwise.preference_entries import PREFERENCES
from tests import oracle
from tests.frames import (
    assert_close,
    assert_same_preferences,
    items_of,
    judgments,
    measured,
    pairs_of,
    rankings,
)
from tests.strategies import collections

METRICS = {metric.name: metric for metric in every_metric()}
FEWER = settings(max_examples=max(1, settings().max_examples // 3))
LOOPS_OF_OTHER_NAMES = {
    *("Success", "Judged", "gm_map", "gm_bpref", "num_ret", "num_rel", "num_rel_ret", "num_q"),
    *("num_nonrel_judged_ret", "SetR", "relative_P", "11pt_avg", "LR.metric"),
    *("nERR-IA", "alpha-nDCG", "sgnLR", "sgnLP", "ST-dcgRPP", "ST-invRPP"),
    *("LR.rank", "sgnLR.rank", "LP.rank", "sgnLP.rank"),
    *(*oracle.SEARCH_LENGTHS, *oracle.CONTINUATIONS),
}
NEEDED = {
    "linear": ("linear(n=60)", 60),
    "P": ("P@5", 5),
    "F1": ("F1@5", 5),
    "PRES": ("PRES@5", 5),
    "IPrec": ("IPrec@0.3", 0.3),
    "WSS": ("WSS@95", 95),
    "Rprec_mult": ("Rprec_mult@0.5", 0.5),
}
"""The measures that need an argument: their notation with one, and the argument itself."""


def from_positions(loop):
    return lambda ordered, grades, *more: loop(
        oracle.positions_of(oracle.project(ordered, grades)), *more
    )


def from_items(loop):
    return lambda ordered, grades, *more: loop(oracle.project(ordered, grades), *more)


TAKES = {"p": from_positions, "items": from_items, "ordered, grades": lambda loop: loop}
ELSEWHERE = {"ordered, judged", "gains", "a, b, judged"}
"""What loops take that are compared in `test_subtopics` and `test_peer_measures`."""


def loop_of(name):
    return getattr(oracle, name.replace("-", "_"), None)


def taken_by(loop):
    """What a loop is given: its arguments of the names that are known."""
    known = ("p", "items", "ordered", "grades", "judged", "gains", "a", "b")
    return ", ".join(name for name in [*inspect.signature(loop).parameters][:3] if name in known)


WITH_LOOPS = {n: loop_of(n) for n in METRICS if callable(loop_of(n))}
OF_RANKINGS = {n: loop for n, loop in WITH_LOOPS.items() if taken_by(loop) in TAKES}
OF_PAIRS = {
    n: loop_of(n)
    for n in PREFERENCES
    if callable(loop_of(n)) and taken_by(loop_of(n)) not in ELSEWHERE
}


@pytest.mark.parametrize("name", [*METRICS, *PREFERENCES])
def test_every_measure_has_a_loop_in_the_oracle(name):
    if name in LOOPS_OF_OTHER_NAMES:
        return
    called, loop = name.replace("-", "_"), loop_of(name)
    takes = "a, b" if name in PREFERENCES else "p"
    assert callable(loop), (
        f"write the formula of {name} as a plain loop in tests/oracle.py: def {called}({takes}), "
        "whose arguments are the positions of relevant items (None where not retrieved); a metric "
        "may take items, pairs of position and grade, or ordered, grades instead"
    )
    known = {*TAKES, *ELSEWHERE, "a, b"}
    assert taken_by(loop) in known, f"{called} in tests/oracle.py: take one of {sorted(known)}"


def test_each_loop_of_another_name_is_of_a_measure():
    assert {*METRICS, *PREFERENCES} >= LOOPS_OF_OTHER_NAMES
    assert not [n for n in LOOPS_OF_OTHER_NAMES - {*PREFERENCES} if callable(loop_of(n))]


@pytest.mark.slow
@FEWER
@given(collections())
def test_metrics_are_their_loops(collection):
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(*collection, judged=True)
    orders = {
        (query_id, run): (oracle.order(answers.get(query_id, [])), grades)
        for run, answers in rankings(collection.runs).items()
        for query_id, grades in judgments(collection.qrels).items()
        if oracle.relevant_items(grades)
    }
    named = {name: NEEDED.get(name, (name,)) for name in OF_RANKINGS}
    s = lf.scores(p, [notation for notation, *_ in named.values()])
    for name, (notation, *needed) in named.items():
        formula = TAKES[taken_by(OF_RANKINGS[name])](OF_RANKINGS[name])
        expected = {key: formula(*of, *needed) for key, of in orders.items()}
        assert_close(measured(s, notation), expected)


@pytest.mark.slow
@FEWER
@given(collections(min_runs=2))
def test_preferences_are_their_loops(collection):
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(*collection)
    pairs = pairs_of(items_of(p))
    vectors = {k: tuple(map(oracle.positions_of, pair)) for k, pair in pairs.items()}
    d = lf.preferences(p, [*OF_PAIRS])
    for name, loop in OF_PAIRS.items():
        # The loops of graded preferences take items, and a least grade behind them.
        given_pairs = pairs if "rel" in inspect.signature(loop).parameters else vectors
        expected = {key: float(loop(*pair)) for key, pair in given_pairs.items()}
        assert_same_preferences(measured(d, name), expected)
