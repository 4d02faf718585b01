"""The paired tests, each a file that declares all that the package knows of it."""

from __future__ import annotations

from typing import Literal

from lexiframe.base import LexiframeError, check_choice
from lexiframe.significance.tests.betting import BETTING
from lexiframe.significance.tests.betting import betting_at as betting_at
from lexiframe.significance.tests.bootstrap import BOOTSTRAP
from lexiframe.significance.tests.randomization import RANDOMIZATION
from lexiframe.significance.tests.sign import SIGN
from lexiframe.significance.tests.t import T
from lexiframe.significance.tests.t import p_of_t_test as p_of_t_test
from lexiframe.significance.tests.wilcoxon import WILCOXON

Test = Literal["t", "sign", "wilcoxon", "randomization", "bootstrap", "betting"]
ShiftedTest = Literal["t", "bootstrap", "betting"]

TESTS = {test.name: test for test in (T, SIGN, WILCOXON, RANDOMIZATION, BOOTSTRAP, BETTING)}
OF_SUMS = {name: test for name, test in TESTS.items() if test.of_sums}
DRAWING = {name: test for name, test in TESTS.items() if test.draws}
SHIFTED = {name: test.shifted for name, test in TESTS.items() if test.shifted is not None}


def check_shifted(called: str, name: str) -> None:
    """Raise for a test that is not offered with a margin, and say why it is not.

    Examples
    --------
    >>> check_shifted("gate", "t")
    """
    if name in TESTS and TESTS[name].why_not_shifted:
        raise LexiframeError(
            f"{called}: expected test to be {' or '.join(map(repr, SHIFTED))}, found {name!r}; "
            f"{TESTS[name].why_not_shifted}"
        )
    check_choice(called, name, SHIFTED, "test")
