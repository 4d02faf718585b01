"""``lexiframe gate``: what it prints and writes, its exit status, and what it refuses."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.decide.gates.gate_coverage import COVERAGE_OF_BOTH

EXAMPLE = lf.bundled("example")
QRELS, RUNS = EXAMPLE / "qrels.txt", EXAMPLE / "runs"
GOOD, BAD = RUNS / "pixels_euclidean.run", RUNS / "random.run"


@pytest.fixture
def gate(lexiframe):
    return partial(lexiframe, "gate")


@pytest.fixture(scope="module")
def two_folders(tmp_path_factory):
    """The same file name in the folders of two branches."""
    folder = tmp_path_factory.mktemp("checkout")
    for branch, run in (("main", GOOD), ("pr", RUNS / "pca8_euclidean.run")):
        (folder / branch / "runs").mkdir(parents=True)
        shutil.copy(run, folder / branch / "runs" / "bm25.run")
    return folder


def rows(outcome):
    return {row["measure"]: row for row in json.loads(outcome.out)}


# --- What it prints and writes ------------------------------------------------------------------


def test_a_run_against_itself_is_no_evidence(gate):
    given = [QRELS, GOOD, GOOD, "-m", "ndcg_cut_10,RPP", "--margin", "1%", "--margin", "RPP=.05"]
    outcome = gate(*given)
    assert outcome.status == 1
    said = "pixels_euclidean (candidate) and pixels_euclidean (baseline) are one file"
    assert f"found that {said}; check that no file was given twice" in outcome.err
    outcome = gate(*given, "--same-ok")
    assert outcome.status == 0
    assert " ".join(outcome.out.split()).startswith(f"PASS: nothing changed: {said} (n = 5 of 5")


@pytest.mark.slow
def test_a_copy_has_changed_nothing(gate, tmp_path):
    """Exit status 0; the first word is the outcome, in each format."""
    copy = shutil.copy(GOOD, tmp_path / "new.run")
    given = [QRELS, GOOD, copy, "--margin", "AP=0.1,RPP=0.1"]
    for format in ("table", "markdown", "junit", "json", "csv"):
        outcome = gate(*given, "--format", format)
        assert outcome.status == 0
        said = outcome.out if format == "table" else outcome.err
        assert " ".join(said.split()).startswith("PASS: nothing changed: new ranks the same")
    assert gate(*given, "--format", "markdown").out.startswith("### PASS: ")
    found = rows(gate(*given, "--format", "json"))
    assert {row["why"].split()[0] for row in found.values()} == {"PASS:"}
    assert {row["p_value"] for row in found.values()} == {None}
    tree = ElementTree.fromstring(gate(*given, "--format", "junit").out.encode())
    assert tree.find(".//system-out").text.startswith("PASS: nothing changed")
    better = gate(*given, "--require", "better")
    assert better.status == 3
    assert better.out.startswith("FAIL: nothing changed: ")
    assert gate(*given, "--sequential", tmp_path / "state.json", "--planned", 60).status == 3


def test_judgments_of_another_collection_are_refused(gate, tmp_path):
    other = tmp_path / "other.txt"
    asked = lf.read_qrels(QRELS)["query_id"].unique().to_pylist()
    other.write_text("".join(f"{query} 0 elsewhere 1\n" for query in asked))
    outcome = gate(other, GOOD, BAD, "--margin", "AP=0.1")
    assert outcome.status == 1
    assert "expected judgments of the collection that the runs search" in outcome.err


def test_a_run_that_is_cut_off_is_refused(gate, tmp_path):
    cut, lines = tmp_path / "cut.run", BAD.read_text().splitlines(keepends=True)
    first = sorted({line.split()[0] for line in lines})[:2]
    cut.write_text("".join(line for line in lines if line.split()[0] in first))
    outcome = gate(QRELS, cut, GOOD, "--margin", "AP=0.1")
    assert outcome.status == 1
    said = outcome.said
    assert "gate: expected rankings of both runs for all judged requests, found 3 of 5 mis" in said
    for missing, n in (("zero", 5), ("drop", 2)):
        options = ["--margin", "AP=0.1", "--missing", missing, "--format", "json"]
        assert rows(gate(QRELS, cut, GOOD, *options))["AP"]["n"] == n


def test_an_undecided_run_does_not_pass(gate, two_folders):
    runs = [two_folders / branch / "runs" / "bm25.run" for branch in ("main", "pr")]
    outcome = gate(QRELS, *runs, "--margin", "nDCG@10=2%", "--format", "json")
    assert outcome.status == 3
    row = rows(outcome)["nDCG@10"]
    assert (row["outcome"], row["required"]) == ("undecided", 78)
    assert (row["baseline"], row["candidate"]) == ("main/runs/bm25.run", "pr/runs/bm25.run")
    assert outcome.err.startswith("UNDECIDED: nDCG@10 does not show whether pr/runs/bm25.run is")
    named = gate(QRELS, *runs, "--margin", "nDCG@10=2%", "--name-from", "tag", "--format", "json")
    assert rows(named)["nDCG@10"]["candidate"] == "pca8_euclidean"


def judged_documents(run):
    """For each judged request, the documents of a run's first ten, and those that are judged."""
    judged = {(line.split()[0], line.split()[2]) for line in QRELS.read_text().splitlines()}
    rankings = {}
    for line in run.read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        rankings.setdefault(query, []).append((float(score), doc))
    first = [
        (query, doc)
        for query, ranking in rankings.items()
        if query in {query for query, _ in judged}
        for _, doc in sorted(ranking, reverse=True)[:10]
    ]
    return sum(pair in judged for pair in first) / len(first)


