"""The command line: what it prints where, its exit status, and that bad input leaves nothing."""

import builtins
import csv
import errno
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import pytrec_eval

import lexiframe as lf
from lexiframe import __main__, write_parquet
from lexiframe.core.cli import app as cli
from lexiframe.core.cli.commands import demo as demo_command
from lexiframe.core.cli.messages import as_options
from lexiframe.core.io.to_parquet import sort_within_runs
from tests.conftest import Outcome

pytestmark = pytest.mark.slow  # what it prints and refuses has quicker tests in each stage

EXAMPLE = lf.bundled("example")
QRELS, RUNS = EXAMPLE / "qrels.txt", EXAMPLE / "runs"
RUN = RUNS / "random.run"
FOR_REUSE = ["fingerprints", "ranks"]
TABLES = {
    "against_baseline",
    "comparisons",
    "correlations",
    "coverage",
    "means",
    "orderings",
    "power",
    "preferences",
    "scores",
    "sign_agreement",
    "tie_rates",
    "win_rates",
}


def in_a_process(*arguments, **options):
    """Run the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
    command = [sys.executable, "-m", "lexiframe", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, env=environment, check=False, **options)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# --- What it prints and writes ------------------------------------------------------------------


def test_demo(tmp_path):
    outcome = in_a_process("demo", cwd=tmp_path)
    assert outcome.status == 0
    titles = ("best by", "Means over", "20 more runs: --all", "More: --all")
    assert all(title in outcome.out for title in titles)
    assert all(name in outcome.out for name in ("pixels_euclidean", "RPP", "nDCG@10"))
    n_files = len([*TABLES, *FOR_REUSE])
    assert f"wrote {n_files} tables to lexiframe-demo" in outcome.err
    written = [*(f"{name}.parquet" for name in (*TABLES, *FOR_REUSE)), "report.html"]
    assert listing(tmp_path) == sorted(f"lexiframe-demo/{name}" for name in written)
    assert f"wrote the report: {Path('lexiframe-demo', 'report.html')}" in outcome.err
    ties = pl.read_parquet(tmp_path / "lexiframe-demo" / "tie_rates.parquet")
    rate = dict(ties.select("measure", "tie_rate").iter_rows())
    assert rate["LR"] == rate["LP"] == 0
    assert rate["RR"] > 0.5


def test_demo_writes_where_it_is_told_to(tmp_path, lexiframe):
    (tmp_path / "file").write_text("")
    outcome = lexiframe("demo", "--out", tmp_path / "file")
    assert (outcome.status, outcome.out) == (1, "")


def test_evaluate_prints_a_summary(lexiframe):
    outcome = lexiframe("evaluate", QRELS, RUNS)
    left = outcome.err.rpartition("\r")[2]  # of a bar, on a busy machine, which clears itself
    assert (outcome.status, left) == (0, "")
    for measure in ("RPP", "LR", "LP", "AP", "nDCG@10", "RR"):
        assert measure in outcome.out
    assert outcome.out.strip() == str(lf.evaluate(RUNS, QRELS)).strip()


def test_evaluate_writes_tables_and_a_report(tmp_path, lexiframe):
    out, report = tmp_path / "new" / "out", tmp_path / "report.html"
    options = ["-m", "LR", "-m", "AP(rel=1)", "--out", out, "--report", report]
    outcome = lexiframe("evaluate", QRELS, RUNS, *options)
    assert outcome.status == 0
    assert listing(out) == [f"{name}.parquet" for name in sorted([*TABLES, *FOR_REUSE])]
    assert set(pl.read_parquet(out / "preferences.parquet")["measure"]) == {"LR", "AP(rel=1)"}
    page = report.read_text()
    assert page.startswith("<!doctype html>")
    assert "pixels_euclidean" in page
    assert str(report) in outcome.err
    assert str(out) in outcome.err
    assert str(out) not in outcome.out


@pytest.mark.parametrize("width", [60, 80, 200])
def test_tables_fit_the_terminal(lexiframe, monkeypatch, width):
    """Every command: no line is wider, and each number is whole."""
    monkeypatch.setenv("COLUMNS", str(width))
    outputs = {
        name: lexiframe(name, QRELS, RUNS, *options).out
        for name, options in [
            ("evaluate", []),
            ("compare", ["-m", "AP", "--wide", "--test", "t"]),
            ("coverage", []),
        ]
    }
    assert max(len(line) for out in outputs.values() for line in out.splitlines()) <= width
    c = lf.compare(lf.evaluate(RUNS, QRELS, ["AP"]).scores, "t")
    said = "measure = AP, n = 5, test = t, correction = holm"
    assert outputs["compare"].splitlines()[0] == said
    for name in ("mean_difference", "ci_low", "ci_high", "effect_size", "statistic"):
        assert all(f" {value:.3f} " in outputs["compare"] for value in c[name])
    assert (c["p_value"] < 0.001).any()
    assert " <0.001 " in outputs["compare"]
    covered = " ".join(outputs["coverage"].split())
    assert "missing = 0, extra = 0, duplicates = 0, requests = 5, answered = 5, " in covered
    assert "┘ no room for the columns " in covered or width == 200
    assert ("0.941, 0.941" in covered) == (width > 60)


DIGITS = lf.bundled("digits")
EIGHT = [*sorted((DIGITS / "runs").glob("[b-g]*.parquet"))]
JUDGES = [f"{name}={DIGITS / 'judges' / name}.parquet" for name in ("people", "classifier")]
GROUPS = ["--requests", DIGITS / "queries.parquet", "--by", "loop", "--by", "strokes"]
OF_DIGITS = [DIGITS / "qrels.parquet", *EIGHT]
AT_80 = {
    "evaluate": ["evaluate", *OF_DIGITS, "--all"],
    "evaluate-groups": ["evaluate", *OF_DIGITS, "-m", "AP,RPP", *GROUPS, "--all"],
    "evaluate-baseline": ["evaluate", *OF_DIGITS, "--baseline", EIGHT[0].stem, "--all"],
    "compare-groups": ["compare", *OF_DIGITS, "-m", "AP,RPP", *GROUPS],
    "compare-tests": ["compare", *OF_DIGITS, "-m", "AP,RPP", "--hsd", "parametric"],
    "gate": ["gate", OF_DIGITS[0], *EIGHT[:2], "--margin", "AP=0.01,RPP=0.1", *GROUPS],
    "explain-query": ["explain", OF_DIGITS[0], *EIGHT[:2], "--query", "q0113"],
    "overlap": ["overlap", *EIGHT],
    "judges-groups": ["judges", *JUDGES, *EIGHT[:4], "-m", "AP", *GROUPS, "--all"],
    "leaderboard": ["leaderboard", lf.bundled("leaderboard") / "scores.csv", "--all"],
}


@pytest.mark.parametrize("name", AT_80)
def test_a_row_stays_in_one_piece_at_80_columns(lexiframe, monkeypatch, name):
    """No table goes on in another one below, and no line is wider; measures are as asked for."""
    monkeypatch.setenv("COLUMNS", "80")
    outcome = lexiframe(*AT_80[name])
    assert outcome.status in (0, 3), outcome.err
    lines = outcome.out.splitlines()
    assert max(map(len, lines)) <= 80
    is_matrix = name.startswith("explain")  # of requests × measures, which may be many
    split = [n for n, line in enumerate(lines[1:]) if (lines[n][:1], line[:1]) == ("└", "┌")]
    assert is_matrix or not split
    assert lines[0][:1] not in "┌│"


def test_evaluate_reuses_results_also_those_in_the_folder_it_writes_to(tmp_path, lexiframe):
    out = tmp_path / "out"
    command = ("evaluate", QRELS, "-m", "RPP,AP", "-o", out)
    assert lexiframe(*command, RUNS / "p*.run").status == 0
    outcome = lexiframe(*command, RUNS, "--reuse", out)
    assert outcome.status == 0
    assert "reused: 2 runs, 5 requests, 2 measures, 1 pairs" in outcome.err
    assert pl.read_parquet(out / "win_rates.parquet").height == 6
    outcome = lexiframe(*command, RUNS, "--reuse", tmp_path / "no")
    assert outcome.status == 1
    assert "no: is not there; name the folder" in outcome.err
    outcome = lexiframe(*command, RUNS, "--reuse", "é" * 300)
    assert outcome.status == 1
    assert "é: is not there; name the folder" in outcome.err
    assert "é: no such file" in lexiframe("evaluate", "é" * 300, RUNS).err
    scores = tmp_path / "scores.csv"
    scores.write_text("run,query_id,measure,value\na,q,AP,0.5\nb,q,AP,0.25\n")
    outcome = lexiframe("evaluate", "--scores", scores, "--reuse", out)
    assert outcome.status == 1
    assert "--reuse: scores of other tools are only compared" in outcome.err
    outcome = lexiframe("evaluate", "--scores", scores, "--memory", "1GB")
    assert outcome.status == 1
    assert "--keep and --resume: scores of other tools are held in memory" in outcome.err
    outcome = lexiframe("evaluate", QRELS, RUNS, "--resume")
    assert outcome.status == 1
    assert "--resume: expected the folder of the interrupted evaluation" in outcome.err


def test_evaluate_as_json(lexiframe):
    outcome = lexiframe("evaluate", QRELS, RUNS, "-m", "RPP", "-m", "RR", "--format", "json")
    tables = json.loads(outcome.out)
    e = lf.evaluate(RUNS, QRELS, ["RPP", "RR"])
    assert tables.pop("verdict") == lf.verdict(e).to_dicts()
    assert set(tables) == {*TABLES} - {"scores", "preferences"}
    for name, rows in tables.items():
        assert rows == getattr(e, name).to_dicts()


def test_evaluate_as_csv(lexiframe):
    outcome = lexiframe("evaluate", QRELS, RUNS, "-m", "RPP", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    e = lf.evaluate(RUNS, QRELS, "RPP")
    assert list(rows[0]) == e.means.columns
    assert [(row["run"], float(row["mean"])) for row in rows] == e.means.select(
        "run", "mean"
    ).rows()
    named = lexiframe(
        "evaluate", QRELS, RUNS, "-m", "RPP", "--table", "orderings", "--format", "csv"
    )
    assert named.out == e.orderings.write_csv()
    unknown = lexiframe("evaluate", QRELS, RUNS, "--table", "order")
    assert unknown.status == 1
    assert "expected --table to be one of 'coverage', 'means'" in unknown.err


def test_all_of_an_evaluation_is_printed_when_asked_for(lexiframe):
    first = lexiframe("evaluate", QRELS, RUNS, "-m", "AP,RPP").out
    everything = lexiframe("evaluate", QRELS, RUNS, "-m", "AP,RPP", "--all").out
    assert everything.strip() == str(lf.evaluate(RUNS, QRELS, "AP RPP").summary("all"))
    assert everything.startswith(first.partition("\n\nMore:")[0])
    by_mc4 = lexiframe("evaluate", QRELS, RUNS, "-m", "RPP", "--order", "mc4", "--all").out
    assert "preferences by mc4" in by_mc4


def test_the_first_screen_and_the_first_help_are_short(lexiframe, monkeypatch):
    """Eight runs and six measures in 25 lines of 80 columns, the verdict first."""
    monkeypatch.setenv("COLUMNS", "80")
    digits = lf.bundled("digits")
    runs = sorted((digits / "runs").glob("*.parquet"))[:8]
    lines = lexiframe("evaluate", digits / "qrels.parquet", *runs).out.splitlines()
    assert lines[0].startswith("combsum_fine is best by RPP, LR, LP and AP: all others are")
    assert len(lines) <= 26
    assert max(map(len, lines)) <= 80
    shown = lexiframe("evaluate", "--help").out
    everything = lexiframe("evaluate", "--help-all").out
    assert not any(name in shown for name in ("--ties", "Formats: csv has the means"))
    named = ("--ties", "--decimal", "--memory", "--help-all", "Formats: csv has the means")
    assert all(name in everything for name in named)
    assert " options: lexiframe" not in everything


def test_comparisons_have_the_columns_that_one_reads(lexiframe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = lexiframe("compare", QRELS, RUNS, "-m", "RR,AP").out
    said = "difference run a − run b, with 95 % intervals; paired randomization test,\nstep-down"
    assert out.startswith(said)
    assert [line for line in out.splitlines() if line in ("RR", "AP")] == ["RR", "AP"]
    heads = [line.strip("│ ").split() for line in out.splitlines() if line.startswith("│ run a")]
    assert heads == ["run a run b diff. interval adj. p sig.".split()] * 2
    assert max(map(len, out.splitlines())) <= 80
    latex = lexiframe("compare", QRELS, RUNS, "-m", "AP", "--format", "latex").out
    assert r"\caption{AP: difference run a $-$ run b" in latex
    markdown = lexiframe("compare", QRELS, RUNS, "-m", "AP", "--format", "markdown").out
    assert markdown.startswith("Table: AP: difference run a")


@pytest.mark.parametrize(
    "name, cell",
    [
        ("=1+1", "'=1+1"),
        ("-2+3|cmd", "'-2+3|cmd"),
        ("＋1+1", "'＋1+1"),
        ('a; "@SUM(A1)', "a;' \"@SUM(A1)"),
        ("a;-5;b=1", "a;-5;b=1"),
        ("a\t=1+1", r"a\t=1+1"),
        ("a\x1b[2J\u202eb", r"a\x1b[2J\u202eb"),
        ("x" * 5000, "x" * 5000),  # no name is cut
    ],
)
def test_a_cell_of_csv_is_no_formula_and_steers_nothing(tmp_path, lexiframe, name, cell):
    path = tmp_path / "run.csv"
    pl.DataFrame(
        {"run": [name, name, "zz"], "qid": ["1", "2", "1"], "docno": "d", "score": 1.0}
    ).write_csv(path)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 d 1\n2 0 d 1\n")
    for command in ("evaluate", "compare", "coverage"):
        options = ["-m", "AP"] if command != "coverage" else []
        out = lexiframe(command, qrels, path, *options, "--format", "csv").out
        rows = [*csv.reader(io.StringIO(out))]
        assert cell in [value for row in rows for value in row]
        assert len({len(row) for row in rows}) == 1
        assert out.replace("\n", "").isprintable()


@pytest.fixture
def policies_matter(tmp_path):
    """Judgments and two runs where each policy changes something."""
    qrels, one, other = (tmp_path / name for name in ("qrels", "one.run", "other.run"))
    qrels.write_text("q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 0\n")
    near = "1.00000000001"
    one.write_text(f"q1 Q0 a 1 {near} t\nq1 Q0 b 2 1 t\nq1 Q0 c 3 0 t\nq2 Q0 a 1 1 t\n")
    other.write_text("q1 Q0 x 1 5 t\nq1 Q0 a 2 3 t\nq1 Q0 b 3 2 t\nq2 Q0 a 1 1 t\n")
    return qrels, one, other


POLICIES = {
    "rel": 2.0,
    "ties": "input",
    "score_type": "float32",
    "no_relevant": "zero",
    "duplicates": "best",
    "unjudged": "remove",
}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_every_policy_is_an_option_of_every_command(policies_matter, lexiframe, name):
    qrels, *runs = policies_matter
    always = {"rel": 2.0} if name in ("ties", "score_type") else {}
    policies = {name: POLICIES[name], **always}
    if name == "duplicates":
        runs[1].write_text(runs[1].read_text() + "q1 Q0 a 9 0 t\n")
    if name == "ties":
        runs[0].write_text("q1 Q0 a 1 1 t\nq1 Q0 b 1 1 t\nq2 Q0 a 1 1 t\n")
    option = [f"--{name.replace('_', '-')}", policies[name]]
    default, said = {}, {}
    for command in ("coverage", "evaluate", "compare"):
        asked = ["--format", "json", *(word for x in always for word in (f"--{x}", always[x]))]
        asked += [] if command == "coverage" else ["-m", "RR", "-m", "LP"]
        outcome = lexiframe(command, qrels, *runs, *asked, *option)
        assert outcome.status == 0, outcome.err
        said[command] = json.loads(outcome.out)
        default[command] = lexiframe(command, qrels, *runs, *asked)
    e = lf.evaluate(runs, qrels, ["RR", "LP"], **policies)
    assert said["coverage"] == said["evaluate"]["coverage"] == e.coverage.to_dicts()
    assert said["evaluate"]["orderings"] == e.orderings.to_dicts()
    assert [row["n"] for row in said["compare"]] == e.comparisons["n"].to_list()
    assert [row["mean_difference"] for row in said["compare"]] == pytest.approx(
        e.comparisons["mean_difference"].to_list()
    )
    for command, outcome in default.items():
        if (command, name) != ("coverage", "ties"):
            assert outcome.status == 1 or json.loads(outcome.out) != said[command], command


def test_coverage(lexiframe):
    outcome = lexiframe("coverage", QRELS, RUN, "--format", "json")
    assert json.loads(outcome.out) == lf.coverage(RUN, QRELS).to_dicts()
    assert "without_relevant" in lexiframe("coverage", QRELS, RUN).out


def test_compare(lexiframe):
    options = ["-m", "AP", "-m", "LR", "--test", "sign", "--correction", "bonferroni"]
    outcome = lexiframe("compare", QRELS, RUNS, *options, "--alpha", "0.2", "--format", "json")
    d = lf.preferences(lf.positions(RUNS, QRELS), ["AP", "LR"])
    expected = lf.compare(d, "sign", "bonferroni", alpha=0.2).to_dicts()
    odds = [row.pop("effect_size") for row in expected]
    rows = json.loads(outcome.out)
    assert [float(row.pop("effect_size")) for row in rows] == odds  # one is "Infinity"
    assert rows == expected
    assert len(expected) == 6


def test_compare_with_a_baseline(lexiframe):
    options = ["-m", "AP", "--baseline", "random", "--format", "csv"]
    rows = list(csv.DictReader(io.StringIO(lexiframe("compare", QRELS, RUNS, *options).out)))
    pairs = [(row["run_a"], row["run_b"]) for row in rows]
    assert pairs == [("pca8_euclidean", "random"), ("pixels_euclidean", "random")]
    options[3] = "pca8_euclidean"
    rows = list(csv.DictReader(io.StringIO(lexiframe("compare", QRELS, RUNS, *options).out)))
    assert [row["run_b"] for row in rows] == ["pca8_euclidean"] * 2


def test_evaluate_with_a_baseline(tmp_path, lexiframe):
    options = ["-m", "AP", "--baseline", "pixels_euclidean", "--alternative", "less"]
    e = lf.evaluate(RUNS, QRELS, "AP", baseline="pixels_euclidean", alternative="less")
    outcome = lexiframe("evaluate", QRELS, RUNS, *options, "--out", tmp_path)
    assert outcome.out.strip() == str(e).strip()
    assert outcome.out.startswith("random is significantly worse than pixels_euclidean by AP; ")
    everything = lexiframe("evaluate", QRELS, RUNS, *options, "--all").out
    assert everything.strip() == str(e.summary("all")).strip()
    assert "Against pixels_euclidean" in everything
    assert pl.read_parquet(tmp_path / "against_baseline.parquet").equals(e.against_baseline)
    tables = json.loads(lexiframe("evaluate", QRELS, RUNS, *options, "--format", "json").out)
    one_sided = [row | {"ci_low": "-Infinity"} for row in e.against_baseline.to_dicts()]
    assert [row for row in tables["against_baseline"] if row["n"]] == [
        row for row in one_sided if row["n"]
    ]
    assert tables["verdict"] == e.verdict.to_dicts()
    missing = lexiframe("evaluate", QRELS, RUNS, "--baseline", "pixels.run")
    assert missing.status == 1
    assert "error: unknown run 'pixels.run'; did you mean pixels_euclidean" in missing.err


ON_A_BASELINE = {
    "random": "pca8_euclidean and pixels_euclidean are significantly better than random, none is "
    "significantly worse (paired t-test, Holm's correction over the 2 pairs",
    "pixels_euclidean --alternative less --family all --correction bh": "random is significantly "
    "worse than pixels_euclidean, and pca8_euclidean is not significantly different from it "
    "(paired t-test (alternative='less'), Benjamini and Hochberg's correction over the 4 pairs of "
    "all measures",
    "pca8_euclidean --alternative greater": "no run is significantly better than pca8_euclidean, "
    "and pixels_euclidean and random are not significantly different from it (paired t-test "
    "(alternative='greater'), Holm's correction over the 2 pairs",
}


@pytest.mark.parametrize("given", ON_A_BASELINE)
def test_verdict_on_a_baseline(monkeypatch, lexiframe, given):
    monkeypatch.setenv("COLUMNS", "1000")
    asked = [QRELS, RUNS, "-m", "AP,RPP", "--baseline", *given.split()]
    sentences = lexiframe("verdict", *asked, "--test", "t").out.splitlines()
    assert sentences == [f"By AP and RPP, {ON_A_BASELINE[given]}, α = 0.05, n = 5 requests)."]
    by_signs = lexiframe("verdict", *asked).out
    is_one_sided = "--alternative" in given  # of which five requests can decide
    assert by_signs.startswith("5 requests: too few for any conclusion by AP") != is_one_sided
    rows = json.loads(lexiframe("verdict", *asked, "--test", "t", "--format", "json").out)
    told_apart = {row["run"] for row in rows if row["measure"] == "AP" and row["reject"]}
    said = sentences[0].partition(" than ")[0] + sentences[0].partition(", none")[1]
    assert told_apart == {run for run in sorted({row["run"] for row in rows}) if run in said}


def test_a_verdict_as_csv_has_the_runs_of_a_list_in_one_cell(lexiframe):
    outcome = lexiframe("verdict", QRELS, RUNS, "-m", "RR", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(outcome.out))
    assert row["best"] == "pixels_euclidean"
    assert row["not_worse"] == "pca8_euclidean; random"


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["compare", QRELS, RUNS, "--test", "t", "--test", "sign"], "--test: expected one value"),
        (["evaluate", QRELS, RUNS, "-o", "a", "--out=b"], "--out: expected one value, found 2"),
        (["measures", "--format", "csv", "--format", "json"], "--format: expected one value"),
    ],
)
def test_an_option_with_one_value_is_given_once(lexiframe, arguments, named):
    outcome = lexiframe(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"{named}" in outcome.err


def test_options_that_may_be_repeated(lexiframe):
    twice = ["-m", "AP", "-m", "RR", "--exclude-self", "--exclude-self"]
    outcome = lexiframe("compare", QRELS, RUNS, *twice, "--format", "json")
    assert {row["measure"] for row in json.loads(outcome.out)} == {"AP", "RR"}
    assert "Usage" in lexiframe("compare", "--test", "t", "--test", "sign", "-h").out


PIXELS = RUNS / "pixels_euclidean.run"


def rows_of(printed):
    return [line.strip("│ ").split() for line in printed.splitlines() if line.startswith("│")]


def test_explain_lists_the_requests_of_two_runs(lexiframe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    e = lf.evaluate([RUN, PIXELS], QRELS, ["AP", "LR"])
    for first, second in ((RUN, PIXELS), (PIXELS, RUN)):
        command = ["explain", QRELS, first, second, "-m", "AP", "-m", "LR"]
        table = e.pair(first.stem, second.stem)
        out = lexiframe(*command, "--format", "csv").out
        assert pl.read_csv(io.StringIO(out)).equals(table)
        assert json.loads(lexiframe(*command, "--format", "json").out) == table.to_dicts()
        printed = lexiframe(*command)
        assert printed.status == 0
        assert f"positive where {first.stem} is better than {second.stem}" in printed.out
        head, *rows = rows_of(printed.out)
        assert head == ["query_id", "AP", "LR", "level"]  # LR is the same for all requests
        of = {(m, q): (x, level) for m, q, *_, x, level in table.iter_rows()}
        assert rows == [
            [q, f"{of['AP', q][0]:.3f}", str(of["LR", q][1])]
            for q in table.filter(measure="AP")["query_id"]
        ]
        assert f"LR = {table.filter(measure='LR')['preference'][0]:.3f}" in printed.out


def test_explain_one_request(lexiframe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    command = ["explain", QRELS, PIXELS, RUN, "-m", "AP", "-m", "LR", "--query", "q0078"]
    e = lf.evaluate([RUN, PIXELS], QRELS, ["AP", "LR"])
    levels = e.explain("q0078", "pixels_euclidean", "random")
    assert json.loads(lexiframe(*command, "--format", "json").out) == levels.to_dicts()
    printed = lexiframe(*command).out
    said, by_level, measures = printed.split("\n\n")
    assert said.startswith("In request q0078, pixels_euclidean is better by AP")
    assert "LR (level 21 decides)" in said
    assert ["LR", "—", "—", "1.000", "21"] in rows_of(measures)
    head, *rows = rows_of(by_level)
    assert head == "level item of pixels_euclidean at item of random at decides".split()
    found = levels.filter(pl.any_horizontal(pl.col("position_a", "position_b").is_not_null()))
    assert [int(row[0]) for row in rows] == found["level"].to_list()
    assert [row[0] for row in rows if row[-1] == "LR"] == ["21"]
    unknown = lexiframe(*command[:-1], "78")
    assert (unknown.status, unknown.out) == (1, "")
    assert "unknown query '78'. Known: q0066" in unknown.err


def test_explain_one_request_over_all_orders_of_equal_scores(tmp_path, lexiframe):
    """y has rank 2, 3 or 4 in a, and 3 or 4 in b; down to rank 2, one of three orders shows it."""
    for name, scores in {"a": "x3 u2 y2 v2 w1", "b": "u3 x2 v1 y1"}.items():
        lines = [f"q Q0 {doc} 0 {score} {name}" for doc, score in map(tuple, scores.split())]
        (tmp_path / name).write_text("\n".join(lines))
    (tmp_path / "qrels").write_text("q 0 x 1\nq 0 y 1")
    command = ["explain", *(tmp_path / name for name in ("qrels", "a", "b")), "-m", "LR"]
    command += ["--ties", "expected", "--query", "q"]
    head, *rows = rows_of(lexiframe(*command).out.split("\n\n")[1])
    assert head == "level ranks in a ranks in b chance of a chance of b decides".split()
    assert rows == [["1", "1", "2", "1.000", "0.000", "LP"], ["2", "2–4", "3–4", "0.500", "0.167"]]
    printed = lexiframe(*command, "--depth", "2").out.split("\n\n")[1]
    assert rows_of(printed)[2] == ["2", "2+", "—", "0.333", "0.000"]
    assert "+: in some orders not retrieved" in printed


def test_explain_prints_the_greatest_gains_and_losses(tmp_path, lexiframe):
    """Of 50 requests the first and the last 20."""
    ids = [f"q{n:02}" for n in range(50)]
    for name, best in (("x", range(1, 51)), ("y", range(50, 0, -1))):
        lines = [f"{q} Q0 d{k} 0 {-k} t" for q, n in zip(ids, best, strict=True) for k in (n, 60)]
        (tmp_path / name).write_text("\n".join(lines))
    relevant = [f"{q} 0 d{n} 1" for q, n in zip(ids, range(1, 51), strict=True)]
    (tmp_path / "qrels").write_text("\n".join(relevant + [f"{q} 0 d60 1" for q in ids]))
    command = ["explain", *(tmp_path / name for name in ("qrels", "x", "y")), "-m", "AP"]
    printed = lexiframe(*command)
    table = lf.evaluate([tmp_path / "x", tmp_path / "y"], tmp_path / "qrels", "AP").pair("x", "y")
    shown = [row[0] for row in rows_of(printed.out)[1:]]
    assert shown == [*table["query_id"][:20], *table["query_id"][-20:]]
    assert "40 of 50 requests are shown" in printed.err
    assert len(lexiframe(*command, "--format", "csv").out.splitlines()) == 51


def test_explain_two_files_of_one_name(tmp_path, lexiframe):
    for name, source in (("old", RUN), ("new", PIXELS)):
        (tmp_path / name).mkdir()
        shutil.copy(source, tmp_path / name / "bm25.run")
    old, new = tmp_path / "old" / "bm25.run", tmp_path / "new" / "bm25.run"
    outcome = lexiframe("explain", QRELS, old, new, "-m", "AP", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert {(row["run_a"], row["run_b"]) for row in rows} == {(str(old), str(new))}
    assert all(float(row["value_a"]) < float(row["value_b"]) for row in rows)
    tables = [path.with_suffix(".parquet") for path in (old, new)]
    for path, table in zip((old, new), tables, strict=True):
        lf.write_parquet(lf.read_runs(path), table)  # whose column of runs says bm25
    of_tables = lexiframe("explain", QRELS, *tables, "-m", "AP", "--format", "csv")
    assert of_tables.out == outcome.out.replace("bm25.run", "bm25.parquet")


@pytest.mark.parametrize(
    "given, status, message",
    [
        ([RUN], 2, "expected two runs, A and B, found 1"),
        ([RUN, PIXELS, RUN], 2, "expected two runs, A and B, found 3"),
        ([RUNS, RUN], 1, "expected two runs, found 3 in"),
        ([RUN, RUN], 1, "expected two runs, found 1 in"),
    ],
)
def test_explain_wants_two_runs(lexiframe, given, status, message):
    outcome = lexiframe("explain", QRELS, *given)
    assert (outcome.status, outcome.out) == (status, "")
    assert message in outcome.said


def test_explain_files_of_several_runs(tmp_path, lexiframe):
    path = lf.write_parquet(lf.read_runs(RUNS), tmp_path / "all.parquet")
    other = tmp_path / "other.run"
    shutil.copy(RUN, other)
    outcome = lexiframe("explain", QRELS, path, other)
    assert outcome.status == 1
    assert "explain: expected one run in each of two files, found 4 in" in outcome.err


def test_json_is_json_when_numbers_are_infinite(tmp_path, lexiframe):
    """The win odds of a run that always wins; JSON has no word for infinity."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "x.run").write_text("q1 Q0 a 1 1 t\nq2 Q0 a 1 1 t\n")
    (tmp_path / "y.run").write_text("q1 Q0 b 1 1 t\nq2 Q0 b 1 1 t\n")
    options = ["-m", "LR", "--test", "sign", "--format", "json"]
    outcome = lexiframe(
        "compare", tmp_path / "qrels", tmp_path / "x.run", tmp_path / "y.run", *options
    )

    def refuse(word):
        raise ValueError(word)

    json.loads(outcome.out, parse_constant=refuse)


