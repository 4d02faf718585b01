"""The walls: the core imports no feature, and features use one another as it is declared."""

import ast
import os
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter

import polars as pl
import pytest

import lexiframe as lf
from lexiframe import features
from lexiframe.core.base.feature import Measures
from tests.test_house import MODULES, NAMES, PACKAGE, PARTS, imports, module_name, part

FEATURES = {one.folder: one for one in features.FEATURES}
EXAMPLE = lf.bundled("example")


def test_each_folder_of_a_part_is_a_feature():
    folders = {
        f"{name}.{path.name}"
        for name in PARTS[1:]
        for path in (PACKAGE / name).iterdir()
        if path.is_dir() and path.name != "__pycache__"
    }
    assert folders == {*FEATURES}


@pytest.mark.slow
def test_features_use_one_another_as_they_say_without_circles():
    used = {feature: {*it.uses.split()} for feature, it in FEATURES.items()}
    found = {feature: set() for feature in FEATURES}
    for path in MODULES:
        own = part(module_name(path))
        if own in found:
            found[own] |= {part(name) for name in imports(path)}
    found = {own: {one for one in uses if one in FEATURES} - {own} for own, uses in found.items()}
    assert found == used
    assert [*TopologicalSorter(used).static_order()]


@pytest.mark.parametrize(
    "feature",
    [one for one in FEATURES if (PACKAGE / one.replace(".", "/") / "feature.py").exists()],
)
def test_a_feature_offers_what_the_list_says(feature):
    listed, offered = FEATURES[feature], features.loaded(feature)
    kinds = {type(offer) for offer in offered}
    assert kinds - {Measures} == {*listed.offers}
    assert len(kinds) == len(offered)
    names = {name for one in offered if isinstance(one, Measures) for name in one.by_name}
    assert names == {*f"{listed.measures} {listed.measures_of_items}".split()}
    for module in listed.commands.values():
        assert f"lexiframe.{feature}.{module}" in NAMES


def without(folder):
    return tuple(one for one in features.FEATURES if one.folder != folder)


GRADED = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 2]}


@pytest.mark.parametrize(
    "option, read",
    [
        ("grades", lambda file: lf.read_qrels(pl.DataFrame(GRADED), grades={1: 0})),
        ("max_grade", lambda file: lf.read_qrels(pl.DataFrame(GRADED), max_grade=1)),
        ("rows", lambda file: lf.read_runs(file, rows=file)),
    ],
)
def test_an_option_of_a_feature_that_is_gone_is_an_error_that_names_it(
    monkeypatch, tmp_path, option, read
):
    file = tmp_path / "predictions.txt"
    file.write_text("0.5\n0.25\n")
    monkeypatch.setattr(features, "FEATURES", without("connect.forms"))
    with pytest.raises(lf.LexiframeError, match=f"^{option}: this copy of lexiframe lacks"):
        read(file)


@pytest.mark.parametrize(
    "folder, verdict",
    [
        ("decide.gates", lambda s: lf.verdict(lf.required_requests(s, margin=0.1))),
        ("study.holes", lambda s: lf.verdict(lf.unjudged(EXAMPLE / "runs", EXAMPLE / "qrels.txt"))),
    ],
)
def test_a_table_has_its_sentences_without_features_that_do_not_make_it(
    monkeypatch, folder, verdict
):
    s = lf.scores(lf.positions(EXAMPLE / "runs", EXAMPLE / "qrels.txt"), "AP")
    monkeypatch.setattr(features, "FEATURES", without(folder))
    assert verdict(s).height


# --- Taking a feature away ----------------------------------------------------------------------

REPOSITORY = PACKAGE.parent
OF_THE_CORE = (
    "core/projection",
    "core/pairwise/arrays",
    "core/pairwise/test_measured_parts.py",
)
"""The tests that run without a feature: from runs and judgments to positions and preferences."""
AT_MOST_LACKING = 10
"""The tests of the core that may be told that they lack a feature, which their inputs need."""


def with_users(feature):
    """A feature and all that use it, which cannot be without it."""
    users = (with_users(one) for one, it in FEATURES.items() if feature in it.uses.split())
    return {feature}.union(*users)


def take_away(feature, copy):
    """Delete in a copy a feature and its users, and their entries in the list of features."""
    listed = copy / "lexiframe/features.py"
    lines = listed.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Listed":
            (folder,) = (ast.literal_eval(node.args[0]),)
            if folder in with_users(feature):
                shutil.rmtree(copy / "lexiframe" / folder.replace(".", "/"))
                lines[node.lineno - 1 : node.end_lineno] = [""] * (
                    node.end_lineno - node.lineno + 1
                )
    listed.write_text("\n".join(lines), encoding="utf-8")


NAME_OF = {
    feature: name
    for name in lf.__all__
    if (feature := part(getattr(getattr(lf, name), "__module__", None) or "lexiframe")) in FEATURES
}
"""A public name of each feature that has one."""
SAID = """
import sys, lexiframe as lf
try:
    getattr(lf, sys.argv[1])
except AttributeError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "feature",
    [
        pytest.param(one, marks=[] if one == "decide.leaderboards" else pytest.mark.slow)
        for one in FEATURES
    ],
)
def test_the_core_works_without_a_feature(feature, tmp_path):
    """Its quick tests pass where they neither name what is gone nor are told that they lack it."""
    for folder in ("lexiframe", "tests", "data"):  # compiled modules as well, which saves seconds
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / file, tmp_path)
    take_away(feature, tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "1000"}
    gone = with_users(feature)
    while gone:  # first tests that name what is gone, then those that import a test that is gone
        named = re.compile(rf"\b({'|'.join(map(re.escape, gone))})\b")
        tests = tmp_path.glob("tests/**/test_*.py")
        gone = {one for one in tests if named.search(one.read_text(encoding="utf-8"))}
        for test in gone:
            test.unlink()
        gone = {test.stem for test in gone}
    if feature in NAME_OF:
        command = [sys.executable, "-c", SAID, NAME_OF[feature]]
        said = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True)
        assert "this copy of lexiframe lacks a feature" in said
    tests = [f"tests/{one}" for one in OF_THE_CORE if (tmp_path / "tests" / one).exists()]
    options = ["-q", "--tb=short", "-m", "not slow", "-p", "no:xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests], cwd=tmp_path, check=False, text=True,
        env=environment, capture_output=True,
    )  # fmt: skip
    _, *failed = re.split(r"^_{3,} .* _{3,}$", done.stdout, flags=re.MULTILINE)
    others = [line for line in failed if "this copy of lexiframe lacks a feature" not in line]
    assert not others, done.stdout[-3000:]
    assert len(failed) <= AT_MOST_LACKING, failed
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 60
