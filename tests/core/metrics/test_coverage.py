"""What the coverage table says of answers without documents, and of ties."""

import itertools

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.io.one_run import RunPart
from lexiframe.core.metrics import coverages as gaps
from lexiframe.core.projection.answers import counts_of, warn_of_gaps
from lexiframe.core.projection.judgments import judged_items
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.ranked_runs import RankedRuns
from lexiframe.core.projection.ranks_and_ties import rank_judged

QRELS = pl.DataFrame(
    {"query_id": ["q1", "q2", "q3"], "doc_id": ["a", "b", "c"], "relevance": [1.0, 1.0, 1.0]}
)
ROWS = pl.DataFrame({"query_id": ["q1", "q4"], "doc_id": ["a", "a"], "score": [1.0, 1.0]})


# --- Queries answered with an empty list --------------------------------------------------------


@pytest.mark.parametrize(
    "rows, empty, answered, extra",
    [
        (ROWS, (), 1, 1),
        (ROWS, ("q2",), 2, 1),
        (ROWS, ("q2", "q5", "q4"), 2, 2),
        (ROWS.clear(), ("q2", "q3"), 2, 0),
        (ROWS.clear(), ("q1", "q2", "q3", "q5"), 3, 1),
        (ROWS.clear(), (), 0, 0),
    ],
)
def test_an_empty_list_is_an_answer(rows, empty, answered, extra):
    judged = judged_items(QRELS, Policies(), nonrelevant=True)
    run = rank_judged(RunPart("x", rows, "x.run", empty), judged, Policies())
    ranked = RankedRuns(judged, [run])
    found = counts_of(ranked).row(0, named=True)
    assert (found["answered"], found["missing"], found["extra"]) == (answered, 3 - answered, extra)
    assert found["retrieved"] == run.retrieved.sum() == (not rows.is_empty())
    missing = f"rankings missing, counted as empty: {3 - answered}"
    ignored = f"rankings for requests without judgments, ignored: {extra}"
    said = [missing] * (answered < 3) + [ignored] * (extra > 0)
    if said:
        with pytest.warns(lf.LexiframeWarning) as caught:
            warn_of_gaps(ranked)
        assert [str(w.message) for w in caught] == [f"{'; '.join(said)} (see lexiframe.coverage)"]
    else:
        warn_of_gaps(ranked)


def test_a_list_without_items_in_a_frame():
    """A row without a document, in one run; the other run did not answer."""
    rows = [("x", "q1", "a", 1.0), ("x", "q2", None, None), ("y", "q1", "a", 1.0)]
    runs = pl.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row")
    for given in (runs, runs.to_arrow(), runs.lazy(), lf.read_runs(runs)):
        table = pl.DataFrame(lf.coverage(given, QRELS[:2]))
        assert table.select("run", "answered", "missing").rows() == [("x", 2, 0), ("y", 1, 1)]
        with pytest.warns(lf.LexiframeWarning, match=r"^rankings missing, counted as empty: 1 "):
            p = pl.DataFrame(lf.positions(given, QRELS[:2]))
        assert p.filter(query_id="q2")["n_retrieved"].to_list() == [0, 0]


# --- Documents that are there twice -------------------------------------------------------------


def test_duplicates_are_those_of_judged_requests():
    """As what is retrieved is; a document that is twice is refused wherever it is."""
    rows = [("q1", "a", 2.0), ("q1", "a", 1.0), ("q1", "b", 1.0), ("q4", "c", 3.0)]
    rows += [("q4", "c", 2.0), ("q4", "c", 1.0), ("q5", "d", 1.0), ("q5", "d", 1.0)]
    runs = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    table = lf.coverage({"x": runs}, QRELS, duplicates="best")
    assert table.select("retrieved", "duplicates", "extra").rows() == [(2, 1, 2)]
    with pytest.warns(lf.LexiframeWarning, match="rows that repeated a document, removed: 1 "):
        lf.positions({"x": runs}, QRELS, duplicates="best")
    only_extra = {"x": runs[1:]}
    assert lf.coverage(only_extra, QRELS, duplicates="best")["duplicates"].item() == 0
    with pytest.raises(
        lf.SchemaError, match="'c' occurs more than once in the ranking for query 'q4'"
    ):
        lf.coverage(only_extra, QRELS)


