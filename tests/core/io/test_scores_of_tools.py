"""Scores in the forms of ragas, deepeval, MTEB 1.0 and lm-evaluation-harness, and their gaps."""

import json
from math import nan

import polars as pl
import pytest

import lexiframe as lf

A = [{"faithfulness": 0.5}, {"faithfulness": nan}, {"faithfulness": 0.75}, {"faithfulness": 1.0}]
B = [{"faithfulness": 0.25}, {"faithfulness": 0.5}, {"faithfulness": None}, {"faithfulness": 0.5}]
UNKNOWN = "measures of which larger values count as better"
LEFT_OUT = "columns of text, which are no scores, left out"


def _means(scores, missing):
    with pytest.warns(lf.LexiframeWarning, match=UNKNOWN):
        e = lf.evaluate_scores(scores, missing=missing)
    return {run: (mean, n) for run, mean, n in e.means.select("run", "mean", "n").rows()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "missing, found",
    [
        ("common", {"a": (0.75, 2), "b": (0.375, 2)}),
        ("zero", {"a": (0.5625, 4), "b": (0.3125, 4)}),
        ("own", {"a": (0.75, 3), "b": (1.25 / 3, 3)}),
    ],
)
def test_cells_without_a_value_are_what_missing_says(missing, found):
    assert _means({"a": A, "b": B}, missing) == found
    frames = {
        name: pl.DataFrame(rows, strict=False).with_row_index("query_id")
        for name, rows in (("a", A), ("b", B))
    }
    assert _means(frames, missing) == found


def test_a_measure_that_is_nowhere_for_a_request_leaves_it_out():
    with pytest.warns(lf.LexiframeWarning, match="requests without a value for any run"):
        found = lf.read_scores([{"em": 1.0}, {"em": None}], run="a")
    assert found["query_id"].to_list() == ["1"]


def test_columns_of_text_are_left_out_by_name(tmp_path):
    path = tmp_path / "ragas.csv"
    path.write_text(
        "user_input,retrieved_contexts,response,faithfulness\n"
        "When?,['In 1969'],It was 1969,0.5\nWho?,\"['A', 'B']\",B,0.25\n"
    )
    with pytest.warns(lf.LexiframeWarning, match=rf"{LEFT_OUT}: 2 \('retrieved_contexts', 'resp"):
        found = lf.read_scores({"a": path})
    assert found.rows() == [
        ("a", "When?", "faithfulness", 0.5),
        ("a", "Who?", "faithfulness", 0.25),
    ]
    lists = pl.DataFrame({"qid": ["q1"], "retrieved_contexts": [["x"]], "faithfulness": [0.5]})
    with pytest.warns(lf.LexiframeWarning, match=rf"{LEFT_OUT}: 1 \('retrieved_contexts'\)"):
        assert lf.read_scores({"a": lists})["value"].to_list() == [0.5]


@pytest.mark.parametrize("text", ["0,5", "50 %", "0.5/0.75", "2024-01-01"])
def test_text_that_may_be_a_number_is_refused(text):
    board = pl.DataFrame({"model": ["a", "b"], "x": [text, text], "y": [0.5, 0.25]})
    with pytest.raises(lf.SchemaError, match=rf"found text in 1 \('x'\), '{text}'; give a frame"):
        lf.leaderboard(board)


def test_text_that_may_name_the_rows_is_refused():
    scores = pl.DataFrame({"engine": ["a", "b"], "AP": [0.5, 0.25]})
    with pytest.raises(lf.LexiframeError, match="call engine run or query_id"):
        lf.read_scores(scores, measure="AP")


