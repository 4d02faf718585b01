"""Measures equal those of ir_measures (gdeval, trec_eval, cwl_eval) and ranx where they agree.

Where they do not agree is listed in `EXCEPTIONS`, each shown on an example of its own.
"""

import gzip
import io
import random
import warnings

import pytest
import pytrec_eval

import lexiframe as lf
from tests.conftest import library
from tests.frames import assert_close
from tests.parity.reference import DATASETS

ir_measures = pytest.importorskip("ir_measures")
ranx = pytest.importorskip("ranx")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

AT_MOST = 3  # runs of a data set
AT_MOST_REQUESTS = 25  # of a data set, for the slower libraries
ALL_SETS = [*DATASETS, "trec_dl_2019_passage"]


@pytest.fixture(
    scope="module",
    params=[
        "example",
        *(
            pytest.param(name, marks=pytest.mark.conformance)
            for name in ("cranfield", "trec_cast_2021_docs")
        ),
    ],
)
def collection(request):
    """Runs without ties, which each library breaks in its own way, and judgments."""
    if request.param == "example":
        folder = lf.bundled("example")
        paths, qrels = sorted((folder / "runs").iterdir()), folder / "qrels.txt"
    else:
        folder = request.getfixturevalue("shared") / "data" / request.param
        paths, qrels = sorted((folder / "runs").iterdir()), folder / "qrels.trec"
    runs = {path.name: without_ties(path) for path in paths[:AT_MOST]}
    judgments = pytrec_eval.parse_qrel(text(qrels))
    judgments = {q: grades for q, grades in judgments.items() if max(grades.values()) > 0}
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(runs, judgments, judged=True)
    return runs, judgments, p


def without_ties(path):
    run = pytrec_eval.parse_run(text(path))
    ordered = {
        q: sorted(of, key=lambda d, of=of: (of[d], d), reverse=True) for q, of in run.items()
    }
    return {q: {d: 1000.0 - rank for rank, d in enumerate(of)} for q, of in ordered.items()}


def text(path):
    data = path.read_bytes()
    return io.StringIO((gzip.decompress(data) if path.suffix == ".gz" else data).decode())


def ours(p, name, measure):
    of_run = lf.scores(p.filter(run=name), measure)
    return dict(of_run.select("query_id", "value").rows())


def answered(values, run):
    """Those of the requests that a run answers; ir_measures gives 0, or nothing, for others."""
    return {query_id: value for query_id, value in values.items() if query_id in run}


IR_MEASURES = {
    "Bpref": "bpref",
    "infAP": "infAP",
    "Success@5": "Success@5",
    "Judged@10": "Judged@10",
    "R@20": "R@20",
    "AP(rel=1)@10": "AP@10",
}


@pytest.mark.parametrize("name", IR_MEASURES)
def test_ir_measures(collection, name):
    runs, judgments, p = collection
    stem, _, cutoff = name.replace("(rel=1)", "").partition("@")
    measure = getattr(ir_measures, stem)
    measure = measure @ int(cutoff) if cutoff else measure
    for run, answers in runs.items():
        theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], judgments, answers)}
        mine = ours(p, run, IR_MEASURES[name])
        assert_close(
            answered(mine, answers),
            {k: theirs.get(k, 0.0) for k in answered(mine, answers)},
            rel=1e-6,
        )


@pytest.mark.parametrize("name", ["ERR@20", "nDCG(dcg='exp-log2')@10"])
def test_gdeval_by_ir_measures_to_its_printed_digits(collection, name):
    runs, judgments, p = collection
    measure = ir_measures.ERR @ 20 if name == "ERR@20" else ir_measures.nDCG(dcg="exp-log2") @ 10
    number = {query_id: str(n) for n, query_id in enumerate(judgments, 1)}  # it takes no words
    numbered = {number[q]: grades for q, grades in judgments.items()}
    for run, answers in runs.items():
        answered_numbers = {number[q]: of for q, of in answers.items() if q in number}
        gdeval = ir_measures.providers.registry["gdeval"]
        calc = gdeval.iter_calc([measure], numbered, answered_numbers)
        by_number = {m.query_id: m.value for m in calc}
        theirs = {q: by_number[n] for q, n in number.items() if n in by_number}
        mine = answered(ours(p, run, name), answers)
        assert theirs
        assert_close(mine, {k: theirs[k] for k in mine}, abs=5.1e-6, rel=0)


