"""Files as other tools write them, of each form that the documentation names, with made-up content.

How the tools write them is a fact of their sources: mteb's `AbsTask._save_task_predictions`,
BEIR's `util.save_runfile` and `save_results`, Lucene4IR's RetrievalApp, Pyserini's output writers.
"""

import json

import polars as pl
import pytest

import lexiframe as lf

RETRIEVED = {"3": {"d1": 0.75, "d2": 0.5}, "7": {"d2": 1.25}}
ROWS = [("3", "d1", 0.75), ("3", "d2", 0.5), ("7", "d2", 1.25)]
META = {"model_name": "BAAI/bge-m3", "revision": "5617a9f61b028005a4858fdac845db406aefb181"}


def rows(table, *names):
    return pl.DataFrame(table).select(names or ("query_id", "doc_id", "score")).rows()


def saved(path, **parts):
    """Write predictions as MTEB does: in one line, the model first."""
    path.write_text(json.dumps({"mteb_model_meta": META, **parts}))
    return path


# --- MTEB -----------------------------------------------------------------------------------------


def test_mtebs_predictions_of_one_subset_and_split(tmp_path):
    path = saved(tmp_path / "NFCorpus_predictions.json", default={"test": RETRIEVED})
    table = lf.read_runs(path)
    assert rows(table) == ROWS
    assert set(table["run"].to_pylist()) == {"NFCorpus_predictions"}
    assert rows(lf.read_runs({"bge": path})) == ROWS
    held = json.loads(path.read_text())
    for given in (held, {"bge": held}):
        assert rows(lf.read_runs(given)) == ROWS
    assert lf.check_run(path).is_empty()
    older = tmp_path / "older.json"  # before version 2 there was nothing around them
    older.write_text(json.dumps(RETRIEVED))
    assert rows(lf.read_runs(older)) == ROWS


def test_mtebs_predictions_with_blanks_and_other_letters(tmp_path):
    path = tmp_path / "p.json"
    parts = {"mteb_model_meta": META, "zh-Hans": {"dev": {"頁": {"文書 1": 1, "d": 0.5}}}}
    path.write_text(json.dumps(parts, indent=2, ensure_ascii=False), encoding="utf-8")
    assert rows(lf.read_runs(path)) == [("頁", "文書 1", 1.0), ("頁", "d", 0.5)]


def test_mtebs_predictions_of_several_subsets_or_splits(tmp_path):
    several = {"en": {"test": RETRIEVED}, "de": {"test": RETRIEVED}}
    path = saved(tmp_path / "Multi_predictions.json", **several)
    message = r"found 2 \('en test', 'de test'\); give one of them: .*\['en'\]\['test'\]"
    for given in (path, json.loads(path.read_text())):
        with pytest.raises(lf.SchemaError, match=message):
            lf.read_runs(given)
    assert rows(lf.read_runs(json.loads(path.read_text())["de"]["test"])) == ROWS
    path = saved(tmp_path / "two.json", default={"dev": RETRIEVED, "test": RETRIEVED})
    with pytest.raises(lf.SchemaError, match=r"'default dev', 'default test'"):
        lf.read_runs(path)
    assert lf.check_run(path)["found"].to_list() == ["2 ('default dev', 'default test')"]


def test_mtebs_predictions_that_are_no_rankings(tmp_path):
    path = saved(tmp_path / "Banking_predictions.json", default={"test": [3, 1, 4]})
    with pytest.raises(lf.SchemaError, match=r"predictions of a task of retrieval.*found list"):
        lf.read_runs(path)
    with pytest.raises(lf.SchemaError, match="predictions of one subset and split, found 0"):
        lf.read_runs(saved(path))
    for given in (saved(path, default={"test": RETRIEVED}), json.loads(path.read_text())):
        with pytest.raises(lf.SchemaError, match="expected judgments, found the predictions of"):
            lf.read_qrels(given)


def test_mtebs_broken_predictions(tmp_path):
    path = saved(tmp_path / "p.json", default={"test": RETRIEVED})
    path.write_text(path.read_text()[:-3])
    with pytest.raises(lf.ReadError, match=r"p\.json"):
        lf.read_runs(path)
    saved(path, default={"test": {"3": {"d1": "good"}}})
    with pytest.raises(lf.LexiframeError, match=r"expected a number as score.*'good'"):
        lf.read_runs(path)
    text = path.read_text().replace('{"d1": "good"}', '{"d1": 1, "d1": 2}')
    path.write_text(text)
    with pytest.raises(lf.LexiframeError, match="'d1'"):
        lf.read_runs(path)
    path.write_text(text.replace('"d1": 2', '"d2": 2').replace("}}}}", '}}}, "default": {}}'))
    with pytest.raises(lf.LexiframeError, match="two fields are named 'default'"):
        lf.read_runs(path)