@pytest.mark.parametrize("field", ["metrics_data", "metricsData"])
def test_results_of_deepeval(field):
    results = [
        {"name": f"test_case_{n}", "success": True, "input": "When?", field: [
            {"name": "Faithfulness", "score": score, "threshold": 0.5, "success": True},
            {"name": "Bias", "score": 0.0, "threshold": 0.5, "success": True},
        ]} for n, score in enumerate([0.5, 1.0])
    ]  # fmt: skip
    found = lf.read_scores({"a": results})
    assert found.filter(measure="Faithfulness").select("query_id", "value").rows() == [
        ("test_case_0", 0.5), ("test_case_1", 1.0)
    ]  # fmt: skip


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def test_files_of_mteb_1_are_read_or_left_out_by_name(tmp_path):
    first = {"mteb_version": "1.0.2", "dataset_revision": "r"}
    banking = first | {"mteb_dataset_name": "Banking", "test": {"f1": 0.1, "main_score": 0.75}}
    massive = first | {"mteb_dataset_name": "Massive", "test": {
        "en": {"main_score": 0.5}, "de": {"main_score": 0.25}, "evaluation_time": 3.5}}  # fmt: skip
    _write(tmp_path / "old/Banking.json", banking)
    _write(tmp_path / "old/Massive.json", massive)
    _write(tmp_path / "old/T2.json", first | {"mteb_dataset_name": "T2", "dev": {"ndcg_at_1": 0.5}})
    _write(tmp_path / "new/r1/model_meta.json", {"name": "org/new"})
    _write(tmp_path / "new/r1/Banking.json", {"task_name": "Banking", "mteb_version": "2.0.0",
           "scores": {"test": [{"main_score": 0.5, "hf_subset": "default",
                                "languages": ["eng-Latn"]}]}})  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match=r"T2.json: left out, as MTEB 1.0 named no main"):
        found = lf.read_scores(tmp_path)
    assert found.select("run", "collection", "value").rows() == [
        ("old", "Banking", 0.75), ("old", "Massive", 0.375), ("org__new", "Banking", 0.5)
    ]  # fmt: skip


@pytest.mark.parametrize("folder", ["bge", "bge/5d1b2c3d4e", "bge/no_revision_available"])
def test_a_task_of_mteb_without_metadata_is_of_the_model_that_its_folder_names(folder, tmp_path):
    scores = {"test": [{"main_score": 0.5, "hf_subset": "default"}]}
    task = {"mteb_version": "1.0", "task_name": "Banking", "scores": scores}
    _write(tmp_path / folder / "Banking.json", task)
    found = lf.read_scores(tmp_path)
    assert found.select("run", "collection", "value").rows() == [("bge", "Banking", 0.5)]
    _write(tmp_path / folder / "Banking.json", {"mteb_version": "1.0"})
    with pytest.raises(lf.ReadError, match=r"expected scores by split, .* found none"):
        lf.read_scores(tmp_path)


def test_results_of_earlier_versions_of_lm_evaluation_harness(tmp_path):
    results = {"arc": {"acc": "0.5", "acc_stderr": "0.125"}, "ppl": {"word_perplexity": "12.5"}}
    config = {"model": "hf", "model_args": "pretrained=org/a"}
    content = {"results": results, "versions": {"arc": 0, "ppl": 1}, "config": config}
    _write(tmp_path / "llama.json", content)
    for given in (tmp_path, tmp_path / "llama.json"):
        assert lf.read_scores(given).select("run", "collection", "value").rows() == [
            ("org__a", "arc", 0.5), ("org__a", "ppl", 12.5)
        ]  # fmt: skip
    _write(tmp_path / "llama.json", {**content, "results": {"arc": {"acc": "high"}}})
    with pytest.raises(lf.ReadError, match="expected a finite number as score, found 'high'"):
        lf.read_scores(tmp_path)


def test_name_of_scores_on_the_command_line(tmp_path, lexiframe):
    for name, values in (("one", (0.5, 0.25)), ("two", (0.75, 0.5))):
        rows = "".join(f"q{n},{value}\n" for n, value in enumerate(values))
        (tmp_path / f"{name}.csv").write_text(f"query_id,AP\n{rows}")
    files = f"bm25={tmp_path}/one.csv", f"dense={tmp_path}/two.csv"
    found = lexiframe("evaluate", "--scores", *files, "--format", "csv").out
    assert [line.split(",")[:3] for line in found.split()[1:]] == [
        ["dense", "AP", "0.625"], ["bm25", "AP", "0.375"]
    ]  # fmt: skip
    outcome = lexiframe("evaluate", "--scores", *files, "--out", tmp_path / "one.csv")
    assert outcome.status == 1
    assert lexiframe("compare", "--scores", *files, "--format", "csv").out.count("bm25") == 1