RANX = {
    "f1@10": "F1@10",
    "dcg@10": "DCG@10",
    "map": "AP",
    "map@10": "AP@10",
    "mrr": "RR",
    "recall@20": "R@20",
    "precision@10": "P@10",
    "r-precision": "Rprec",
    "hit_rate@5": "Success@5",
    "ndcg@10": "nDCG@10",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "dcg_burges@10": "DCG(dcg='exp-log2')@10",
    "hits@5": "num_rel_ret@5",
    "recall@20-l1": "R(rel=1)@20",
}


@pytest.mark.parametrize("name", RANX)
def test_the_names_of_ranx(name):
    assert lf.parse_measure(name) == lf.parse_measure(RANX[name])


def test_ranx(collection):
    runs, judgments, p = collection
    relevant = {q: {d: int(y) for d, y in g.items() if y > 0} for q, g in judgments.items()}
    for run, answers in runs.items():
        asked = {q: g for q, g in relevant.items() if q in answers}
        theirs = ranx.evaluate(
            ranx.Qrels(asked),
            ranx.Run({q: answers[q] for q in asked}),
            [*RANX],
            return_mean=False,
        )
        for name in RANX:
            mine = answered(ours(p, run, RANX[name]), answers)
            assert sum(mine.values()) == pytest.approx(sum(theirs[name]), rel=1e-9), name


# --- Accuracy, Compat, gains and user models, on all data sets -----------------------------------


@pytest.fixture(scope="module", params=ALL_SETS)
def real(request):
    """As `collection`, with the greatest grade; one run and some requests: cwl_eval is slow."""
    folder = request.getfixturevalue("shared") / "data" / request.param
    path = min((folder / "runs").iterdir())
    judgments = pytrec_eval.parse_qrel(text(folder / "qrels.trec"))
    relevant = sorted(q for q, grades in judgments.items() if max(grades.values()) > 0)
    judgments = {q: judgments[q] for q in relevant[:AT_MOST_REQUESTS]}
    answers = {q: of for q, of in without_ties(path).items() if q in judgments}
    runs = {path.name: answers}
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(runs, judgments)
    return runs, judgments, p, max(max(grades.values()) for grades in judgments.values())


def equal_where_answered(real, measures):
    """Each measure of ir_measures has the value of the measure of the same notation here."""
    runs, judgments, p, _ = real
    s = lf.scores(p, measures)
    for run, answers in runs.items():
        theirs = {measure: {} for measure in measures}
        for m in ir_measures.iter_calc(measures, judgments, answers):
            if m.query_id in answers:
                theirs[m.measure][m.query_id] = m.value
        for measure, values in theirs.items():
            name = str(lf.parse_measure(measure))
            mine = dict(s.filter(run=run, measure=name).select("query_id", "value").rows())
            assert values
            assert_close({q: mine[q] for q in values}, values, rel=1e-9)


def objects():
    """The measures of ir_measures as objects, with their parameters and at their cut-offs."""
    m = ir_measures
    found = [m.AP, m.Bpref, m.infAP, m.NumQ, m.NumRel, m.NumRet, m.NumRet(rel=2), m.nDCG, m.Rprec]
    found += [m.RR, m.SetAP, m.SetF, m.SetF(beta=0.5), m.SetP, m.SetP(relative=True), m.SetR]
    found += [measure @ 10 for measure in (m.AP, m.nDCG, m.P, m.R, m.RR, m.Success)]
    found += [measure(rel=2) @ 5 for measure in (m.AP, m.P, m.R, m.RR, m.Success)]
    found += [measure(rel=2) for measure in (m.AP, m.Rprec, m.SetAP, m.SetF, m.SetP, m.SetR)]
    found += [m.Compat, m.IPrec(rel=2) @ 0.5, *(m.IPrec @ (n / 10) for n in range(11))]
    return found


