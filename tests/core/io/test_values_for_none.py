"""Numbers that stand for none: scores that failed, and documents where no neighbour was found."""

import json
import random

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

DOUBT = r"if {0:g} stands for no value, na_values={0:g} reads it as none"
NO_NEIGHBOUR = (
    r"expected ids of documents, found -1 in {} rows?, beside whole numbers: no neighbour, as in "
    "faiss; na_values=-1"
)


def judged(none):
    """Scores by request of two runs, of which b has ``none`` for every fifth request."""
    draw = random.Random(7)
    rows = [
        (run, str(q), none if run == "b" and q % 5 == 0 else draw.randint(10, 40) / 4)
        for run in "ab"
        for q in range(30)
    ]
    table = pl.DataFrame(rows, ["run", "query_id", "value"], orient="row")
    return table.with_columns(measure=pl.lit("rubric"), smaller_is_better=False)


@pytest.mark.parametrize("none", [-1.0, -999.0])
def test_scores_of_a_judge_that_failed_are_doubted_and_may_be_none(tmp_path, none):
    scores = judged(none)
    whole = scores.filter((pl.col("value") > 0).all().over("query_id"))
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in scores.to_dicts()))
    for given in (scores, path):
        said = rf"found {none:g} as 6 values of 1 \('rubric'\), all others from .*"
        with pytest.warns(lf.LexiframeWarning, match=said + DOUBT.format(none)):
            lf.evaluate_scores(given)
        for na_values in (none, [0.25, none]):
            found = lf.evaluate_scores(given, na_values=na_values, missing="common")
            assert found.means.equals(lf.evaluate_scores(whole).means)
        with pytest.raises(lf.ReadError, match="6 such gaps in all"):
            lf.read_scores(given, na_values=none)


def test_losses_and_correlations_are_values():
    for values in ([-1.0, 0.0, 1.0], [-1.0, -0.5, 2.0], [-0.5, 0.5, 1.0]):
        lf.read_scores({"a": pl.DataFrame({"query_id": ["1", "2", "3"], "tau": values})})


BOARD = {"model": ["a", "b", "c"], "news": [50.0, 60, 55], "law": [40.0, -1, 50],
         "sport": [30.0, 40, 35]}  # fmt: skip


def test_a_result_that_is_missing_is_a_gap(tmp_path, lexiframe):
    path = tmp_path / "board.csv"
    pl.DataFrame(BOARD).write_csv(path)
    long = pl.DataFrame(BOARD).unpivot(index="model", variable_name="task", value_name="score")
    for given in (pl.DataFrame(BOARD), long, path):
        with pytest.warns(lf.LexiframeWarning, match=r"found -1 as 1 value of 1 \('law'\)"):
            assert lf.leaderboard(given).ranking.height == 3
        with pytest.warns(lf.LexiframeWarning, match=r"are gaps.* 1 \(b in law\)"):
            found = lf.leaderboard(given, na_values=-1)
        assert found.gaps.select("run", "collection").rows() == [("b", "law")]
    assert "--na-values -1 reads it as none" in lexiframe("leaderboard", path).err
    found = lexiframe("leaderboard", path, "--na-values", "-1", "--format", "csv")
    assert "b" not in [line.split(",")[1] for line in found.out.splitlines()]


def test_results_of_a_tool_may_be_missing(tmp_path):
    for run, value in (("a", 0.5), ("b", -1), ("c", 0.25)):
        (tmp_path / run).mkdir()
        results = {task: {"acc,none": x} for task, x in (("law", value), ("news", 0.75))}
        named = {"results": results, "model_name": run}
        (tmp_path / run / "results_2024-05-01T10-00-00.000000.json").write_text(json.dumps(named))
    with pytest.warns(lf.LexiframeWarning, match=r"found -1 as 1 value of 1 \('law'\)"):
        lf.leaderboard(tmp_path)
    with pytest.warns(lf.LexiframeWarning, match=r"are gaps.* 1 \(b in law\)"):
        assert lf.read_scores(tmp_path, na_values=-1).height == 5


def test_a_vote_with_a_score_that_failed_has_no_winner(tmp_path, lexiframe):
    rows = [{"question_id": str(q), "model_a": "x", "model_b": "y", "score_a": 4, "score_b": 3}
            for q in range(3)]  # fmt: skip
    rows[1]["score_a"] = -1
    path = tmp_path / "votes.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    for given in (rows, pl.DataFrame(rows), path):
        with pytest.warns(lf.LexiframeWarning, match=DOUBT.format(-1)):
            assert lf.read_preferences(given).judgments["winner"].to_list() == ["a", "b", "a"]
        with pytest.warns(lf.LexiframeWarning, match="without a winner, left out: 1 rows"):
            assert lf.read_preferences(given, na_values=-1).judgments.height == 2
    chosen = {"query_id": ["1", "2"], "chosen_model": ["x", "x"], "rejected_model": ["y", "y"],
              "scores_chosen": [-9.0, 2.0], "scores_rejected": [1.0, 1.0]}  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="without a winner"):
        assert lf.read_preferences(pl.DataFrame(chosen), na_values=-9).judgments.height == 1
    with pytest.raises(lf.SchemaError, match="1 rows without a winner"):
        lf.read_preferences(rows[1:2], na_values=-1)
    assert "--na-values -1" in lexiframe("votes", path).err
    said = lexiframe("votes", path, "--na-values", "-1", "--prior", "1").out
    assert "x is the strongest of 2 runs" in said


TRUTH = {q: np.array([q, -1]) for q in range(10)}
FOUND = {q: np.array([100 + q, -1]) for q in range(10)}


