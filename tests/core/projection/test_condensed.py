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