@pytest.mark.parametrize("source", [QRELS, RUN], ids=["qrels", "run"])
def test_convert_there_and_back(tmp_path, lexiframe, source):
    parquet, packed, text = (tmp_path / name for name in ("x.parquet", "x.gz", f"x{source.suffix}"))
    for one, other in [(source, parquet), (parquet, packed), (packed, text)]:
        outcome = lexiframe("convert", one, other)
        before, after = one.stat().st_size, other.stat().st_size
        sizes = f"({after:,} bytes, {after / before:.0%} of the {before:,} of {one})"
        assert outcome == (0, "", f"wrote {other} {sizes}\n")
    assert gzip.decompress(packed.read_bytes()).split()[:5] == text.read_bytes().split()[:5]
    if source == QRELS:
        read, expected = lf.read_qrels, lf.read_qrels(source)
    else:  # the rows of the file are in no order, those of Parquet are by query and score
        read = lambda path: lf.read_runs({"random": path})  # noqa: E731
        expected = sort_within_runs(read(source))
    assert read(text).equals(expected)
    assert read(parquet).equals(expected)
    assert lexiframe("convert", source, tmp_path / "a.parquet").status == 0
    assert (tmp_path / "a.parquet").read_bytes() == parquet.read_bytes()


def test_convert_several_runs_to_a_folder(tmp_path, lexiframe):
    source = write_parquet(lf.read_runs(RUNS), tmp_path / "all.parquet")
    assert lexiframe("convert", source, tmp_path / "runs").status == 0
    assert listing(tmp_path / "runs") == [f"{path.stem}.trec" for path in sorted(RUNS.iterdir())]
    assert lf.read_runs(tmp_path / "runs").equals(lf.read_runs(RUNS))