@pytest.mark.conformance
def test_objects_of_ir_measures_have_its_values(real):
    """Each at its default parameters: IPrec had the rounding of another version of trec_eval."""
    runs, judgments, _, _ = real
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(runs, judgments, judged=True)
    asked = [m for m in objects() if not ("rel=2" in str(m) and no_grade_2(judgments))]
    equal_where_answered((runs, judgments, p, None), asked)


def no_grade_2(judgments):
    return min(max(grades.values()) for grades in judgments.values()) < 2


def test_each_object_of_ir_measures_is_compared():
    """By the test above, or by those of gdeval, cwl_eval, ndeval, RBP and other conventions."""
    elsewhere = "Accuracy ERR Judged RBP SDCG BPM INST INSQ NERR8 NERR9 NERR10 NERR11".split()
    elsewhere += "alpha_DCG alpha_nDCG ERR_IA nERR_IA P_IA StRecall NRBP nNRBP AP_IA".split()
    theirs = {m.NAME for m in vars(ir_measures).values() if hasattr(m, "SUPPORTED_PARAMS")}
    assert theirs - {None} == {m.NAME for m in objects()} | {*elsewhere}


@pytest.mark.conformance
def test_ir_measures_compatibility_and_gains(real):
    Compat, nDCG = ir_measures.Compat, ir_measures.nDCG
    measures = [Compat, Compat(p=0.8), Compat(p=0.8, normalize=False)]
    measures += [nDCG(gains={0: 0, 1: 1, 2: 10}), nDCG(gains={1: 5, 2: 1, 3: 7}) @ 10]
    measures += [ir_measures.SetF(beta=2.0), ir_measures.SetP(relative=True), ir_measures.SetAP]
    equal_where_answered(real, measures)


@pytest.mark.conformance
def test_ir_measures_accuracy_where_it_has_one(real):
    """It fails where all documents found are relevant, and has no value where none is."""
    runs, judgments, p, _ = real
    for run, answers in runs.items():
        mine = ours(p, run, "Accuracy(rel=1)@100")
        for query_id in judgments.keys() & answers.keys():
            one = {query_id: judgments[query_id]}, {query_id: answers[query_id]}
            try:
                found = [m.value for m in ir_measures.iter_calc([ir_measures.Accuracy @ 100], *one)]
            except ZeroDivisionError:
                found = [1.0]
            assert mine[query_id] == pytest.approx(found[0] if found else 0.0, rel=1e-12)


@pytest.mark.conformance
def test_cwl_eval_by_ir_measures(real):
    library("cwl")
    m, greatest = ir_measures, real[-1]
    at_k = [m.SDCG, m.BPM, m.NERR8, m.NERR9]
    measures = [measure(max_rel=greatest) @ k for measure in at_k for k in (5, 100)]
    measures += [measure(max_rel=greatest) for measure in (m.INST, m.INSQ, m.NERR10, m.NERR11)]
    measures += [measure(max_rel=greatest, T=2.5) for measure in (m.INST, m.INSQ, m.NERR11)]
    measures += [m.BPM(max_rel=greatest, T=2.5) @ 20, m.NERR10(max_rel=greatest, p=0.5)]
    measures += [m.RBP(rel=1), m.RBP(p=0.5, rel=1)]
    measures += [m.INST(max_rel=greatest, min_rel=1)] if greatest > 1 else []
    equal_where_answered(real, measures)


# --- Where they differ --------------------------------------------------------------------------


def of_ranx(name, qrels, run):
    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name))


def of_lexiframe(measure, qrels, run):
    p = lf.positions({"a": run}, qrels, judged=True)
    return lf.scores(p, measure)["value"].item()


