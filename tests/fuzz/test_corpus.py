"""Every file that the fuzzer starts from, and every one that it found a fault with, to all readers.

A file in found/ is what a reader once ended with something else on; its name says what it is.
"""

from pathlib import Path

import pytest

from tests.fuzz.outcomes import READERS, TAKEN, Choices, check_outcome

pytestmark = pytest.mark.slow  # draws, or reads real collections

HERE = Path(__file__).parent
FILES = sorted([*(HERE / "corpus").iterdir(), *(HERE / "found").iterdir()])
SAID = [
    {},
    {"third": "rank"},
    {"third": "score"},
    {"header": True},
    {"decimal": ","},
    {"columns": {"doc_id": "item"}},
    {"columns": {"query_id": "a", "doc_id": "b"}},
    {"columns": {"qid": "query_id"}},
    {"name_from": "tag"},
]
"""One option at a time; test_garbage.py draws them together, for these files too."""
OF_READING = {"header", "decimal", "columns"}
"""`read_runs` is told these as well, and positions are found in what it gives."""


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_file_gives_a_table_or_an_error_of_ours(file, tmp_path):
    path = tmp_path / "input"
    path.write_bytes(file.read_bytes())
    # No fault was found with the files that were made: of them each option takes every third.
    is_found = file.parent.name == "found"
    some = SAID if is_found else [{}, *SAID[1 + FILES.index(file) % 3 :: 3]]
    for reader in READERS:
        for said in some:
            taken = {*TAKEN[reader]} - (OF_READING if reader == "positions" else set())
            if {*said} <= taken:
                check_outcome(path, Choices(reader, **said))