def test_warnings_go_to_standard_error(tmp_path, lexiframe):
    (tmp_path / "few").write_text("q0066 0 d0006 1\n")
    outcome = lexiframe("evaluate", tmp_path / "few", RUNS, "-m", "AP", "--format", "json")
    assert outcome.status == 0
    json.loads(outcome.out)
    assert outcome.err == (
        "warning: rankings for requests without judgments, ignored: 12 (see `lexiframe coverage`)\n"
    )


def test_help_names_the_commands(lexiframe):
    outcome = lexiframe("--help")
    assert outcome.status == 0
    for command in ("demo", "evaluate", "compare", "coverage", "check", "convert"):
        assert command in outcome.out
        assert lexiframe(command, "--help").status == 0


COMMANDS = (
    "demo evaluate compare verdict coverage check convert explain overlap measures conventions "
    "gate judges leaderboard votes"
).split()


@pytest.mark.parametrize("command", COMMANDS)
def test_each_help_is_a_screen_with_panels_defaults_and_two_examples(
    lexiframe, monkeypatch, command
):
    monkeypatch.setenv("COLUMNS", "80")
    outcome = lexiframe(command, "-h")
    assert outcome == lexiframe(command, "--help")
    assert outcome.status == 0
    lines = [line.strip() for line in outcome.out.splitlines()]
    assert len(lines) <= 40
    assert max(map(len, outcome.out.splitlines())) <= 80
    examples = [line for line in lines[lines.index("Examples:") :] if line]
    if command not in ("demo", "measures", "conventions"):
        assert re.fullmatch(rf"All \d+ options: lexiframe {command} --help-all", examples.pop())
    assert len(examples) == 3
    assert all(line.startswith(f"lexiframe {command}") for line in examples[1:])
    panels = [re.sub(r"[^A-Za-z]", "", line) for line in lines if line.startswith("╭─")]
    known = ["Measures", "Input", "Statistics", "Output"]
    if command in ("evaluate", "compare", "verdict"):
        assert [p for p in panels if p in known] == known
        lines = lexiframe(command, "--help-all").out.splitlines()
        assert any(line.startswith("╭─ Policies") for line in lines)
        said = " ".join(" ".join(lines).replace("│", " ").split())
        for default in ("any positive grade", "RPP LR LP AP nDCG@10 RR", "no cut", "holm"):
            assert default in said


