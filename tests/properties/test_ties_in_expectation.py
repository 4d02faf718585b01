"""Expectations over tied orders are the means over all orders, each evaluated as it is."""

from collections import Counter
from functools import cache

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import judgments, rankings
from tests.strategies import SUBTOPICS, collections

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")]

FEWER = settings(max_examples=max(settings().max_examples // 2, 6))
TIED = [0.0, -0.0, 1.0]
SMALL = {"max_queries": 1, "max_documents": 7, "scores": TIED}
DEPTHS = st.none() | st.integers(1, 6)
UNJUDGED = st.sampled_from(["keep", "keep", "remove"])
REL = st.sampled_from([None, None, 1.5])
SHAPES = [
    "{}",
    "{}@1",
    "{}@2",
    "{}@4",
    "{}(n=60)",
    "{}(n=60)@3",
    "{}(max_rel=3)",
    "{}(max_rel=3)@3",
]
VARIANTS = [
    *("RR(level=2)", "AP(denominator='min')@2", "R(denominator='min')@3", "AP(rel=1.5)"),
    *("nDCG(dcg='exp-log2')", "nDCG(ideal='all')@2", "nDCG(gains={1: 5, 3: 7})", "DCG(rel=1.5)@3"),
    *("ERR(max=3)", "ERR(max=3)@2", "bpref(denominator='R')", "Judged(denominator='k')@3"),
    *("TSE(nDCG)", "TSE(RBP(p=0.5))@3", "eta(nDCG)", "NCP(dcgRPP)", "NCP(invRPP)@2", "RR(rel=1.5)"),
    *("utility(a=2, b=-1, c=-3, d=0.5, n=40)", "SetP(relative=True)", "SetF(beta=0.5)"),
    *("gRBP(p=0.5, max=3)@3", "RBP_residual(p=0.5)", "ISL(n='pool')", "TSL(n=60, rel=1.5)"),
]
REFUSED = """
    PRES infAP gm_map gm_bpref yaap LR.rank sgnLR.rank LP.rank sgnLP.rank LR.metric IPrec 11pt_avg
    Rprec_mult ndcg_rel Rndcg G binG Q WSS BPM INST NERR8 NERR9 NERR10 NERR11 Compat Accuracy WC(AP)
""".split()
"""The metrics that are sampled instead, by `tie_spread`."""


def tied_positions(**how):
    graded = {"x": 2, "y": 1}
    qrels = pl.DataFrame({"query_id": "q", "doc_id": [*graded], "relevance": graded.values()})
    qrels = qrels.with_columns(iteration=pl.lit("1"))
    return lf.positions({"a": {"q": {"x": 1, "y": 1, "u": 1}}}, qrels, ties="expected", **how)


def forms(kinds, p):
    """The measures of some kinds that have closed forms, and the names of those that have none."""
    offered, refused = [], set()
    listed = lf.measures().filter(kinds(pl.col("needs"), pl.col("kind")))
    asked = [(name, shape.format(name)) for name in listed["name"] for shape in SHAPES]
    for name, notation in [*asked, *((None, notation) for notation in VARIANTS)]:
        try:
            measure = lf.parse_measure(notation)
            lf.scores(p, measure)
        except lf.LexiframeError as error:
            if "has no closed form over tied orders; choose an order (ties=) or lf.tie" in str(
                error
            ):
                refused.add(name)
        else:
            offered.append(notation)
    return offered, refused


def is_metric_of_rankings(needs, kind):
    of_ranks = needs.is_in(["relevant items", "judged items", "pool or corpus size"])
    is_ranked = of_ranks | (needs == "relevant items as they were found")
    return is_ranked & ~kind.str.contains("preference")


@cache
def metrics():
    return forms(is_metric_of_rankings, tied_positions(judged=True, pool=True))


def all_orders(collection, **how):
    """The positions of all orders that differ in judged items, and how many orders each stands for.

    Each order has scores of its own and is a run, named by its run and a number.
    """
    runs, qrels = collection
    ((query_id, grades),) = judgments(qrels).items()
    rows, weights = [], []
    for run, answers in rankings(runs).items():
        every = Counter(
            tuple(doc_id if doc_id in grades else f"unjudged{n}" for n, doc_id in enumerate(order))
            for order in oracle.every_order(answers.get(query_id, []))
        )
        for n, (order, weight) in enumerate(every.items()):
            name = f"{run}{n:05}"
            weights.append((run, name, weight / every.total()))
            rows += [(name, query_id, doc_id, -float(rank)) for rank, doc_id in enumerate(order)]
            rows.append((name, "another", "d", 1.0))  # so that a run without this ranking is there
    schema = ["run", "query_id", "doc_id", "score"]
    p = lf.positions(pl.DataFrame(rows, schema=schema, orient="row"), qrels, **how)
    return p, pl.DataFrame(weights, schema=["of", "run", "weight"], orient="row")


def both(collection, **how):
    """Positions of expected ties, positions of all orders, and their weights."""
    expected = lf.positions(*collection, ties="expected", **how)
    p, weights = all_orders(collection, **how)
    if "pool_size" in p.columns:  # unjudged documents have other names in each order
        p = p.with_columns(pool_size=pl.lit(expected["pool_size"][0]))
    return expected, p, weights


def assert_means(expected, p, weights, measures):
    """Values are the means over all orders, and their standard deviations, where they are known."""
    found = lf.scores(expected, measures).rename({"run": "of"})
    each = lf.scores(p, measures).join(weights, on="run")
    mean = (pl.col("value") * pl.col("weight")).sum().over("of", "measure")
    each = each.with_columns(mean=mean)
    square = ((pl.col("value") - pl.col("mean")) ** 2 * pl.col("weight")).sum().sqrt()
    each = each.group_by("of", "measure").agg(pl.first("mean"), sd=square)
    table = found.join(each, on=["of", "measure"], how="full", suffix="_of_orders")
    assert table.height == found.height == each.height
    far = (pl.col("value") - pl.col("mean")).abs() > 1e-12 * (1 + pl.col("mean").abs())
    assert table.filter(far.fill_null(value=True)).is_empty(), table.filter(far).rows()
    far = (pl.col("ties_sd") - pl.col("sd")).abs() > 1e-6 * (1 + pl.col("sd"))
    assert table.filter(far).is_empty(), table.filter(far).rows()
    return {*table.filter(pl.col("ties_sd").is_null())["measure"]}


def test_what_is_refused():
    offered, refused = metrics()
    assert refused == {*REFUSED}
    assert len(offered) > 100


@FEWER
@given(collections(max_runs=1, **SMALL), DEPTHS, UNJUDGED, REL)
def test_metrics_of_ties(collection, depth, unjudged, rel):
    rel = rel if collection.qrels["relevance"].max() >= 1.5 else None
    how = {"depth": depth, "unjudged": unjudged, "rel": rel, "judged": True, "pool": True}
    without_sd = assert_means(*both(collection, **how), metrics()[0])
    assert {name.partition("(")[0].partition("@")[0] for name in without_sd} == {
        *("ERR", "SetAP", "ISL", "TSL", "ASL", "SL1", "SL3", "RE"),
    }


@cache
def subtopic_metrics():
    p = tied_positions(subtopics=True)
    offered, refused = forms(lambda needs, kind: (needs == "subtopics") & (kind == "subtopic"), p)
    assert not refused
    return [name for name in offered if "IA" in name or "alpha" in name or "NRBP" in name] + [
        "strec@2", "alpha-nDCG(alpha=0.3, ideal='exact')@2", "nNRBP(ideal='exact')",
    ]  # fmt: skip


@FEWER
@given(collections(max_runs=1, iterations=SUBTOPICS, **SMALL), DEPTHS, UNJUDGED)
def test_metrics_by_subtopic(collection, depth, unjudged):
    how = {"depth": depth, "unjudged": unjudged, "subtopics": True}
    without_sd = assert_means(*both(collection, **how), subtopic_metrics())
    assert without_sd == {*subtopic_metrics()}


IMPUTED = [
    *("AP", "RR", "RR(level=2)", "RBP@3", "linear(n=60)", "TSE(AP)", "TSE(nDCG)@4", "eta(AP)"),
    *(
        "ISL",
        "ISL(n=60)",
        "TSL",
        "ASL(n=60)",
        "SL1",
        "SL3",
        "RE(n=60)",
        "NCP(RPP)",
        "TSE(AP, rel=2)",
    ),
]


@given(collections(max_runs=1, **SMALL), DEPTHS, st.sampled_from(["pessimistic", "optimistic"]))
def test_imputed_items(collection, depth, how):
    if how == "optimistic":
        depth = None  # its ranks depend on which items the depth takes away
    expected, p, weights = both(collection, depth=depth, pool=True)
    tables = [lf.impute(of, 60, how=how) for of in (expected, p)]
    measures = IMPUTED if expected["relevance"].max() >= 2 else IMPUTED[:-1]
    assert_means(*tables, weights, measures)


def test_imputed_ranks_that_depend_on_the_order():
    runs, qrels = {"a": {"q": {"x": 1, "y": 1}}}, {"q": {"x": 2, "y": 1}}
    p = lf.positions(runs, qrels, ties="expected", depth=1)
    with pytest.raises(lf.LexiframeError, match="expected how='pessimistic' where the depth divid"):
        lf.impute(p, 60, how="optimistic")
    with pytest.raises(lf.LexiframeError, match="nDCG of imputed ranks has no closed form over ti"):
        lf.scores(lf.impute(p, 60), "nDCG")


PREFERENCES = [
    *(f"{name}{rel}{cut}" for name in ("RPP", "LR", "LP", "rrLR", "rrLP")
      for rel in ("", "(rel=1.5)") for cut in ("", "@1", "@3")),
    *("dcgRPP", "invRPP", "dcgRPP(rel=1)@2", "sgnLR", "sgnLP@2"),
    *("RR", "RR(level=2)", "RR@2", "TSE(AP)", "TSE(nDCG)@3", "Success@2", "P@3"),
    *("R@2", "Rprec", "F1@3", "AP", "nDCG@3", "ERR", "ISL(n=60)", "bpref", "Judged@2"),
]  # fmt: skip
WITH_CHANCES = [
    "LR",
    "LP",
    "rrLR",
    "rrLP",
    "sgnLR",
    "sgnLP",
    "RR",
    "TSE",
    "Success",
    "P",
    "R",
    "Rprec",
    "F1",
]


def assert_mean_preferences(expected, p, weights, measures):
    """Preferences are the means over all orders of both runs, and chances the shares of orders."""
    found = lf.preferences(expected, measures)
    each = lf.preferences(p, measures)
    for side in "ab":
        of_side = weights.rename({name: f"{name}_{side}" for name in weights.columns})
        each = each.join(of_side, on=f"run_{side}")
    weight = pl.col("weight_a") * pl.col("weight_b")
    shares = {"p_better": 1, "p_equal": 0, "p_worse": -1}
    columns = {name: (pl.col("preference").sign() == sign) for name, sign in shares.items()}
    columns["preference"] = pl.col("preference")
    each = each.filter(pl.col("of_a") != pl.col("of_b")).group_by("of_a", "of_b", "measure")
    each = each.agg(**{name: (column * weight).sum() for name, column in columns.items()})
    table = found.rename({"run_a": "of_a", "run_b": "of_b"}).join(
        each, on=["of_a", "of_b", "measure"], how="full", suffix="_of_orders"
    )
    assert table.height == found.height == each.height
    for name in columns:
        far = (pl.col(name) - pl.col(f"{name}_of_orders")).abs() > 1e-12 * 60
        assert table.filter(far).is_empty(), table.filter(far).rows()
    assert found["preference"].null_count() == 0
    return {*found.filter(pl.col("p_better").is_not_null())["measure"]}


@given(collections(min_runs=2, max_runs=2, **SMALL), DEPTHS, UNJUDGED)
def test_preferences_of_ties(collection, depth, unjudged):
    expected, p, weights = both(collection, depth=depth, unjudged=unjudged, judged=True)
    assume(weights.height <= 150)
    least = expected["relevance"].max()
    measures = [name for name in PREFERENCES if "rel" not in name or least >= 1.5]
    with_chances = assert_mean_preferences(expected, p, weights, measures)
    assert with_chances == {
        n for n in measures if n.replace("(", "@").split("@")[0] in WITH_CHANCES
    }


@FEWER
@given(collections(min_runs=2, max_runs=2, iterations=SUBTOPICS, **SMALL), DEPTHS)
def test_preferences_by_subtopic(collection, depth):
    expected, p, weights = both(collection, depth=depth, subtopics=True)
    assume(weights.height <= 150)
    names = [
        "ST-RPP",
        "ST-RPP@2",
        "ST-dcgRPP",
        "ST-invRPP@3",
        "strec@2",
        "ERR-IA@3",
        "alpha-nDCG@2",
    ]
    assert not assert_mean_preferences(expected, p, weights, names)