@pytest.mark.slow
def test_the_coverage_of_both_runs_is_said_everywhere(gate, tmp_path):
    query = BAD.read_text().split()[0]
    kept = [line for line in BAD.read_text().splitlines() if line.split()[0] != query]
    run = tmp_path / "cut.run"
    run.write_text("\n".join(kept) + "\n")
    asked = [QRELS, GOOD, run, "--margin", "AP=0.1", "--missing", "zero"]
    row = rows(gate(*asked, "--format", "json"))["AP"]
    assert [row[name] for name in COVERAGE_OF_BOTH[:3]] == [5, 5, 4]
    shares = [row[name] for name in COVERAGE_OF_BOTH[3:]]
    assert shares == pytest.approx([judged_documents(GOOD), judged_documents(run)])
    said = "5 requests, of which pixels_euclidean has 5 and cut 4; judged among their first 10"
    outcome = gate(*asked, "--junit", tmp_path / "junit.xml")
    assert f"Coverage: {said}" in " ".join(outcome.out.split())
    least = int(100 * min(shares))
    inside = (
        f"n = 5 of 5 requests, 1 of them without cut, at least {least} % of the first 10 documents "
        "of each run judged"
    )
    assert inside in " ".join(outcome.out.split())
    tree = ElementTree.parse(tmp_path / "junit.xml")
    assert tree.find(".//property[@name='coverage']").get("value").startswith(said)
    assert said in gate(*asked, "--format", "markdown").out.replace("\\", "")
    dropped = rows(gate(*asked[:-1], "drop", "--format", "json"))["AP"]
    assert (dropped["n"], dropped["requests"], dropped["candidate_answered"]) == (4, 5, 4)


def test_groups_of_requests(gate, tmp_path):
    queries = lf.read_qrels(QRELS)["query_id"].unique().to_pylist()
    kinds = pl.DataFrame({"qid": sorted(queries), "kind": [*"xyxyy"]})
    kinds.write_csv(tmp_path / "kinds.csv")
    options = ["--requests", tmp_path / "kinds.csv", "--by", "kind"]
    outcome = gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", *options, "--format", "markdown")
    assert outcome.status == 3
    assert outcome.out.startswith("### FAIL: lexiframe gate\n\nFAIL: by AP for kind = y, random")
    assert "| x    | AP      | " in outcome.out
    outcome = gate(QRELS, GOOD, GOOD, "--margin", "AP=0.1", *options, "--same-ok")
    assert outcome.status == 0