def test_help_and_version(lexiframe):
    assert lexiframe("-h") == lexiframe("--help")
    assert lexiframe("--version") == (0, f"lexiframe {lf.__version__}\n", "")


def test_measures_on_the_command_line(lexiframe):
    out = lexiframe("measures").out
    assert all(name in out for name in ("AP(denominator='m')@k", "RPP@k", "OI"))
    for name in ("nDCG", "ndcg@10", "NDCG"):
        said = lexiframe("measures", name).out
        assert "Parameters, as in nDCG(dcg='log2', ideal='cut', rel=2) @ 10\n" in said
        assert "Järvelin" in said
    for name in ("TSE(RR)", "TSE"):
        assert "total search efficiency" in lexiframe("measures", name).out
    assert "lexiframe.interleaving" in lexiframe("measures", "OI").out
    rows = json.loads(lexiframe("measures", "TSE(RR)", "--format", "json").out)
    assert [row["name"] for row in rows] == ["TSE(AP)"]
    rows = json.loads(lexiframe("measures", "RPP", "--format", "json").out)
    assert rows == lf.measures().filter(name="RPP").to_dicts()
    assert_refused(lexiframe("measures", "nDGC"), "unknown measure 'nDGC'; did you mean nDCG")


def test_conventions_on_the_command_line(lexiframe):
    out = lexiframe("conventions", "--format", "json").out
    assert json.loads(out) == lf.conventions().to_dicts()
    said = lexiframe("conventions", "map@10").out
    assert "AP@k\n    choice:      denominator\n    lexiframe:   m\n" in said
    assert "RePlay:      min(m, k), in early versions k\n" in said
    assert "nDCG" not in said
    assert "nDCG, ERR\n    choice:      grades below rel" in lexiframe("conventions", "ERR").out


def test_verdict_on_the_command_line(lexiframe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    options = ["-m", "AP RR", "--test", "sign", "--depth", "20"]
    said = lexiframe("verdict", QRELS, RUNS, *options)
    v = lf.verdict(lf.evaluate(RUNS, QRELS, "AP RR", test="sign", depth=20))
    assert said.out.splitlines() == v["sentence"].unique(maintain_order=True).to_list()
    as_json = lexiframe("verdict", QRELS, RUNS, *options, "--format", "json").out
    assert json.loads(as_json) == v.to_dicts()


def test_a_verdict_on_one_run_says_why_there_is_none(lexiframe):
    outcome = lexiframe("verdict", QRELS, RUN)
    assert (outcome.status, outcome.out.split(":")[0]) == (0, "Nothing to compare")


@pytest.mark.parametrize(
    "command",
    [
        ["verdict", QRELS, RUNS, "-m", "AP"],
        ["explain", QRELS, PIXELS, RUN, "-m", "LR"],
        ["explain", QRELS, PIXELS, RUN, "-m", "LR", "--query", "q0078"],
        ["measures", "nDCG"],
        ["conventions"],
    ],
    ids=lambda command: " ".join(map(str, command[:1])),
)
def test_what_is_said_fits_the_terminal(lexiframe, monkeypatch, command):
    """And says the same in any width."""
    monkeypatch.setenv("COLUMNS", "1000")
    wide = lexiframe(*command).out
    monkeypatch.setenv("COLUMNS", "60")
    outcome = lexiframe(*command)
    assert outcome.status == 0
    assert max(map(len, outcome.out.splitlines())) <= 60
    assert max(map(len, wide.splitlines())) > 60
    if command[0] in ("verdict", "measures", "conventions"):
        assert outcome.out.split() == wide.split()


def test_messages_fit_the_terminal_and_keep_paths_whole(lexiframe, monkeypatch, tmp_path):
    path = tmp_path / "a_folder_with_a_long_name" / "of-a-run.run"
    at_once = lexiframe("evaluate", QRELS, path).err
    assert len(at_once.splitlines()) == 1  # as programs read it
    monkeypatch.setenv("COLUMNS", "40")
    said = lexiframe("evaluate", QRELS, path).err
    assert f"{path}:" in said
    assert len(said.splitlines()) > 1
    assert said.split() == at_once.split()


def test_a_p_value_is_on_the_right_side_of_alpha_in_print(lexiframe):
    command = ["compare", QRELS, RUNS, "-m", "RR", "--test", "t"]
    p = json.loads(lexiframe(*command, "--format", "json").out)[0]["p_value"]
    rounded = lexiframe(*command, "--alpha", f"{p + 1e-6:.8f}").out
    assert f"{p:.3f}" in lexiframe(*command).out
    words = [word.strip(",;.") for word in rounded.split()]
    shown = [float(word) for word in words if word.startswith(f"{p:.2f}"[:3])]
    assert any(abs(value - p) < 1e-6 and value < p + 1e-6 for value in shown)


def test_measures_in_one_option(lexiframe):
    apart = lexiframe("compare", QRELS, RUNS, "-m", "AP", "-m", "nDCG@10", "--format", "csv")
    for together in ("AP,nDCG@10", "map ndcg@10"):
        assert lexiframe("compare", QRELS, RUNS, "-m", together, "--format", "csv") == apart


def test_depth_and_queries_that_find_themselves(tmp_path, lexiframe):
    (tmp_path / "qrels").write_text("a 0 a 1\na 0 b 1\n")
    (tmp_path / "x.run").write_text("a Q0 a 1 3 t\na Q0 c 2 2 t\na Q0 b 3 1 t\n")
    values = {}
    for options in ([], ["--depth", "2"], ["--exclude-self"], ["--exclude-self", "--depth", "1"]):
        files = [tmp_path / "qrels", tmp_path / "x.run"]
        out = lexiframe("evaluate", *files, "-m", "AP", *options, "--format", "json").out
        values[" ".join(options)] = json.loads(out)["orderings"][0]["value"]
    assert values == {
        "": pytest.approx((1 + 2 / 3) / 2),
        "--depth 2": 0.5,
        "--exclude-self": 0.5,
        "--exclude-self --depth 1": 0,
    }
    assert_refused(lexiframe("coverage", QRELS, RUNS, "--depth", "0"), "depth: expected a whole n")


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".json"])
def test_compare_writes_its_table(tmp_path, lexiframe, ending):
    path = tmp_path / f"pairs{ending}"
    outcome = lexiframe("compare", QRELS, RUNS, "-m", "AP", "-o", path, "--format", "csv")
    assert (outcome.status, outcome.err.splitlines()[-1]) == (0, f"wrote {path}")
    expected = lf.evaluate(RUNS, QRELS, "AP").comparisons
    if ending == ".csv":
        assert path.read_text() == outcome.out
    elif ending == ".json":
        assert json.loads(path.read_text()) == expected.to_dicts()
    else:
        assert pl.read_parquet(path).equals(expected)
        said = json.loads(pl.read_parquet_metadata(path)["lexiframe"])
        assert (said["table"], said["inference"]["test"]) == ("comparisons", "auto")


def test_compare_writes_nowhere_else(tmp_path, lexiframe):
    said = "pairs.txt: expected a file name that ends in .parquet, .csv, .json, which says"
    outcome = lexiframe("compare", QRELS, RUNS, "-m", "AP", "-o", tmp_path / "pairs.txt")
    assert_refused(outcome, said)
    shutil.copy(QRELS, tmp_path / "qrels.csv")
    outcome = lexiframe("compare", tmp_path / "qrels.csv", RUNS, "-o", tmp_path / "qrels.csv")
    assert_refused(outcome, "would replace the file that is read")


