"""The test and the correction that comparisons get unless they are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics import derived
from lexiframe.core.significance.corrections import MAX_T, check_max_t, usual

AUTO = "auto"


def settled(
    called: str, tests: Sequence[Any], corrections: Sequence[str], *, by_t: bool = False
) -> tuple[list[Any], list[str]]:
    """Return the tests and corrections for the given ones, with defaults in place of ``auto``.

    The default is joint sign flips with step-down max-t, or t with Holm's correction where only t
    knows the errors of the means (``by_t``). With another correction the default test is t; a named
    test has Holm's correction by default.

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
    if AUTO in corrections and len(corrections) > 1:
        raise LexiframeError(
            f"{called}: correction='auto' stands for one correction, found {len(corrections)}; "
            "give it alone, or name the corrections"
        )
    if [*tests] == [AUTO] and not by_t and {*corrections} <= {AUTO, MAX_T}:
        return ["randomization"], [MAX_T]
    tests = ["t" if test == AUTO else test for test in tests]
    check_max_t(called, tests, corrections, by_t=by_t)
    return tests, [usual(c) if c == AUTO else c for c in corrections]


def is_metric(measure: str, scores: Any) -> bool:
    """Return whether a measure's preferences are differences of scores, known or by its name."""
    return measure in scores or derived.known_metric(measure) is not None
