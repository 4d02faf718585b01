"""``lexiframe evaluate --nuggets``: judgments of answers, from their files to the verdict."""

import json

import polars as pl
import pytest


@pytest.fixture
def files(tmp_path):
    for run, stated in {"a": "support", "b": "not_support"}.items():
        lines = [
            {"qid": f"q{n}", "run_id": run,
             "nuggets": [{"text": "It is red.", "importance": "vital", "assignment": stated},
                         {"text": "It is big.", "importance": "okay", "assignment": "support"}]}
            for n in range(6 if run == "a" else 5)
        ]  # fmt: skip
        text = "\n".join(map(json.dumps, lines))
        (tmp_path / f"{run}.jsonl").write_text(text)
    return [str(tmp_path / f"{run}.jsonl") for run in "ab"]


@pytest.mark.slow
def test_all_commands_that_take_scores_take_them(files, lexiframe):
    for command in ("evaluate", "compare", "verdict"):
        assert "NuggetRecall(vital)" in lexiframe(command, "--nuggets", *files).out
    named = lexiframe("evaluate", "--nuggets", f"mine={files[0]}", files[1], "-m", "all_score")
    assert "mine is best by NuggetRecall" in named.out


def test_options_about_rankings_are_refused(files, lexiframe):
    outcome = lexiframe("evaluate", "--nuggets", *files, "--depth", "2")
    assert outcome.status == 2
    assert "--depth says how judgments and runs are read" in outcome.err
    outcome = lexiframe("evaluate", "--nuggets", *files, "-m", "AP")
    assert outcome.status == 1
    assert (
        "AP: is no measure of answers judged by nuggets; leave it or --nuggets out" in outcome.err
    )
    outcome = lexiframe("evaluate", "--nuggets", "--scores", *files)
    assert "files have --scores or --nuggets, not both" in outcome.said
    outcome = lexiframe("evaluate", "--nuggets", *files, "--reuse", "old")
    assert "leave --reuse or --scores out" in outcome.err
    outcome = lexiframe("evaluate", "--nuggets", *files, "--measure-name", "mine")
    assert "leave them out for judged answers" in outcome.err


def test_what_failed_and_grades_need_options(lexiframe, tmp_path):
    nuggets = [{"text": "It is red.", "assignment": 3}, {"text": "It is.", "assignment": "failed"}]
    records = [{"qid": f"q{n}", "run_id": run, "nuggets": nuggets} for n in "12" for run in "ab"]
    file = tmp_path / "graded.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    how = ["evaluate", "--nuggets", str(file), "-m", "all_score", "--table", "scores"]
    assert "--max-grade, or the least that is stated, --rel" in lexiframe(*how).err
    assert "okay and not stated: --failed zero" in lexiframe(*how, "--max-grade", "6").err
    for scale, value in (("--max-grade", "6"), 0.25), (("--rel", "3"), 0.5):
        outcome = lexiframe(*how, *scale, "--failed", "zero", "--format", "csv")
        assert pl.read_csv(outcome.out.encode())["value"].to_list() == [value] * 4
    for option in (("--failed", "zero"), ("--max-grade", "3")):
        for what in ((str(file), "a.run"), ("--scores", str(file))):
            outcome = lexiframe("evaluate", *what, *option)
            assert f"{option[0]} is for --nuggets; leave it out" in outcome.said
    file.write_text('["q", []]')
    assert "and so do commands, as QRELS" in lexiframe(*how).err


def test_a_measure_has_a_page_by_its_other_names(lexiframe):
    assert lexiframe("measures", "strict_vital_score").out.startswith("NuggetRecall\n")


def test_other_readers_name_the_option(files, lexiframe):
    said = "evaluate --nuggets reads answers judged by nuggets"
    for how in (["--scores", *files], files):
        assert said in lexiframe("evaluate", *how).err
