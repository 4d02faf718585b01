"""What CONTRIBUTING.md says is so: its code runs, and what it names exists."""

import importlib
import re
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import orc

import lexiframe as lf
from lexiframe.base.schemas import check
from lexiframe.metrics.catalogues.ranked import METRICS
from lexiframe.significance.paired_tests import TESTS
from tests.frames import assert_close
from tests.test_house import PACKAGE, arrows, part

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
BLOCKS = re.findall(r"```python(?: (\S+))?\n(.*?)```", TEXT, flags=re.DOTALL)
EXAMPLE = lf.bundled("example")


@pytest.fixture
def executed(monkeypatch):
    """Run all Python of the page, in the modules that it names; return the names it has made."""
    p = lf.positions(EXAMPLE / "runs", EXAMPLE / "qrels.txt")
    made = {"lf": lf, "pl": pl, "p": p, "s": lf.scores(p, "AP"), "d": lf.preferences(p, "RPP")}
    results = []
    for path, code in BLOCKS:
        if path:
            module = path.removesuffix(".py").replace("/", ".")
            inside = dict(vars(importlib.import_module(module)))
            before = set(inside)
            exec(code, inside)
            made |= {name: inside[name] for name in set(inside) - before}
            continue
        if "z_test" in made:
            monkeypatch.setitem(TESTS, "z", made["z_test"])
        results += [eval(code, made)] if code.count("\n") == 1 else []
        exec(code, made)
    return made, results


def test_the_code_runs(executed):
    made, (scores, preferences, comparisons) = executed
    assert scores["measure"].unique().sort().to_list() == ["root", "root@10"]
    assert preferences["preference"].abs().max() > 0
    t = lf.compare(made["d"], "t")
    assert comparisons["test"].unique().to_list() == ["z"]
    assert comparisons["statistic"].equals(t["statistic"])
    assert (comparisons["p_value"] <= t["p_value"]).all()


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
    runs = lf.read_runs(EXAMPLE / "runs")
    orc.write_table(runs.replace_schema_metadata(), tmp_path / "runs.orc")
    data = pa.py_buffer((tmp_path / "runs.orc").read_bytes())
    assert made["_read_orc"](data, 1e9).equals(runs.replace_schema_metadata())
    assert made["_read_orc"](data, 10) is None


def test_the_table_is_that_of_its_schema(executed):
    made, _ = executed
    assert check(made["times"], made["READING_TIMES"]).equals(made["times"])


def test_each_way_to_add_something_is_a_few_lines():
    headings = re.findall(r"^### (.*)", TEXT, flags=re.MULTILINE)
    assert headings == ["A metric", "A preference", "A paired test", "A reader", "A table"]
    lines = [len(code.splitlines()) for path, code in BLOCKS if path]
    assert len(lines) == len(headings)
    assert max(lines) <= 6  # five, and the line that begins a function


def test_every_room_has_a_line():
    """In the order in which they import one another."""
    there = [path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()]
    named = re.findall(r"^\| `(\w+)` \|", TEXT, flags=re.MULTILINE)
    assert sorted(named) == sorted(there)
    uses = arrows(part)
    assert all(uses[room] & {*named} <= {*named[:place]} for place, room in enumerate(named))
    for folder in (ROOT / "tests").iterdir():
        if folder.is_dir() and [*folder.glob("*.py")] and folder.name not in there:
            assert f"`tests/{folder.name}/`" in PROSE


def test_every_file_exists():
    named = set(re.findall(r"`((?:lexiframe|tests)/[\w/.]*)`", PROSE)) | {p for p, _ in BLOCKS if p}
    assert len(named) > 20
    assert not [name for name in named if not (ROOT / name).exists()]


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


def test_what_is_added_here_does_not_exist():
    """Or else the page would show how to add what is there."""
    assert not {"root", "rootRPP"} & {*METRICS, *lf.__all__}
    assert "z" not in TESTS