def test_tukeys_hsd_and_intervals_on_the_command_line(lexiframe):
    d = lf.preferences(lf.positions(RUNS, QRELS), "AP")
    options = ["-m", "AP", "--format", "json", "--seed", "3"]
    said = lexiframe("compare", QRELS, RUNS, *options, "--hsd", "randomized", "--trials", "99").out
    assert json.loads(said) == lf.tukey_hsd(d, trials=99, seed=3).to_dicts()
    said = lexiframe("compare", QRELS, RUNS, *options, "--hsd", "parametric").out
    assert json.loads(said) == lf.tukey_hsd(d, "parametric").to_dicts()
    said = lexiframe("compare", QRELS, RUNS, *options, "--intervals", "bca").out
    assert json.loads(said) == lf.compare(d, intervals="bca", seed=3).to_dicts()
    for more in (["--baseline", "random"], ["--alternative", "greater"]):
        outcome = lexiframe("compare", QRELS, RUNS, "--hsd", "randomized", *more)
        assert_refused(outcome, "--hsd: compares all pairs of runs, on both sides; leave --baseli")


# --- Arguments in the wrong place ---------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([QRELS, RUNS, "-m", "AP", "P@5"], "P@5: expected files, found measures; give all"),
        (["-m", "AP", "nDCG@10", QRELS, RUNS], "nDCG@10: expected files, found measures"),
        (
            [RUNS, QRELS],
            f"{QRELS} looks like the judgments; the judgments come first, then",
        ),
        ([EXAMPLE, RUNS], f"{EXAMPLE}: expected a file, found a folder; the judgments come first"),
        ([RUN, QRELS], "this looks like a run, given as qrels; qrels and runs may have changed pl"),
        ([QRELS, RUNS, QRELS], f"leave it out of the runs; the judgments are {QRELS}"),
    ],
)
def test_arguments_in_the_wrong_place(lexiframe, arguments, message):
    assert_refused(lexiframe("evaluate", *arguments), message)


# --- Reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["evaluate", "compare", "coverage"])
def test_what_text_cannot_say_is_said(tmp_path, lexiframe, command):
    lines = [line.split() for line in RUN.read_text().splitlines()]
    for name, n in (("a", 1), ("b", 2)):
        rows = [f"{q} {d} {float(s) * n}".replace(".", ",") for q, _, d, _, s, _ in lines]
        (tmp_path / name).write_text("\n".join(["qid docno score", *rows]))
    measure = [] if command == "coverage" else ["-m", "AP"]
    options = [*measure, "--decimal", ",", "--header", "--format", "json"]
    said = lexiframe(command, QRELS, tmp_path / "a", tmp_path / "b", *options)
    assert said.status == 0
    (tmp_path / "c").write_text("\n".join(f"{q} {d} {s}" for q, _, d, _, s, _ in lines))
    shutil.copy(tmp_path / "c", tmp_path / "d")
    options = [*measure, "--third", "score", "--format", "json"]
    same = lexiframe(command, QRELS, tmp_path / "c", tmp_path / "d", *options)
    assert same.status == 0
    found = json.loads(same.out.replace('"c"', '"a"').replace('"d"', '"b"'))
    expected = json.loads(said.out)
    for tables in (found, expected) if command == "evaluate" else ():
        tables["verdict"][0].pop("sentence")  # it has the names among other words
    assert found == expected


def test_judgments_with_a_header_and_decimal_commas(tmp_path, lexiframe):
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    text = "\n".join(["query_id doc_id relevance", *(f"{q} {d} {y},0" for q, _, d, y in lines)])
    (tmp_path / "qrels").write_text(text)
    options = ["--qrels-header", "--decimal", ",", "-m", "AP", "--format", "json"]
    said = lexiframe("evaluate", tmp_path / "qrels", RUNS, *options)
    plain = lexiframe("evaluate", QRELS, RUNS, "-m", "AP", "--format", "json")
    assert said.status == 0
    assert json.loads(said.out) == json.loads(plain.out)
    advice = lexiframe("evaluate", tmp_path / "qrels", RUNS).err
    assert "this looks like a header: say so with --header (of qrels --qrels-header)" in advice


def test_columns_by_other_names(tmp_path, lexiframe):
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    judged = [line.split() for line in QRELS.read_text().splitlines()]
    ranked = [line.split() for line in RUN.read_text().splitlines()]
    qrels.write_text("topic no,item,y\n" + "".join(f"{q},{d},{y}\n" for q, _, d, y in judged))
    run.write_text("t,item,x\n" + "".join(f"{f[0]},{f[2]},{f[4]}\n" for f in ranked))
    of_run = ["--column", "query_id=t", "--column", "doc_id=item", "--column", "score=x"]
    of_qrels = ["query_id=topic no", "doc_id=item", "relevance=y"]
    options = [*of_run, *(part for name in of_qrels for part in ("--qrels-column", name))]
    twin, twins = tmp_path / "twin.csv", tmp_path / f"twin{RUN.suffix}"
    shutil.copy(run, twin)
    shutil.copy(RUN, twins)
    for command in ("evaluate", "compare", "coverage"):
        told = ["-m", "AP"] if command != "coverage" else []
        said = lexiframe(command, qrels, run, twin, *options, *told, "--format", "json")
        plain = lexiframe(command, QRELS, RUN, twins, *told, "--format", "json")
        assert said.status == 0
        assert json.loads(said.out) == json.loads(re.sub(rf"\b{RUN.stem}\b", "run", plain.out))
    assert lexiframe("check", run, *of_run).status == 0
    assert lexiframe("convert", run, tmp_path / "x.run", *of_run).status == 0
    assert lf.read_runs(tmp_path / "x.run")["doc_id"].equals(lf.read_runs(RUN)["doc_id"])


def test_advice_about_columns_names_options(tmp_path, lexiframe):
    run = tmp_path / "run.csv"
    for names, option in {
        "topic|item|x": "put commas between its columns",
        "a,b,c": "--column query_id=... --column doc_id=... --column score=... (of qrels ",
        "user_idd,item,score": "--column query_id=user_idd (of qrels --qrels-column)",
        "topic no,item,score": "--column 'query_id=topic no' (of qrels --qrels-column)",
        "qid,item,sim,score": "--column score=score (of qrels --qrels-column)",
    }.items():
        run.write_text(f"{names}\n{','.join('1' * len(names.split(',')))}\n")
        assert_refused(lexiframe("evaluate", QRELS, run), option)
        assert option in lexiframe("check", run, "--format", "json").out
    judged = tmp_path / "qrels.csv"
    for names, option in {
        "query_id,doc_id,stars": "--qrels-column relevance=stars (of convert --column)",
        "topic no,item,rating": "--qrels-column 'query_id=topic no' (of convert --column)",
    }.items():
        judged.write_text(f"{names}\n1,1,1\n")
        assert_refused(lexiframe("evaluate", judged, RUN), option)
    for wrong in ("query_id", "query_id=", "=topic"):
        outcome = lexiframe("check", run, "--column", wrong)
        assert outcome.status == 2
        assert f"expected OURS=THEIRS (query_id=topic), found {wrong!r}" in outcome.err
    assert as_options('columns={"it\'s"}') == 'columns={"it\'s"}'


def test_standard_input_is_one_thing(lexiframe):
    outcome = lexiframe("evaluate", "-", "-")
    assert outcome.status == 1
    assert "standard input holds the judgments or a run, not both" in outcome.err


def test_convert_writes_what_the_ending_says(tmp_path, lexiframe):
    outcome = lexiframe("convert", RUN, tmp_path / "a.json")
    assert outcome.status == 1
    assert "convert writes TREC text, TSV, Parquet and CSV, not .json" in outcome.err
    for ending in (".JSON", ".run.bz2", ".xz"):
        refused = lexiframe("convert", RUN, f"{tmp_path}/a{ending}").err
        assert f"Parquet and CSV, not .{ending.rpartition('.')[2]}" in refused
    assert "-: convert writes a file, not standard output" in lexiframe("convert", RUN, "-").err
    assert listing(tmp_path) == []
    for ending, start in ((".GZ", b"\x1f\x8b"), (".Parquet", b"PAR1"), (".CSV", b"run,query_id,")):
        assert lexiframe("convert", RUN, f"{tmp_path}/a{ending}").status == 0
        assert (tmp_path / f"a{ending}").read_bytes().startswith(start)


def test_convert_does_not_replace_what_it_reads(tmp_path, lexiframe):
    run = tmp_path / "a.trec"
    shutil.copy(RUN, run)
    (tmp_path / "link.run").symlink_to(run)
    for source, target in ((run, run), (run, tmp_path), ("link.run", run), (run, "link.run")):
        outcome = lexiframe("convert", tmp_path / source, tmp_path / target)
        assert outcome.status == 1
        assert "would replace the file that is read; choose another name" in outcome.err
    assert run.read_bytes() == RUN.read_bytes()