def of_ir_measures(measure, qrels):
    return next(m.value for m in ir_measures.iter_calc([measure], qrels, RUN))


RUN = {"q": {"x": 4.0, "n": 3.0, "y": 2.0, "u": 1.0}}
FOUR = {"q": {"x": 1, "y": 1, "z": 1, "w": 1}}
EXCEPTIONS = {
    "ranx' RBP takes the grade as gain": (
        lambda: of_ranx("rbp.80", {"q": {"x": 2}}, RUN) / of_lexiframe("RBP", {"q": {"x": 2}}, RUN),
        2.0,
    ),
    "gRBP divides it by the greatest grade": (
        lambda: (
            of_ranx("rbp.80", {"q": {"x": 2}}, RUN)
            / of_lexiframe("gRBP(max=2)", {"q": {"x": 2, "n": 0}}, RUN)
        ),
        2.0,
    ),
    "ir_measures' IPrec takes the level ⌊R m + 0.9⌋, which here is 3 and was not found": (
        lambda: (
            of_lexiframe("IPrec@0.6", FOUR, RUN) - of_ir_measures(ir_measures.IPrec @ 0.6, FOUR)
        ),
        2 / 3,
    ),
    "as IPrec(rounding='up') does": (
        lambda: (
            of_lexiframe("IPrec(rounding='up')@0.6", FOUR, RUN)
            - of_ir_measures(ir_measures.IPrec @ 0.6, FOUR)
        ),
        0.0,
    ),
    "ir_measures' SetF has β as weight, as here; van Rijsbergen squares it": (
        lambda: of_ir_measures(ir_measures.SetF(beta=2.0), FOUR),
        3 * 0.5 * 0.5 / (2 * 0.5 + 0.5),
    ),
    "ir_measures' Accuracy is left out of the mean where nothing relevant was found": (
        lambda: ir_measures.calc_aggregate(
            [ir_measures.Accuracy], FOUR | {"r": {"a": 1}}, RUN | {"r": {"b": 1.0}}
        )[ir_measures.Accuracy],
        0.75,  # of the pairs x n, x u, y n and y u three are in order
    ),
    "ir_measures' Judged counts negative grades, which say unjudged": (
        lambda: (
            next(
                m.value
                for m in ir_measures.iter_calc(
                    [ir_measures.Judged @ 2], {"q": {"x": 1, "n": -1}}, RUN
                )
            )
            / of_lexiframe("Judged@2", {"q": {"x": 1, "n": -1, "z": 0}}, RUN)
        ),
        2.0,
    ),
}


@pytest.mark.parametrize("difference", EXCEPTIONS)
def test_where_peers_differ(difference):
    measure, ratio = EXCEPTIONS[difference]
    assert measure() == pytest.approx(ratio)


def test_q_is_that_of_ntcireval():
    """With and without a cut-off, whatever the weight of the gains."""
    ntcireval = library("pyNTCIREVAL")
    from pyNTCIREVAL.metrics import QMeasure

    chance = random.Random(46)
    for _ in range(60):
        documents = [f"d{n}" for n in range(chance.randint(1, 30))]
        grades = {d: chance.choice([0, 1, 2, 3]) for d in documents if chance.random() < 0.7}
        order = chance.sample(documents, chance.randint(1, len(documents)))
        if not any(grades.values()):
            continue
        labels = ntcireval.Labeler(grades)
        ranked, levels = labels.label(order), labels.compute_per_level_doc_num(4)
        p = lf.positions({"r": {"q": {d: -n for n, d in enumerate(order)}}}, {"q": grades})
        beta, k = chance.choice([0, 0.5, 1, 2]), chance.choice([1, 3, 10, 40])
        values = lf.scores(p, [lf.Q(beta=beta), lf.Q(beta=beta) @ k])
        expected = [QMeasure(levels, [1, 2, 3], beta, cut).compute(ranked) for cut in (None, k)]
        found = dict(values.select("measure", "value").rows())
        assert sorted(found.values()) == pytest.approx(sorted(expected), abs=1e-12)
