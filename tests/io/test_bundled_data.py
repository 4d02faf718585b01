"""The bundled data are those of the repository, or else examples fail for a reason nobody sees."""

from hashlib import sha256
from pathlib import Path

import lexiframe as lf

LIST = Path(__file__).with_name("bundled_data.sha256")
FOLDER = lf.bundled("example").parent


def test_the_bundled_data_are_not_changed():
    """In a checkout `lexiframe.bundled` is the working tree, into which anybody may write."""
    expected = dict(reversed(line.split()) for line in LIST.read_text().splitlines())
    found = {
        f"data/{path.relative_to(FOLDER).as_posix()}": sha256(path.read_bytes()).hexdigest()
        for name in ("digits", "example")
        for path in (FOLDER / name).rglob("*")
        if path.is_file()
    }
    changed = sorted(name for name in expected | found if expected.get(name) != found.get(name))
    assert not changed, (
        "the bundled data were changed: put them back with `git checkout data`, or, if it is meant "
        "(make data), write sha256sum's lines of them into tests/io/bundled_data.sha256"
    )