def test_no_neighbour_is_no_document():
    for runs, qrels in (({"hnsw": FOUND}, {0: [100]}), ({"hnsw": {0: [7, 8]}}, TRUTH)):
        with pytest.raises(lf.SchemaError, match=NO_NEIGHBOUR.format(10)) as error:
            lf.positions(runs, qrels)
        assert "give this to read_runs or read_qrels" in error.value.__notes__[0]
    runs, qrels = lf.read_runs({"hnsw": FOUND}, na_values=-1), lf.read_qrels(TRUTH, na_values=-1)
    with pytest.warns(lf.LexiframeWarning, match="no relevant document was retrieved"):
        p = lf.positions(runs, qrels)
    assert lf.scores(p, "R@2")["value"].to_list() == [0.0] * 10
    several = lf.read_runs({"hnsw": {0: [7, -1, -1]}}, na_values=-1)
    assert several["doc_id"].to_pylist() == ["7"]


ROWS = pl.DataFrame({"query_id": [1, 1, 2, 2], "doc_id": [3, -1, -1, -1], "score": [4.0, 3, 2, 1]})


@pytest.mark.parametrize("ending", ["run", "csv", "jsonl", "parquet"])
def test_files_of_whole_numbers_have_no_neighbours(tmp_path, ending):
    path = tmp_path / f"hnsw.{ending}"
    write = {"csv": ROWS.write_csv, "jsonl": ROWS.write_ndjson, "parquet": ROWS.write_parquet}
    if ending == "run":
        path.write_text("".join(f"{q} Q0 {d} 1 {s} hnsw\n" for q, d, s in ROWS.rows()))
    else:
        write[ending](path)
    with pytest.raises(lf.SchemaError, match=NO_NEIGHBOUR.format(3)):
        lf.read_runs(path)
    found = lf.read_runs(path, na_values=[-1, -2])
    assert found.select(["query_id", "doc_id", "score"]).to_pylist() == [
        {"query_id": "1", "doc_id": "3", "score": 4.0},
        {"query_id": "2", "doc_id": None, "score": None},  # an empty list
    ]
    assert lf.read_runs(path, na_values=[]).num_rows == 4


def test_a_name_or_a_hash_may_be_minus_one():
    named, hashed = ROWS.with_columns(doc_id=pl.Series(["d3", "-1", "x", "y"])), ROWS[:2]
    assert lf.read_runs({"a": named}).num_rows == 4
    hashed = hashed.with_columns(doc_id=pl.Series([-1, -77]))
    assert lf.read_runs({"a": hashed}).num_rows == 2


def test_parts_refuse_no_neighbours_too(tmp_path):
    for ids in (pl.Int64, pl.String):
        path = tmp_path / "hnsw.parquet"
        ROWS.with_columns(pl.col("doc_id").cast(ids)).write_parquet(path)
        with pytest.raises(lf.SchemaError, match=NO_NEIGHBOUR.format(3)):
            lf.evaluate({"hnsw": path, "b": ROWS[:1]}, {"1": {"3": 1}}, "AP", memory="1kB")


def test_grades_of_a_judge_that_failed_are_no_judgments(tmp_path, lexiframe):
    text = "1 0 3 1\n1 0 4 -1\n2 0 3 0\n2 0 -1 2\n"
    (tmp_path / "llm.txt").write_text(text)
    with pytest.raises(lf.SchemaError, match=NO_NEIGHBOUR.format(1)):
        lf.read_qrels(tmp_path / "llm.txt")
    found = lf.read_qrels(tmp_path / "llm.txt", na_values=-1)
    assert found.select(["query_id", "doc_id"]).to_pydict() == {
        "query_id": ["1", "2"], "doc_id": ["3", "3"]}  # fmt: skip
    (tmp_path / "people.txt").write_text("1 0 3 1\n1 0 4 1\n2 0 3 0\n")
    (tmp_path / "other.txt").write_text("1 0 3 1\n1 0 4 -9\n2 0 3 0\n")
    judges = [f"{name}={tmp_path / name}.txt" for name in ("people", "other")]
    options = [one for judge in judges for one in ("--qrels", judge)]
    found = lexiframe("judges", *options, "--na-values", "-9", "--format", "json")
    assert found.status == 0
    assert '"n_common": 2' in found.out or '"n": 2' in found.out


def test_options_of_the_command_line_read_runs_and_judgments(tmp_path, lexiframe):
    (tmp_path / "q.txt").write_text("1 0 3 1\n1 0 4 0\n")
    (tmp_path / "a.run").write_text("1 Q0 -1 1 2 a\n1 Q0 3 2 1 a\n")
    (tmp_path / "b.run").write_text("1 Q0 3 1 2 b\n1 Q0 4 2 1 b\n")
    given = ["evaluate", tmp_path / "q.txt", tmp_path / "a.run", tmp_path / "b.run", "-m", "RR"]
    refused = lexiframe(*given)
    assert refused.status == 1
    assert "--na-values -1 leaves these rows out" in refused.err
    found = lexiframe(*given, "--na-values", "-1", "--format", "csv")
    assert found.status == 0
    assert [line.split(",")[2] for line in found.out.splitlines()[1:]] == ["1.0", "1.0"]


def test_what_stands_for_none_is_a_number():
    with pytest.raises(TypeError, match="expected na_values to be a number or a list"):
        lf.read_runs({"a": FOUND}, na_values="-1")


def test_rewards_may_be_negative():
    rewards = {"query_id": ["1", "2"], "chosen_model": ["x", "x"], "rejected_model": ["y", "y"],
               "scores_chosen": [-1.0, 2.0], "scores_rejected": [0.5, 1.0]}  # fmt: skip
    assert lf.read_preferences(pl.DataFrame(rewards)).judgments["winner"].to_list() == ["b", "a"]
