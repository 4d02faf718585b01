"""Ties, repeated documents and requests without answers: each policy, and what it says."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.io.one_run import RunPart
from lexiframe.core.projection.judgments import judged_items
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.ranks_and_ties import rank_judged
from tests import oracle
from tests.frames import rankings

TIED = pl.DataFrame(
    {
        "run": "bm25",
        "query_id": "q1",
        "doc_id": ["b", "d10", "d9", "D", "a"],
        "score": [2.0, 1.0, 1.0, 1.0, 0.5],
        "rank": [1, 3, 4, 2, 5],
    }
)
JUDGED = pl.DataFrame({"query_id": "q1", "doc_id": ["D", "d10", "d9"], "relevance": 1.0})


def ranks(runs, qrels=JUDGED, **policies):
    p = lf.positions(runs, qrels, **policies)
    return dict(p.select("doc_id", "position").iter_rows())


WRONG = {
    "rel": 0,
    "ties": "random",
    "score_type": "float16",
    "no_relevant": "keep",
    "duplicates": "worst",
    "unjudged": "drop",
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("function", [lf.positions, lf.coverage, lf.interleaving, lf.evaluate])
def test_policies_are_checked_before_anything_is_read(function, name):
    with pytest.raises(lf.LexiframeError, match=f"^{name}: expected .* found '?{WRONG[name]}'?$"):
        function("no.run", "no.qrels", **{name: WRONG[name]})


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.01, 0.1, 1])
@pytest.mark.parametrize("levels", [1, 5, 100])
@pytest.mark.parametrize("ties", ["doc_id_desc", "doc_id_asc", "rank"])
def test_few_and_many_judged_documents_among_equal_scores(ties, levels, share):
    """Documents are counted, or sorted, by how many of a group are judged: the ranks are those."""
    rng = np.random.default_rng(levels)
    score = rng.integers(0, levels, 300).astype(float)
    doc_id = np.array([f"d{n}" for n in range(300)])
    rank = rng.permutation(300) + 1
    by_id = np.argsort(np.argsort(doc_id))
    of_group = {"doc_id_desc": -by_id, "doc_id_asc": by_id, "rank": rank}[ties]
    place = np.argsort(np.lexsort((of_group, -score))) + 1
    rows = pl.DataFrame({"query_id": "q", "doc_id": doc_id, "score": score, "rank": rank})
    is_judged = rng.permutation(300) < 300 * share
    judged = rows.filter(is_judged).select("query_id", "doc_id", relevance=1.0)
    expected = dict(zip(doc_id[is_judged], place[is_judged], strict=True))
    assert ranks(rows.with_columns(run=pl.lit("r")), judged, ties=ties) == expected


def test_ties_by_rank_need_ranks():
    message = "runs: ties='rank' needs a column of whole ranks, found none; ties='doc_id_desc' nee"
    with pytest.raises(lf.SchemaError, match=message):
        lf.positions(TIED.drop("rank"), JUDGED, ties="rank")


def test_ties_by_rank_need_every_rank():
    message = (
        r"^bm25\.run: ties='rank' needs the rank of every document, and that of 'd9' for query "
        r"'q1' is null \(2 such rows in all\); fill in the ranks"
    )
    some = TIED.drop("run").with_columns(rank=pl.Series([1, 3, None, 2, None]))
    part, judged = RunPart("bm25", some, "bm25.run"), judged_items(JUDGED, Policies())
    with pytest.raises(lf.SchemaError, match=message):
        rank_judged(part, judged, Policies(ties="rank"))
    assert rank_judged(part, judged, Policies()).rank.all()
    with pytest.raises(lf.SchemaError, match="ties='rank' needs "):
        lf.positions({"bm25": some}, JUDGED, ties="rank")


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_ranks_of_real_runs(shared):
    awkward = shared / "data" / "awkward"
    zero, qrels = awkward / "real_rank_always_zero.run", awkward / "edited_base.qrels"
    message = r"real_rank_always_zero\.run: ties='rank' .* 'uptod4830_12_065330' .* the rank 0 "
    with pytest.raises(lf.SchemaError, match=message):
        lf.positions(zero, qrels, ties="rank")
    assert lf.positions(zero, qrels)["position"].is_not_null().any()
    tied, qrels = awkward / "real_all_scores_tied.run", shared / "data/trec_robust_2003/qrels.trec"
    given = pl.DataFrame(lf.read_runs(tied))
    of_run = rankings(given)["real_all_scores_tied"]
    expected = {q: oracle.order(ranking, ties="rank") for q, ranking in of_run.items()}
    p = lf.positions(tied, qrels, ties="rank").drop_nulls("position")
    assert p.height > 10
    for query_id, doc_id, position in p.select("query_id", "doc_id", "position").iter_rows():
        assert expected[query_id][position - 1] == doc_id
    assert not p.equals(lf.positions(tied, qrels, ties="doc_id_asc").drop_nulls("position"))


@pytest.mark.parametrize("rank", ["1", "1.0", "first"])
def test_ties_by_rank_from_a_file(tmp_path, rank):
    path = tmp_path / "bm25.run"
    path.write_text(f"q1 Q0 d10 2 1 t\nq1 Q0 d9 {rank} 1 t\n")
    for runs in (path, lf.scan_runs(path), lf.read_runs(path)):
        if rank != "first":
            assert ranks(runs, ties="rank") == {"D": None, "d9": 1, "d10": 2}
        else:
            with pytest.raises(lf.SchemaError, match=r"bm25.*: ties='rank' needs a column"):
                lf.positions(runs, JUDGED, ties="rank")


def test_a_document_judged_twice():
    twice = pl.DataFrame({"query_id": "q1", "doc_id": ["d9", "D", "d9"], "relevance": [1.0, 1, 3]})
    message = (
        r"qrels: the document 'd9' is judged more than once for query 'q1', with the grades 1 and "
        r"3 \(rows 1 and 3; 2 such rows in all\); mend the qrels, or keep the highest grade with "
        r"duplicates='best'"
    )
    for qrels in (twice, twice.with_columns(iteration=pl.lit("1"))):
        with pytest.raises(lf.SchemaError, match=message):
            lf.positions(TIED, qrels)
        with pytest.warns(lf.LexiframeWarning, match=r"^repeated judgments, removed: 1$"):
            p = lf.positions(TIED, qrels, duplicates="best")
        assert p.select("doc_id", "relevance", "n_relevant").rows() == [("D", 1, 2), ("d9", 3, 2)]


def test_the_highest_grade_of_each_iteration_is_kept():
    """The same document in another subtopic is another judgment."""
    qrels = pl.DataFrame(
        {
            "query_id": "q1",
            "subtopic": ["s", "t", "s", "s"],
            "doc_id": ["d9", "d9", "d9", "D"],
            "relevance": [1.0, 1.0, 3.0, 1.0],
        }
    )
    with pytest.warns(lf.LexiframeWarning, match="repeated a document, removed: 1$"):
        kept = pl.DataFrame(lf.read_qrels(qrels, duplicates="best"))
    assert kept.rows() == [("q1", *row) for row in [("t", "d9", 1), ("s", "d9", 3), ("s", "D", 1)]]
    with pytest.warns(lf.LexiframeWarning, match=r"^repeated judgments, removed: 1$"):
        p = lf.positions(TIED, qrels, duplicates="best", subtopics=True)
    found = [("s", "D", 1, 2), ("s", "d9", 3, 2), ("t", "d9", 1, 1)]
    assert p.select("subtopic", "doc_id", "relevance", "n_relevant").rows() == found


def test_over_iterations_the_greatest_grade_counts():
    qrels = pl.DataFrame(
        {"query_id": "q1", "iteration": ["1", "2"], "doc_id": "d9", "relevance": [-1.0, 2.0]}
    )
    assert lf.positions(TIED, qrels)["relevance"].to_list() == [2.0]


TWO_REQUESTS = pl.concat([JUDGED, JUDGED.with_columns(query_id=pl.lit("q2"))])


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_a_request_without_relevant_items():
    qrels = TWO_REQUESTS.with_columns(relevance=pl.Series([1.0] * 3 + [0.0, -1.0, 0.0]))
    assert lf.positions(TIED, qrels)["query_id"].unique().to_list() == ["q1"]
    kept = lf.positions(TIED, qrels, no_relevant="zero").filter(query_id="q2")
    assert kept.rows() == [("bm25", "q2", None, None, None, None, 0, 0)]


@pytest.mark.conformance
def test_real_runs_and_judgments_without_a_common_request(shared):
    awkward = shared / "data" / "awkward"
    run = awkward / "real_tabs_crlf_1001_deep_other_topic_ids.run"
    with pytest.raises(lf.LexiframeError, match=r"'151'.*'151001'.*one begins with the other"):
        lf.evaluate(run, awkward / "real_qrels_2018_uuid.qrels")


# --- No judged document retrieved ---------------------------------------------------------------

CACM = pl.DataFrame({"query_id": "q1", "doc_id": ["CACM-0001", "CACM-0756"], "score": [2.0, 1.0]})


@pytest.mark.parametrize("rel, grades", [(None, (1, 0)), (2, (3, 1))])
def test_no_cause_is_named_where_documents_are_judged_and_not_relevant(rel, grades):
    qrels = {"q": {"a1": grades[0], "a12": grades[1]}, "p": {"a1": grades[0]}}
    run = {"q": {"a12": 3.0, "a13": 2.0}, "p": {"z": 1.0}}
    for function in (lf.positions, lambda *of, **how: lf.scores(lf.positions(*of, **how), "AP")):
        with pytest.warns(
            lf.LexiframeWarning, match="'a12' is judged, but not relevant$"
        ) as caught:
            function({"x": run}, qrels, rel=rel)
        assert not any("likely cause" in str(w.message) for w in caught)


def test_a_depth_of_one_is_the_first_item_and_one_below_is_refused():
    runs = {"r": {"q": {"a": 2, "b": 1}}}
    p = lf.positions(runs, {"q": {"a": 1, "b": 1}}, depth=1)
    assert p["position"].to_list() == [1, None]
    assert p["n_retrieved"].unique().to_list() == [1]
    with pytest.raises(lf.LexiframeError, match="depth: expected a whole number from 1, found 0"):
        Policies(depth=0)