# --- Ties ---------------------------------------------------------------------------------------

TIED = pl.DataFrame(
    {
        "run": "x",
        "query_id": ["q1"] * 4 + ["q2"] * 2,
        "doc_id": ["d", "low", "none", "high", "a", "b"],
        "score": [2.0, 1.0, 1.0, 1.0, 2.0, 1.0],
    }
)
GRADED = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q2"],
        "doc_id": ["low", "high", "no", "b"],
        "relevance": [1.0, 3.0, 2.0, 1.0],
    }
)


def dcg(*graded):
    from math import log2

    return sum(grade / log2(position + 1) for position, grade in graded)


def test_worked_by_hand():
    """Low and high tie with one another and with a document that is not relevant."""
    (row,) = lf.coverage(TIED, GRADED).to_dicts()
    assert row["tied_relevant"] == 2
    ideal = dcg((1, 3), (2, 2), (3, 1))
    assert row["nDCG@10_max"] == pytest.approx((dcg((2, 3), (3, 1)) / ideal + dcg((2, 1))) / 2)
    assert row["nDCG@10_min"] == pytest.approx((dcg((3, 1), (4, 3)) / ideal + dcg((2, 1))) / 2)
    assert (row["RR_min"], row["RR_max"]) == pytest.approx(((1 / 3 + 1 / 2) / 2, 1 / 2))
    assert row["AP_max"] == pytest.approx(((1 / 2 + 2 / 3) / 3 + 1 / 2) / 2)
    assert row["AP_min"] == pytest.approx(((1 / 3 + 2 / 4) / 3 + 1 / 2) / 2)


def test_what_ties_is_what_is_left_and_how_scores_are_compared():
    only = GRADED.filter(pl.col("doc_id") != "high")
    assert lf.coverage(TIED, only)["tied_relevant"].item() == 1
    assert lf.coverage(TIED, only, unjudged="remove")["tied_relevant"].item() == 0
    near = TIED.with_columns(score=pl.col("score") + pl.int_range(pl.len()) * 2.0**-40)
    for score_type, tied in [("float64", 0), ("float32", 2)]:
        table = lf.coverage(near, GRADED, score_type=score_type)
        assert table["tied_relevant"].item() == tied
        assert (table["AP_min"] < table["AP_max"]).item() == (tied > 0)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 2**18])
def test_several_runs_are_as_each_alone(monkeypatch, rows):
    """Also when few of them are scored at once."""
    monkeypatch.setattr(gaps, "_ROWS", rows)
    runs = [
        TIED.with_columns(run=pl.lit("a"), score=-pl.int_range(6).cast(pl.Float64)),
        TIED.with_columns(  # other ranks than run a where nothing ties
            run=pl.lit("b"), score=pl.when(doc_id="b").then(9.0).otherwise("score")
        ),
        TIED[1:].with_columns(run=pl.lit("c"), score=pl.lit(1.0)),
    ]
    alone = pl.concat(lf.coverage(run, GRADED) for run in runs)
    assert alone["tied_relevant"].to_list() == [0, 2, 3]
    assert lf.coverage(pl.concat(runs), GRADED).equals(alone)


def test_the_share_of_judged_documents_is_of_the_first_10():
    """Of 10 + 2 documents two are judged there; the judged ones at rank 11 and 12 do not count."""
    runs = {"x": {"q1": {f"d{n:02}": -n for n in range(12)}, "q2": {"b": 2.0, "c": 1.0}}}
    judged = {"q1": {"d03": 1, "d10": 1, "d11": 0}, "q2": {"b": 1}}
    (row,) = lf.coverage(runs, judged).to_dicts()
    assert (row["judged"], row["retrieved"], row["depth"]) == (4, 14, 12)
    assert row["judged_at_10"] == pytest.approx(2 / 12)


