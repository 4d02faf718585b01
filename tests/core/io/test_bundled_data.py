"""The bundled data are those of the repository, or else examples fail for a reason nobody sees."""

import runpy
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf

LIST = Path(__file__).with_name("bundled_data.sha256")
FOLDER = lf.bundled("example").parent


def test_the_bundled_data_are_not_changed():
    """In a checkout `lexiframe.bundled` is the working tree, into which anybody may write."""
    expected = dict(reversed(line.split()) for line in LIST.read_text().splitlines())
    found = {
        f"data/{path.relative_to(FOLDER).as_posix()}": sha256(path.read_bytes()).hexdigest()
        for name in ("digits", "example", "votes")
        for path in (FOLDER / name).rglob("*")
        if path.is_file()
    }
    changed = sorted(name for name in expected | found if expected.get(name) != found.get(name))
    assert not changed, (
        "the bundled data were changed: put them back with `git checkout data`, or, if it is meant "
        "(make data), write sha256sum's lines of them into tests/core/io/bundled_data.sha256"
    )


@pytest.mark.slow
def test_simulated_judgments_are_those_that_their_script_makes():
    made = runpy.run_path(str(FOLDER / "make_votes.py"))["simulated"]()
    assert {*made} == {"votes", "answers", "judges"}
    for name, table in made.items():
        assert table.equals(pl.read_csv(FOLDER / "votes" / f"{name}.csv")), name
