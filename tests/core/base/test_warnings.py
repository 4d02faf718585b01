"""Every warning comes once a call, and points at the line of the user's call."""

import ast
import re
import threading
import warnings
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow

PACKAGE = Path(lf.__file__).parent

QRELS = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "b"], "relevance": 1.0})
TWICE = pl.concat([QRELS, QRELS[:1]])
ROWS = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "b"], "score": 1.0})
LOG = pl.DataFrame({"run": ["a", "z"], "k": [1, 2]})
GROUPS = pl.DataFrame(
    {"query_id": [f"q{n}" for n in range(6)], "group": ["x", "x", "y", "y", "z", "z"]}
)
# In every request a before b, b before c, c before a.
CYCLES = pl.DataFrame(
    [
        (query, *pair, measure, preference)
        for query in GROUPS["query_id"]
        for *pair, preference in [("a", "b", 1.0), ("a", "c", -1.0), ("b", "c", 1.0)]
        for measure in ("one", "other")
    ],
    schema=["query_id", "run_a", "run_b", "measure", "preference"],
    orient="row",
)
# The same of rankings, over three requests: the relevant document is behind so many others.
BEHIND = {"a": [0, 2, 1], "b": [1, 0, 2], "c": [2, 1, 0]}
RUNS = pl.DataFrame(
    [
        (run, f"q{n}", document, -float(place))
        for run, behind in BEHIND.items()
        for n in range(6)
        for place, document in enumerate([*"xyz"[: behind[n % 3]], "relevant"])
    ],
    schema=["run", "query_id", "doc_id", "score"],
    orient="row",
)
JUDGED = pl.DataFrame({"query_id": GROUPS["query_id"], "doc_id": "relevant", "relevance": 1.0})
HALVES = GROUPS.with_columns(half=pl.Series(["first"] * 3 + ["last"] * 3))


@pytest.fixture
def wide(tmp_path):
    """Five runs, and in all of them but the first a line that has more fields than are read."""
    folder = tmp_path / "wide"
    folder.mkdir()
    for n in range(5):
        text = f"q1 Q0 a 1 2.5 tag{' and more' * (n > 0)}\nq2 Q0 b 1 2.5 tag\n"
        (folder / f"{n}.run").write_text(text)
    return folder


