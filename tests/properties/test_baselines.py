"""Judged items, cascades, counts, search lengths and worst cases are those of the oracle."""

import math
import warnings

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, items_of, judgments, measured, rankings
from tests.oracle import positions_of
from tests.strategies import collections, positions_tables

pytestmark = pytest.mark.slow

FEWER = settings(max_examples=settings().max_examples // 2)
FEW = settings(max_examples=settings().max_examples // 5)
"""For what looks at all subsets, or tests: Holm's correction by statsmodels takes long."""


def positions(collection, **options):
    with warnings.catch_warnings(action="ignore"):
        return lf.positions(*collection, **options)


def orders(collection, rel):
    """{(query_id, run): (ordered documents, grades)}, of requests with a relevant item."""
    return {
        (query_id, run): (oracle.order(answers.get(query_id, [])), grades)
        for run, answers in rankings(collection.runs).items()
        for query_id, grades in judgments(collection.qrels).items()
        if oracle.relevant_items(grades, rel)
    }


@given(collections(), st.sampled_from([None, 1.5, 2]), st.integers(1, 12))
def test_what_judged_items_tell(collection, rel, k):
    p = positions(collection, rel=rel, judged=True)
    assume(p.filter(pl.col("level").is_null()).height)
    s = lf.scores(
        p,
        [
            *(
                "bpref",
                "bpref(denominator='m')",
                "infAP",
                f"Judged@{k}",
                f"RBP_residual(p=0.5)@{k}",
            ),
            *(f"Judged(denominator='k')@{k}", "RBP_residual", "num_ret", "num_rel", "num_rel_ret"),
        ],
    )
    expected = {
        "bpref": lambda o, g: oracle.bpref(o, g, rel),
        "bpref(denominator='m')": lambda o, g: oracle.bpref(o, g, rel, lambda m, N: m),
        "infAP": lambda o, g: oracle.infAP(o, g, rel),
        f"Judged@{k}": lambda o, g: oracle.judged_share(o, g, k),
        f"Judged(denominator='k')@{k}": lambda o, g: oracle.judged_share(o, g, k, max),
        "RBP_residual": oracle.RBP_residual,
        f"RBP_residual(p=0.5)@{k}": lambda o, g: oracle.RBP_residual(o, g, 0.5, k),
        "num_ret": lambda o, g: len(o),
        "num_rel": lambda o, g: len(oracle.relevant_items(g, rel)),
        "num_rel_ret": lambda o, g: len({*o} & {*oracle.relevant_items(g, rel)}),
    }
    expected[f"Judged(denominator='k')@{k}"] = lambda o, g: oracle.judged_share(
        o, g, k, lambda k, n: k
    )
    for name, formula in expected.items():
        of_all = {key: formula(*of_request) for key, of_request in orders(collection, rel).items()}
        assert_close(measured(s, name), of_all)


@pytest.mark.filterwarnings("ignore:.*positive grades.* have no gain")
@given(collections(), st.sampled_from([1, 2, 3]))
def test_a_measures_own_rel_is_that_of_positions(collection, rel):
    names = ["bpref", "infAP", "ERR", "num_rel", "num_rel_ret", "Success@3", "RBP", "gRBP", "AP@5"]
    p = positions(collection, judged=True)
    assume(p.filter(pl.col("level").is_null()).height)
    assume((collection.qrels["relevance"] >= rel).any())
    own = lf.scores(p, [lf.parse_measure(name)(rel=rel) for name in names])
    at = positions(collection, judged=True, rel=rel)
    given_rel = lf.scores(at, names)
    for name in names:
        theirs = measured(given_rel, name)
        assert_close(measured(own, str(lf.parse_measure(name)(rel=rel))), theirs)


@given(positions_tables(), st.integers(1, 12))
def test_cascades_and_grades(p, k):
    s = lf.scores(p, ["ERR", f"ERR@{k}", "ERR(max=3)", "gRBP", "gRBP(p=0.5, max=3)"])
    items = {(q, run): of for (run, q), of in items_of(p).items()}
    for name, formula in {
        "ERR": oracle.ERR,
        f"ERR@{k}": lambda of: oracle.ERR(of, k),
        "ERR(max=3)": lambda of: oracle.ERR(of, greatest=3),
        "gRBP": oracle.gRBP,
        "gRBP(p=0.5, max=3)": lambda of: oracle.gRBP(of, 0.5, 3),
    }.items():
        assert_close(measured(s, name), {key: formula(of) for key, of in items.items()})
    success = lf.scores(p, f"Success@{k}")
    assert measured(success, f"Success@{k}") == {
        key: float(any(rank is not None and rank <= k for rank, _ in of))
        for key, of in items.items()
    }


@given(positions_tables(), st.integers(1, 12))
def test_other_denominators(p, k):
    of_k = [f"{name}(denominator='{to}')@{k}" for name in ("AP", "R") for to in ("min", "k")]
    s = lf.scores(p, [*of_k, f"AP@{k}", f"R@{k}"])
    m = {(q, run): len(of) for (run, q), of in items_of(p).items()}
    for name in ("AP", "R"):
        ours = measured(s, f"{name}@{k}")
        expected = {key: value * m[key] / min(m[key], k) for key, value in ours.items()}
        assert_close(measured(s, f"{name}(denominator='min')@{k}"), expected)
        expected = {key: value * m[key] / k for key, value in ours.items()}
        assert_close(measured(s, f"{name}(denominator='k')@{k}"), expected)


@given(positions_tables(), st.integers(1, 12))
def test_the_full_ideal(p, k):
    s = lf.scores(p, [f"nDCG(ideal='full')@{k}"])
    expected = {
        (q, run): oracle.nDCG([(r if r is not None and r <= k else None, y) for r, y in of])
        for (run, q), of in items_of(p).items()
    }
    assert_close(measured(s, f"nDCG(ideal='full')@{k}"), expected)


@given(positions_tables(pool=True), st.sampled_from(["pool", 1000]))
def test_search_lengths(p, n):
    names = list(oracle.SEARCH_LENGTHS)
    inside = "" if n == "pool" else f"(n={n})"
    s = lf.scores(p, [f"{name}{inside}" for name in names])
    imputed = items_of(lf.impute(p, n))
    for name, formula in oracle.SEARCH_LENGTHS.items():
        expected = {(q, run): formula(positions_of(of)) for (run, q), of in imputed.items()}
        assert_close(measured(s, f"{name}{inside}"), expected)


@pytest.mark.filterwarnings("ignore:scores are 0 because rankings are missing")
@FEW
@given(positions_tables(pool=True, min_runs=2))
def test_a_preference_by_a_length_favours_the_short_one(p):
    d = lf.preferences(p, ["ASL", "TSL"])
    s = lf.scores(p, ["ASL", "TSL"])
    for name in ("ASL", "TSL"):
        length = measured(s, name)
        expected = {
            (q, a, b): oracle.tie(length[q, b] - length[q, a]) for q, a, b in measured(d, name)
        }
        assert_close(measured(d, name), expected)
    from_scores, from_preferences = lf.compare(s), lf.compare(d)
    assert_close(
        *(
            {
                row[:2]: row[2]
                for row in c.filter(measure="ASL")
                .select("run_a", "run_b", "mean_difference")
                .rows()
            }
            for c in (from_scores, from_preferences)
        )
    )
    means = lf.order_runs(s, "mean").filter(measure="ASL").sort("value")
    assert means["rank"].is_sorted()


def exposure_of_top_heavy():
    return {
        "AP": (oracle.AP, lambda p: 1 / p),
        "RR": (oracle.RR, lambda p: 1 / p),
        "RBP": (oracle.RBP, lambda p: 0.2 * 0.8 ** (p - 1)),
        "linear(n=60)": (lambda u: oracle.linear(u, 60), lambda p: 1 - p / 60),
        "eta(AP)": (lambda u: math.fsum(1 / p for p in u if p is not None), lambda p: 1 / p),
    }


@FEW
@given(positions_tables(max_runs=2, max_queries=2))
def test_the_worst_case_is_that_of_all_subsets(p):
    formulas = exposure_of_top_heavy() | {
        "Rprec": (oracle.Rprec, None),
        "R@5": (lambda u: oracle.R(u, 5), None),
    }
    s = lf.scores(p, [f"WC({name})" for name in formulas])
    for name, (metric, _) in formulas.items():
        expected = {
            (q, run): oracle.worst_case(positions_of(of), metric)
            for (run, q), of in items_of(p).items()
        }
        assert_close(measured(s, f"WC({name})"), expected)


@given(positions_tables())
def test_the_worst_case_of_top_heavy_metrics_is_tse(p):
    """For AP, RR and RBP the theorem holds as it stands: z(1, 1) = 1, and e without m."""
    s = lf.scores(
        p,
        [
            f"{made}({name})"
            for name in exposure_of_top_heavy()
            for made in ("WC", "TSE")
            if made != "TSE" or name != "eta(AP)"
        ],
    )
    for name in ("AP", "RR", "RBP", "linear(n=60)"):
        assert_close(measured(s, f"WC({name})"), measured(s, f"TSE({name})"))
    assert_close(measured(s, "WC(eta(AP))"), measured(s, "TSE(AP)"))


def test_the_theorem_fails_where_e_depends_on_m():
    p = lf.positions({"a": {"q": {"x": 3, "y": 2, "u": 1}}}, {"q": {"x": 1, "y": 1}})
    values = dict(lf.scores(p, ["WC(Rprec)", "TSE(Rprec)"]).select("measure", "value").rows())
    assert values == {"WC(Rprec)": 0.0, "TSE(Rprec)": 1.0}


def test_the_theorem_fails_for_a_metric_that_is_not_top_heavy():
    """All weight on the last of two: with one item needed the weight is on it, at its place."""
    late = lf.RecallLevelMetric("late", lambda p: 1 / p, weight=lambda i, m: (i == m) * (m - 0.5))
    p = lf.positions({"a": {"q": {"x": 2, "y": 1}}}, {"q": {"x": 1, "y": 1}})
    worst, total = (lf.scores(p, m)["value"].item() for m in (lf.WC(late), lf.TSE(late)))
    assert (worst, total) == (0.25, 0.5)


@FEWER
@given(positions_tables(), st.data())
def test_provider_exposure(p, data):
    items = p.filter(pl.col("doc_id").is_not_null())["doc_id"].unique().sort().to_list()
    owners = {
        item: data.draw(st.lists(st.sampled_from("vwx"), min_size=1, unique=True)) for item in items
    }
    frame = pl.DataFrame(
        [(item, provider) for item, of in owners.items() for provider in of],
        schema={"docno": pl.String, "provider": pl.String},
        orient="row",
    )
    table = lf.provider_exposure(p, frame, "nDCG")
    found = {}
    for run, query_id, provider, exposure in table.select(
        "run", "query_id", "provider", "exposure"
    ).rows():
        found[run, query_id, provider] = exposure
    expected = {}
    for (run, query_id), rows in p.group_by("run", "query_id"):
        ranks = dict(rows.select("doc_id", "position").rows())
        of = oracle.provider_exposure(ranks, owners, lambda p: 1 / math.log2(p + 1))
        expected |= {(run, query_id, provider): x for provider, x in of.items()}
    assert_close(found, expected)
    least = pl.col("exposure").min().over("run", "query_id")
    is_least = table.select(pl.col("exposure") <= least + 1e-12).to_series()
    assert table["is_worst_off"].equals(is_least, check_names=False)


def test_providers_that_are_none():
    p = lf.positions({"a": {"q": {"x": 3}}}, {"q": {"x": 1, "y": 1}})
    one = pl.DataFrame({"doc_id": ["x"], "provider": ["v"]})
    with pytest.raises(lf.LexiframeError, match=r"a provider of every relevant item, .*1 .'y'."):
        lf.provider_exposure(p, one)
    with pytest.raises(lf.SchemaError, match="each item and provider once, found"):
        lf.provider_exposure(p, pl.concat([one, one]))
    with pytest.raises(lf.SchemaError, match="provider is missing"):
        lf.provider_exposure(p, one.drop("provider"))


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_judged_items_without_relevant_ones_are_kept_at_zero():
    p = lf.positions(
        {"a": {"q": {"x": 3, "z": 2}, "r": {"y": 1}}},
        {"q": {"x": 1, "z": 0}, "r": {"y": 0}},
        no_relevant="zero",
        judged=True,
    )
    names = ["bpref", "infAP", "ERR", "num_rel", "num_ret", "Judged@5", "RBP_residual", "AP"]
    s = lf.scores(p, names)
    of_r = dict(s.filter(query_id="r").select("measure", "value").rows())
    # as the docstring says; one document was retrieved, and it is judged
    assert of_r == dict.fromkeys(names, 0.0) | {"num_ret": 1.0, "Judged@5": 1.0}


def test_evaluate_takes_what_measures_need():
    runs = {"a": {"q": {"x": 3, "z": 2}}, "b": {"q": {"z": 3, "x": 2, "w": 1}}}
    qrels = {"q": {"x": 1, "z": 0, "y": 2}}
    e = lf.evaluate(runs, qrels, ["bpref", "ASL", "AP", "LR", "WC(AP)"])
    plain = lf.evaluate(runs, qrels, ["AP", "LR"])
    both = pl.col("measure").is_in(["AP", "LR"])
    assert e.scores.filter(both).equals(plain.scores)
    assert e.preferences.filter(both).equals(plain.preferences)
    assert e.coverage.equals(plain.coverage)
    assert dict(e.scores.filter(run="a").select("measure", "value").rows())["ASL"] == 2.5
    ranks = e.orderings.filter(measure="ASL", method="mean").select("run", "rank").rows()
    assert ranks == [("a", 1.0), ("b", 2.0)]


@FEW
@given(positions_tables(max_runs=2, max_queries=2))
def test_the_worst_case_of_graded_metrics(p):
    """By the oracle over all subsets, each item with its grade; that of nDCG is TSE."""
    formulas = {
        "nDCG": lambda u: oracle.nDCG(u),
        "nDCG@5": lambda u: oracle.nDCG(u, 5),
        "gRBP": lambda u: oracle.gRBP(u),
    }
    s = lf.scores(p, [f"WC({name})" for name in formulas])
    for name, metric in formulas.items():
        expected = {(q, run): oracle.worst_case(of, metric) for (run, q), of in items_of(p).items()}
        assert_close(measured(s, f"WC({name})"), expected)
    assert_close(measured(s, "WC(nDCG)"), measured(lf.scores(p, "TSE(nDCG)"), "TSE(nDCG)"))
