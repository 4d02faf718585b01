"""The library inside ir_measures and PyTerrier: values of other providers, and what it refuses."""

import sys

import numpy as np
import pytest

import lexiframe as lf
from tests.conftest import library

ir_measures = pytest.importorskip("ir_measures")
RNG = np.random.default_rng(4)
DOCUMENTS = [f"d{n}" for n in range(40)]
QRELS = [
    ir_measures.Qrel(f"q{q}", name, int(RNG.integers(-1, 4)))
    for q in range(8)
    for name in RNG.choice(DOCUMENTS, 20, replace=False)
]
RUN = [
    ir_measures.ScoredDoc(f"q{q}", name, float(30 - rank))
    for q in range(1, 9)  # the first request is missing, and the last is not judged
    for rank, name in enumerate(RNG.permutation(DOCUMENTS)[:25])
]
USUAL = """
    AP AP(rel=2) AP@10 nDCG nDCG@10 nDCG(gains={1:0,2:1,3:4})@10 RR RR(rel=2) RR@10 P@5
    P(rel=3)@5 R@20 R(rel=2)@10 Rprec Bpref Bpref(rel=2) infAP Success@3 IPrec@0.1
    IPrec@0.5 IPrec(rel=2)@0.3 Judged@10 SetP SetP(relative=True) SetR SetF SetF(beta=2.0)
    SetAP NumRet NumRet(rel=2) NumRel NumQ Compat(p=0.8) P(judged_only=True)@5
    AP(judged_only=True) nDCG(judged_only=True)@10
""".split()


@pytest.fixture
def provider():
    pipeline = ir_measures.DefaultPipeline.providers
    before = [*pipeline]
    yield lf.io.use_in_ir_measures()
    pipeline[:] = before
    ir_measures.providers.registry.pop("lexiframe", None)


def measures(names):
    return [ir_measures.parse_measure(name) for name in names]


def values(found):
    return {(m.query_id, str(m.measure)): m.value for m in found}


def frames(pandas):
    return pandas.DataFrame(QRELS), pandas.DataFrame(RUN)


def dictionaries(_):
    qrels, run = {}, {}
    for query, name, grade, _ in QRELS:
        qrels.setdefault(query, {})[name] = grade
    for query, name, score in RUN:
        run.setdefault(query, {})[name] = score
    return qrels, run


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", [lambda _: (QRELS, RUN), lambda _: (iter(QRELS), iter(RUN)), frames, dictionaries]
)
def test_the_usual_measures_have_the_values_of_other_providers(form):
    pandas = library("pandas")
    asked = measures(USUAL)
    pipeline = ir_measures.DefaultPipeline.providers
    before = [*pipeline]
    # One after the other: among others, ir_measures counts NumRet without unjudged documents.
    usual = values(one for m in asked for one in ir_measures.iter_calc([m], QRELS, RUN))
    try:
        lf.io.use_in_ir_measures()
        found = values(ir_measures.iter_calc(asked, *form(pandas)))
    finally:
        pipeline[:] = before
    assert found.keys() == usual.keys()
    assert len({query for query, _ in found}) == 8
    for key, value in usual.items():
        assert found[key] == pytest.approx(value, abs=1e-12), key


def test_means_and_single_values_fit_together(provider):
    asked = measures(["AP", "NumRelRet", "nDCG@10"])
    means, each = ir_measures.calc(asked, QRELS, RUN)
    by_hand = {m: [one.value for one in each if one.measure == m] for m in asked}
    assert means[asked[0]] == pytest.approx(np.mean(by_hand[asked[0]]))
    assert means[asked[1]] == sum(by_hand[asked[1]])
    assert provider.calc_aggregate(asked, QRELS, RUN) == means


@pytest.mark.slow
def test_every_measure_that_ir_measures_names_is_computed(provider):
    needed = {"cutoff": 10, "max_rel": 3, "recall": 0.1}
    of_subtopics = [*(one._replace(iteration=str(n % 3)) for n, one in enumerate(QRELS))]
    for measure in ir_measures.measures.registry.values():
        asked = measure(**{k: v for k, v in needed.items() if k in measure.SUPPORTED_PARAMS})
        assert provider.supports(asked), asked
        mean = ir_measures.calc_aggregate([asked], of_subtopics, RUN)[asked]
        assert np.isfinite(mean), asked
    assert "iteration" in provider.qrel_inputs(measures(["alpha_nDCG@10"]))
    assert "iteration" not in provider.qrel_inputs(measures(["AP"]))
    assert not provider.supports(ir_measures.ERR_IA)  # which is computed to a rank alone


@pytest.mark.slow
def test_one_evaluator_for_several_runs_has_the_values_of_one_each(provider):
    """To the bit: what follows from the judgments is made for the first run alone."""
    needed = {"cutoff": 5, "max_rel": 3, "recall": 0.3}
    asked = [
        measure(**{k: v for k, v in needed.items() if k in measure.SUPPORTED_PARAMS})
        for measure in dict.fromkeys(ir_measures.measures.registry.values())
    ]
    asked += measures(USUAL)
    qrels = [*(one._replace(iteration=str(n % 3)) for n, one in enumerate(QRELS))]
    others = [one._replace(score=float(n % 4)) for n, one in enumerate(RUN[40:])]
    nothing = [ir_measures.ScoredDoc("q1", "unknown", 1.0)]
    runs = [RUN, others, nothing, [], RUN[:25], dictionaries(None)[1], others]
    kept = provider.evaluator(asked, qrels)
    for run in runs:
        fresh = provider.evaluator(asked, qrels)
        expected = values(fresh.iter_calc(run))
        assert values(kept.iter_calc(run)) == expected
        assert len(expected) == len({*map(str, asked)}) * 8
        by_mean = kept.calc_aggregate(run)
        assert by_mean == fresh.calc_aggregate(run)
        assert by_mean == super(type(kept), kept).calc_aggregate(run)


