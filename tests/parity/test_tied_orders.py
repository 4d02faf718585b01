"""Expectations over tied orders equal reference values, scikit-learn's nDCG and exact fractions."""

import json
import math
import warnings

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.projection import tied_orders
from tests.conftest import library
from tests.parity.reference import assert_same_rows

KEY = ["run", "query_id", "measure"]
PAIR = ["query_id", "run_a", "run_b", "measure"]
CHANCES = ["p_better", "p_equal", "p_worse"]
COLLECTIONS = ["trec_dl_2019_passage", "clef_ehealth_2014", "movielens_100k"]
SUMS = 1e-11
"""The accuracy of the reference's chances of RR, P, R, Rprec and TSE, which are plain sums."""


def in_levels(runs, n):
    """The runs with n different scores in each list."""
    s, of_list = pl.col("score"), ["run", "query_id"]
    low, high = s.min().over(of_list), s.max().over(of_list)
    level = pl.min_horizontal(pl.lit(n - 1.0), ((s - low) / (high - low) * n).floor())
    score = pl.when(high > low).then(level).otherwise(0.0)
    return runs.with_columns(pl.col("run") + f".q{n}", score=score)


@pytest.fixture(scope="module", params=COLLECTIONS)
def reference(request, shared):
    """Positions of the runs of a collection, and the tables of reference values."""
    folder = shared / "conformance" / "ties" / request.param
    s, d = (pl.read_parquet(folder / f"{name}.parquet") for name in ("scores", "preferences"))
    data = shared / "data" / request.param
    names = s["run"].unique().to_list()
    files = {name: data / "runs" / f"{name}.trec.gz" for name in names if ".q" not in name}
    runs = pl.DataFrame(lf.read_runs(files)).select("run", "query_id", "doc_id", "score")
    runs = pl.concat([runs, in_levels(runs, 4), in_levels(runs, 10)])
    runs, qrels = (
        of.filter(pl.col("query_id").is_in(s["query_id"].unique().implode()))
        for of in (runs, pl.DataFrame(lf.read_qrels(data / "qrels.trec")))
    )
    runs = runs.filter(pl.col("run").is_in(names))
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(runs, qrels, ties="expected", judged=True)
    return p, s, d


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_every_expectation(reference):
    p, theirs, _ = reference
    ours = lf.scores(p, theirs["measure"].unique().to_list())
    assert_same_rows(ours, theirs, KEY, "value", absolute=1e-12)
    known = [table.filter(pl.col("ties_sd").is_not_null()) for table in (ours, theirs)]
    assert_same_rows(*known, KEY, "ties_sd", absolute=1e-6)
    assert known[1].height < theirs.height


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_every_preference(reference):
    p, _, theirs = reference
    ours = lf.preferences(p, theirs["measure"].unique().to_list())
    assert_same_rows(ours, theirs, PAIR, "preference", absolute=1e-12)
    for chance in CHANCES:
        known = [table.filter(pl.col(chance).is_not_null()) for table in (ours, theirs)]
        assert_same_rows(*known, PAIR, chance, absolute=SUMS)
        assert 0 < known[1].height < theirs.height