@pytest.mark.slow
def test_the_order_of_the_input_changes_no_bit():
    names = [f"d{n}" for n in range(12)]
    qrels = pl.DataFrame({"query_id": "q1", "doc_id": names, "relevance": [1.0, 2.0, 3.0] * 4})
    runs = pl.DataFrame({"run": "x", "query_id": "q1", "doc_id": names, "score": 1.0})
    expected = lf.coverage(runs, qrels)
    for seed in range(50):
        shuffled = runs.sample(fraction=1, shuffle=True, seed=seed)
        assert lf.coverage(shuffled, qrels).rows() == expected.rows()


def test_requests_without_relevant_items_are_left_out_of_the_mean_or_count_0():
    qrels = pl.concat(
        [GRADED, GRADED[:1].with_columns(query_id=pl.lit("q3"), relevance=pl.lit(0.0))]
    )
    dropped = lf.coverage(TIED, qrels)
    assert dropped["AP_max"].item() == lf.coverage(TIED, GRADED)["AP_max"].item()
    kept = lf.coverage(TIED, qrels, no_relevant="zero")
    assert kept["AP_max"].item() == pytest.approx(dropped["AP_max"].item() * 2 / 3)
    assert kept["AP_min"].item() == pytest.approx(dropped["AP_min"].item() * 2 / 3)


def test_without_ties_both_are_the_mean():
    folder = lf.bundled("example")
    runs = lf.read_runs(folder / "runs").to_pandas()
    runs = pl.DataFrame(runs.assign(score=-runs.index.astype(float)))
    table = lf.coverage(runs, folder / "qrels.txt")
    assert table["tied_relevant"].to_list() == [0, 0, 0]
    means = lf.scores(lf.positions(runs, folder / "qrels.txt"), ["AP", "RR", "nDCG@10"])
    for (measure,), of_measure in means.group_by("measure"):
        expected = of_measure.group_by("run").agg(pl.col("value").mean()).sort("run")["value"]
        for bound in ("min", "max"):
            assert table[f"{measure}_{bound}"].to_list() == pytest.approx(expected.to_list())


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("name", ["real_all_scores_tied", "real_heavy_ties"])
def test_every_tie_policy_lies_between(shared, name):
    run = shared / "data" / "awkward" / f"{name}.run"
    qrels = shared / "data" / "trec_robust_2003" / "qrels.trec"
    (row,) = lf.coverage(run, qrels, no_relevant="zero").to_dicts()
    assert row["tied_relevant"] > 10
    for measure in ("AP", "RR", "nDCG@10"):
        low, high = row[f"{measure}_min"], row[f"{measure}_max"]
        values = set()
        for ties in ("doc_id_desc", "doc_id_asc", "input", "rank"):
            p = lf.positions(run, qrels, ties=ties, no_relevant="zero")
            values.add(lf.scores(p, measure)["value"].mean())
        assert len(values) > 1 or measure != "AP"
        assert low - 1e-12 <= min(values) <= max(values) <= high + 1e-12
        assert low < high or measure != "AP"


def test_requests_of_one_score_are_counted():
    """Of two or more documents, of judged requests, and of what is left of them."""
    scores = {"q1": {"low": 1, "high": 1}, "q2": {"b": 1}, "q9": {"x": 1, "y": 1}}
    runs = {
        "some": scores,
        "all": {query: {"low": 0.5, "b": 0.5, "z": 0.5} for query in ("q1", "q2")},
        "none": {"q1": {"low": 1, "high": 1, "z": 0.5}, "q2": {"b": 1, "z": 0.5}},
        "empty": {"q1": {}},
    }
    found = lf.coverage(runs, GRADED).select("run", "one_score").rows()
    assert found == [("all", 2), ("empty", 0), ("none", 0), ("some", 1)]
    left = lf.coverage(runs, GRADED, unjudged="remove").select("run", "one_score").rows()
    assert left == [("all", 0), ("empty", 0), ("none", 1), ("some", 1)]