def test_measures_of_others_stay_theirs(provider):
    mine = ir_measures.define_byquery(lambda qrels, run: 0.25, name="RPP")
    assert not provider.supports(mine)
    assert 0.25 in {one.value for one in ir_measures.iter_calc([mine], QRELS, RUN)}


def test_precision_of_scores(provider):
    qrels = [ir_measures.Qrel("q", "a", 1)]
    run = {"q": {"a": 1 + 1e-12, "b": 1.0}}
    rr = ir_measures.RR
    assert ir_measures.calc_aggregate([rr], qrels, run)[rr] == 0.5  # equal as single floats
    lf.io.use_in_ir_measures(score_type="float64")
    assert ir_measures.calc_aggregate([rr], qrels, run)[rr] == 1.0


def test_documents_that_occur_twice_may_count_once(provider):
    qrels = [ir_measures.Qrel("q", "a", 1), ir_measures.Qrel("q", "a", 3)]
    rows = [("b", 2.0), ("a", 1.0), ("a", 3.0)]
    run = [ir_measures.ScoredDoc("q", name, score) for name, score in rows]
    asked = measures(["RR", "NumRet", "nDCG@1"])
    with pytest.raises(lf.LexiframeError, match="judged more than once for query 'q'"):
        ir_measures.calc_aggregate(asked, qrels, run)
    lf.io.use_in_ir_measures(duplicates="best")
    found = {str(m): x for m, x in ir_measures.calc_aggregate(asked, qrels, run).items()}
    assert found == {"RR": 1.0, "NumRet": 2.0, "nDCG@1": 1.0}


def test_runs_that_other_providers_take_too(provider):
    """Requests that are not judged, no relevant document at all, an empty ranking, whole scores."""
    asked = measures(["AP", "NumRet", "P(judged_only=True)@5", "Judged@5"])
    qrels = {"q": {"a": 0, "b": -1}, "r": {"a": 1}}
    run = {"q": {"a": 3, "z": 2}, "r": {}, "unknown": {"a": 1}}
    found = values(ir_measures.iter_calc(asked, qrels, run))
    assert {query for query, _ in found} == {"q", "r"}
    assert found["q", "NumRet"] == 2
    assert found["q", "AP"] == found["r", "AP"] == found["r", "Judged@5"] == 0
    assert found["q", "Judged@5"] == 0.5
    for score in (float("nan"), None):
        with pytest.raises(lf.LexiframeError, match="expected a number in score"):
            ir_measures.calc_aggregate(asked, qrels, [ir_measures.ScoredDoc("q", "a", score)])


def test_a_run_without_rows_has_the_default_values(provider):
    asked = measures(["AP"])
    assert ir_measures.calc_aggregate(asked, QRELS, [])[asked[0]] == 0.0


def test_what_is_refused(provider, monkeypatch):
    with pytest.raises(lf.LexiframeError, match="score_type to be one of 'float32', 'float64'"):
        lf.io.use_in_ir_measures(score_type="float16")
    with pytest.raises(lf.LexiframeError, match="duplicates to be one of 'error', 'best'"):
        lf.io.use_in_ir_measures(duplicates="last")
    asked = measures(["AP"])
    with pytest.raises(lf.LexiframeError, match="more than once"):
        ir_measures.calc_aggregate(asked, QRELS, [RUN[0], RUN[0]])
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(
        lf.LexiframeError, match="ir_measures is not installed; it comes with the extra interop"
    ):
        lf.io.use_in_ir_measures()


@pytest.mark.slow
def test_an_experiment_of_pyterrier_prints_the_same_table():
    pyterrier, pandas = library("pyterrier"), library("pandas")
    qrels, run = frames(pandas)
    qrels = qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    run = run.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(query="words")
    topics = run[["qid", "query"]].drop_duplicates()
    other = run.assign(score=-run["score"])
    systems = [pyterrier.Transformer.from_df(one) for one in (run, other)]
    asked = measures(
        [name for name in USUAL if not name.startswith("Compat") and "judged_only" not in name]
    )
    how = {"eval_metrics": asked, "names": ["one", "other"], "baseline": 0}
    usual = pyterrier.Experiment(systems, topics, qrels, **how)
    pipeline = ir_measures.DefaultPipeline.providers
    before = [*pipeline]
    try:
        lf.io.use_in_ir_measures()
        found = pyterrier.Experiment(systems, topics, qrels, **how)
        more = pyterrier.Experiment(
            systems, topics, qrels, measures(["RBP(p=0.8)", "INST(max_rel=3)"])
        )
    finally:
        pipeline[:] = before
    # The order of columns is that of a set of measures, which each process has another of.
    pandas.testing.assert_frame_equal(found[usual.columns], usual, rtol=1e-12, atol=1e-12)
    assert more.shape == (2, 3)