@pytest.fixture
def folders(tmp_path):
    """Two folders of runs, each with something that is no run."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text("about the runs")
        (tmp_path / name / f"{name}.run").write_text("q1 Q0 a 1 2.5 tag\nq2 Q0 b 1 2.5 tag\n")
    return [tmp_path / "one", tmp_path / "two"]


WIDER = (
    r"4 lines have more than 6 fields; the fields after the sixth are ignored; "
    r"files: 4 \('.*1.run', .*, \.\.\."
)
LEFT_OUT = r"left out of 2 folders, .* name it\): 2 \('.*one/README.md', '.*two/README.md'\)"
CYCLE = r"majorities form 2 cycles \(one: a, b, c; other: a, b, c\)"
CYCLES_BY = r"majorities form 6 cycles in 3 groups of requests \(one: a, b, c; other: .*; one"
GAPS = "rankings missing, counted as empty: 1 "
STRANGERS = "no judged document was retrieved by any run"
TRIALS = "no p-value of 9 trials can be below 0.05"


def values(query_ids="q1 q2"):
    rows = [(run, query, "AP", 0.5) for run in "ab" for query in query_ids.split()]
    return pl.DataFrame(rows, schema=["run", "query_id", "measure", "value"], orient="row")


def random_pairs():
    """Many requests, so that tests by trials draw."""
    s = pl.DataFrame({"query_id": [f"q{n % 40}" for n in range(80)], "measure": "AP"})
    s = s.with_columns(run=pl.Series(["a"] * 40 + ["b"] * 40))
    return s.with_columns(value=pl.int_range(80) * 7919 % 101 / 101)


by_trials = {"test": "randomization", "trials": 9}
WARNINGS = {
    "positions": (lambda: lf.positions({"x": ROWS[:1]}, QRELS), GAPS),
    "evaluate": (lambda: lf.evaluate({"x": ROWS[:1], "y": ROWS}, QRELS, "AP"), GAPS),
    "interleaving": (lambda: lf.interleaving({"x": ROWS[:1], "y": ROWS}, QRELS), GAPS),
    "coverage": (
        lambda: lf.coverage({"x": ROWS.with_columns(doc_id=pl.lit("other"))}, QRELS),
        STRANGERS,
    ),
    "positions without a judged document": (
        lambda: lf.positions({"x": ROWS.with_columns(doc_id=pl.lit("other"))}, QRELS, judged=True),
        STRANGERS,
    ),
    "read_runs of nothing": (
        lambda: lf.read_runs({"x": {}, "y": ROWS}),
        r"runs without any row.*1 \('x'\)",
    ),
    "read_qrels": (
        lambda: lf.read_qrels(TWICE, duplicates="best"),
        "judgments that repeated a document, removed: 1",
    ),
    "positions with repeated judgments": (
        lambda: lf.positions({"x": ROWS}, TWICE, duplicates="best"),
        "repeated judgments, removed: 1",
    ),
    "read_scores without values": (
        lambda: lf.read_scores(
            values().with_columns(value=pl.when(pl.col("query_id") != "q2").then("value"))
        ),
        r"requests without a value for any run and measure, left out: 1 \('q2'\)",
    ),
    "read_scores with absent requests": (
        lambda: lf.read_scores(values()[:3]),
        r"runs that lack values for requests .* 1 \('b'\)",
    ),
    "with_log": (
        lambda: lf.with_log(values(), LOG),
        r"with_log: run without a log entry: 1 \('b'\); log entry without a run: 1 \('z'\)",
    ),
    "requests without attributes": (
        lambda: lf.order_runs(CYCLES, "borda", requests=GROUPS[1:], by="group"),
        r"requests: query_id without attributes: 1 \('q0'\)",
    ),
    "evaluate in groups": (
        lambda: lf.evaluate(RUNS, JUDGED, ["AP", "RPP"], requests=GROUPS[1:], by="group"),
        r"requests: query_id without attributes: 1 \('q0'\)",
    ),
    "order_runs": (lambda: lf.order_runs(CYCLES, "copeland"), CYCLE),
    "order_runs in groups": (
        lambda: lf.order_runs(CYCLES, "copeland", requests=GROUPS, by="group"),
        CYCLES_BY,
    ),
    "bootstrap_correlations": (
        lambda: lf.bootstrap_correlations(CYCLES, order="copeland", samples=9),
        CYCLE,
    ),
    "bootstrap_correlations in groups": (
        lambda: lf.bootstrap_correlations(
            CYCLES, order="copeland", samples=9, requests=GROUPS, by="group"
        ),
        CYCLES_BY,
    ),
    "evaluate with cycles": (
        lambda: lf.evaluate(RUNS, JUDGED, "RPP", order="copeland"),
        r"majorities form 1 cycles \(RPP: a, b, c\)",
    ),
    "evaluate with cycles in groups": (
        lambda: lf.evaluate(RUNS, JUDGED, "RPP", order="copeland", requests=HALVES, by="half"),
        r"majorities form 2 cycles in 2 groups of requests \(RPP: a, b, c; RPP: a, b, c\)",
    ),
    "compare": (lambda: lf.compare(random_pairs(), **by_trials), TRIALS),
    "compare in groups": (
        lambda: lf.compare(
            random_pairs().with_columns(group=pl.col("query_id").str.slice(1).cast(pl.Int64) % 2),
            **by_trials,
            by="group",
        ),
        TRIALS,
    ),
}
OF_FILES = {
    "read_runs": (lambda folder: lf.read_runs(folder), WIDER),
    "positions": (lambda folder: lf.positions(folder, QRELS), WIDER),
    "coverage": (lambda folder: lf.coverage(folder, QRELS), WIDER),
    "evaluate": (lambda folder: lf.evaluate(folder, QRELS, "AP"), WIDER),
    "interleaving": (lambda folder: lf.interleaving(folder, QRELS), WIDER),
    "scanned": (lambda folder: lf.positions(lf.scan_runs(folder), QRELS), WIDER),
    "check_run": (lambda folder: lf.check_run(folder / "1.run"), ".*1.run: 1 line has more than 6"),
    "one file of many": (
        lambda folder: lf.read_runs([folder / "0.run", folder / "2.run"]),
        ".*2.run: 1 line has more than 6 fields; the fields after the sixth are ignored$",
    ),
}
OF_FOLDERS = {
    "read_runs": lambda folders: lf.read_runs(folders),
    "scan_runs": lambda folders: lf.scan_runs(folders),
    "positions": lambda folders: lf.positions(folders, QRELS),
    "coverage": lambda folders: lf.coverage(folders, QRELS),
    "evaluate": lambda folders: lf.evaluate(folders, QRELS, "AP"),
    "run_metadata": lambda folders: lf.run_metadata(folders),
}


def the_only_warning(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert [warning.category for warning in caught] == [lf.LexiframeWarning]
    return caught[0]


def assert_said_once(call, expected):
    warning = the_only_warning(call)
    assert warning.filename == __file__
    assert re.search(expected, str(warning.message))


@pytest.mark.parametrize("name", WARNINGS)
def test_a_warning_comes_once_and_points_at_the_call(name):
    assert_said_once(*WARNINGS[name])


@pytest.mark.parametrize("name", OF_FILES)
def test_wider_lines_of_several_files_are_one_warning(wide, name):
    call, expected = OF_FILES[name]
    assert_said_once(lambda: call(wide), expected)


@pytest.mark.parametrize("name", OF_FOLDERS)
def test_what_several_folders_hold_besides_runs_is_one_warning(folders, name):
    assert_said_once(lambda: OF_FOLDERS[name](folders), LEFT_OUT)


def test_read_scores_of_several_folders(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text("about the scores")
        (tmp_path / name / f"{name}.csv").write_text("qid,measure,value\nq1,AP,0.5\n")
    assert_said_once(lambda: lf.read_scores([tmp_path / "one", tmp_path / "two"]), LEFT_OUT)


def test_write_trec(tmp_path):
    columns = {"run": "x", "query_id": ["q1", "q2"], "doc_id": ["a", None], "score": [1.0, None]}
    assert_said_once(
        lambda: lf.write_trec(pl.DataFrame(columns), tmp_path / "x.run"),
        "queries answered with an empty list, which TREC text cannot express: 1",
    )


def test_metadata_are_read_without_a_word_about_lines(wide):
    """What the lines of a ranking hold is not asked for."""
    assert lf.run_metadata(wide).height == 5


def test_a_source_without_faults_warns_of_nothing(wide):
    assert lf.read_runs(wide / "0.run").num_rows == 2


# --- Whose line it is ---------------------------------------------------------------------------


def line_of(function):
    """The line below the definition of a function: its only one."""
    return function.__code__.co_firstlineno + 1


def directly():
    lf.order_runs(CYCLES, "copeland")


def by_pipe():
    CYCLES.pipe(lf.order_runs, "copeland")


def by_pipe_of_pandas():
    CYCLES.to_pandas().pipe(lf.order_runs, "copeland")


def by_partial():
    partial(lf.order_runs, method="copeland")(CYCLES)


def by_map():
    list(map(lf.order_runs, [CYCLES], ["copeland"]))


@pytest.mark.parametrize("call", [directly, by_pipe, by_pipe_of_pandas, by_partial, by_map])
def test_the_line_is_the_users(call):
    if call is by_pipe_of_pandas:
        pytest.importorskip("pandas")
    warning = the_only_warning(call)
    assert (warning.filename, warning.lineno) == (__file__, line_of(call))


def test_the_line_is_the_users_in_a_thread():
    def in_a_thread():
        thread = threading.Thread(target=directly)
        thread.start()
        thread.join()

    warning = the_only_warning(in_a_thread)
    assert (warning.filename, warning.lineno) == (__file__, line_of(directly))


def test_two_calls_in_two_lines_warn_twice():
    """With Python's usual filter, which shows what is said in one line once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        directly()
        directly()
        by_partial()
    assert [warning.lineno for warning in caught] == [line_of(directly), line_of(by_partial)]


# --- In the package -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_one_function_warns(path):
    """No other module calls what the standard library has for it."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    calls = [ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)]
    direct = [name for name in calls if re.fullmatch(r"warnings\.warn(_explicit)?", name)]
    allowed = {"warnings.warn", "warnings.warn_explicit"}  # the latter for what was caught
    assert {*direct} == (allowed if path == PACKAGE / "core" / "base" / "errors.py" else set())
    assert len(direct) <= len(allowed)
    assert "warnings" not in [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
