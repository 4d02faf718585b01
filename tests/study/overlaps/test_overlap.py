"""The overlap of rankings is that of plain loops, and of what others published."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import lexiframe as lf
from lexiframe.core.pairwise import pair_tiles
from tests import oracle
from tests.frames import rankings
from tests.strategies import collections

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

FORMULAS = {
    "RBO(p=0.9)": oracle.rbo_extrapolated,
    "RBO(p=0.5)@3": lambda x, y: oracle.rbo_extrapolated(x[:3], y[:3], 0.5),
    "Jaccard@3": lambda x, y: oracle.jaccard(x[:3], y[:3]),
    "Jaccard": oracle.jaccard,
    "overlap@4": lambda x, y: oracle.overlap_of_tops(x[:4], y[:4]),
    "tau@6": lambda x, y: oracle.tau_of_common(x[:6], y[:6]),
    "tau": oracle.tau_of_common,
    "tau_ap@6": lambda x, y: oracle.tau_ap_of_common(x[:6], y[:6]),
    "tau_ap": oracle.tau_ap_of_common,
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def run_of(documents):
    return {"q": {document: -n for n, document in enumerate(documents)}}


def value(one, other, measure):
    return lf.overlap({"a": run_of(one), "b": run_of(other)}, measure)["value"].item()


def expected(collection, policies):
    """{(query_id, run_a, run_b, measure): value}, by the oracle."""
    answers, values = rankings(collection.runs), {}
    for query in {query for of_run in answers.values() for query in of_run}:
        lists = {
            run: oracle.order(of_run.get(query, []), **policies) for run, of_run in answers.items()
        }
        for a, b in combinations(sorted(lists), 2):
            for name, formula in FORMULAS.items():
                values[query, a, b, name] = formula(lists[a], lists[b])
    return values


@given(
    collections(min_runs=2, max_runs=4, ranks=True, duplicates=True),
    st.sampled_from(["doc_id_desc", "doc_id_asc", "input"]),
    st.sampled_from(["float64", "float32"]),
)
def test_all_measures_are_those_of_plain_loops(collection, ties, score_type):
    """Also of rankings that are empty, missing, uneven, tied, and that repeat documents."""
    policies = {"ties": ties, "score_type": score_type}
    loops = expected(collection, policies)
    answered = collection.runs.group_by("query_id").agg(pl.col("run").n_unique())["run"]
    if answered.max() < 2:
        with pytest.raises(lf.LexiframeError, match="two runs"):
            lf.overlap(collection.runs, duplicates="best")
        return
    table = lf.overlap(collection.runs, [*FORMULAS], duplicates="best", **policies)
    assert table.equals(table.sort("query_id", "run_a", "run_b", "measure"))
    found = {tuple(key): number for *key, number in table.rows()}
    assert found.keys() == loops.keys()
    for key, number in loops.items():
        assert found[key] == (None if number is None else pytest.approx(number, abs=1e-12)), key


WEBBERS = [
    ("f", 0.9, 0.053090),
    ("zclx", 0.9, 0.233312),
    ("nxqyk", 0.9, 0.049050),
    ("karfvodcjmwgzlypebunq", 0.9, 0.468431),
    ("zhatsimjpnkvcfxwqgoeryubd", 0.9, 0.364444),
    ("sozxjfdenvqkbgryapc", 0.9, 0.307626),
    ("auzemcwhrtjvbfqxyk", 0.4, 0.772647),
    ("bcxhkur", 0.4, 0.212763),
    ("av", 0.2, 0.900000),
    ("afcmleivjhs", 0.1, 0.951493),
]
"""What the program of RBO's first author prints for these letters beside the alphabet: the test
data of M. Petri's library rbo, test_data/uneven_abc.json."""


@pytest.mark.parametrize("letters, p, printed", WEBBERS)
def test_rbo_is_that_of_its_authors_program(letters, p, printed):
    assert value(LETTERS, letters, f"RBO(p={p})") == pytest.approx(printed, abs=6e-7)
    assert oracle.rbo_extrapolated(LETTERS, letters, p) == pytest.approx(printed, abs=6e-7)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["RBO", "RBO(p=0.999)", "Jaccard", "overlap", "tau", "tau_ap"])
def test_rankings_that_are_the_same_have_1_whatever_their_length(measure):
    for n in (2, 7, 300):
        documents = [f"d{k}" for k in range(n)]
        assert value(documents, documents, measure) == 1
        assert value(documents, documents[::-1], "tau") == value(
            documents, documents[::-1], "tau_ap"
        ) == -1  # fmt: skip


def test_many_documents_beside_scipy():
    rng = np.random.default_rng(0)
    one, other = (rng.permutation(1500)[:1000].astype(str).tolist() for _ in range(2))
    common = [d for d in one if d in {*other}]
    places = [other.index(d) for d in common]
    assert value(one, other, "tau") == pytest.approx(
        kendalltau(range(len(common)), places).statistic, abs=1e-12
    )
    ranks = {d: n for n, d in enumerate(common)}, dict(zip(common, places, strict=True))
    assert value(one, other, "tau_ap") == pytest.approx(oracle.tau_ap_symmetric(*ranks), abs=1e-12)
    rbo = oracle.rbo_extrapolated(one[:400], other, 0.98)
    assert value(one[:400], other, "RBO(p=0.98)") == pytest.approx(rbo, abs=1e-12)