def filled_with_inputs(folder):
    """Write judgments, a run by two names, another among results, and attributes of requests."""
    shutil.copy(QRELS, folder / "qrels")
    shutil.copy(RUN, folder / "a.run")
    queries = sorted({line.split()[0] for line in QRELS.read_text().splitlines()})
    (folder / "requests.csv").write_text("qid,x\n" + "".join(f"{q},1\n" for q in queries))
    write_parquet(lf.read_runs({"b": RUN}), folder / "out" / "scores.parquet")
    (folder / "link.html").symlink_to(folder / "qrels")
    (folder / "twin.html").hardlink_to(folder / "a.run")
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "options",
    [
        *("--report requests.csv", "--report link.html", "--report twin.html", "--out out"),
    ],
)
def test_evaluate_does_not_replace_what_it_reads(tmp_path, monkeypatch, lexiframe, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    before = {path: path.read_bytes() for path in filled_with_inputs(tmp_path)}
    asked = ["-m", "AP", "--requests", "requests.csv", "--by", "x"]
    runs = ["a.run", "out/scores.parquet"]
    outcome = lexiframe("evaluate", "qrels", *runs, *asked, *options.split())
    assert_refused(outcome, "would replace the file that is read; choose another name")
    assert {path: path.read_bytes() for path in before} == before


def test_evaluate_by_groups_says_how_to_test_whether_they_differ(tmp_path, lexiframe):
    requests = tmp_path / "requests.csv"
    requests.write_text("query_id,kind\nq0066,x\nq0078,y\nq0113,x\nq0175,y\nq0206,x\n")
    asked = ["evaluate", QRELS, RUNS, "-m", "AP"]
    by_kind = ["--requests", str(requests), "--by", "kind"]
    hint = "lexiframe.compare_groups(e) and lexiframe.group_correlations(e)"
    assert hint in lexiframe(*asked, *by_kind).err
    assert hint not in lexiframe(*asked).err
    assert hint not in lexiframe(*asked, *by_kind, "--format", "json").err


def test_a_one_sided_verdict_needs_a_baseline(lexiframe):
    asked = ["verdict", QRELS, RUNS, "-m", "AP", "--alternative", "greater"]
    refused = lexiframe(*asked)
    assert_refused(refused, "--alternative: a verdict about all pairs needs two-sided tests; leave")
    assert "significantly better than random" in lexiframe(*asked, "--baseline", "random").out


REPLACED = [  # the arguments, and the input that they would replace
    (["evaluate", "~/qrels", "a.run", "--report", "qrels"], "qrels"),
    (["evaluate", "file://{}/my%20qrels", "a.run", "--report", "my qrels"], "my qrels"),
    (["evaluate", "-", "a.run", "--report", "qrels"], "qrels"),
    (
        ["evaluate", "qrels", "a.run", "--requests", "~/r.csv", "--by", "x", "--report", "r.csv"],
        "r.csv",
    ),
    (["convert", "file://{}/a.run", "a.run"], "a.run"),
    (["convert", "~/a.trec", "."], "a.trec"),
]


@pytest.mark.parametrize("arguments, replaced", REPLACED, ids=lambda value: str(value)[:60])
def test_inputs_by_any_name_are_not_replaced(tmp_path, monkeypatch, lexiframe, arguments, replaced):
    for name in ("qrels", "my qrels"):
        shutil.copy(QRELS, tmp_path / name)
    for name in ("a.run", "a.trec"):
        shutil.copy(RUN, tmp_path / name)
    (tmp_path / "r.csv").write_text("qid,x\nq0066,1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    before = (tmp_path / replaced).read_bytes()
    with (tmp_path / "qrels").open(encoding="utf-8") as standard_input:
        monkeypatch.setattr("sys.stdin", standard_input)
        outcome = lexiframe(*(argument.format(tmp_path) for argument in arguments))
    assert_refused(outcome, "would replace the file that is read; choose another name")
    assert (tmp_path / replaced).read_bytes() == before


def test_demo_does_not_replace_the_bundled_files(tmp_path, monkeypatch, lexiframe):
    shutil.copytree(lf.bundled("digits"), tmp_path / "digits")
    monkeypatch.setattr(demo_command, "bundled", lambda _: tmp_path / "digits")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "scores.parquet").symlink_to(tmp_path / "digits" / "qrels.parquet")
    assert_refused(lexiframe("demo", "--out", tmp_path / "out"), "would replace the file that is")


@pytest.mark.parametrize(
    "report, message",
    [
        ("oo/scores.parquet", "would replace .*scores.parquet, which is written too; choose anoth"),
        ("link/scores.parquet", "would replace .*scores.parquet, which is written too"),
        ("oo/power.parquet/r.html", "power.parquet: is a file and the folder of .*r.html; choose"),
    ],
)
def test_outputs_do_not_replace_each_other(tmp_path, monkeypatch, lexiframe, report, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("oo")
    outcome = lexiframe("evaluate", "no.qrels", RUNS, "--out", "oo", "--report", report)
    assert outcome.status == 1
    assert re.search(message, outcome.err)
    assert listing(tmp_path) == []


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_what_the_machine_cannot_print(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "lexiframe", "coverage", str(QRELS), str(RUN)]
    done = subprocess.run(
        command, capture_output=True, env=environment, check=False, cwd=Path(lf.__file__).parents[1]
    )
    assert done.returncode == 0, done.stderr
    assert "│" in done.stdout.decode()


def test_standard_input(monkeypatch, lexiframe):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.read_bytes())))
    outcome = lexiframe("coverage", QRELS, "-", "--format", "csv")
    named = lexiframe("coverage", QRELS, RUN, "--format", "csv")
    assert outcome.out == named.out.replace("random,", "stdin,")


ALL = "<&- >&- 2>&-"
CLOSED = [
    (["evaluate", QRELS, RUNS, "-m", "AP", "--out", "out", "--report", "r"], ALL, (0, "", "")),
    (["coverage", QRELS, RUNS, "--format", "csv"], ">&-", (0, "", "")),
    (["coverage", QRELS, "no.run"], ">&-", (1, "", "error: no.run: no such file\n")),
    (["coverage", QRELS, "no.run"], "2>&-", (1, "", "")),
    (
        ["coverage", QRELS, "-"],
        "<&-",
        (1, "", "error: standard input: it is closed; name a file\n"),
    ),
    (["coverage", QRELS], ALL, (2, "", "")),
    (["check", QRELS, RUNS], "<&-", (0, "", "files checked: 4, with problems: 0\n")),
]


@pytest.mark.skipif(os.name == "nt", reason="there is no such shell")
@pytest.mark.parametrize("arguments, closed, expected", CLOSED)
def test_closed_streams(tmp_path, arguments, closed, expected):
    """The work is done; what nobody can read is dropped, and not written into results."""
    environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
    command = shlex.join([sys.executable, "-m", "lexiframe", *map(str, arguments)])
    shell = ["sh", "-c", f"exec {command} {closed}"]
    options = {"stdin": subprocess.DEVNULL, "cwd": tmp_path, "env": environment, "check": False}
    done = subprocess.run(shell, capture_output=True, **options)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == expected
    if "--out" in arguments:
        assert {path.stem for path in (tmp_path / "out").iterdir()} == {*TABLES, *FOR_REUSE}
        assert all(pl.read_parquet(path).width for path in (tmp_path / "out").iterdir())
        assert (tmp_path / "r").read_text().startswith("<!doctype html>")


def test_a_report_does_not_replace_the_output(tmp_path):
    """Which would go into a file without a name, and be lost."""
    with (tmp_path / "r.html").open("wb") as file:
        environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
        command = [
            sys.executable,
            "-m",
            "lexiframe",
            "evaluate",
            QRELS,
            RUNS,
            "--report",
            file.name,
        ]
        options = {"stdout": file, "stderr": subprocess.PIPE, "env": environment, "check": False}
        done = subprocess.run(list(map(str, command)), **options)
    assert done.returncode == 1
    message = "r.html: the standard output or error goes there already; choose another file"
    assert message in done.stderr.decode()


def test_an_interruption_while_the_command_line_is_loaded(monkeypatch, capsys):
    load = builtins.__import__

    def interrupt(name, *arguments):
        if name == "lexiframe.core.cli.app":
            raise KeyboardInterrupt
        return load(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", interrupt)
    with pytest.raises(SystemExit, match="130"):
        __main__.main()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("how", ["cause", "context", "signal"])
def test_an_interruption_that_a_module_in_c_turns_into_an_import_error(monkeypatch, capsys, how):
    def interrupted():
        message = "initialization failed"
        lost = ImportError(message)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            if how == "signal":
                pass
            elif how == "cause":
                raise ImportError(message) from error
            else:
                raise ImportError(message)  # noqa: B904
        raise lost

    def unnoted(_number):
        raise KeyboardInterrupt

    if how != "signal":
        monkeypatch.setattr(signal, "raise_signal", unnoted)
    monkeypatch.setattr(cli, "main", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit, match="130"):
        __main__.main()
    assert capsys.readouterr() == ("", "")
    assert signal.getsignal(signal.SIGINT) is before


def test_an_import_error_is_no_interruption(monkeypatch):
    def broken():
        raise ImportError("initialization failed")

    monkeypatch.setattr(cli, "main", broken)
    with pytest.raises(ImportError, match="initialization failed"):
        __main__.main()


class Full(io.TextIOBase):
    """A stream on a full disk."""

    encoding = "utf-8"

    def write(self, text=""):
        raise OSError(errno.ENOSPC, "No space left on device")

    flush = write


def test_messages_that_cannot_be_written_are_dropped(tmp_path, monkeypatch, lexiframe):
    monkeypatch.setattr(sys, "stderr", Full())
    outcome = lexiframe("evaluate", QRELS, RUNS, "-m", "AP", "--out", tmp_path / "out")
    assert outcome.status == 0
    assert "\nMeans over 5 requests" in outcome.out
    assert {path.stem for path in (tmp_path / "out").iterdir()} == {*TABLES, *FOR_REUSE}
    assert lexiframe("evaluate", QRELS, "no.run") == (1, "", "")
    assert lexiframe("evaluate", "--no-such-option").status == 2


def test_check_lists_all_problems(tmp_path, lexiframe):
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2\nq1 Q0 d1 3 high x\n")
    (tmp_path / "bad.qrels").write_text("q1 0 d1 1\nq1 0 d1 2\n")
    files = [tmp_path / "bad.run", RUN, tmp_path / "bad.qrels", QRELS]
    outcome = lexiframe("check", *files, "--format", "json")
    assert outcome.status == 1
    found = [(row["file"], row["line"], row["problem"]) for row in json.loads(outcome.out)]
    assert found == [
        (str(files[0]), 2, "fields"),
        (str(files[0]), 3, "number"),
        (str(files[0]), 3, "duplicate"),
        (str(files[2]), 2, "duplicate"),
    ]
    assert outcome.err == "files checked: 4, with problems: 2\n"
    advice = lexiframe("check", QRELS, "--as", "run").out  # its lines break where the path ends
    assert "looks like a qrels file" in " ".join(advice.split())


def test_check_warns_once_of_several_folders_and_files(tmp_path, lexiframe):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "README.md").write_text("about the runs")
        (folder / f"{folder.name}.run").write_text("q1 Q0 d1 1 2.5 tag of more words\n")
    outcome = lexiframe("check", *folders)
    assert outcome.status == 0
    left_out, wider, last = outcome.err.splitlines()
    assert left_out.startswith("warning: left out of 2 folders, since they are folders, or not ")
    assert wider.startswith(
        "warning: 2 lines have more than 6 fields; the fields after the sixth are ignored;"
    )
    assert last == "files checked: 2, with problems: 0"


def test_qrels_with_a_bad_grade_are_qrels(tmp_path, lexiframe):
    forms = {
        "a": '{"qid": "q", "docno": "d", "rel": 1}\n{"qid": "q", "docno": "e", "rel": "x"}\n',
        "b": '[{"qid": "q", "docno": "d", "rel": 1}, {"qid": "q", "docno": "e", "rel": "x"}]',
        "c": "q1 0 d1 1\nq1 0 d2 2\nq1 0 d3 x\n",
    }
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        rows = json.loads(lexiframe("check", tmp_path / name, "--format", "json").out)
        assert [row["advice"] for row in rows] == ["mend it, or leave the judgment out"]


def test_check_of_a_name_that_is_no_utf8(tmp_path, lexiframe):
    outcome = lexiframe("check", os.fsdecode(b"no\xff"), "--format", "csv")
    assert (outcome.status, outcome.err) == (1, "files checked: 1, with problems: 1\n")
    assert "\nno\ufffd,,file,runs or judgments,no such file," in outcome.out


