"""What CONTRIBUTING.md says is so: its code runs, and what it names exists."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import orc

import lexiframe as lf
from lexiframe.core.base.schemas import check
from lexiframe.core.metrics.kinds.derived import every_metric
from lexiframe.core.orderings.means import run_means
from lexiframe.core.orderings.rules import RULES
from lexiframe.core.significance.tests import OF_SUMS, TESTS
from tests import conftest
from tests.frames import assert_close
from tests.test_house import PACKAGE, PARTS, arrows, part

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
BLOCKS = re.findall(r"```python(?: (\S+))?\n(.*?)```", TEXT, flags=re.DOTALL)
EXAMPLE = lf.bundled("example")
ENGINE = "lexiframe/connect/engines/in_processes.py"
SNAPSHOTS = "tests/core/views/charts/test_snapshots.py"
NEW = {
    "lexiframe/core/significance/tests/z.py",
    "lexiframe/core/orderings/rules/minimax.py",
    "lexiframe/core/io/forms/orc.py",
    "lexiframe/core/cli/commands/requests.py",
    "lexiframe/core/projection/judged_requests.py",
    "lexiframe/core/views/charts/sizes.py",
    ENGINE,
    "lexiframe/core/orderings/reading_times.py",
}
"""The files that the page adds."""


@pytest.fixture
def executed(monkeypatch):
    """Run all Python of the page, in the modules that it names; return the names it has made."""
    p = lf.positions(EXAMPLE / "runs", EXAMPLE / "qrels.txt")
    made = {"lf": lf, "pl": pl, "p": p, "s": lf.scores(p, "AP"), "d": lf.preferences(p, "RPP")}
    made["x"] = pl.DataFrame({"run": [*"abc"], "news": [3, 2, 1], "law": [3, 1, 2]})
    results = []
    for path, code in BLOCKS:
        if path and not (path.startswith("lexiframe") and path.endswith(".py")):
            continue  # stubs and loops, which a copy has below
        if path:
            module = path.removesuffix(".py").replace("/", ".")
            inside = dict(vars(importlib.import_module(module))) if (ROOT / path).exists() else {}
            before = set(inside)
            exec(code, inside)
            made |= {name: inside[name] for name in set(inside) - before}
            continue
        if "TEST" in made:
            monkeypatch.setitem(TESTS, "z", made["TEST"])
            monkeypatch.setitem(OF_SUMS, "z", made["TEST"])
        if "RULE" in made:
            monkeypatch.setitem(RULES, "minimax", made["RULE"])
        results += [eval(code, made)] if code.count("\n") == 1 else []
        exec(code, made)
    return made, results


def test_the_code_runs(executed):
    made, (scores, preferences, comparisons, orderings, board) = executed
    assert scores["measure"].unique().sort().to_list() == ["root", "root@10"]
    assert preferences["preference"].abs().max() > 0
    t = lf.compare(made["d"], "t")
    assert comparisons["test"].unique().to_list() == ["z"]
    assert comparisons["statistic"].equals(t["statistic"])
    assert (comparisons["p_value"] <= t["p_value"]).all()
    assert orderings["method"].unique().to_list() == ["minimax"]
    assert orderings["value"].max() == 0
    assert board.ranking.select("run", "value").rows() == [("a", 0.0), ("b", -2.0), ("c", -2.0)]
    assert "By minimax over 2 collections, a is first of 3 runs" in board.verdict["sentence"][0]


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(NEW))
def test_its_files_pass_the_checks_of_make_test(path):
    """Such a file as it is first shown; what is added to one later is no file."""
    pytest.importorskip("ruff")
    code = next(code for place, code in BLOCKS if place == path)
    for check_of in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check_of, "--stdin-filename", path, "-"]
        done = subprocess.run(command, cwd=ROOT, input=code, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_the_metric_is_its_formula(executed):
    made, (scores, *_) = executed
    terms = (
        made["p"]
        .group_by("run", "query_id")
        .agg(value=(1 / pl.col("position").sqrt()).sum() / pl.col("n_relevant").first())
    )
    root = scores.filter(measure="root")
    assert_close(
        dict(zip(root.select("run", "query_id").rows(), root["value"], strict=True)),
        dict(zip(terms.select("run", "query_id").rows(), terms["value"], strict=True)),
    )


def test_the_reader_reads(executed, tmp_path):
    made, _ = executed
    runs = lf.read_runs(EXAMPLE / "runs").replace_schema_metadata().arrow()
    orc.write_table(runs, tmp_path / "runs.orc", stripe_size=1, batch_size=64)
    data = (tmp_path / "runs.orc").read_bytes()
    assert data.startswith(made["FORM"].magic)
    opened = made["FORM"].open(pa.BufferReader(data), "runs.orc")
    assert opened.schema == runs.schema
    batches = [*opened.batches(None, None)]
    assert len(batches) > 1
    assert pa.Table.from_batches(batches).equals(runs)


def test_the_table_is_that_of_its_schema(executed):
    made, _ = executed
    assert check(made["times"], made["READING_TIMES"]).equals(made["times"])


def test_the_result_says_what_it_shows(executed):
    made, _ = executed
    found = made["ReadingTimes"](made["times"])
    said = found.verdict["sentence"][0]
    assert lf.verdict(found).equals(found.verdict)
    assert str(found).startswith(f"{said}\n\ntimes\n")
    assert str(found).endswith("as frames: .times")


def test_the_option_of_a_function_leaves_out_requests_and_says_what_it_takes(executed):
    made, _ = executed
    judged_requests, qrels = made["judged_requests"], {"q1": {"a": 1}, "q2": {"a": 1, "b": 0}}
    assert judged_requests(qrels) == ["q1", "q2"]
    assert judged_requests(qrels, at_least=2) == ["q2"]
    with pytest.raises(lf.LexiframeError, match="expected at_least from 1, found 0"):
        judged_requests(qrels, at_least=0)
    with pytest.raises(TypeError, match="expected at_least to be a whole number, found"):
        judged_requests(qrels, at_least="2")


def test_the_chart_shows_its_table(executed):
    pytest.importorskip("altair")
    made, _ = executed
    means = run_means(made["s"])
    found = made["size_chart"](means, "AP").to_dict()
    (rows,) = found["datasets"].values()
    assert {row["run"]: row["n"] for row in rows} == dict(means.select("run", "n").rows())
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RR'"):
        made["size_chart"](means, "RR")


def test_each_way_to_add_something_is_a_few_lines():
    headings = re.findall(r"^### (.*)", TEXT, flags=re.MULTILINE)
    parts = ["A metric", "A preference", "A paired test", "A rule of ordering"]
    parts += ["A reader", "An engine", "A command", "An option", "A table", "A result", "A chart"]
    assert headings == parts
    assert all("```python lexiframe/" in section for section in TEXT.split("\n### ")[1:])
    no_code = re.compile(r'\s*$|import |from |\s*"""')
    for path, code in BLOCKS:
        lines = [line for line in code.splitlines() if not no_code.match(line)]
        most = 9 if path == ENGINE else 6  # five, and the line that begins a function
        assert len(lines) <= most, path


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and its tests, to which all is added that the page adds."""
    for folder in ("lexiframe", "tests"):
        without = shutil.ignore_patterns("snapshots", "corpus")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=without)
    for path, code in BLOCKS:
        if path == SNAPSHOTS:
            change(tmp_path / path, {"SNAPSHOTS = {\n": f"SNAPSHOTS = {{\n{code}"})
        elif path:
            add(tmp_path / path, code)
    tests = tmp_path / "lexiframe/core/significance/tests/__init__.py"
    change(tests, {"\nTest = Literal[": '\nTest = Literal["z", '})
    orderings = tmp_path / "lexiframe/core/orderings"
    described = "``minimax``: the least lead.\n        ``kemeny``:"
    change(orderings / "rules/__init__.py", {" = Literal[": ' = Literal["minimax", '})
    change(orderings / "order.py", {"``kemeny``:": described})
    boards = {"``kemeny`` (": "``minimax``; ``kemeny`` ("}
    change(tmp_path / "lexiframe/decide/leaderboards/leaderboard_of.py", boards)
    command = tmp_path / "lexiframe/decide/leaderboards/command.py"
    change(command, {"mc4, kemeny": "mc4, minimax, kemeny"})
    return tmp_path


def change(file, texts):
    """Replace each text, where it is first."""
    text = file.read_text(encoding="utf-8")
    for old, new in texts.items():
        assert old in text, f"{old!r} in {file.name}"
        text = text.replace(old, new, 1)
    file.write_text(text, encoding="utf-8")


def add(file, code):
    """Write code to the end of a file; entries of a catalogue to the end of the entries."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    entries, end, rest = text.partition("# fmt: on\n")
    file.write_text(f"{entries}\n{code}{end}{rest}", encoding="utf-8")


