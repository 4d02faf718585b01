"""The walls: the core imports no feature, and features use one another as it is declared."""

import ast
import os
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from tests.features import FEATURES
from tests.test_house import MODULES, NAMES, PACKAGE, module_name

OWNERS = {own: feature for feature, it in FEATURES.items() for own in it.paths}
"""The feature that has a path as its own."""


def home(name):
    """The feature that a module belongs to, by the nearest path above it; nothing for the core."""
    path = "/".join(name.split(".")[1:])
    found = [own for own in OWNERS if f"{path}/".startswith(f"{own}/")]
    return OWNERS[max(found, key=len)] if found else ""


def places(package):
    """Where the names of a package's door come from, as its stub says."""
    stub = PACKAGE.parent.joinpath(*package.split("."), "__init__.pyi")
    if not stub.is_file():
        return {}
    found = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = f"{above}.{node.module or ''}".strip(".")
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                found[alias.asname or alias.name] = whole if whole in NAMES else module
    return found


DOORS = {name: places(name) for name in NAMES}


def imported(path):
    """The modules that a module imports, wherever, through doors to where the names come from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("lexiframe."):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                place = DOORS.get(node.module, {}).get(alias.name, whole)
                yield place if place in NAMES else node.module


USES = {name: {*imported(path)} - {name} for path in MODULES for name in [module_name(path)]}


def test_the_core_imports_no_feature():
    found = [f"{name} → {one}" for name, uses in USES.items() if not home(name) for one in uses
             if home(one)]  # fmt: skip
    assert not found, "\n".join(found)


def test_features_use_one_another_as_they_say_without_circles():
    used = {feature: {*it.uses} for feature, it in FEATURES.items()}
    found = {feature: set() for feature in FEATURES}
    for name, uses in USES.items():
        if feature := home(name):
            found[feature] |= {home(one) for one in uses} - {feature, ""}
    assert found == used
    assert [*TopologicalSorter(used).static_order()]


@pytest.mark.parametrize("feature", FEATURES)
def test_what_a_feature_has_lies_in_few_places(feature):
    paths = FEATURES[feature].paths
    assert len(paths) <= 7
    for path in paths:
        place = PACKAGE / path
        assert place.is_dir() or place.with_suffix(".py").is_file(), path


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
    users = (with_users(one) for one, it in FEATURES.items() if feature in it.uses)
    return {feature}.union(*users)


def take_away(feature, copy):
    """Delete in a copy a feature and its users, and their lines in stubs; return both names."""
    gone = set()
    for one in with_users(feature):
        its = FEATURES[one]
        gone |= {name for name in NAMES if its.has("/".join(name.split(".")[1:]))}
        for path in its.paths:
            place = copy / "lexiframe" / path
            shutil.rmtree(place, ignore_errors=True)  # it may lie in a folder that went before
            place.with_suffix(".py").unlink(missing_ok=True)
    names = set()
    for stub in copy.glob("lexiframe/**/__init__.pyi"):
        package = ".".join(stub.relative_to(copy).parent.parts)
        lines, places_of = stub.read_text(encoding="utf-8").splitlines(), places(package)
        for node in ast.parse("\n".join(lines)).body:
            here = [a.asname or a.name for a in getattr(node, "names", ())]
            if here and places_of[here[0]] in gone:  # and all others, which are of the same module
                names |= {*here}
                lines[node.lineno - 1 : node.end_lineno] = [""] * (
                    node.end_lineno - node.lineno + 1
                )
        stub.write_text("\n".join(lines), encoding="utf-8")
    # What lies in a folder that is gone is reached by the folder's name.
    places_of_gone = [name.rpartition(".") for name in gone]
    return names | {name for above, _, name in places_of_gone if above not in gone}


@pytest.mark.parametrize(
    "feature",
    [
        pytest.param(one, marks=[] if one == "leaderboards" else pytest.mark.slow)
        for one in FEATURES
    ],
)
def test_the_core_works_without_a_feature(feature, tmp_path):
    """Its quick tests pass where they neither name what is gone nor are told that they lack it."""
    for folder in ("lexiframe", "tests", "data"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / file, tmp_path)
    gone = take_away(feature, tmp_path)
    while gone:  # then those that import a test that is gone
        named = re.compile(rf"\b({'|'.join(map(re.escape, gone))})\b")
        tests = tmp_path.glob("tests/**/test_*.py")
        gone = {one for one in tests if named.search(one.read_text(encoding="utf-8"))}
        for test in gone:
            test.unlink()
        gone = {test.stem for test in gone}
    tests = [f"tests/{one}" for one in OF_THE_CORE if (tmp_path / "tests" / one).exists()]
    options = ["-q", "-rf", "-m", "not slow", "-p", "no:xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests], cwd=tmp_path, check=False, text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "1000"}, capture_output=True,
    )  # fmt: skip
    failed = re.findall(r"^(?:FAILED|ERROR) .*", done.stdout, re.MULTILINE)
    others = [line for line in failed if "this copy of lexiframe lacks a feature" not in line]
    assert not others, done.stdout[-3000:]
    assert len(failed) <= AT_MOST_LACKING, failed
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 80