def test_check_takes_files_of_one_name_and_no_other_things(tmp_path, lexiframe):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(RUN, tmp_path / folder)
    outcome = lexiframe("check", tmp_path / "a" / RUN.name, tmp_path / "b" / RUN.name)
    assert outcome.err == "files checked: 2, with problems: 0\n"
    outcome = lexiframe("check", "irds:vaswani")
    assert outcome.status == 1
    assert "expected a file to check, found a name of ir_datasets" in outcome.err


def test_judgments_of_beir_are_judgments(tmp_path, lexiframe):
    text = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n"
    (tmp_path / "test.tsv").write_text(text)
    frame = pl.read_csv(text.encode(), separator="\t")
    lf.write_parquet(frame, tmp_path / "test.parquet")
    for source in ("test.tsv", "test.parquet"):
        assert lexiframe("convert", tmp_path / source, tmp_path / "x.qrels").status == 0
        assert (tmp_path / "x.qrels").read_text() == "q1 0 d1 1\nq1 0 d2 0\n"
    assert lexiframe("convert", tmp_path / source, tmp_path / "x.run", "--as", "run").status == 0
    assert (tmp_path / "x.run").read_text() == "q1 Q0 d1 1 1.0 test\nq1 Q0 d2 2 0.0 test\n"


def test_check_says_nothing_of_files_in_order(lexiframe):
    outcome = lexiframe("check", QRELS, RUNS)
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == f"files checked: {1 + len(list(RUNS.iterdir()))}, with problems: 0\n"


# --- Bad usage: status 2 ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["evaluat"],
        ["evaluate"],
        ["evaluate", QRELS],
        ["evaluate", QRELS, RUNS, "--no-such-option"],
        ["evaluate", QRELS, RUNS, "--ties", "random"],
        ["evaluate", QRELS, RUNS, "--rel", "high"],
        ["evaluate", QRELS, RUNS, "--format", "xml"],
        ["compare", QRELS, RUNS, "--correction", "none at all"],
        ["convert", QRELS],
        ["convert", QRELS, ""],
        ["evaluate", QRELS, RUNS, "--out", ""],
        ["evaluate", QRELS, RUNS, "--report", ""],
        ["evaluate", QRELS, RUNS, "--out", "~no_such_user/x"],
        ["demo", "--out", ""],
    ],
)
def test_bad_usage(lexiframe, arguments):
    outcome = lexiframe(*arguments)
    assert outcome.status == 2
    assert "Traceback" not in outcome.err


# --- Bad input: status 1, one message, nothing left ----------------------------------------------


GOOD = RUN.read_bytes()
FIRST = GOOD.splitlines(keepends=True)[0]
BAD_RUNS = {
    "truncated gzip": (gzip.compress(GOOD)[:-20], "gzip data is broken or cut short"),
    "binary": (b"\x7fELF\0\0\0", "binary file"),
    "NaN": (FIRST + b"q9 Q0 d1 1 NaN t\n", "line 2: expected a number in field 5"),
    "no request in common": (GOOD.replace(b"q", b"x"), "no query in common"),
    "judgments": (QRELS.read_bytes(), "line 1: expected 6 fields"),
}


def assert_refused(outcome, message):
    assert outcome.status == 1
    assert outcome.out == ""
    (line,) = outcome.err.splitlines()
    assert line.startswith("error: ")
    assert message in line


@pytest.mark.parametrize("kind", BAD_RUNS)
def test_bad_runs(tmp_path, lexiframe, kind):
    data, message = BAD_RUNS[kind]
    bad, out = tmp_path / "bad.run", tmp_path / "out"
    bad.write_bytes(data)
    options = ["--out", out, "--report", out / "report.html"]
    outcome = lexiframe("evaluate", QRELS, RUNS, bad, *options)
    if kind == "no request in common":  # with the other runs there are some
        assert outcome.status == 0
        out = tmp_path / "another"
        outcome = lexiframe("evaluate", QRELS, bad, "--out", out)
    assert_refused(outcome, message)
    assert listing(out) == []
    for command in ("compare", "coverage"):
        assert_refused(lexiframe(command, QRELS, bad), message)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["evaluate", QRELS, "no.run"], "no.run: no such file"),
        (["evaluate", "no.qrels", RUNS], "no.qrels: no such file"),
        (["evaluate", QRELS, "no/*.run"], "no/*.run: the pattern matches no file"),
        (["evaluate", EXAMPLE, RUNS], "expected a file, found a folder"),
        (["evaluate", QRELS, RUN, RUN], "two runs are named 'random'"),
        (["evaluate", QRELS, RUNS, "-m", "nDGC"], "unknown measure 'nDGC'; did you mean nDCG"),
        (["evaluate", QRELS, RUNS, "-m", "AP@0"], "expected a whole number from 1"),
        (["evaluate", QRELS, RUNS, "--rel", "0"], "rel: expected a positive grade, found 0"),
        (["evaluate", QRELS, RUNS, "--out", "file"], "file: results cannot be written there"),
        (["evaluate", QRELS, RUNS, "--out", "file/in"], "file/in: results cannot be written there"),
        (
            ["evaluate", QRELS, RUNS, "--report", "file/r.html"],
            "file: results cannot be written there",
        ),
        (["compare", QRELS, RUN], "expected at least two runs, found 1 (random)"),
        (["compare", QRELS, RUNS, "--baseline", "rand"], "unknown run 'rand'; did you mean random"),
        (["compare", "no.qrels", RUNS, "-m", "RRP"], "unknown measure 'RRP'; did you mean"),
        (["compare", "no.qrels", RUNS, "--alpha", "2"], "expected alpha between 0 and 1, found 2"),
        (["compare", QRELS, RUNS, "--trials", 10**14], "0 trials need about 1600000.0 GB of mem"),
        (["coverage", QRELS, "no.run"], "no.run: no such file"),
        (
            ["coverage", QRELS, "same_ranks", "--ties", "rank"],
            "--ties rank needs ranks that differ",
        ),
        (["evaluate", "no.qrels", RUNS, "--report", "x" * 300], "cannot be written (File name"),
        (["evaluate", "no.qrels", RUNS, "--out", "x" * 300], "cannot be written there (File name"),
        (
            ["evaluate", "no.qrels", RUNS, "--report", "."],
            ".: cannot be written, because it is a f",
        ),
        (["evaluate", "no.qrels", RUNS, "--report", "pipe"], "pipe: cannot be written, because it"),
        (["evaluate", "no.qrels", RUNS, "--out", "in"], "in/scores.parquet: cannot be written, b"),
        (["convert", "no.run", "x.parquet"], "no.run: no such file"),
        (["convert", RUNS, "x.parquet"], "expected a file, found a folder"),
        (["convert", RUN, "no/x.parquet"], "no/x.parquet: cannot be written"),
        (["convert", RUN, "file/x.run"], "file/x.run: cannot be written"),
    ],
)
def test_bad_arguments(tmp_path, monkeypatch, lexiframe, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "same_ranks").write_bytes(b"q0066 Q0 a 0 2 t\nq0066 Q0 b 0 1 t\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "in" / "scores.parquet").mkdir(parents=True)
    assert_refused(lexiframe(*arguments), message)
    assert listing(tmp_path) == ["file", "same_ranks"]


ADVICE = {
    "qid docno score\nq1 d1 2\n": "this looks like a header: say so with --header",
    "q1 Q0 d1 1 0,5 t\n": "this has a decimal comma: say so with --decimal ,",
    "q1 d1 2\nq2 d1 1\n": "say which with --third score or --third rank",
    "q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n": "keep the best-ranked one with --duplicates best",
}


@pytest.mark.parametrize("text", ADVICE, ids=ADVICE.get)
def test_advice_names_options(tmp_path, lexiframe, text):
    (tmp_path / "x.run").write_text(text)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    assert_refused(lexiframe("coverage", tmp_path / "qrels", tmp_path / "x.run"), ADVICE[text])


def test_what_is_no_option_stays_as_it_is():
    for text in ("write linear(n=...)", "pool=True", "AP(rel=1)", "thirds='x'", "third=''"):
        assert as_options(text) == text


def test_bad_input_in_a_process_of_its_own(tmp_path):
    """As above, with nothing between the command and the shell."""
    outcome = in_a_process("evaluate", QRELS, "no.run", "--out", "out", cwd=tmp_path)
    assert outcome == (1, "", "error: no.run: no such file\n")
    assert listing(tmp_path) == []
    assert in_a_process("evaluate", QRELS).status == 2


# --- Scores of other tools ------------------------------------------------------------------------

AP_OF_TWO = pl.DataFrame({"qid": ["q1", "q2"], "bm25": [0.25, 0.5], "dph": [0.5, 0.75]})


def test_evaluate_scores(tmp_path, monkeypatch, lexiframe):
    monkeypatch.chdir(tmp_path)
    for run in ("bm25", "dph"):
        lines = [f"map   \t{q}\t{value}" for q, value in AP_OF_TWO.select("qid", run).iter_rows()]
        Path(f"{run}.treceval").write_text("\n".join([*lines, "map   \tall\t0.5\n"]))
    outcome = lexiframe("evaluate", "--scores", "bm25.treceval", "dph.treceval", "--out", "out")
    assert outcome.status == 0
    e = lf.evaluate_scores(["bm25.treceval", "dph.treceval"])
    assert outcome.out.strip() == str(e).strip()
    assert "Coverage" not in outcome.out
    assert listing(tmp_path / "out") == [
        f"{name}.parquet" for name in sorted([*TABLES, *FOR_REUSE])
    ]
    e = lf.evaluate_scores(["bm25.treceval", "dph.treceval"], baseline="bm25")
    asked = ("--scores", "*.treceval", "-m", "AP", "--format", "csv")
    assert lexiframe("compare", *asked).out == lf.compare(e.scores).write_csv()
    against = lf.compare(e.scores, baseline="dph").write_csv()
    assert lexiframe("compare", *asked, "--baseline", "dph").out == against
    hsd = lf.tukey_hsd(e.scores, "parametric").write_csv()
    assert lexiframe("compare", *asked, "--hsd", "parametric").out == hsd
    lexiframe("compare", *asked, "-o", "c.parquet")
    assert pl.read_parquet("c.parquet").equals(lf.compare(e.scores))
    assert "would replace" in lexiframe("compare", "--scores", "c.parquet", "-o", "c.parquet").err
    monkeypatch.setenv("COLUMNS", "1000")
    said = lexiframe("verdict", "--scores", "*.treceval").out
    assert said.splitlines() == lf.verdict(lf.evaluate_scores("*.treceval"))["sentence"].to_list()
    said = lexiframe("verdict", *asked, "--baseline", "bm25").out
    assert said == e.against_baseline.write_csv()
    refused = lexiframe("compare", "--scores", "bm25.treceval", "-m", "AP", "P@5")
    assert refused.err.startswith("error: P@5: expected files, found measures; give all measures")
    asked = ("-m", "AP", "--test", "sign", "--format", "json", "--scores")
    found = json.loads(lexiframe("evaluate", "*.treceval", *asked).out)
    assert found["verdict"][0]["measure"] == "map"
    assert found["verdict"][0]["test"] == "sign"
    outcome = lexiframe("evaluate", "--scores", "out/scores.parquet", "--out", "out")
    assert outcome.status == 1
    assert "would replace the file that is read" in outcome.err


def test_evaluate_scores_of_a_matrix(tmp_path, monkeypatch, lexiframe):
    AP_OF_TWO.write_csv(tmp_path / "ap.csv")
    called = lexiframe("evaluate", "--scores", tmp_path / "ap.csv")
    assert called.status == 0  # a file without measures is called like its measure
    said = "2 requests: too few for any conclusion by ap; dph is ahead in both."
    assert called.out.startswith(said)
    assert "share of requests won" not in called.out
    AP_OF_TWO.write_csv(tmp_path / "two.csv")
    outcome = lexiframe("evaluate", "--scores", tmp_path / "two.csv")
    assert outcome.status == 1
    assert "if these are runs, say what was measured (-m AP), and if they are m" in outcome.err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(AP_OF_TWO.write_csv().encode())))
    outcome = lexiframe("evaluate", "--scores", "-", "-m", "AP", "--format", "csv")
    assert outcome.out.splitlines()[0] == "run,measure,mean,ci_low,ci_high,rank,n"
    assert outcome.out.splitlines()[1].startswith("dph,AP,0.625,")