def run_in(folder, *arguments, **variables):
    """Run Python in a copy."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "120", **variables}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
CATALOGUE = "tests/properties/test_catalogue.py"


@pytest.mark.slow
def test_what_is_added_joins_by_itself(copy):
    """The tests of the catalogue and of the face see it, and so do lists and sentences."""
    tests = (CATALOGUE, "tests/test_house.py", "-k", "loop or stub")
    done = run_in(copy, *PYTEST, "-W", "ignore", *tests)
    assert done.returncode == 0, done.stdout
    code = f"""
import pathlib
import lexiframe as lf
print([lf.root, lf.rootRPP], [lf.measures(name)["range"].item() for name in ("root", "rootRPP")])
folder = pathlib.Path({str(EXAMPLE)!r})
e = lf.evaluate(folder / "runs", folder / "qrels.txt", [lf.root, "rootRPP"], test="z")
print(lf.verdict(e)["sentence"][0])
print(*lf.leaderboard({{"model": [*"ab"], "x": [1, 2], "y": [1, 3]}}, "minimax").ranking["run"])
"""
    done = run_in(copy, "-c", code)
    listed, *sentence = done.stdout.splitlines()
    assert listed == "[root, rootRPP] ['0 to 1', '−1 to 1']", done.stderr
    assert "(paired z-test, " in sentence[0]
    assert sentence[-1] == "b a"
    done = run_in(
        copy, *PYTEST, "-W", "ignore", "tests/properties/test_orderings.py", "-k", "minimax"
    )
    assert "2 passed" in done.stdout


OF_ORC = f"""
import pathlib
import lexiframe as lf
from pyarrow import orc
from lexiframe.connect.engines.parts import partition as cut
from lexiframe.core.io import batches, checks, data_sources
from lexiframe.core.io.batches.reading import Share

