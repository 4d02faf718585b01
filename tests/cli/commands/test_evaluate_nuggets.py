"""``lexiframe evaluate --nuggets``: judgments of answers, from their files to the verdict."""

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf


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


def test_the_scores_are_those_of_nugget_scores(files, lexiframe):
    how = ("-m", "all_score", "--table", "scores", "--format", "csv")
    found = pl.read_csv(lexiframe("evaluate", "--nuggets", *files, *how).out.encode())
    wanted = lf.nugget_scores(lf.read_nuggets(files), "NuggetRecall")
    assert found.select(wanted.columns).rows() == wanted.rows()


def test_what_is_written_names_the_files_that_were_read(files, lexiframe, tmp_path):
    lexiframe("evaluate", "--nuggets", *files, "-o", str(tmp_path / "results"))
    told = lf.read_results(tmp_path / "results").provenance["scores"]
    sums = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    assert told == [{"path": f, "sha256": s} for f, s in zip(files, sums, strict=True)]


def test_all_commands_that_take_scores_take_them(files, lexiframe):
    for command in ("evaluate", "compare", "verdict"):
        assert "NuggetRecall(vital)" in lexiframe(command, "--nuggets", *files).out
    named = lexiframe("evaluate", "--nuggets", f"mine={files[0]}", files[1], "-m", "all_score")
    assert "mine is best by NuggetRecall" in named.out


def test_options_about_rankings_are_refused(files, lexiframe):
    outcome = lexiframe("evaluate", "--nuggets", *files, "--rel", "2")
    assert outcome.status == 2
    assert "--rel says how judgments and runs are read" in outcome.err
    outcome = lexiframe("evaluate", "--nuggets", *files, "-m", "AP")
    assert outcome.status == 1
    assert "nugget_scores: AP is none of its measures" in outcome.err
    outcome = lexiframe("evaluate", "--nuggets", *files, "--reuse", "old")
    assert "leave --reuse or --scores out" in outcome.err


def test_a_measure_has_a_page_by_its_other_names(lexiframe):
    assert lexiframe("measures", "strict_vital_score").out.startswith("NuggetRecall\n")
