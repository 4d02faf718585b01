"""Preferences are those of the oracle, ties are exact, and one's own are those of the catalogue."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import (
    assert_identical,
    assert_same_preferences,
    items_of,
    measured,
    pairs_of,
    projections,
)
from tests.oracle import positions_of
from tests.strategies import BINARY, positions_tables

pytestmark = pytest.mark.slow

FEWER = settings(max_examples=settings().max_examples // 3)
RPPS = {"RPP": oracle.RPP, "dcgRPP": oracle.dcgRPP, "invRPP": oracle.invRPP}
SIGNS = {"LR": oracle.LR, "sgnLR": oracle.LR, "LP": oracle.LP, "sgnLP": oracle.LP}
SIZES = {"rrLR": oracle.rrLR, "rrLP": oracle.rrLP}
DIFFERENCES = {
    "AP": lambda items: oracle.AP(positions_of(items)),
    "RR": lambda items: oracle.RR(positions_of(items)),
    "nDCG": oracle.nDCG,
    "R@3": lambda items: oracle.R(positions_of(items), 3),
    "TSE(AP)": lambda items: oracle.TSE(positions_of(items), lambda p: 1 / p),
}
EVERYTHING = [*RPPS, *SIGNS, *SIZES, *DIFFERENCES]


def with_pairs(**arguments):
    return positions_tables(min_runs=2, **arguments)


@given(with_pairs())
def test_recall_paired_preferences(p):
    d, pairs = lf.preferences(p, list(RPPS)), pairs_of(items_of(p))
    for name, formula in RPPS.items():
        assert_same_preferences(
            measured(d, name), {key: float(formula(*pair)) for key, pair in pairs.items()}
        )


@given(with_pairs(), st.sampled_from([1, 1.5, 3]))
def test_binary_recall_paired_preferences(p, rel):
    d = lf.preferences(p, [f"{name}(rel={rel})" for name in RPPS])
    pairs = at_least(p, rel)
    for name, formula in RPPS.items():
        expected = {key: float(formula(*pair, rel)) for key, pair in pairs.items()}
        assert_same_preferences(measured(d, f"{name}(rel={rel:g})"), expected)


@given(with_pairs())
def test_rpp_is_exact(p):
    """It is a whole number over another, divided once."""
    exact = {key: oracle.RPP(*pair) for key, pair in pairs_of(items_of(p)).items()}
    d = measured(lf.preferences(p, "RPP"), "RPP")
    assert d == {key: float(x) for key, x in exact.items()}


TIES = {"AP": [(1, 6, 9), (2, 3, 6)], "invRPP": [(1, 2, 5, 6, 7, 10), (1, 3, 4, 6, 7, 9)]}
"""Positions that a measure ties, but for the rounding of the sums."""


@pytest.mark.parametrize("measure", TIES)
def test_what_rounding_leaves_of_a_tie_is_a_tie(measure):
    tables = []
    for run, p in zip("ab", TIES[measure], strict=True):
        columns = dict(run=run, query_id="q", doc_id=[f"d{i}" for i in p], relevance=1.0)
        columns |= dict(position=p, level=range(1, len(p) + 1))
        tables.append(pl.DataFrame({**columns, "n_relevant": len(p), "n_retrieved": 10}))
    d = lf.preferences(pl.concat(tables), measure)
    assert d["preference"].to_list() == [0.0]
    if measure == "AP":
        assert lf.tie_rates(lf.scores(pl.concat(tables), "AP"))["ties"].to_list() == [1]


@pytest.mark.parametrize("m", [126, 127, 128, 255, 300])
def test_many_relevant_items(m):
    draw = random.Random(m)
    items = [f"r{n}" for n in range(m)]
    grades = pl.DataFrame(
        {"query_id": "q", "doc_id": items, "relevance": draw.choices([1.0, 2.0], k=m)}
    )
    tables = []
    for n, run in enumerate("abcd"):
        order = draw.sample([*items, *(f"x{i}" for i in range(m))], k=m + n * m // 3)
        columns = dict(run=run, query_id="q", doc_id=order, score=range(len(order), 0, -1))
        tables.append(pl.DataFrame(columns))
    runs = pl.concat(tables)
    p = lf.positions(runs, grades)
    assert items_of(p) == projections(runs, grades)
    d, pairs = lf.preferences(p, [*RPPS, "LR", "LP", "AP"]), pairs_of(items_of(p))
    for name, formula in RPPS.items():
        expected = {key: float(formula(*pair)) for key, pair in pairs.items()}
        assert_same_preferences(measured(d, name), expected)
    for name in ("LR", "LP"):
        expected = {key: SIGNS[name](*pair) for key, pair in vectors_of(pairs).items()}
        assert measured(d, name) == expected
    expected = {key: DIFFERENCES["AP"](a) - DIFFERENCES["AP"](b) for key, (a, b) in pairs.items()}
    assert_same_preferences(measured(d, "AP"), expected)


@given(with_pairs())
def test_lexicographic_preferences(p):
    d, pairs = lf.preferences(p, [*SIGNS, *SIZES]), vectors_of(pairs_of(items_of(p)))
    for name, formula in SIGNS.items():
        assert measured(d, name) == {key: formula(*pair) for key, pair in pairs.items()}
    for name, formula in SIZES.items():
        assert_same_preferences(
            measured(d, name), {key: formula(*pair) for key, pair in pairs.items()}
        )


@given(with_pairs(), st.sampled_from([1, 1.5, 3]))
def test_lexicographic_preferences_with_a_least_grade(p, rel):
    d = lf.preferences(p, [f"{name}(rel={rel})" for name in [*SIGNS, *SIZES]])
    pairs = vectors_of(at_least(p, rel))
    for name, formula in (SIGNS | SIZES).items():
        expected = {key: formula(*pair) for key, pair in pairs.items()}
        assert_same_preferences(measured(d, f"{name}(rel={rel:g})"), expected)


@given(with_pairs())
def test_differences_of_metrics(p):
    d, pairs = lf.preferences(p, list(DIFFERENCES)), pairs_of(items_of(p))
    for name, metric in DIFFERENCES.items():
        expected = {key: oracle.tie(metric(a) - metric(b)) for key, (a, b) in pairs.items()}
        assert_same_preferences(measured(d, name), expected)


@given(with_pairs(no_relevant="zero"))
def test_without_relevant_items_every_preference_is_a_tie(p):
    d = lf.preferences(p, EVERYTHING)
    empty = p.filter(pl.col("n_relevant") == 0)["query_id"].unique()
    ties = d.filter(pl.col("query_id").is_in(empty.implode()))["preference"]
    n_runs = p["run"].n_unique()
    assert ties.to_list() == [0.0] * (len(empty) * len(EVERYTHING) * (n_runs * (n_runs - 1) // 2))


@given(with_pairs(grades=BINARY))
def test_binary_rpp_is_graded_rpp_when_all_grades_are_equal(p):
    d = lf.preferences(p, [*RPPS, *(f"{name}(rel=1)" for name in RPPS)])
    for name in RPPS:
        assert measured(d, name) == measured(d, f"{name}(rel=1)")


OWN = [
    lf.LevelPreference("my RPP", weight=lambda i, m: 1),
    lf.LevelPreference("my dcgRPP", weight=lambda i, m: 1 / (i + 1).log(2)),
    lf.LevelPreference("my invRPP", weight=lambda i, m: 1 / i),
    lf.LexicographicPreference("my LR", "recall"),
    lf.LexicographicPreference("my LP", "precision"),
    lf.LexicographicPreference("my rrLR", "recall", magnitude=lambda p: 1 / p),
    lf.LexicographicPreference("my rrLP", "precision", magnitude=lambda p: 1 / p),
    lf.RecallLevelMetric("my AP", exposure=lambda p: 1 / p, weight=lambda i, m: i / m),
]


@given(with_pairs(), st.sampled_from([None, 1.5]))
def test_preferences_of_ones_own_equal_the_same_formulas(p, rel):
    mine = [measure if rel is None else measure(rel=rel) for measure in OWN]
    built_in = [str(measure).removeprefix("my ") for measure in mine]
    d = lf.preferences(p, [*mine, *built_in])
    for measure, name in zip(mine, built_in, strict=True):
        assert_same_preferences(measured(d, str(measure)), measured(d, name))


@given(with_pairs(), st.sampled_from(["recall", "precision"]))
def test_another_size_of_a_lexicographic_preference(p, direction):
    rooted = lf.LexicographicPreference("rooted", direction, magnitude=lambda p: 1 / p.sqrt())
    pairs = vectors_of(pairs_of(items_of(p)))
    expected = {
        key: oracle.lexicographic_size(a, b, direction == "recall", lambda p: p**-0.5)
        for key, (a, b) in pairs.items()
    }
    assert_same_preferences(measured(lf.preferences(p, rooted), "rooted"), expected)


@given(with_pairs(), st.sampled_from([lambda i, m: i / m, lambda i, m: i == m, lambda i, m: 1 / m]))
def test_another_weight_of_levels(p, weight):
    mine = lf.LevelPreference("mine", weight=weight)
    pairs = pairs_of(items_of(p))
    expected = {key: oracle.weighted_RPP(*pair, weight) for key, pair in pairs.items()}
    assert_same_preferences(measured(lf.preferences(p, mine), "mine"), expected)


@FEWER
@given(with_pairs())
def test_a_measure_alone_is_as_among_others(p):
    together = lf.preferences(p, EVERYTHING)
    assert together.select("query_id", "run_a", "run_b", "measure").rows() == sorted(
        (*key, name) for key in pairs_of(items_of(p)) for name in EVERYTHING
    )
    for name in EVERYTHING:
        assert_identical(lf.preferences(p, name), together.filter(pl.col("measure") == name))


def at_least(p, rel):
    """The pairs of runs with the items of a grade or above, for the requests that have one."""
    kept = {key: [i for i in items if i[1] >= rel] for key, items in items_of(p).items()}
    return pairs_of({key: items for key, items in kept.items() if items})


def vectors_of(pairs):
    return {key: (positions_of(a), positions_of(b)) for key, (a, b) in pairs.items()}


@pytest.mark.filterwarnings("ignore:.*positive grades.* have no gain")
@given(with_pairs(), st.sampled_from([None, 2]))
def test_requests_go_through_a_kernel_together_as_they_do_one_by_one(p, rel):
    """Blocks change nothing, to the last bit: weights, grades and sizes differ in them."""
    suffix = "" if rel is None else f"(rel={rel})"
    measures = [f"{name}{suffix}" for name in EVERYTHING if rel is None or name[-1] not in ")3"]
    late = lf.LevelPreference("late", weight=lambda i, m: i / m)
    options = dict(no_relevant="zero", deciding_level=True)
    if rel is not None and not (p["relevance"] >= rel).any():
        return
    together = lf.preferences(p, [*measures, late], **options)
    some = p.filter((pl.col("relevance") >= (rel or 0)).any().over("query_id"))
    alone = [
        lf.preferences(part, [*measures, late], **options)
        for part in some.partition_by("query_id", maintain_order=True)
    ]
    asked = together.join(some.select("query_id").unique(), on="query_id", how="semi")
    assert_identical(asked.sort(together.columns[:4]), pl.concat(alone).sort(together.columns[:4]))