SCORES_OF_TREC_EVAL = [
    "map                   \tq1\t0.2500\nP_5                   \tq1\t0.4000\n",
    "runid                 \tall\tbm25\nmap                   \tall\t0.2500\n",
    "q1\tAP\t0.2500\nall\tAP\t0.2500\n",
]


@pytest.mark.parametrize("text", SCORES_OF_TREC_EVAL)
def test_scores_among_the_runs_are_recognised(tmp_path, lexiframe, text):
    path = tmp_path / "bm25.treceval"
    path.write_text(text)
    refused = lexiframe("evaluate", QRELS, path)
    looks = "these look like scores of trec_eval -q, not like a run; "
    assert f"{looks}give --scores: `lexiframe evaluate --scores FILE`" in refused.err
    with pytest.raises(lf.ReadError, match=f"{looks}evaluate_scores reads them"):
        lf.evaluate(path, QRELS)
    path.write_text("p_1 d1 0.25\np_1 d2 0.2\n")  # ids of requests, though P_1 is a measure
    assert "say which with --third score" in lexiframe("evaluate", QRELS, path).err


def test_scores_are_not_read_like_runs(lexiframe):
    outcome = lexiframe("evaluate", "--scores", "ap.csv", "--name-from", "tag")
    assert outcome.status == 2
    assert "--name-from says how judgments and runs are read" in outcome.err
    outcome = lexiframe("evaluate", QRELS)
    assert outcome.status == 2
    assert "expected at least one run after QRELS, found none" in outcome.err


def test_tables_for_papers(lexiframe):
    """For evaluate the means, as in Python; for others the table that csv has."""
    e = lf.evaluate(RUNS, QRELS, ["RPP", "AP"], test="sign", correction="none")
    asked = [QRELS, RUNS, "-m", "RPP,AP", "--test", "sign", "--correction", "none"]
    papers = {"latex": e.latex(intervals=True), "markdown": e.markdown(intervals=True)}
    for format, expected in papers.items():
        outcome = lexiframe("evaluate", *asked, "--format", format)
        assert (outcome.status, outcome.out) == (0, expected)
    compared = lexiframe("compare", *asked, "--format", "markdown").out.splitlines()
    assert compared[0].startswith("Table: difference run a − run b")
    assert compared[1] == ""
    assert len([line for line in compared if line.startswith("|")]) == 2 + e.comparisons.height
    heads = [name.strip() for name in compared[2].split("|")[1:-1]]
    assert heads == ["measure", "run a", "run b", "diff.", "interval", "adj. p", "sig."]
    coverage = lexiframe("coverage", QRELS, RUNS, "--format", "latex").out
    assert coverage.count(r"\\") == 4
    assert r"pca8\_euclidean & 5 & 5" in coverage
    verdict = lexiframe("verdict", *asked, "--format", "markdown").out
    assert "sentence" not in verdict
    assert "| pca8\\_euclidean, pixels\\_euclidean |" in verdict
    against = lexiframe("verdict", *asked, "--baseline", "random", "--format", "latex").out
    assert against.count(r"\\") == 1 + 2 * 3


@pytest.mark.parametrize("command", [["measures", "AP"], ["conventions", "AP"], ["check", RUN]])
def test_every_command_prints_tables_for_papers(lexiframe, command):
    assert r"\begin{tabular}" in lexiframe(*command, "--format", "latex").out
    assert lexiframe(*command, "--format", "markdown").out.startswith("| ")


def test_level_is_trec_evals_least_relevant_grade(lexiframe, tmp_path):
    """Lower grades keep their gain in nDCG, and count as not relevant elsewhere."""
    rng = np.random.default_rng(1)
    run = {
        f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.normal(size=40))} for q in range(20)
    }
    qrels = {q: {f"d{d}": int(rng.integers(0, 4)) for d in range(0, 60, 2)} for q in run}
    rows = [f"{q} Q0 {d} 1 {s} run" for q, scores in run.items() for d, s in scores.items()]
    (tmp_path / "run.txt").write_text("\n".join(rows))
    grades = [f"{q} 0 {d} {y}" for q, judged in qrels.items() for d, y in judged.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(grades))
    names = {"map", "ndcg", "ndcg_cut_10", "P_10", "recip_rank", "bpref", "recall_20", "Rprec"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=2).evaluate(run)
    ours = {str(lf.parse_measure(name)): name for name in names}
    files = (tmp_path / "qrels.txt", tmp_path / "run.txt")
    asked = [argument for name in sorted(names) for argument in ("-m", name)]
    out = tmp_path / "out"
    assert lexiframe("evaluate", *files, *asked, "--level", "2", "--out", out).status == 0
    for q, measure, value in (
        lf.read_scores(out / "scores.parquet").select(pl.exclude("run")).rows()
    ):
        name = ours[measure.replace("(rel=2)", "")]
        assert value == pytest.approx(theirs[q][name], rel=1e-12), measure
    plain = lexiframe("evaluate", *files, "-m", "ndcg", "--rel", "2", "--level", "2")
    assert (plain.status, "--level and --rel" in plain.err) == (1, True)


def test_scores_with_columns_of_other_names(tmp_path, lexiframe):
    path = tmp_path / "quality.csv"
    rows = (f"{run},{n},{value}" for n in range(5) for run, value in (("a", n), ("b", n * n / 9)))
    path.write_text("\n".join(["engine,topic,score", *rows]) + "\n")
    refused = lexiframe("evaluate", "--scores", path)
    assert refused.status == 1
    columns = ["--column", "run=engine"]
    for command in ("evaluate", "compare"):
        outcome = lexiframe(command, "--scores", path, *columns)
        assert outcome.status == 0
        assert "quality" in outcome.out
        named = lexiframe(command, "--scores", path, *columns, "--measure-name", "satisfaction")
        assert "satisfaction" in named.out
    two = ["a", "b", "--scores", path, "--margin", "quality=1", "--larger-is-better", "quality"]
    assert "quality" in lexiframe("gate", *two, *columns).out
    outcome = lexiframe("evaluate", QRELS, RUNS, "--measure-name", "x")
    assert outcome.status == 2
    assert "--measure-name is for --scores" in outcome.err


def test_runs_are_named_in_front_of_their_files(lexiframe):
    pca8, random = RUNS / "pca8_euclidean.run", RUNS / "random.run"
    for command in ("evaluate", "compare", "coverage"):
        outcome = lexiframe(command, QRELS, f"first={random}", pca8)
        assert "first" in outcome.out
        assert "pca8_euclidean" in outcome.out
        assert "random " not in outcome.out.replace("randomization", "")
    gated = lexiframe("gate", QRELS, f"old={pca8}", f"new={random}", "--margin", "AP=0.02")
    assert "FAIL: by AP, new is worse than old" in gated.out + gated.err
    missing = lexiframe("evaluate", QRELS, "first=missing.run", pca8)
    assert missing.status == 1
    assert "missing.run: no such file" in missing.err


def test_all_files_that_are_written_are_counted(tmp_path, lexiframe):
    out, report = tmp_path / "results", tmp_path / "new" / "pages" / "report.html"
    outcome = lexiframe("evaluate", QRELS, RUNS, "-m", "AP", "-o", out, "--report", report)
    assert f"wrote {len([*out.iterdir()])} tables to {out}" in outcome.err
    assert f"made the folder {report.parent}" in outcome.err
    again = lexiframe("evaluate", QRELS, RUNS, "-m", "AP", "--report", report)
    assert "made the folder" not in again.err


def test_judges_stand_in_front_of_the_runs(lexiframe):
    folder = lf.bundled("digits")
    people, model = folder / "judges/people.parquet", folder / "judges/classifier.parquet"
    named = lexiframe("judges", f"nist={people}", f"llm={model}")
    as_options = lexiframe("judges", "--qrels", f"nist={people}", "--qrels", f"llm={model}")
    assert named.out == as_options.out != ""
    by_file = lexiframe("judges", people, model)
    assert "classifier" in by_file.out
    runs = [folder / "runs/random.parquet", folder / "runs/pca8_euclidean.parquet"]
    with_runs = lexiframe("judges", f"nist={people}", f"llm={model}", *runs, "-m", "AP")
    assert with_runs.status == 0
    assert "By AP (randomization, max_t), 1 of 1 pair of runs differs" in with_runs.out
    none = lexiframe("judges", *runs)
    assert none.status == 2
    assert "look like runs" in none.said


def test_help_shows_no_type_of_flags_and_no_needless_requirement(lexiframe):
    for command in ("gate", "evaluate", "judges"):
        assert "<bool>" not in lexiframe(command, "--help").out
    said = lexiframe("gate", "--help").out
    assert "--hsd" not in said
    assert "[QRELS]" in said
    outcome = lexiframe("gate", "--margin", "AP=0.1")
    assert outcome.status == 2
    assert "expected QRELS BASELINE CANDIDATE" in outcome.err
