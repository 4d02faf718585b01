"""What all tests share: how long Hypothesis looks, other libraries, and other tools' outputs.

Environment variables:

LEXIFRAME_HYPOTHESIS
    ``dev`` (the default: 25 new examples a test), ``ci`` (12, the same at every call; the default
    where ``CI`` is set) or ``thorough`` (1000).
LEXIFRAME_SHARED
    The folder with ``data/`` and ``conformance/``, which the conformance tests read; by default
    the folder ``shared`` beside this repository. Without it those tests are skipped.
LEXIFRAME_SNAPSHOTS
    When it is ``write``, tests of charts write their snapshots anew
    (tests/core/views/charts/drawn.py).
LEXIFRAME_WHOLE_COLLECTIONS
    When set, as in continuous integration, one of the notebooks of papers analyses all requests of
    the collections there; the others, and without it all of them, analyse some requests of each.
LEXIFRAME_REQUIRE_CONFORMANCE
    When set, a missing folder ends the tests at once instead.
LEXIFRAME_REQUIRE_LIBRARIES
    When set, a test that needs a library which is not installed fails. Without it such a test is
    skipped.
"""

import importlib
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from _pytest.doctest import DoctestItem, DoctestModule
from hypothesis import HealthCheck, settings

# Two processes of tests use both cores already: more threads in small products only wait for
# one another. NumPy reads this when it is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests give frames of many libraries and look at values, as Polars has them: which kind of frame
# leaves is for tests/core/base/test_frames_out.py to see.
os.environ["LEXIFRAME_FRAMES"] = "polars"
# Each test says the width of its terminal; pytest-xdist would give its processes another one.
os.environ.pop("COLUMNS", None)

SHARED = Path(
    os.environ.get("LEXIFRAME_SHARED") or Path(__file__).resolve().parents[2] / "shared"
).resolve()
MISSING = [name for name in ("conformance", "data") if not (SHARED / name).is_dir()]
REASON = (
    f"the conformance tests need {' and '.join(str(SHARED / name) for name in MISSING)}; "
    "LEXIFRAME_SHARED names another folder"
)

settings.register_profile(
    "dev",
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "ci", settings.get_profile("dev"), max_examples=12, derandomize=True, database=None
)
settings.register_profile("thorough", settings.get_profile("dev"), max_examples=1000)
settings.load_profile(
    os.environ.get("LEXIFRAME_HYPOTHESIS") or ("ci" if os.environ.get("CI") else "dev")
)


def pytest_sessionstart() -> None:
    """End the tests when the conformance tests are compulsory and have nothing to read."""
    if MISSING and os.environ.get("LEXIFRAME_REQUIRE_CONFORMANCE"):
        pytest.exit(f"LEXIFRAME_REQUIRE_CONFORMANCE is set, but {REASON}", returncode=1)


SLOW = re.compile(r"^pytestmark = (\[\n(    .*\n)*    )?.*mark\.slow", re.MULTILINE)
"""How a module says that all its tests are slow."""


def pytest_configure(config: pytest.Config) -> None:
    """Look for quick tests beside the package: its examples count as slow."""
    if config.option.markexpr == "not slow" and len(config.args) > 1:
        config.args[:] = [one for one in config.args if Path(one).name != "lexiframe"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules that are slow as a whole, where quick tests of a folder are asked for.

    To import them takes a minute, and their tests would all be deselected.
    """
    quick = config.option.markexpr == "not slow" and all(map(os.path.isdir, config.args))
    quick = quick and collection_path.match("test_*.py")
    return (quick and SLOW.search(collection_path.read_text(encoding="utf-8")) is not None) or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for examples in the modules that have some: to look into all takes as long as to run."""
    found = yield
    has_examples = file_path.suffix != ".py" or ">>> " in file_path.read_text(encoding="utf-8")
    return [one for one in found if has_examples or not isinstance(one, DoctestModule)]


SLOWEST = ["test_notebooks", "test_simulated_collections", "test_measured", "test_cli"]
"""They start first: a process that met them last would run on alone when the others are done."""


@pytest.hookimpl(tryfirst=True)  # before those are left out that are not asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the tests that draw examples, read real collections or start MLflow.

    So are the examples of docstrings: other tests have the values of their functions. Modules that
    look again at what quicker tests see say so themselves, with ``pytestmark``. Conformance tests
    are skipped where the folder that they read is missing.
    """
    for item in items:
        draws = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        reads = {"shared", "mlflow"} & {*getattr(item, "fixturenames", ())}
        draws = draws or isinstance(item, DoctestItem)
        conforms = item.get_closest_marker("conformance")
        if draws or reads or conforms:
            item.add_marker("slow")
        if conforms and MISSING:  # before its fixtures read what is not there
            item.add_marker(pytest.mark.skip(reason=REASON))
    places = {name: place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


class Outcome(NamedTuple):
    """What comes of a command: its exit status, and what it prints."""

    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """What is printed as an error, in one line: boxes are wrapped where a path is long."""
        return " ".join(self.err.replace("│", " ").split())


@pytest.fixture
def write(tmp_path: Path) -> Callable:
    """Write text or bytes to a file of that name, and give its path."""

    def write_file(data: str | bytes, name: str = "bm25.run") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write_file


@pytest.fixture
def at_a_terminal() -> Iterator[None]:
    """Let Python print for a terminal, as commands do whose output it is compared with."""
    from lexiframe.core.base import printed

    with printed.written_for("terminal"):
        yield


@pytest.fixture
def lexiframe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], at_a_terminal: None
) -> Callable:
    """Run a command in this process; warnings are printed as on a terminal."""

    def main(*arguments: object) -> Outcome:
        from lexiframe.core.cli.app import main as run

        monkeypatch.setattr(sys, "argv", ["lexiframe", *map(str, arguments)])
        status = 0
        with warnings.catch_warnings(action="default"):
            try:
                run()
            except SystemExit as exit_:
                status = exit_.code
        return Outcome(status, *capsys.readouterr())

    return main


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder with ``data/`` and ``conformance/``, or skip the test."""
    if MISSING:
        pytest.skip(REASON)
    return SHARED


def library(name: str) -> ModuleType:
    """Import a library that only some tests need, or skip the test.

    With ``LEXIFRAME_REQUIRE_LIBRARIES`` the test fails instead, so that continuous integration
    cannot pass because something was not installed.
    """
    if os.environ.get("LEXIFRAME_REQUIRE_LIBRARIES"):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            message = f"LEXIFRAME_REQUIRE_LIBRARIES is set, but {name} cannot be imported: {error}"
            pytest.fail(message)
    return pytest.importorskip(name)