runs = lf.read_runs(pathlib.Path({str(EXAMPLE)!r}) / "runs")
qrels = lf.read_qrels(pathlib.Path({str(EXAMPLE)!r}) / "qrels.txt")
for table, path in ((runs, "runs.orc"), (qrels, "qrels.orc")):
    orc.write_table(table.replace_schema_metadata().arrow(), path, stripe_size=1, batch_size=64)
assert lf.read_runs("runs.orc").equals(runs)
assert lf.read_qrels("qrels.orc").equals(qrels)
assert lf.check_run("runs.orc").is_empty()
for path, kind in (("runs.orc", "run"), ("qrels.orc", "qrels")):
    assert checks.kind_of(data_sources.File(path), checks.TextOptions()) == kind
assert data_sources.run_name(pathlib.Path("bm25.orc")) == "bm25"
assert data_sources.read_by_spark()[".orc"] == {{"format": "orc"}}

cut.share_of = lambda room, rank: Share(50, 100, rank)
cut._LEAST = cut._MOST = 4000
def in_pieces(path):
    sources = batches.Sources.find(path, "qrels.orc")
    return cut.partition(sources, path + ".parts", n_buckets=3, memory=10**9)

parts = in_pieces("runs.orc")
assert len(parts.facts["runs"][0]["files"]) > 2
rows = [frame.height for bucket in range(3) for frame in parts.runs(bucket).values()]
assert sum(rows) == runs.num_rows

pathlib.Path("cut.orc").write_bytes(pathlib.Path("runs.orc").read_bytes()[:1000])
for read in (lf.read_runs, in_pieces):
    try:
        read("cut.orc")
    except lf.ReadError as error:
        print(error)
