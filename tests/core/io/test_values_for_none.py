"""Numbers that stand for none: scores that failed, and documents where no neighbour was found."""

import json
import random

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


@pytest.mark.slow
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
    assert "x has the greatest strength of 2 runs" in said


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


def test_rewards_may_be_negative():
    rewards = {"query_id": ["1", "2"], "chosen_model": ["x", "x"], "rejected_model": ["y", "y"],
               "scores_chosen": [-1.0, 2.0], "scores_rejected": [0.5, 1.0]}  # fmt: skip
    assert lf.read_preferences(pl.DataFrame(rewards)).judgments["winner"].to_list() == ["b", "a"]