def test_parts_of_the_runs_at_a_time_give_the_same(monkeypatch):
    rng = np.random.default_rng(2)
    runs = {f"r{n}": run_of(rng.permutation(40)[: 30 - n].astype(str)) for n in range(7)}
    whole = lf.overlap(runs, [*FORMULAS])
    monkeypatch.setattr(pair_tiles, "_RANKS", 300)
    assert {len(part) for part, *_ in pair_tiles.tiles_of(7, 30)} > {1}
    assert lf.overlap(dict([*runs.items()][::-1]), [*FORMULAS]).equals(whole)


def test_a_request_that_one_run_answered_and_one_that_none_did():
    runs = {
        "X": {"both": {"a": 2, "b": 1}, "one": {"a": 1}, "none": {}},
        "Y": {"both": {"b": 2, "c": 1}, "none": {}},
    }
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 1$"):
        table = lf.overlap(runs, ["RBO", "Jaccard", "overlap", "tau"])
    assert table.pivot("measure", index="query_id", values="value").rows() == [
        ("both", pytest.approx(1 / 3), pytest.approx(0.45), 0.5, None),
        ("none", None, None, None, None),
        ("one", 0, 0, 0, None),
    ]


def test_repeated_documents():
    runs = pl.DataFrame(
        {"run": [*"XXXY"], "query_id": "q", "doc_id": [*"abaa"], "score": [3.0, 2, 1, 1]}
    )
    with pytest.raises(lf.SchemaError, match="'a'"):
        lf.overlap(runs)
    with pytest.warns(lf.LexiframeWarning, match="rows that repeated a document, removed: 1"):
        assert lf.overlap(runs, "Jaccard", duplicates="best")["value"].item() == 0.5


def test_ties_are_put_in_order_by_rank_too():
    runs = pl.DataFrame({"run": [*"XXYY"], "query_id": "q", "doc_id": [*"abab"], "score": 1.0})
    runs = runs.with_columns(rank=pl.Series([1, 2, 2, 1]))
    assert lf.overlap(runs, "tau")["value"].item() == 1
    assert lf.overlap(runs, "tau", ties="rank")["value"].item() == -1


WRONG = {
    "RB0(p=0.9)": "unknown measure of overlap 'RB0(p=0.9)'; did you mean RBO",
    "Jacard@10": "unknown measure of overlap 'Jacard@10'; did you mean Jaccard",
    "Jaccard(p=0.9)": "unknown measure of overlap 'Jaccard(p=0.9)'",
    "RBO(q=0.9)": "unknown measure of overlap",
    "tau@": "unknown measure of overlap 'tau@'; did you mean tau@100",
    "RBO(p=1)": "RBO(p=1): expected a number above 0 and below 1",
    "tau@0": "tau@k: expected a whole number from 1, found 0",
    "tau@0.5": "tau@k: expected a whole number from 1, found 0.5",
}


@pytest.mark.parametrize("measure", WRONG)
def test_wrong_measures_are_errors(measure):
    with pytest.raises(lf.LexiframeError) as caught:
        lf.overlap({"X": run_of("a"), "Y": run_of("a")}, measure)
    assert WRONG[measure] in str(caught.value)


def test_wrong_arguments_are_errors(monkeypatch):
    runs = {"X": run_of("a"), "Y": run_of("a")}
    with pytest.raises(TypeError, match="expected measures to be text or a list"):
        lf.overlap(runs, [0.9])
    with pytest.raises(TypeError, match="found a float"):
        lf.overlap(runs, 0.9)
    with pytest.raises(lf.LexiframeError, match="overlap: expected at least one measure, found no"):
        lf.overlap(runs, [])
    with pytest.raises(lf.LexiframeError, match="overlap: expected at least two runs, found 1"):
        lf.overlap({"X": run_of("a")})
    with pytest.raises(lf.LexiframeError, match="which attribute makes the groups"):
        lf.overlap(runs, requests=pl.DataFrame({"query_id": ["q"]}))
    others = {"X": {"1": {"a": 1}}, "Y": {"q1": {"a": 1}}}
    with pytest.raises(lf.LexiframeError, match=r"two runs answered, found none.*a prefix"):
        lf.overlap(others)
    with pytest.raises(lf.LexiframeError, match="do they use the same query ids"):
        lf.overlap({"X": {"1": {"a": 1}}, "Y": {"z": {"a": 1}}})
    monkeypatch.setattr("lexiframe.core.base.memory_use.available", lambda: 100)
    with pytest.raises(lf.LexiframeError, match="overlap: the values of 2 runs"):
        lf.overlap(runs)