"""


@pytest.mark.slow
def test_the_form_is_read_whole_and_in_pieces(copy):
    """As the page adds it; so are its names, its checks and its errors."""
    done = run_in(copy, "-c", OF_ORC)
    assert done.returncode == 0, done.stderr
    errors = done.stdout.splitlines()
    assert len(errors) == 2
    assert all(error.startswith("cut.orc: cannot be read as ORC (") for error in errors)


OF_ENGINE = f"""
import pathlib
import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.connect.engines.in_processes import evaluate_in_processes

data = [pathlib.Path({str(EXAMPLE)!r}) / name for name in ("runs", "qrels.txt")]
batches.n_buckets = lambda rows, memory: 3
e = evaluate_in_processes(*data, ["RPP", "AP"], test=["t", "sign"])
expected = lf.evaluate(*data, ["RPP", "AP"], test=["t", "sign"])
for name, table in expected.tables(of_requests=False).items():
    assert getattr(e, name).equals(table), name
assert e.provenance == expected.provenance
"""


@pytest.mark.slow
def test_an_engine_gives_the_tables_of_evaluate(copy):
    """To the last bit, from three buckets."""
    done = run_in(copy, "-c", OF_ENGINE)
    assert done.returncode == 0, done.stderr


COLUMN = {
    "core/base/schemas.py": {"statistic effect_low?": "statistic variance? effect_low?"},
    "core/significance/paired_tests.py": {
        "    least_p: np.ndarray\n": "    least_p: np.ndarray\n    variance: Any = None\n"
    },
    "core/significance/tests/sign.py": {"p_value, least_p)": "p_value, least_p, variance=odds)"},
}
"""What is changed for a new column of comparisons, which the sign test gives."""
OF_COLUMN = f"""
import pathlib
import lexiframe as lf

folder = pathlib.Path({str(EXAMPLE)!r})
e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP", test="sign", alpha=0.5)
assert e.comparisons["variance"].equals(e.comparisons["effect_size"], check_names=False)
others = [lf.compare(e.scores, "t"), lf.tukey_hsd(e.scores)]
assert all(c["variance"].null_count() == c.height > 0 for c in others)
both = dict.fromkeys(("one", "two"), folder / "qrels.txt")
judged = lf.compare_judges(folder / "runs", both, "AP", test="sign", alpha=0.5, samples=9)
assert judged.comparisons["variance"].null_count() == 0
"""


@pytest.mark.slow
def test_a_column_of_comparisons_is_its_name_and_the_test_that_gives_it(copy):
    for file, texts in COLUMN.items():
        change(copy / "lexiframe" / file, texts)
    done = run_in(copy, "-W", "ignore", "-c", OF_COLUMN)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_command_is_its_file(copy):
    """It is listed, has options and examples, and runs."""
    listed = run_in(copy, "-m", "lexiframe", "--help").stdout
    assert "requests     List the requests that have judgments." in listed
    helped = run_in(copy, "-m", "lexiframe", "requests", "--help").stdout
    assert "lexiframe requests qrels.tsv --qrels-header" in helped
    helped = run_in(copy, "-m", "lexiframe", "requests", "--help-all").stdout
    assert "Text files of judgments begin with a line of column names." in helped
    done = run_in(copy, "-m", "lexiframe", "requests", str(EXAMPLE / "qrels.txt"))
    judged = lf.read_qrels(EXAMPLE / "qrels.txt")["query_id"]
    assert done.stdout.split() == sorted(judged.unique().to_pylist()), done.stderr


@pytest.mark.slow
def test_an_option_of_a_command_is_its_parameter(copy):
    """It is in its panel, it is obeyed, and what is out of range is refused."""
    command = ("-m", "lexiframe", "requests")
    helped = run_in(copy, *command, "--help").stdout
    assert "Only requests with so many judgments." in helped
    judged = pl.from_arrow(lf.read_qrels(EXAMPLE / "qrels.txt"))["query_id"].value_counts()
    most = judged["count"].max()
    done = run_in(copy, *command, str(EXAMPLE / "qrels.txt"), "--at-least", str(most))
    assert done.stdout.split() == judged.filter(count=most)["query_id"].sort().to_list()
    done = run_in(copy, *command, str(EXAMPLE / "qrels.txt"), "--at-least", "0")
    assert done.returncode == 2
    assert "should be greater than or equal to 1" in done.stderr


@pytest.mark.slow
def test_a_chart_has_a_snapshot_and_one_without_fails(copy):
    """The specification is what `LEXIFRAME_SNAPSHOTS=write` writes."""
    pytest.importorskip("altair")
    (copy / SNAPSHOTS).with_name("snapshots").mkdir()
    of_chart = (*PYTEST, SNAPSHOTS, "-k", "size_chart")
    assert "No such file" in run_in(copy, *of_chart).stdout
    done = run_in(copy, *of_chart, LEXIFRAME_SNAPSHOTS="write")
    assert done.returncode == run_in(copy, *of_chart).returncode == 0, done.stdout
    change(copy / SNAPSHOTS, {'"size_chart"': '"mean_chart_of_sizes"'})
    done = run_in(copy, *PYTEST, SNAPSHOTS, "-k", "missing")
    assert "put a small chart of size_chart into SNAPSHOTS" in done.stdout


@pytest.mark.slow
def test_a_wrong_or_missing_loop_fails_and_a_missing_one_says_what_to_write(copy):
    oracle = copy / "tests/oracle.py"
    text = oracle.read_text(encoding="utf-8")
    oracle.write_text(text.replace("p**-0.5", "p**-0.6"), encoding="utf-8")
    done = run_in(copy, *PYTEST, "-W", "ignore", CATALOGUE, "-k", "are_their_loops")
    assert "1 failed, 1 passed" in done.stdout
    oracle.write_text((ROOT / "tests/oracle.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = run_in(copy, *PYTEST, CATALOGUE, "-k", "has_a_loop")
    assert "2 failed" in done.stdout
    assert (
        "write the formula of root as a plain loop in tests/oracle.py: def root(p)" in done.stdout
    )


@pytest.mark.slow
def test_every_folder_has_a_place_in_the_map():
    """The rooms of the core in the order in which they import one another."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", TEXT, flags=re.MULTILINE)
    named = {part: re.findall(r"`(\w+)`", folders) for part, folders in rows}
    assert [*named] == [*PARTS]
    for of, folders in named.items():
        there = [path.name for path in (PACKAGE / of).iterdir() if (path / "__init__.py").exists()]
        assert sorted(folders) == sorted(there)
    uses, rooms = arrows(part), [f"core.{name}" for name in named["core"]]
    assert all(uses[room] & {*rooms} <= {*rooms[:place]} for place, room in enumerate(rooms))
    for folder in (ROOT / "tests").iterdir():
        if folder.is_dir() and [*folder.glob("*.py")] and folder.name not in PARTS:
            assert f"`tests/{folder.name}/`" in PROSE


