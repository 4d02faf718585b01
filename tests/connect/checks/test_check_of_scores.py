"""``lexiframe check`` of votes, scores and results of tools: what is wrong, and what is doubted."""

import json

import pytest

VOTES = "qid,left,right,winner\n1,1,2,1\n2,2,1,1\n"
FILES = {
    "votes.csv": (VOTES, "file", "'1', which may be the name of a run and the other side"),
    "answers.csv": (
        "prompt,chosen,rejected\np1,Sure.,No.\np2,Yes.,Never.\n", "file", "look like answers"),
    "board.csv": (
        "model,T1,T2,T3,Average\na,0.5,0.6,0.7,0.6\nb,0.4,0.55,0.66,0.536667\n", "doubt",
        "collections whose values are the means of the others"),
    "scores.csv": (
        "run,qid,measure,value\na,1,AP,0.51\na,2,AP,0.25\na,3,AP,0.11\na,mean,AP,0.29\n",
        "doubt", "requests whose values are the means of the others"),
    "units.csv": ("model,A,B,elo\na,0.5,0.6,1200\nb,0.4,0.7,1100\n", "doubt", "above 100"),
}  # fmt: skip


def test_good_votes_and_scores_have_no_problem(tmp_path, lexiframe):
    (tmp_path / "votes.csv").write_text("qid,left,right,winner\n1,x,y,left\n2,y,x,tie\n")
    (tmp_path / "board.csv").write_text("model,A,B\na,0.5,0.25\nb,0.4,0.75\n")
    outcome = lexiframe("check", tmp_path / "votes.csv", tmp_path / "board.csv")
    assert (outcome.status, outcome.out) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("text", [
    "query_id,bm25,dense\nq1,0.5,0.25\nq2,.1,7.5e-1\n", "qid;map;ndcg\nq1;0.5;0.25\n",
    "Model,A,B\na,0.5,0.25\nb,0.4,0.75\n", "Model Name\tA\tB\na\t0.5\t0.25\n",
])  # fmt: skip
def test_scores_are_known_by_their_columns(tmp_path, lexiframe, text):
    (tmp_path / "scores.csv").write_text(text)
    for options in ([], ["--as", "scores"]):
        outcome = lexiframe("check", tmp_path / "scores.csv", *options)
        assert (outcome.status, outcome.out) == (0, "")


@pytest.mark.parametrize("text", [
    "run,date,lr,ndcg\na,2024-01-01,0.1,0.5\n", "run,epoch,loss\na,1,0.5\na,2,0.25\n"
])  # fmt: skip
def test_what_may_be_a_log_is_said_so(tmp_path, lexiframe, text):
    (tmp_path / "log.csv").write_text(text)
    (row,) = json.loads(lexiframe("check", tmp_path / "log.csv", "--format", "json").out)
    assert row["advice"] == "if it is a log of experiments, lexiframe.read_log reads it"
    assert not row["found"].startswith(",")


def test_what_winners_mean_is_said_with_value(tmp_path, lexiframe):
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    assert "--value 1=a for sides" in lexiframe("votes", path).err
    assert lexiframe("votes", path, "--prior", "1", "--value", "1=a").status == 0
    assert "expected WINNER=SIDE (1=a), found 'x'" in lexiframe("votes", path, "--value", "x").err


def test_each_file_of_results_is_checked_and_all_together(tmp_path, lexiframe):
    one, two = ({"main_score": 0.5, "hf_subset": name} for name in ("en", "de"))
    for model, parts in (("a", [one, two]), ("b", [one])):
        place = tmp_path / model / "r"
        place.mkdir(parents=True)
        (place / "model_meta.json").write_text(json.dumps({"name": model}))
        (place / "T.json").write_text(json.dumps({"scores": {"test": parts}}))
    outcome = lexiframe("check", tmp_path, "--format", "json")
    assert [row["problem"] for row in json.loads(outcome.out)] == ["doubt"]
    assert "are gaps: 1 ('b in T')" in outcome.out
    (tmp_path / "b" / "r" / "T.json").write_text('{"scores": {}, "scores": {}}')
    outcome = lexiframe("check", tmp_path, "--format", "json")
    (row,) = json.loads(outcome.out)
    assert row["file"].endswith("b/r/T.json")
    assert "two fields are named 'scores'" in row["found"]
