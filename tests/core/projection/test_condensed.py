"""Condensed lists: unjudged documents removed, as trec_eval -J has it."""

import gzip

import polars as pl
import pytest
import pytrec_eval

import lexiframe as lf

RUNS = pl.DataFrame(
    {
        "run": "bm25",
        "query_id": ["q1"] * 6 + ["q2"] * 2 + ["q3"],
        "doc_id": ["x", "spam", "a", "y", "b", "c", "x", "y", "x"],
        "score": [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 2.0, 1.0, 1.0],
    }
)
QRELS = pl.DataFrame(
    {
        "query_id": ["q1"] * 4 + ["q2"],
        "doc_id": ["a", "b", "c", "spam", "z"],
        "relevance": [0, 1, 2, -2, 1],
    }
)
REMOVED = r"rows of unjudged documents, removed: 5"


def test_ranks_are_closed_and_what_was_removed_is_warned_of():
    with pytest.warns(lf.LexiframeWarning, match=REMOVED) as caught:
        p = lf.positions(RUNS, QRELS, unjudged="remove", judged=True, pool=True)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    columns = ["query_id", "doc_id", "position", "n_retrieved", "pool_size"]
    assert p.select(columns).rows() == [
        ("q1", "a", 1, 3, 3),
        ("q1", "b", 2, 3, 3),
        ("q1", "c", 3, 3, 3),
        ("q1", "spam", None, 3, 3),
        ("q2", "z", None, 0, 1),
    ]


@pytest.mark.parametrize("unjudged, retrieved", [("keep", 6), ("remove", 3)])
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_a_negative_grade_is_not_judged_whichever_way(unjudged, retrieved):
    of_q1 = RUNS.filter(query_id="q1"), QRELS.filter(query_id="q1")
    table = lf.coverage(*of_q1, unjudged=unjudged).row(0, named=True)
    assert (table["retrieved"], table["judged"]) == (retrieved, 3)


@pytest.mark.filterwarnings("ignore:rankings for requests without judgments")
def test_a_list_that_gets_empty_still_answers():
    table = lf.coverage(RUNS, QRELS, unjudged="remove").row(0, named=True)
    assert (table["answered"], table["missing"], table["extra"]) == (2, 0, 1)
    assert (table["retrieved"], table["judged"], table["relevant_retrieved"]) == (3, 3, 2)
    with pytest.warns(lf.LexiframeWarning) as caught:
        lf.positions(RUNS.filter(query_id="q2"), QRELS.filter(query_id="q2"), unjudged="remove")
    said = [str(w.message) for w in caught]
    assert said[0] == "rows of unjudged documents, removed: 2 (see lexiframe.coverage)"
    assert said[1].startswith("no judged document was retrieved by any run")


def test_nothing_is_said_when_nothing_was_removed():
    judged = RUNS.filter(pl.col("doc_id").is_in(["a", "b", "c"]))
    qrels = QRELS.filter(query_id="q1")
    removed = lf.positions(judged, qrels, unjudged="remove")
    assert removed.equals(lf.positions(judged, qrels))


DATA = ["trec_robust_2003", "cranfield", "trec_web_2012", "clef_ehealth_2014"]


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("name", DATA)
def test_as_trec_eval_with_its_option_j(shared, name):
    """Trec_eval 9 compares single floats; documents of a negative grade (TREC Web) go too."""
    folder = shared / "data" / name
    qrels = {}
    for line in (folder / "qrels.trec").read_text().splitlines():
        query_id, _, doc_id, grade = line.split()
        qrels.setdefault(query_id, {})[doc_id] = int(float(grade))
    wanted = {"map": "AP", "recip_rank": "RR", "ndcg_cut_10": "nDCG@10", "recall_100": "R@100"}
    judge = pytrec_eval.RelevanceEvaluator(qrels, {*wanted, "num_ret"}, judged_docs_only_flag=True)
    paths = sorted((folder / "runs").iterdir())[:4]
    expected = {}
    for path in paths:
        run = {}
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            query_id, _, doc_id, _, score, _ = line.split()
            run.setdefault(query_id, {})[doc_id] = float(score)
        expected[path.name.removesuffix(".trec.gz")] = judge.evaluate(run)
    p = lf.positions(paths, folder / "qrels.trec", unjudged="remove", score_type="float32")
    retrieved = p.unique(["run", "query_id"]).select("run", "query_id", "n_retrieved").rows()
    assert len(retrieved) > 80
    for run, query_id, n in retrieved:
        theirs = expected[run].get(query_id, {"num_ret": 0})
        assert n == theirs["num_ret"], (run, query_id)
    s = lf.scores(p, list(wanted.values())).pivot(
        "measure", index=["run", "query_id"], values="value"
    )
    for row in s.iter_rows(named=True):
        theirs = expected[row["run"]].get(row["query_id"], dict.fromkeys(wanted, 0.0))
        ours = {theirs_name: row[name] for theirs_name, name in wanted.items()}
        assert ours == pytest.approx({k: theirs[k] for k in wanted}, rel=1e-9), row
    kept = lf.positions(paths, folder / "qrels.trec", score_type="float32")
    assert not kept.equals(p)
