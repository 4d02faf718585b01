"""The paired tests, each a file of its name that declares it as ``TEST``."""

from __future__ import annotations

from importlib import import_module
from typing import Literal, get_args

from lexiframe.core.base import LexiframeError, check_choice
from lexiframe.core.significance.joint_flips import most_requests as most_requests
from lexiframe.core.significance.paired_tests import PairedTest
from lexiframe.core.significance.tests.chosen import AUTO as AUTO
from lexiframe.core.significance.tests.chosen import settled as settled
from lexiframe.core.significance.tests.t import p_of_t_test as p_of_t_test

Test = Literal["auto", "t", "sign", "wilcoxon", "randomization", "bootstrap", "betting"]
"""``auto`` is none of its own: it chooses one of the others for each measure."""
ShiftedTest = Literal["t", "bootstrap", "betting"]

TESTS: dict[str, PairedTest] = {
    name: import_module(f"{__name__}.{name}").TEST for name in get_args(Test) if name != AUTO
}
OF_SUMS = {name: test for name, test in TESTS.items() if test.of_sums}
DRAWING = {name: test for name, test in TESTS.items() if test.draws}
SHIFTED = {name: test.shifted for name, test in TESTS.items() if test.shifted is not None}


def check_shifted(called: str, name: str) -> None:
    """Raise for a test that cannot have a margin, with the reason."""
    if name in TESTS and TESTS[name].why_not_shifted:
        raise LexiframeError(
            f"{called}: expected test to be {' or '.join(map(repr, SHIFTED))}, found {name!r}; "
            f"{TESTS[name].why_not_shifted}"
        )
    check_choice(called, name, SHIFTED, "test")