def test_it_writes_parquet_and_junit(gate, tmp_path):
    out, junit = tmp_path / "new" / "out", tmp_path / "reports" / "gate.xml"
    outcome = gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", "--out", out, "--junit", junit)
    assert outcome.status == 3  # also when it does not pass
    assert outcome.err.splitlines() == [f"wrote {out / 'gates.parquet'}", f"wrote {junit}"]
    assert [*out.iterdir()] == [out / "gates.parquet"]
    printed = gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", "--format", "json")
    assert pl.read_parquet(out / "gates.parquet").to_dicts() == json.loads(printed.out)
    facts = pl.read_parquet_metadata(out / "gates.parquet")["lexiframe"]
    assert json.loads(facts)["inference"]["margin"] == {"AP": 0.1}
    xml = gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", "--format", "junit").out
    assert xml == junit.read_text(encoding="utf-8")
    assert ElementTree.fromstring(xml.encode()).find(".//failure").get("type") == "fail"


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 200])
def test_it_fits_the_terminal(gate, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out = gate(QRELS, GOOD, BAD, "-m", "AP,RBP(p=0.8),LR", "--margin", 0.1).out
    assert max(map(len, out.splitlines())) <= width
    if width >= 80:
        assert out.count("┌") == 1  # one table


@pytest.mark.slow
def test_in_a_process_as_continuous_integration_calls_it(two_folders):
    """With paths from the folder that it is called in, and the status that the shell sees."""
    environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
    command = [sys.executable, "-m", "lexiframe", "gate", str(QRELS.resolve())]
    command += ["main/runs/bm25.run", "pr/runs/bm25.run", "--margin", "RPP=0.9"]
    done = subprocess.run(
        command, capture_output=True, env=environment, check=False, cwd=two_folders
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith("PASS: by RPP, pr/runs/bm25.run is not worse than")


# --- Scores of other tools ----------------------------------------------------------------------


@pytest.fixture
def treceval(tmp_path):
    """Files as ``trec_eval -q`` writes them, of one name in two folders."""
    s = lf.scores(lf.positions([GOOD, BAD], QRELS), "AP RR")
    s = s.with_columns(measure=pl.col("measure").replace({"AP": "map", "RR": "recip_rank"}))
    files = []
    for branch, run in (("main", "pixels_euclidean"), ("pr", "random")):
        (tmp_path / branch).mkdir()
        part = s.filter(run=run).select("measure", "query_id", "value")
        part.write_csv(tmp_path / branch / "bm25.eval", separator="\t", include_header=False)
        files.append(tmp_path / branch / "bm25.eval")
    s.write_csv(tmp_path / "both.csv")
    return [*files, tmp_path / "both.csv"]


@pytest.mark.slow
def test_scores_of_other_tools(gate, treceval):
    main, pr, both = treceval
    options = ["-m", "AP,RR", "--margin", "5%", "--margin", "recip_rank=0.1", "--format", "json"]
    one = gate("pixels_euclidean", "random", "--scores", both, *options)
    assert one.status == 3
    named = gate("main", "pr", "--scores", f"main={main}", "--scores", f"pr={pr}", *options)
    assert named.status == 3
    columns = ("mean_difference", "margin", "p_value", "outcome")
    for measure, ours in (("map", "AP"), ("recip_rank", "RR")):
        of_runs = rows(gate(QRELS, GOOD, BAD, *options))[ours]
        for found in (rows(one)[measure], rows(named)[measure]):
            assert {name: found[name] for name in columns} == {
                name: of_runs[name] for name in columns
            }
    assert rows(named)["map"]["candidate"] == "pr"


def test_scores_in_files_of_one_name(gate, treceval):
    main, pr, both = treceval
    outcome = gate("main", "pr", "--scores", main, "--scores", pr, "--margin", "AP=0.1")
    assert outcome.status == 1
    assert "have more than one value" in outcome.err
    outcome = gate("pixels", "random", "--scores", both, "--margin", "AP=0.1")
    assert outcome.status == 1
    assert "unknown run 'pixels'; did you mean pixels_euclidean?" in outcome.err
    outcome = gate("pixels_euclidean", "random", "--scores", both, "--margin", "P@5=0.1")
    assert outcome.status == 1
    assert "unknown measure 'P@5'" in outcome.err


# --- Bad usage: status 2; bad input: status 1 ---------------------------------------------------

MARGIN = ["--margin", "AP=0.1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, message",
    [
        ([QRELS, GOOD, *MARGIN], "expected QRELS BASELINE CANDIDATE: two runs, found 1"),
        ([QRELS, GOOD, BAD, BAD, *MARGIN], "two runs, found 3 after the judgments"),
        ([QRELS, GOOD, BAD], "--margin: expected the difference that does not matter"),
        ([QRELS, GOOD, BAD, "-m", "AP"], "--margin: expected the difference that does not matter"),
        ([QRELS, GOOD, BAD, "-m", "AP,RR", *MARGIN], "none for RR; add --margin RR=SIZE"),
        ([QRELS, GOOD, BAD, "-m", "RR", *MARGIN], "AP is no measure of -m; name it there"),
        ([QRELS, GOOD, BAD, "--margin", "0.1"], "expected measures, found none; name them"),
        ([QRELS, GOOD, BAD, *MARGIN, "--margin", "map=2%"], "found two for map; keep one"),
        ([QRELS, GOOD, BAD, "-m", "AP", "--margin", "1", "--margin", "2"], "two for all measures"),
        ([QRELS, GOOD, BAD, "--margin", "AP=high"], "expected MEASURE=SIZE with a number above 0"),
        ([QRELS, GOOD, BAD, "--margin", "AP=-0.1"], "found 'AP=-0.1'"),
        ([QRELS, GOOD, BAD, "--margin", "AP=nan"], "found 'AP=nan'"),
        ([QRELS, GOOD, BAD, "--margin", "AP(rel=2)"], "found 'AP(rel=2)'"),
        ([QRELS, GOOD, BAD, "--margin", "RPP=2%"], "expected a number for RPP, whose values comp"),
        ([QRELS, GOOD, BAD, "-m", "AP,RPP", "--margin", "2%"], "2%; add --margin RPP=0.05"),
        ([QRELS, GOOD, BAD, *MARGIN, "--require", "worse"], "--require"),
        ([QRELS, GOOD, BAD, *MARGIN, "--test", "sign"], "--test"),
        ([QRELS, GOOD, BAD, *MARGIN, "--format", "xml"], "--format"),
        ([QRELS, GOOD, BAD, *MARGIN, "--out", ""], "--out"),
        (["a", "b", "c", *MARGIN, "--scores", "x"], "BASELINE CANDIDATE, found 3: a, b, c"),
        (["a", "b", *MARGIN, "--scores", "x", "--depth", "5"], "--depth says how judgments"),
    ],
)
def test_bad_usage(gate, arguments, message):
    outcome = gate(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.said
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([QRELS, GOOD, "no.run", *MARGIN], "no.run: no such file"),
        ([QRELS, GOOD, RUNS, *MARGIN], "runs: expected one run, found 3; name the file of one"),
        ([QRELS, GOOD, RUNS, *MARGIN], "or repetitions of it: --replicates run"),
        ([QRELS, "-", "-", *MARGIN], "standard input holds one run, not both; name a file"),
        ([GOOD, QRELS, BAD, *MARGIN], "qrels and runs may have changed places"),
        ([QRELS, GOOD, BAD, "--margin", "nDGC@10=0.1"], "unknown measure 'nDGC@10'; did you mean"),
        ([QRELS, GOOD, BAD, *MARGIN, "--alpha", "0.6"], "gate: expected alpha below 0.5"),
        ([QRELS, GOOD, BAD, *MARGIN, "--power", "1"], "gate: expected power between 0 and 1"),
        ([QRELS, GOOD, BAD, *MARGIN, "--requests", "x.csv"], "--by"),
        ([QRELS, GOOD, BAD, *MARGIN, "--by", "kind"], "--requests FILE"),
        (["a", "b", *MARGIN, "--scores", "no.csv"], "no.csv: no such file"),
    ],
)
def test_bad_input(gate, arguments, message):
    outcome = gate(*arguments)
    assert (outcome.status, outcome.out) == (1, "")
    assert message in outcome.err
    assert outcome.err.count("error: ") == 1


def test_a_file_of_several_runs(gate, tmp_path):
    """One that names its runs in a column."""
    runs = pl.DataFrame(lf.read_runs([GOOD, BAD]))
    runs.write_parquet(tmp_path / "both.parquet")
    outcome = gate(QRELS, GOOD, tmp_path / "both.parquet", *MARGIN)
    assert outcome.status == 1
    tagged = gate(QRELS, GOOD, tmp_path / "both.parquet", *MARGIN, "--name-from", "tag")
    assert tagged.status == 1
    for part, run in (("main", "pixels_euclidean"), ("pr", "random")):
        runs.filter(run=run).with_columns(run=pl.lit("bm25")).write_parquet(
            tmp_path / f"{part}.parquet"
        )
    outcome = gate(QRELS, tmp_path / "main.parquet", tmp_path / "pr.parquet", *MARGIN)
    assert outcome.status == 3
    assert outcome.out.startswith("FAIL: by AP, pr is worse than main")


def test_no_output_replaces_what_is_read(gate, tmp_path):
    run = tmp_path / "gates.parquet"
    shutil.copy(BAD, run)
    outcome = gate(QRELS, GOOD, run, *MARGIN, "--out", tmp_path)
    assert outcome.status == 1
    assert "would replace the file that is read" in outcome.err
    assert run.read_bytes() == BAD.read_bytes()
    (tmp_path / "file").write_text("")
    outcome = gate(QRELS, GOOD, BAD, *MARGIN, "--out", tmp_path / "file")
    assert outcome.status == 1
    outcome = gate(QRELS, GOOD, BAD, *MARGIN, "--junit", tmp_path)
    assert (outcome.status, outcome.out) == (1, "")
    assert "is a folder" in outcome.err


# --- On real collections ------------------------------------------------------------------------


@pytest.mark.parametrize("name, rel, n_runs", [("cranfield", 1, 24), ("movielens_100k", 4, 15)])
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_each_held_run_has_changed_nothing_against_itself(gate, shared, name, rel, n_runs):
    folder = shared / "data" / name
    runs = sorted((folder / "runs").iterdir())
    assert len(runs) == n_runs
    options = ["--rel", rel, "--margin", "nDCG@10=0.001,map=0.1%,RPP=0.001", "--format", "json"]
    for run in runs:
        outcome = gate(folder / "qrels.trec", run, run, *options, "--same-ok")
        assert outcome.status == 0, run
        assert [row["outcome"] for row in json.loads(outcome.out)] == ["pass"] * 3


def test_one_row_that_passes_is_not_enough(gate, tmp_path):
    """The status is 0 only when all rows pass."""
    rows = ["run,query_id,measure,value"]
    for n in range(20):
        noise = n % 5 / 100
        rows += [f"old,{n},AP,{0.5 + noise}", f"new,{n},AP,{0.6 + noise * 2}"]
        rows += [f"old,{n},RR,{0.5 + noise}", f"new,{n},RR,{0.4 + noise * 2}"]
    (tmp_path / "scores.csv").write_text("\n".join(rows))
    given = ["old", "new", "--scores", tmp_path / "scores.csv", "--format", "json"]
    outcome = gate(*given, "-m", "AP,RR", "--margin", "0.01")
    assert [row["outcome"] for row in json.loads(outcome.out)] == ["pass", "fail"]
    assert outcome.status == 3
    assert gate(*given, "-m", "AP", "--margin", "0.01").status == 0


# --- Over time, and before one relies on it -------------------------------------------------------


def test_a_nightly_job_keeps_its_state(gate, tmp_path):
    state = tmp_path / "state.json"
    asked = [QRELS, GOOD, BAD, "--margin", "AP=0.1", "--sequential", state, "--planned", 60]
    first, second = gate(*asked, "--format", "json"), gate(*asked, "--format", "json")
    assert first.status == second.status == 3
    assert rows(first) == rows(second)
    assert rows(first)["AP"]["n_planned"] == 60
    other = gate(*asked[:3], "--margin", "AP=0.2", *asked[5:])
    assert other.status == 1
    assert "begin another gate with another file" in other.err


def test_what_can_be_no_state_is_refused_before_runs_are_read(gate, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    asked = [QRELS, "no.run", BAD, "--margin", "AP=0.1", "--planned", 60, "--sequential"]
    for name, said in (("folder", "it is a folder"), ("pipe", "it is a device or a pipe")):
        outcome = gate(*asked, tmp_path / name)
        assert (outcome.status, outcome.out) == (1, "")
        assert f"{name}: cannot be written, because {said}" in outcome.said
    outcome = gate(*asked, "")
    assert outcome.status == 2
    assert "expected a path to write to, found ''" in outcome.said
    state = tmp_path / "gates.parquet"
    outcome = gate(*asked, state, "--out", tmp_path)
    assert "would replace" in outcome.err
    state = shutil.copy(QRELS, tmp_path / "state.json")
    outcome = gate(QRELS, GOOD, BAD, *asked[3:], state)
    assert outcome.status == 1
    assert "expected the state of a gate, found another file" in outcome.said
    assert Path(state).read_bytes() == QRELS.read_bytes()


@pytest.mark.slow
def test_the_curve_is_shown_instead_of_a_decision(gate):
    outcome = gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", "--curve", "--test", "t")
    assert outcome.status == 0
    assert "worse by the margin" in outcome.out
    assert "AP: " in outcome.out
    table = json.loads(
        gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", "--curve", "--format", "json").out
    )
    assert {row["case"] for row in table} >= {"unchanged", "worse by the margin"}


@pytest.mark.parametrize(
    "options, message",
    [
        (["--planned", 9], "belong together"),
        (["--sequential", "s.json"], "belong together"),
        (["--sequential", "s.json", "--planned", 9, "--test", "t"], "--test does not go with"),
        (["--sequential", "s.json", "--planned", 9, "--curve"], "--curve does not go with"),
        (["--cluster", "user"], "add --requests FILE"),
    ],
)
def test_options_that_do_not_go_together(gate, options, message):
    outcome = gate(QRELS, GOOD, BAD, "--margin", "AP=0.1", *options)
    assert outcome.status == 2
    assert message in outcome.said