def test_mtebs_predictions_beside_its_results_are_no_results(tmp_path):
    place = tmp_path / "o__m" / "revision"
    place.mkdir(parents=True)
    (place / "model_meta.json").write_text(json.dumps({"name": "o/m"}))
    scores = {"test": [{"hf_subset": "default", "languages": ["eng-Latn"], "main_score": 0.5}]}
    task = {"task_name": "T", "mteb_version": "2.0.0", "scores": scores}
    (place / "T.json").write_text(json.dumps(task))
    saved(place / "T_predictions.json", default={"test": RETRIEVED})
    assert lf.read_scores(tmp_path)["value"].to_list() == [0.5]


# --- BEIR -----------------------------------------------------------------------------------------


def test_beirs_runfile(tmp_path):
    path = tmp_path / "dense.run.trec"
    lines = [f"{query} Q0 {name} 0 {score} beir\n" for query, name, score in ROWS]
    path.write_text("".join(lines))  # every document has the rank 0
    assert rows(lf.read_runs(path)) == ROWS
    with pytest.raises(lf.LexiframeError, match="needs ranks that differ within a query"):
        lf.positions(path, {"3": {"d1": 1}}, ties="rank")


def test_beirs_results_are_scores_and_no_run(tmp_path):
    groups = {
        "ndcg": {"NDCG@1": 0.5, "NDCG@10": 0.625},
        "map": {"MAP@1": 0.25, "MAP@10": 0.5},
        "recall": {"Recall@1": 0.25, "Recall@10": 0.75},
        "precision": {"P@1": 0.5, "P@10": 0.125},
        "mrr": {"MRR@10": 0.5},
    }
    path = tmp_path / "bge" / "nfcorpus.json"
    path.parent.mkdir()
    path.write_text(json.dumps(groups, indent=4))
    found = lf.read_scores(path)
    assert found.height == 9
    assert found.filter(measure="NDCG@10").select("run", "collection", "value").rows() == [
        ("bge", "nfcorpus", 0.625)
    ]
    for read, given in ((lf.read_runs, path), (lf.read_runs, groups), (lf.read_qrels, path)):
        with pytest.raises(lf.SchemaError, match=r"BEIR's util.save_results writes; leaderboard"):
            read(given)


def test_beirs_qrels(tmp_path):
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n3\td1\t2\n7\td2\t0\n")
    names = ("query_id", "doc_id", "relevance")
    assert rows(lf.read_qrels(path), *names) == [("3", "d1", 2.0), ("7", "d2", 0.0)]


# --- Lucene4IR, Anserini, Pyserini ----------------------------------------------------------------


def test_lucene4irs_results(tmp_path):
    """Its second field is the letters QO; Java writes small scores with an exponent."""
    path = tmp_path / "bm25_results.res"
    path.write_text("401 QO FT911-1 1 11.25 bm25\n401 QO FT911-2 2 9.5E-4 bm25\n")
    assert rows(lf.read_runs(path)) == [("401", "FT911-1", 11.25), ("401", "FT911-2", 0.00095)]


def test_anserinis_and_pyserinis_runs(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 d1 1 11.250000 Anserini\n1 Q0 d2 2 9.500000 Anserini\n")
    assert rows(lf.read_runs(path)) == [("1", "d1", 11.25), ("1", "d2", 9.5)]
    path = tmp_path / "run.tsv"
    path.write_text("1\td1\t1\n1\td2\t2\n")
    assert rows(lf.read_runs(path, third="rank")) == [("1", "d1", -1.0), ("1", "d2", -2.0)]
    with pytest.raises(lf.LexiframeError, match="third='rank'"):
        lf.read_runs(path)


# --- autojudge ------------------------------------------------------------------------------------


# --- recommenders ---------------------------------------------------------------------------------


def test_recboles_saved_recommendations(tmp_path):
    path = tmp_path / "BPR.inter"
    path.write_text("user_id:token\titem_id:token\tscore:float\n1\t5\t1.5\n1\t7\t0.5\n")
    assert rows(lf.read_runs(path)) == [("1", "5", 1.5), ("1", "7", 0.5)]
