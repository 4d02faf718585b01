"""The test and the correction that comparisons get unless they are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lexiframe.base import LexiframeError
from lexiframe.metrics import derived

AUTO = "auto"
MAX_T = "max_t"
FLIPS = "randomization"
"""The test of sign flips, the only one that has step-down max-t."""


def settled(
    called: str, tests: Sequence[Any], corrections: Sequence[str], *, by_t: bool = False
) -> tuple[list[Any], list[str]]:
    """Return the tests and corrections that are meant by those that were given.

    By default they are joint sign flips with step-down max-t; t with Holm's correction where t
    alone knows the errors of the means (``by_t``). The default test with a named correction is t,
    and a named test has Holm's correction by default.

    Examples
    --------
    >>> settled("compare", ["auto"], ["auto"]), settled("compare", ["auto"], ["bh"])
    ((['randomization'], ['max_t']), (['t'], ['bh']))
    >>> settled("compare", ["sign"], ["auto"])
    (['sign'], ['holm'])
    """
    if AUTO in tests and len(tests) > 1:
        raise LexiframeError(
            f"{called}: test='auto' stands for one test, found {len(tests)} tests; give it alone, "
            "or name the tests"
        )
    if [*tests] == [AUTO]:
        is_joint = not by_t and [*corrections] == [AUTO]
        test, usual = (FLIPS, MAX_T) if is_joint else ("t", "holm")
        return [test], list(dict.fromkeys(usual if c == AUTO else c for c in corrections))
    if MAX_T in corrections and [*tests] != [FLIPS]:
        other = next(test for test in tests if test != FLIPS)
        raise LexiframeError(
            f"{called}: expected the test 'randomization' (or 'auto') with the correction 'max_t', "
            f"which draws the largest of all statistics by sign flips; found {other!r}; take "
            "correction='holm'"
        )
    return [*tests], list(dict.fromkeys("holm" if c == AUTO else c for c in corrections))


def is_metric(measure: str, scores: Any) -> bool:
    """Return whether a measure's preferences are differences of scores, known or by its name."""
    return measure in scores or derived.known_metric(measure) is not None
