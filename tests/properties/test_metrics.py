"""Metrics are those of the oracle, and metrics of one's own those of the catalogue."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, assert_identical, items_of, measured
from tests.oracle import cut, positions_of
from tests.strategies import BINARY, positions_tables

pytestmark = pytest.mark.slow

FEWER = settings(max_examples=settings().max_examples // 3)
FORMULAS = {
    "AP": lambda items: oracle.AP(positions_of(items)),
    "RR": lambda items: oracle.RR(positions_of(items)),
    "RR(level=2)": lambda items: oracle.RR(positions_of(items), level=2),
    "nDCG": oracle.nDCG,
    "nDCG(dcg='exp-log2')": lambda items: oracle.nDCG(items, gain=oracle.exponential_gain),
    "RBP": lambda items: oracle.RBP(positions_of(items)),
    "RBP(p=0.5)": lambda items: oracle.RBP(positions_of(items), gamma=0.5),
    "linear(n=60)": lambda items: oracle.linear(positions_of(items), n=60),
    "R": lambda items: oracle.R(positions_of(items)),
    "Rprec": lambda items: oracle.Rprec(positions_of(items)),
    "TSE(AP)": lambda items: oracle.TSE(positions_of(items), lambda p: 1 / p),
    "TSE(nDCG)": lambda items: oracle.TSE(positions_of(items), lambda p: 1 / math.log2(p + 1)),
    "TSE(RBP(p=0.5))": lambda items: oracle.TSE(positions_of(items), lambda p: 0.5**p),
}
CUT_OFF = {
    "AP": lambda items, k: oracle.AP(cut(positions_of(items), k)),
    "RR": lambda items, k: oracle.RR(cut(positions_of(items), k)),
    "nDCG": oracle.nDCG,
    "nDCG(dcg='exp-log2')": lambda items, k: oracle.nDCG(items, k, oracle.exponential_gain),
    "RBP(p=0.5)": lambda items, k: oracle.RBP(cut(positions_of(items), k), gamma=0.5),
    "R": lambda items, k: oracle.R(positions_of(items), k),
    "P": lambda items, k: oracle.P(positions_of(items), k),
    "Rprec": lambda items, k: oracle.Rprec(cut(positions_of(items), k)),
    "TSE(AP)": lambda items, k: oracle.TSE(cut(positions_of(items), k), lambda p: 1 / p),
}


@given(positions_tables())
def test_metrics(p):
    s = lf.scores(p, list(FORMULAS))
    for name, formula in FORMULAS.items():
        assert_close(
            measured(s, name), {(q, run): formula(i) for (run, q), i in items_of(p).items()}
        )


@given(positions_tables(), st.integers(1, 12))
def test_metrics_at_a_cut_off(p, k):
    s = lf.scores(p, [f"{name}@{k}" for name in CUT_OFF])
    for name, formula in CUT_OFF.items():
        expected = {(q, run): formula(items, k) for (run, q), items in items_of(p).items()}
        assert_close(measured(s, f"{name}@{k}"), expected)


@pytest.mark.filterwarnings("ignore:.*positive grades.* have no gain")
@given(positions_tables(), st.sampled_from([1, 1.5, 2, 3]))
def test_metrics_with_a_least_grade(p, rel):
    s = lf.scores(p, [f"AP(rel={rel})", f"P(rel={rel})@5", f"nDCG(rel={rel})"])
    restricted = {key: [i for i in items if i[1] >= rel] for key, items in items_of(p).items()}
    restricted = {(q, run): items for (run, q), items in restricted.items() if items}
    ap = {key: oracle.AP(positions_of(items)) for key, items in restricted.items()}
    assert_close(measured(s, f"AP(rel={rel})"), ap)
    p5 = {key: oracle.P(positions_of(items), 5) for key, items in restricted.items()}
    assert_close(measured(s, f"P(rel={rel})@5"), p5)
    ndcg = {key: oracle.nDCG(items) for key, items in restricted.items()}
    assert_close(measured(s, f"nDCG(rel={rel})"), ndcg)


@given(positions_tables(pool=True), st.sampled_from(["pool", 10**6, 10**10]))
def test_total_search_efficiency_of_imputed_positions(p, n):
    imputed = lf.impute(p, n)
    s = lf.scores(imputed, ["TSE(AP)", "TSE(nDCG)"])
    worst = {(q, run): positions_of(items)[-1] for (run, q), items in items_of(imputed).items()}
    assert_close(measured(s, "TSE(AP)"), {key: 1 / p_m for key, p_m in worst.items()})
    logarithmic = {key: 1 / math.log2(p_m + 1) for key, p_m in worst.items()}
    assert_close(measured(s, "TSE(nDCG)"), logarithmic)


@given(positions_tables(no_relevant="zero"))
def test_without_relevant_items_every_metric_is_zero(p):
    s = lf.scores(p, [*FORMULAS, "P@3", "nDCG@3"])
    empty = p.filter(pl.col("n_relevant") == 0)
    values = s.join(empty, on=["run", "query_id"], how="semi")["value"]
    assert values.to_list() == [0.0] * (empty.height * (len(FORMULAS) + 2))


@given(positions_tables(grades=BINARY))
def test_binary_ndcg_is_a_recall_level_metric(p):
    def weight(i, m):
        return 1 / math.fsum(1 / math.log2(k + 1) for k in range(1, m + 1))

    expected = {
        (q, run): oracle.recall_level(positions_of(items), lambda p: 1 / math.log2(p + 1), weight)
        for (run, q), items in items_of(p).items()
    }
    assert_close(measured(lf.scores(p, "nDCG"), "nDCG"), expected)


OWN = [
    lf.RecallLevelMetric("my AP", exposure=lambda p: 1 / p, weight=lambda i, m: i / m),
    lf.RecallLevelMetric("my RR", exposure=lambda p: 1 / p, weight=lambda i, m: i == 1),
    lf.RecallLevelMetric("my RBP", exposure=lambda p: 0.2 * 0.8 ** (p - 1), weight=lambda i, m: 1),
    lf.RecallLevelMetric("my R", exposure=lambda p: 1, weight=lambda i, m: 1 / m),
    lf.RecallLevelMetric("my Rprec", exposure=lambda p, m: p <= m, weight=lambda i, m: 1 / m),
    lf.GradedMetric("my nDCG", exposure=lambda p: 1 / (p + 1).log(2), gain=lambda y: y),
]


@pytest.mark.filterwarnings("ignore:.*positive grades.* have no gain")
@given(positions_tables(), st.none() | st.integers(1, 12), st.sampled_from([None, 1.5]))
def test_metrics_of_ones_own_equal_the_same_formulas(p, k, rel):
    mine = [metric if rel is None else metric(rel=rel) for metric in OWN]
    mine = [metric if k is None else metric @ k for metric in mine]
    names = [str(metric) for metric in mine]
    built_in = [name.removeprefix("my ") for name in names]
    s = lf.scores(p, [*mine, *built_in])
    for name, other in zip(names, built_in, strict=True):
        assert_close(measured(s, name), measured(s, other))


@given(positions_tables())
def test_total_search_efficiency_of_an_exposure_of_ones_own(p):
    def rooted(p):
        return 1 / p.sqrt()

    s = lf.scores(p, lf.TSE(rooted))
    vectors = {(q, run): positions_of(items) for (run, q), items in items_of(p).items()}
    expected = {key: oracle.TSE(vector, lambda p: p**-0.5) for key, vector in vectors.items()}
    assert_close(measured(s, "TSE(rooted)"), expected)


@FEWER
@given(positions_tables())
def test_a_measure_alone_is_as_among_others(p):
    names = ["AP", "AP(rel=2)", "P@3", "nDCG@3", "TSE(AP)"]
    together = lf.scores(p, names)
    keys = together.select("run", "query_id", "measure").rows()
    assert keys == sorted(keys)
    for name in names:
        assert_identical(lf.scores(p, name), together.filter(pl.col("measure") == name))


def test_one_measure_has_one_notation():
    same = [
        (lf.nDCG(dcg="exp-log2", ideal="full"), lf.nDCG(ideal="full", dcg="exp-log2")),
        (lf.linear(n=5281551), lf.linear(n=5281551.0)),
        (lf.RR(level=np.int64(2)), lf.parse_measure("RR(level=2)")),
        (lf.RBP(p=Fraction(1, 2)), lf.parse_measure("RBP(p=0.5)")),
        (lf.AP(rel=np.int64(2)), lf.parse_measure("AP(rel=2)")),
        (lf.ASL(n=np.int64(100)), lf.parse_measure("ASL(n=100)")),
        (lf.gRBP(max=4.0), lf.gRBP),
        (lf.parse_measure("NumRet(rel=2)"), lf.num_rel_ret(rel=2)),
        (lf.sgnLR.rank, lf.parse_measure("sgnLR.rank")),
    ]
    for one, other in same:
        assert one == other
        assert lf.parse_measure(repr(one)) == one


def test_a_row_for_each_measure_and_each_reads_back():
    table = lf.measures()
    assert table["name"].is_unique().all()
    assert table.null_count().sum_horizontal().item() == 0
    assert (table.select(pl.all().str.len_chars() > 0).select(pl.all().all()).row(0)) == (True,) * 7
    for name in table.filter(pl.col("name") != "OI")["name"]:
        assert repr(lf.parse_measure(name)) == name
    public = {str(m) for m in vars(lf).values() if isinstance(m, type(lf.AP).__mro__[1])}
    assert public <= {*table["name"]}


@pytest.mark.filterwarnings("ignore:no judged document was retrieved by the run 'b'")
def test_evaluate_knows_that_all_judged_items_are_there():
    """Judgments of relevant items alone: bpref is the share of them that was found."""
    runs = {"a": {"q": {"x": 2, "u": 1}}, "b": {"q": {"u": 1}}}
    e = lf.evaluate(runs, {"q": {"x": 1, "y": 1}}, ["bpref", "infAP", "Judged@2"])
    assert e.scores.filter(run="a")["value"].to_list() == [0.5, 0.5, 0.5]
    graded = lf.evaluate(runs, {"q": {"x": 5, "u": 1}}, ["bpref(rel=4)"])
    assert graded.scores["value"].to_list() == [1.0, 0.0]