BOUNDED = (
    "P@3 R@3 Rprec Success@2 F1@3 RBP(p=0.5) nDCG@3 DCG gRBP ERR@3 IPrec@0.5 AP(rel=2)".split()
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_ties_gives_less_or_more(seed):
    """All orders of a small ranking, by measures that are asked for, each beside the bounds."""
    rng = np.random.default_rng(seed)
    names = [f"d{n}" for n in range(6)]
    scores, grades = rng.integers(0, 3, 6), np.r_[2, rng.integers(0, 4, 5)]
    qrels = {"q": {**dict(zip(names, map(int, grades), strict=True)), "none": 1}}
    tied = {"tied": {"q": dict(zip(names, map(float, scores), strict=True))}}
    covered = lf.evaluate(tied, qrels, [*BOUNDED, "bpref"]).coverage
    assert "bpref_min" not in covered.columns
    groups = [[n for n in range(6) if scores[n] == score] for score in sorted({*scores})[::-1]]
    orders = [sum(one, ()) for one in itertools.product(*map(itertools.permutations, groups))]
    runs = {
        f"{n}": {"q": {names[d]: -place for place, d in enumerate(order)}}
        for n, order in enumerate(orders)
    }
    values = lf.scores(lf.positions(runs, qrels), [*BOUNDED, "AP", "RR"])
    ends = values.group_by("measure").agg(low=pl.col("value").min(), high=pl.col("value").max())
    for measure, low, high in ends.iter_rows():
        found = covered.select(f"{measure}_min", f"{measure}_max").row(0)
        assert found == pytest.approx((low, high)), measure


def test_bounds_of_measures_that_no_request_counts_for():
    """A request without an item of a measure's own rel is left out of its mean, and so of these."""
    e = lf.evaluate(TIED, GRADED, ["P(rel=3)@2", "AP"])
    (row,) = e.coverage.to_dicts()
    assert (row["P(rel=3)@2_min"], row["P(rel=3)@2_max"]) == (0.0, 0.5)  # of q1 alone
    zero = lf.evaluate(TIED, GRADED, ["P(rel=3)@2", "AP"], no_relevant="zero").coverage
    assert zero["P(rel=3)@2_max"].item() == 0.25
    # a metric of one's own may be worth more at a worse rank
    own = lf.RecallLevelMetric("own", exposure=lambda p: 1 - 1 / p, weight=lambda i, m: 1 / m)
    assert "own_min" not in lf.evaluate(TIED, GRADED, [own, "AP"]).coverage.columns


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_evaluate_gives_the_same_table(shared):
    folder = shared / "data" / "trec_robust_2003"
    for policies in ({"unjudged": "remove"}, {"score_type": "float32", "no_relevant": "zero"}):
        e = lf.evaluate(folder / "runs", folder / "qrels.trec", ["AP", "RPP"], **policies)
        assert e.coverage.equals(lf.coverage(folder / "runs", folder / "qrels.trec", **policies))
        assert (e.coverage["AP_min"] < e.coverage["AP_max"]).sum() > 4
        bounds = e.orderings.filter(measure="AP").join(e.coverage, on="run")
        assert bounds.height == 9
        assert (bounds["AP_min"] <= bounds["value"] + 1e-12).all()
        assert (bounds["value"] <= bounds["AP_max"] + 1e-12).all()


def test_grades_below_0_are_counted(tmp_path):
    """Spam (−2 in ClueWeb) counts as unjudged, unless the reader says otherwise."""
    ranking = {"a": 4, "b": 3, "c": 2, "d": 1}
    runs = {"spam": {"1": ranking, "2": ranking}, "ham": {"1": {"d": 1}, "2": {"d": 1}}}
    qrels = {"1": {"a": -2, "b": 0, "c": 1, "e": -1}, "2": {"a": -2, "d": 1}}
    found = lf.coverage(runs, qrels)
    assert found.select("run", "negative", "judged").rows() == [("ham", 0, 1), ("spam", 2, 3)]
    as_zero = lf.coverage(runs, lf.read_qrels(qrels, negative="not relevant"))
    assert as_zero.select("negative", "judged").rows() == [(0, 1), (0, 5)]
    said = str(lf.evaluate(runs, qrels, ["AP"]).summary("all"))
    assert "with a grade below 0, counted as unjudged: 2." in " ".join(said.split())
