"""Some mutated files against a strict reader: see mutants.py, which goes through many more."""

import random

import pytest

from tests.fuzz.mutants import FORMS, mutant, outcome

CASES = 40


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("name", FORMS)
def test_what_is_accepted_is_what_a_strict_reader_finds(name, tmp_path):
    endings = set()
    for seed in range(CASES):
        data = mutant(FORMS[name], random.Random(seed))
        endings.add(outcome(tmp_path / "input", data, FORMS[name]))
    assert {"read", "refused"} <= endings


@pytest.mark.parametrize("name", FORMS)
def test_the_strict_reader_takes_what_is_well_formed(name, tmp_path):
    form = FORMS[name]
    assert outcome(tmp_path / "input", form.text.encode(), form) == "read"
    assert form.strict(form.text.encode())
