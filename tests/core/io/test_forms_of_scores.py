"""Forms in which tools and people keep scores, boards and votes, each with what it means."""

import json

import polars as pl
import pytest

import lexiframe as lf

METRICS = [{"name": "Faithfulness", "score": 0.5}, {"name": "Bias", "score": 0.25}]
CASES = [{"name": f"case {n}", "metricsData": METRICS} for n in range(2)]
CHECKED = [{"query_id": str(n), "retrieved_context": [{"doc_id": "1"}],
            "metrics": {"f1": 0.5, "recall": 0.25}} for n in range(2)]  # fmt: skip
PROMPTED = [{"testIdx": n, "promptIdx": 0, "provider": {"id": "gpt", "label": ""}, "score": n / 2,
             "namedScores": {}, "latencyMs": 10} for n in range(2)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "content, expected",
    [
        ({"testResults": CASES}, {"Bias": 0.25, "Faithfulness": 0.5}),
        ({"testRunData": {"testCases": CASES, "hyperparameters": None}},
         {"Bias": 0.25, "Faithfulness": 0.5}),
        (CASES, {"Bias": 0.25, "Faithfulness": 0.5}),
        ({"results": CHECKED, "metrics": {"overall_metrics": {"f1": 50.0}}},
         {"f1": 0.5, "recall": 0.25}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 1])
def test_files_of_tools_have_their_metrics(tmp_path, content, expected, indent):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(content, indent=indent))
    found = lf.read_scores({"a": path})
    assert dict(found.group_by("measure").agg(pl.col("value").mean()).rows()) == expected
    assert found["query_id"].n_unique() == 2


@pytest.mark.parametrize("form", ["lines", "whole"])
def test_promptfoo_names_runs_and_requests(tmp_path, form):
    path = tmp_path / "out.json"
    whole = json.dumps({"evalId": "x", "results": {"version": 3, "results": PROMPTED}})
    path.write_text("\n".join(map(json.dumps, PROMPTED)) if form == "lines" else whole)
    assert lf.read_scores(path).rows() == [("gpt", "0", "out", 0.0), ("gpt", "1", "out", 0.5)]


@pytest.mark.parametrize(
    "text",
    ['{"testResults": [{"metricsData": 5}]}', '{"results": [1], "metrics": {}}',
     '{"testResults": [{"name": "x", "metricsData": null}]}', '[{"metrics": "f1", "a": "b"}]',
     '{"metrics": {"f1": "x"}, "query_id": "1"}', '{"testIdx": [1]}', '{"metrics": ',
     '{"testIdx": "\\ud800", "provider": {"id": 1}, "score": 1}',
     '{"metrics": {"f1": 1}}\n{"metrics": 1}'],
)  # fmt: skip
def test_what_is_none_of_these_is_an_error_of_ours(tmp_path, text):
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(lf.LexiframeError):
        lf.read_scores({"a": path})


@pytest.mark.slow
@pytest.mark.parametrize("query, run", [("question_id", "model"), ("Question ID", "model_id")])
@pytest.mark.parametrize("ids", [["1", "2"], [1, 2]])
def test_questions_and_models_by_their_ids(tmp_path, query, run, ids):
    table = pl.DataFrame({run: ["a", "a"], query: ids, "score": [5.0, 6.0]})
    assert lf.read_scores(table).rows() == [("a", "1", "score", 5.0), ("a", "2", "score", 6.0)]
    table.write_csv(tmp_path / "mt-bench.csv")
    assert lf.read_scores(tmp_path / "mt-bench.csv")["measure"].unique().to_list() == ["mt-bench"]


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["±", " ± ", " +/- ", "+-"])
def test_a_value_with_its_error_is_the_value(tmp_path, sign):
    board = pl.DataFrame({"model": ["a", "b"], "t": [f"50.1{sign}1.2", "49"],
                          "u": [f"5{sign}1", f"-4{sign}.5"]})  # fmt: skip
    board.write_csv(tmp_path / "board.csv")
    for given in (board, tmp_path / "board.csv"):
        assert lf.read_scores(given)["value"].to_list() == [50.1, 5.0, 49.0, -4.0]
    with pytest.raises(lf.ReadError, match="found '5 ± X'"):
        lf.read_scores(board.with_columns(u=pl.Series(["5 ± 1", "5 ± X"])))


def test_letters_of_inspect_ai_are_numbers():
    table = {"model": ["m"] * 4, "sample_id": list("1234"), "value": ["C", "I", "P", "N"]}
    columns = {"query_id": "sample_id"}
    for more in ({"measure": ["match"] * 4}, {}):
        found = lf.read_scores(pl.DataFrame(table | more), columns=columns)
        assert found["value"].to_list() == [1.0, 0.0, 0.5, 0.0]
    mixed = pl.DataFrame(table | {"measure": ["match"] * 4, "value": ["C", "I", "S", "1"]})
    with pytest.raises(lf.ReadError, match="expected a finite number as value, found 'C'"):
        lf.read_scores(mixed, columns=columns)


def test_measures_with_a_similarity_in_front(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("query_id,cosine_ndcg@10,nq_dot-MRR@10\n1,0.5,0.25\n2,0.75,0.5\n")
    found = lf.read_scores(path)
    assert found["run"].unique().to_list() == ["m"]
    runs = pl.DataFrame({"query_id": ["1"], "a": [0.5], "b": [0.25]})
    with pytest.raises(lf.LexiframeError, match="found names of measures: 1"):
        lf.read_scores({"cosine_ndcg@10": runs})
    e = lf.evaluate_scores({"a": path, "b": path}, "nDCG@10")
    assert e.means["measure"].unique().to_list() == ["cosine_ndcg@10"]


def votes(winners):
    return [{"question_id": str(n), "model_a": "x", "model_b": "y", "winner": winner}
            for n, winner in enumerate(winners)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "winners, expected",
    [
        ([1, 0.5, 0], ["a", "tie", "b"]),
        (["1.0", "0.5", "0"], ["a", "tie", "b"]),
        (["win", "lose", "tie"], ["a", "b", "tie"]),
        (["Win", "Loss", "No preference"], ["a", "b", "tie"]),
        (["leftvote", "rightvote", "tievote"], ["a", "b", "tie"]),
        (["A", "B", "Tie (both good)"], ["a", "b", "tie"]),
    ],
)
def test_winners_of_many_tongues(tmp_path, winners, expected):
    path = tmp_path / "votes.jsonl"
    path.write_text("\n".join(map(json.dumps, votes(winners))))
    for given in (votes(winners), pl.DataFrame(votes(winners)), path):
        assert lf.read_preferences(given).judgments["winner"].to_list() == expected
