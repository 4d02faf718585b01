"""Preferences of one's own take part in everything, and deciding levels are the oracle's."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_identical, assert_same_preferences, items_of, measured, pairs_of
from tests.oracle import positions_of
from tests.strategies import positions_tables

pytestmark = pytest.mark.slow

INF = math.inf


def with_pairs(**arguments):
    return positions_tables(min_runs=2, **arguments)


def binary_RPP(p):
    won = (p[:, None, :] < p[None, :, :]).mean(axis=2)
    return won - won.T


def my_LP(p):
    """Loops over pairs and gives lists, as someone would who writes it for the first time."""

    def of_pair(a, b):
        return next((np.sign(y - x) for x, y in zip(a, b, strict=True) if x != y), 0)

    return [[of_pair(a, b) for b in p] for a in p]


def RR_difference(p):
    return 1 / p[:, :1] - 1 / p[:, 0]


LIKE = {"RPP(rel=0.5)": binary_RPP, "LP": my_LP, "RR": RR_difference}


@given(with_pairs())
def test_functions_equal_the_catalogue(p):
    d = lf.preferences(p, [*LIKE, *LIKE.values()])
    for name, function in LIKE.items():
        assert_same_preferences(measured(d, function.__name__), measured(d, name))


@given(with_pairs(), st.sampled_from([1, 1.5, 2, 3]))
def test_functions_with_a_least_grade(p, rel):
    assume(p["relevance"].max() >= rel)
    mine = lf.MatrixPreference("mine", binary_RPP, rel=rel)
    assert mine == lf.MatrixPreference("mine", binary_RPP)(rel=rel)
    d = lf.preferences(p, [mine, f"RPP(rel={rel})"])
    assert_same_preferences(measured(d, f"mine(rel={rel:g})"), measured(d, f"RPP(rel={rel:g})"))


@given(with_pairs(), st.sampled_from([None, 2]))
def test_what_a_function_is_given(p, rel):
    assume(rel is None or p["relevance"].max() >= rel)
    given = []

    def spy(positions):
        given.append(positions.copy())
        positions[:] = 0  # a function may use it up
        return np.zeros((len(positions), len(positions)))

    lf.preferences(p, ["LR", lf.MatrixPreference("spy", spy, rel=rel), "LP"])
    assert {matrix.dtype for matrix in given} == {np.dtype("float64")}
    items = items_of(p)
    expected = []
    for q in sorted({q for _, q in items}):
        of_runs = [
            positions_of(items[run, q], rel or -INF) for run in sorted({r for r, _ in items})
        ]
        expected += [[[INF if x is None else x for x in p] for p in of_runs]] if of_runs[0] else []
    assert [matrix.tolist() for matrix in given] == expected


@given(with_pairs())
def test_using_the_positions_up_changes_no_other_measure(p):
    def spoil(positions):
        positions[:] = 1
        return positions[:, :1] - positions[:, 0]

    names = ["RPP", "LR", "rrLP"]
    d = lf.preferences(p, [lf.MatrixPreference("A", spoil), *names])
    assert_identical(d.filter(pl.col("measure") != "A"), lf.preferences(p, names))


@given(with_pairs(no_relevant="zero"))
def test_without_relevant_items_they_are_ties(p):
    d = measured(lf.preferences(p, binary_RPP), "binary_RPP")
    empty = p.filter(pl.col("n_relevant") == 0)["query_id"].unique().to_list()
    assert all(x == 0 for (q, *_), x in d.items() if q in empty)
    assert {q for q, *_ in d} == set(p["query_id"])


def test_what_rounding_leaves_is_a_tie():
    folder = lf.bundled("example")
    p = lf.positions(folder / "runs", folder / "qrels.txt")

    def residue(positions):
        n = len(positions)
        return np.triu(np.full((n, n), 1e-13), k=1) - np.tril(np.full((n, n), 0.9e-13), k=-1)

    assert lf.preferences(p, residue)["preference"].to_list() == [0.0] * len(
        lf.preferences(p, "LR")
    )


# --- Every table ---------------------------------------------------------------------------------

OWN = {
    "level": (lf.LevelPreference("mine", weight=lambda i, m: 1 / i), "invRPP"),
    "lexicographic": (lf.LexicographicPreference("mine", "recall"), "LR"),
    "magnitude": (
        lf.LexicographicPreference("mine", "precision", magnitude=lambda p: 1 / p),
        "rrLP",
    ),
    "matrix": (lf.MatrixPreference("mine", my_LP), "LP"),
    "function": (my_LP, "LP"),
    "rank": (lf.LexicographicPreference("mine", "recall").rank, "LR.rank"),
}


def without_ends(comparisons):
    """Comparisons without intervals, which need the bounds of a measure where runs differ alike."""
    return comparisons.drop("ci_low", "ci_high", strict=False)


TABLES = {
    "preferences": lambda d: d,
    "win_rates": lf.win_rates,
    "request_win_rates": lf.request_win_rates,
    "order_runs, mean": lambda d: lf.order_runs(d, "mean"),
    "order_runs, win_rate": lambda d: lf.order_runs(d, "win_rate"),
    "order_runs, borda": lambda d: lf.order_runs(d, "borda"),
    "order_runs, copeland": lambda d: lf.order_runs(d, "copeland"),
    "order_runs, mc4": lf.order_runs,
    "tie_rates": lf.tie_rates,
    "compare, t": lambda d: without_ends(lf.compare(d, "t")),
    "compare, sign": lambda d: without_ends(lf.compare(d, "sign")),
    "discriminative_power": lambda d: lf.discriminative_power(lf.compare(d, "t")),
}


def example():
    folder = lf.bundled("example")
    return folder / "runs", folder / "qrels.txt"


@pytest.mark.filterwarnings("ignore:compare. no p-value:lexiframe.LexiframeWarning")
@pytest.mark.filterwarnings("ignore:majorities run")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", OWN)
def test_every_table_takes_ones_own(kind, table):
    """And says the same of it as of the one in the catalogue."""
    mine, built_in = OWN[kind]
    p = lf.positions(*example())
    d = lf.preferences(p, [mine, built_in])
    name = getattr(mine, "__name__", str(mine))
    own, other = (TABLES[table](d.filter(measure=n)).drop("measure") for n in (name, built_in))
    assert own.height > 0
    assert own.equals(other)
    assert lf.win_rate_matrix(d, name).equals(lf.win_rate_matrix(d, built_in))


@pytest.mark.parametrize("kind", OWN)
def test_evaluate_takes_ones_own(kind):
    mine, built_in = OWN[kind]
    e = lf.evaluate(*example(), [mine, built_in, "AP"])
    name = getattr(mine, "__name__", str(mine))
    for table in (e.preferences, e.win_rates, e.orderings, e.tie_rates, e.comparisons, e.power):
        own, other = (
            without_ends(table.filter(measure=n)).drop("measure") for n in (name, built_in)
        )
        assert own.height > 0
        assert own.equals(other)
    assert name in e.provenance["measures"]
    assert name in str(e)


# --- Deciding levels -----------------------------------------------------------------------------

DIRECTIONS = {"LR": True, "rrLR": True, "LP": False, "rrLP": False, "sgnLR": True, "sgnLP": False}


@given(with_pairs(), st.sampled_from([None, 1, 2]))
def test_deciding_levels(p, rel):
    assume(rel is None or p["relevance"].max() >= rel)
    suffix = "" if rel is None else f"(rel={rel})"
    names = {f"{name}{suffix}": largest for name, largest in DIRECTIONS.items()}
    d = lf.preferences(p, [*names, "RPP", "AP", binary_RPP], deciding_level=True)
    pairs = {
        key: (positions_of(a, rel or -INF), positions_of(b, rel or -INF))
        for key, (a, b) in pairs_of(items_of(p)).items()
    }
    for name, largest in names.items():
        expected = {k: oracle.deciding_level(a, b, largest) for k, (a, b) in pairs.items() if a}
        assert measured(d, name) == expected
    others = d.filter(pl.col("measure").is_in(["RPP", "AP", "binary_RPP"]))
    assert others["deciding_level"].null_count() == others.height > 0
    assert_identical(d.drop("deciding_level"), lf.preferences(p, [*names, "RPP", "AP", binary_RPP]))


@given(with_pairs(no_relevant="zero"))
def test_ties_have_no_deciding_level(p):
    d = lf.preferences(p, ["LR", "LP"], deciding_level=True)
    assert d["deciding_level"].dtype == pl.Int64
    assert (d["deciding_level"].is_null() == (d["preference"] == 0)).all()


def test_tables_of_preferences_may_have_deciding_levels():
    p = lf.positions(*example())
    names = ["RPP", "LR", "LP", "rrLP"]
    d, e = lf.preferences(p, names), lf.preferences(p, names, deciding_level=True)
    assert e.columns == [*d.columns, "deciding_level"]
    for table in TABLES.values():
        if table is not TABLES["preferences"]:
            assert table(e).equals(table(d))
    assert lf.sign_agreement(e).equals(lf.sign_agreement(d))
    assert lf.win_rates(e.to_arrow()).equals(lf.win_rates(d))
