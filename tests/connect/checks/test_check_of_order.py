"""``lexiframe check`` of the order that scores give: ties, one score, scores against ranks."""

import json

import pytest

QUERIES = [f"q{n}" for n in range(20)]


def text(scores):
    """A run with the same scores of documents, in the order of a, b, c ..., in all requests."""
    return "".join(
        f"{query} Q0 {doc} {rank} {score} t\n"
        for query in QUERIES
        for rank, (doc, score) in enumerate(zip("abcdefgh", scores, strict=False), 1)
    )


@pytest.fixture
def folder(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "one.run").write_text(text([1] * 4))
    (runs / "turned.run").write_text(text([1, 2, 3, 4]))
    (runs / "ties.run").write_text(text([5, 5, 5, 4, 4, 3, 2, 1]))
    (runs / "good.run").write_text(text([4, 3, 2, 2]))
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    (tmp_path / "last.txt").write_text("".join(f"{query} 0 h 1\n" for query in QUERIES))
    return tmp_path


def found(outcome):
    return {
        row["file"].rpartition("/")[2]: (row["problem"], row["found"], row["advice"])
        for row in json.loads(outcome.out)
    }


def test_with_judgments_the_range_does(folder, lexiframe):
    runs = folder / "runs"
    outcome = lexiframe("check", runs, folder / "qrels.txt", "--format", "json")
    assert outcome.status == 1
    assert outcome.err == "files checked: 5, with problems: 3\n"
    said = found(outcome)
    ranges = "AP may be 0.333 to 1.000, RR 0.333 to 1.000 and nDCG@10 0.500 to 1.000"
    assert said["ties.run"][:2] == ("ties", f"equal scores by whose order its {ranges}")
    kinds = [row["problem"] for row in json.loads(outcome.out) if "one.run" in row["file"]]
    assert kinds == ["one score", "ties"]
    # the relevant document has a score of its own: the order of the others changes nothing
    outcome = lexiframe("check", runs / "ties.run", folder / "last.txt")
    assert (outcome.status, outcome.out) == (0, "")


def test_without_one_file_of_judgments_the_share_counts(folder, lexiframe):
    run, qrels = folder / "runs" / "ties.run", folder / "qrels.txt"
    outcome = lexiframe("check", run, qrels, folder / "last.txt", "--format", "json")
    assert found(outcome)["ties.run"][1].startswith("equal scores for 62.5 %")
    other = folder / "other.txt"
    other.write_text("z 0 a 1\n")
    outcome = lexiframe("check", run, other, "--format", "json")
    said = found(outcome)
    assert said["ties.run"][1].startswith("equal scores for 62.5 %")
    assert said["other.txt"][0] == "doubt"
    assert said["other.txt"][1].startswith("runs beside them that cannot be evaluated with them: ")


@pytest.mark.slow
def test_ids_that_match_nothing_while_those_of_another_run_do(folder, lexiframe):
    """Documents with a prefix, or other requests; and judgments that are a run."""
    run = folder / "runs" / "good.run"
    lines = [line.split() for line in run.read_text().splitlines()]
    for name, place, prefix in (("docs.run", 2, "doc-"), ("requests.run", 0, "topic-")):
        other = [[*line[:place], prefix + line[place], *line[place + 1 :]] for line in lines]
        (folder / name).write_text("".join(" ".join(line) + "\n" for line in other))
        outcome = lexiframe("check", run, folder / name, folder / "qrels.txt", "--format", "json")
        assert found(outcome)[name][:2] == ("doubt", "none of them")
        assert list(found(outcome)) == [name]


def test_runs_are_turned_by_all_commands(folder, lexiframe):
    run, qrels = folder / "runs" / "turned.run", folder / "qrels.txt"
    outcome = lexiframe("evaluate", qrels, run, "-m", "RR")
    assert "disagree: 1 ('turned'); in 20 of 20 requests (query 'q0': " in outcome.err
    assert "as of distances and losses, with --better low" in outcome.err
    outcome = lexiframe("evaluate", qrels, run, "-m", "RR", "--ranked-by", "rank")
    assert outcome.err == ""
    means = ("evaluate", qrels, run, "-m", "RR", "--table", "means", "--format", "json")
    outcome = lexiframe(*means, "--better", "low")
    assert outcome.err == ""
    assert [row["mean"] for row in json.loads(outcome.out)] == [1.0]
    assert lexiframe("convert", run, folder / "new.run", "--better", "low").status == 0
    assert lexiframe("check", folder / "new.run").status == 0
    assert lexiframe("overlap", run, folder / "new.run", "--better", "high").err
