"""Measures equal those of ir_measures (gdeval, trec_eval) and ranx where the definitions agree.

Where they do not agree is listed in `EXCEPTIONS`, each shown on an example of its own.
"""

import gzip
import io
import warnings

import pytest
import pytrec_eval

import lexiframe as lf
from tests.frames import assert_close

ir_measures = pytest.importorskip("ir_measures")
ranx = pytest.importorskip("ranx")
pytestmark = pytest.mark.filterwarnings("ignore")

AT_MOST = 3  # runs of a data set


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
    runs = {path.name.split(".")[0]: without_ties(path) for path in paths[:AT_MOST]}
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
    "map": "AP",
    "map@10": "AP@10",
    "mrr": "RR",
    "recall@20": "R@20",
    "precision@10": "P@10",
    "r-precision": "Rprec",
    "hit_rate@5": "Success@5",
    "ndcg@10": "nDCG@10",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "recall@20-l1": "R(rel=1)@20",
}


@pytest.mark.parametrize("name", RANX)
def test_the_names_of_ranx(name):
    assert lf.parse_measure(name) == lf.parse_measure(RANX[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", RANX)
def test_ranx(collection, name):
    runs, judgments, p = collection
    relevant = {q: {d: int(y) for d, y in g.items() if y > 0} for q, g in judgments.items()}
    for run, answers in runs.items():
        asked = {q: g for q, g in relevant.items() if q in answers}
        theirs = ranx.evaluate(
            ranx.Qrels(asked),
            ranx.Run({q: answers[q] for q in asked}),
            name,
            return_mean=False,
        )
        mine = answered(ours(p, run, RANX[name]), answers)
        assert sum(mine.values()) == pytest.approx(sum(theirs), rel=1e-9)


# --- Where they differ --------------------------------------------------------------------------


def of_ranx(name, qrels, run):
    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name))


def of_lexiframe(measure, qrels, run):
    p = lf.positions({"a": run}, qrels, judged=True)
    return lf.scores(p, measure)["value"].item()


RUN = {"q": {"x": 4.0, "n": 3.0, "y": 2.0, "u": 1.0}}
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
@pytest.mark.slow
def test_where_peers_differ(difference):
    measure, ratio = EXCEPTIONS[difference]
    assert measure() == pytest.approx(ratio)