def test_every_file_exists():
    named = (
        set(re.findall(r"`((?:lexiframe|tests)/[\w/.]*)`", PROSE))
        | {p for p, _ in BLOCKS if p} - NEW
    )
    assert len(named) > 20
    assert not [name for name in named if not (ROOT / name).exists()]
    assert not [name for name in NEW if (ROOT / name).exists()]


def test_every_name_is_in_the_file_that_it_is_said_to_be_in():
    named = re.findall(r"`(\w+)`(?:\s\(`[^`]*`\))?\sin\s`((?:lexiframe|tests)/[\w/.]*\.py)`", PROSE)
    assert len(named) >= 6
    for name, path in named:
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8")), (name, path)


def test_every_target_of_make_exists():
    targets = set(re.findall(r"^make ([\w-]+)", TEXT, flags=re.MULTILINE))
    assert {"test", "format"} <= targets
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)


@pytest.mark.parametrize("missing", [["data"], []])
def test_conformance_tests_are_skipped_without_their_folder(monkeypatch, request, missing):
    """Whether or not they ask for it by the name of its fixture."""
    monkeypatch.setattr(conftest, "MISSING", missing)
    request.node.add_marker("conformance")
    conftest.pytest_collection_modifyitems([request.node])
    assert request.node.get_closest_marker("slow")
    assert bool(request.node.get_closest_marker("skip")) == bool(missing)


def test_what_is_added_here_does_not_exist():
    """Or else the page would show how to add what is there."""
    assert not {"root", "rootRPP"} & {*(m.name for m in every_metric()), *lf.__all__}
    assert "z" not in TESTS
    assert "minimax" not in RULES