def small_cases(path, kind, depth):
    """Runs, judgments, and the means over all orders, of cases that become requests."""
    cases = json.loads(path.read_text(encoding="utf-8"))[kind]
    cases = {f"q{n:02}": of for n, of in enumerate(cases) if of.get("depth") == depth}
    runs = {run: {q: of["runs"][run] for q, of in cases.items()} for run in "ab"}
    parts = {
        q: of["qrels"] if kind == "subtopic_cases" else {"0": of["qrels"]}
        for q, of in cases.items()
    }
    qrels = pl.DataFrame(
        [(q, t, d, g) for q, of in parts.items() for t, by in of.items() for d, g in by.items()],
        ["query_id", "subtopic", "doc_id", "relevance"],
        orient="row",
    )
    scores = [
        {"query_id": q, "run": run, "measure": measure, **known}
        for q, of in cases.items()
        for run, of_run in of["scores"].items()
        for measure, known in of_run.items()
    ]
    preferences = [
        {"query_id": q, "run_a": "a", "run_b": "b", "measure": measure, **known}
        | (dict(zip(CHANCES, known["p"], strict=True)) if known.get("closed") else {})
        for q, of in cases.items()
        for measure, known in of["preferences"].items()
    ]
    tables = (pl.DataFrame(rows, infer_schema_length=None) for rows in (scores, preferences))
    return runs, qrels, *tables


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize(
    "kind, depth",
    [
        *(("cases", depth) for depth in (None, 2, 3, 4)),
        ("subtopic_cases", None),
    ],
)
def test_small_cases_are_means_over_all_orders(shared, kind, depth):
    """Values, their deviations, preferences and chances, enumerated in fractions."""
    path, by_subtopic = shared / "conformance/ties/small_cases.json", kind == "subtopic_cases"
    runs, qrels, s, d = small_cases(path, kind, depth)
    how = {"subtopics": True} if by_subtopic else {"judged": True}
    p = lf.positions(runs, qrels, ties="expected", depth=depth, **how)
    ours = lf.scores(p, s["measure"].unique().to_list()).join(s, on=KEY, how="semi")
    assert_same_rows(ours, s, KEY, "value", absolute=1e-12)
    has_sd = pl.lit(value=not by_subtopic) & (pl.col("measure") != "ERR@3")
    assert ours.filter(~has_sd)["ties_sd"].count() == 0
    assert_same_rows(ours.filter(has_sd), s.filter(has_sd), KEY, "ties_sd", absolute=1e-6)
    ours = lf.preferences(p, d["measure"].unique().to_list()).join(d, on=PAIR, how="semi")
    assert_same_rows(ours, d, PAIR, "preference", absolute=1e-12)
    for chance in {*CHANCES} & {*d.columns}:
        known = (of.drop_nulls(chance) for of in (ours, d))
        assert_same_rows(*known, PAIR, chance, absolute=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("k", [None, 1, 7])
def test_the_ndcg_of_scikit_learn_averages_over_ties(k):
    metrics, rng = library("sklearn.metrics"), np.random.default_rng(0)
    grades, scores = rng.integers(0, 4, (5, 30)), rng.integers(0, 4, (5, 30))
    judged, run = (
        {str(q): {f"d{n}": float(v) for n, v in enumerate(of)} for q, of in enumerate(values)}
        for values in (grades, scores)
    )
    p = lf.positions({"a": run}, judged, ties="expected")
    ours = lf.scores(p, lf.nDCG if k is None else lf.nDCG @ k).sort("query_id")["value"]
    theirs = [
        metrics.ndcg_score(g[None], s[None], k=k) for g, s in zip(grades, scores, strict=True)
    ]
    assert ours.to_list() == pytest.approx(theirs, abs=1e-14)


SIZES = [(1, 1), (5, 3), (40, 40), (300, 1), (777, 389)]
GREAT = [pytest.param(2000, r, marks=pytest.mark.slow) for r in (3, 700, 1999)]


@pytest.mark.parametrize("t, r", [*SIZES, *GREAT])
def test_chances_of_ranks_and_counts_are_exact_fractions(t, r):
    every = math.comb(t, r)
    levels = np.unique([1, min(2, r), (r + 1) // 2, r])
    found = tied_orders.level_chances(t, r, levels)
    for of_level, j in zip(found, levels.tolist(), strict=True):
        exact = [math.comb(x - 1, j - 1) * math.comb(t - x, r - j) / every if r - j <= t - x else 0
                 for x in range(1, t + 1)]  # fmt: skip
        assert np.abs(of_level - exact).max() <= 1e-15
    for k in {1, t // 3 or 1, t - 1 or 1, t}:
        (counts,) = tied_orders.count_chances(t, r, np.array([k]))
        exact = [math.comb(k, h) * math.comb(t - k, r - h) / every for h in range(r + 1)]
        assert np.abs(counts - exact).max() <= 1e-15


@pytest.mark.slow
def test_a_group_of_a_hundred_thousand_documents():
    """AP = (r/t)/m Σ_x (1 + (x − 1)(r − 1)/(t − 1))/x, in whole numbers; nDCG with exact sums."""
    t, r, digits = 100_000, 300, 10**40
    documents = pl.DataFrame({"query_id": "q", "doc_id": [f"d{n}" for n in range(t)]})
    qrels = documents.head(r).with_columns(relevance=pl.Series(np.arange(r) % 3 + 1.0))
    qrels = pl.concat([qrels, qrels.head(1).with_columns(doc_id=pl.lit("not found"))])
    runs = documents.with_columns(run=pl.lit("a"), score=1.0)
    with warnings.catch_warnings(action="ignore"):  # of lists of one score, and of grades
        p = lf.positions(runs, qrels, ties="expected")
    found = dict(lf.scores(p, ["AP", "nDCG", "nDCG@1000", "RR"]).select("measure", "value").rows())
    harmonic = sum(digits // x for x in range(1, t + 1))
    of_ranks = harmonic * (t - r) + digits * t * (r - 1)  # times (t − 1) and the digits
    assert found["AP"] == pytest.approx(r * of_ranks / (t * (r + 1) * (t - 1) * digits), abs=1e-12)
    gains = sorted(qrels["relevance"].to_list(), reverse=True)
    for name, k in {"nDCG": t, "nDCG@1000": 1000}.items():
        discounted = math.fsum(1 / math.log2(x + 1) for x in range(1, k + 1))
        ideal = math.fsum(g / math.log2(x + 1) for x, g in enumerate(gains[:k], 1))
        exact = math.fsum(qrels["relevance"].head(r)) / t * discounted / ideal
        assert found[name] == pytest.approx(exact, abs=1e-12)
    first = sum(math.comb(t - x, r - 1) * digits // x for x in range(1, 6000))  # the rest is 1e-8
    assert found["RR"] == pytest.approx(first / (math.comb(t, r) * digits), abs=1e-7)
