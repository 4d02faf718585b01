"""Every public function is called with wrong values: it says what is wrong, in our words."""

from collections import Counter

import pytest

from tests.fuzz.calls import calls, outcome

pytestmark = pytest.mark.slow  # its room has quicker tests


def test_wrong_arguments_are_errors_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = Counter()
    for called, wrong, value, function, given in calls(tmp_path, 8_000, seed=1):
        if problem := outcome(function, given):
            found[f"{called}({wrong}={type(value).__name__} {str(value)[:30]!r}): {problem}"] += 1
    assert not found, "\n".join(f"{n} × {text}" for text, n in found.most_common(60))
