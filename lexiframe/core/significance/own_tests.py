"""Paired tests of one's own: functions from the differences of all pairs to p-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError, errors, shown
from lexiframe.core.pairwise import Pairs
from lexiframe.core.significance.tests import TESTS

OwnTest = Callable[[np.ndarray], Any]
"""A function from differences (requests × pairs, NaN where missing) to p-values, or to a tuple of
statistics and p-values, or to a result of SciPy that has ``statistic`` and ``pvalue``."""


def several(given: Any) -> list[Any]:
    """Return one name or function, or several, as a list without repetitions."""
    return list(dict.fromkeys([given] if isinstance(given, str) or callable(given) else given))


def name_of_test(test: str | OwnTest) -> str:
    """Return the name of a test; a function is named by its ``__name__``."""
    if isinstance(test, str):
        return test
    name = getattr(test, "__name__", "<none>")
    if not isinstance(name, str) or name.startswith("<"):
        raise LexiframeError(
            f"compare: expected a test with a name of its own, found {shown(test)}; write a "
            "function (def my_test(d): ...), or give this one a name (test.__name__ = 'my_test')"
        )
    if name in TESTS:
        raise LexiframeError(
            f"compare: the function {name} is called like a test of lexiframe; write "
            f"test={name!r} for that test, or call the function otherwise"
        )
    return name


def check_own_tests(tests: Sequence[str | OwnTest], alternative: str) -> None:
    """Raise for functions without a name, for two of one name, and for one-sided ones."""
    own = [name_of_test(test) for test in tests if not isinstance(test, str)]
    twice = [name for name in own if own.count(name) > 1]
    if twice:
        raise LexiframeError(f"compare: two tests are called {twice[0]!r}; rename one")
    if own and alternative != "two-sided":
        raise LexiframeError(
            f"compare: the function {own[0]} is not told the alternative {alternative!r}; let it "
            "compute one-sided p-values, and leave alternative out"
        )


def own_result(test: OwnTest, pairs: Pairs, chosen: np.ndarray) -> np.ndarray:
    """Return statistic and p-value of the chosen pairs: 2 × pairs."""
    values = pairs.values[:, chosen]
    values = values[~np.isnan(values).all(axis=1)]
    statistic, p_value = _statistics_and_p(_call_test(test, values.copy()))
    name, n = name_of_test(test), len(chosen)
    p_value = _checked_numbers(f"{name}: expected p-values", p_value, n)
    if statistic is None:
        statistic = np.full(n, np.nan)
    statistic = _checked_numbers(f"{name}: expected statistics", statistic, n)
    outside = np.flatnonzero(~((p_value >= 0) & (p_value <= 1)))
    if len(outside):
        a, b = (pairs.runs[int(run[chosen[outside[0]]])] for run in (pairs.a, pairs.b))
        raise LexiframeError(
            f"{name}: expected p-values from 0 to 1, found {p_value[outside[0]]:g} for {a!r} and "
            f"{b!r} ({len(outside)} such pairs in all){_advice(values[:, outside[0]])}"
        )
    return np.stack([statistic, p_value])


def _call_test(test: OwnTest, differences: np.ndarray) -> Any:
    """Call a test; an error inside it names the test and its input."""
    try:
        return test(differences)
    except LexiframeError:
        raise
    except Exception as error:
        requests, pairs = differences.shape
        missing = ", NaN where missing" if np.isnan(differences).any() else ""
        raise LexiframeError(
            f"compare: the test {name_of_test(test)} raised {type(error).__name__}: "
            f"{errors.one_line(error)}; it gets differences (requests × pairs), here "
            f"{requests} × "
            f"{pairs}{missing}, and returns a p-value for each pair: compute over axis 0"
        ) from error


def _statistics_and_p(found: Any) -> tuple[Any, Any]:
    """Return the statistics, None if there are none, and the p-values."""
    if hasattr(found, "pvalue"):  # a result of SciPy
        return getattr(found, "statistic", None), found.pvalue
    if isinstance(found, tuple) and len(found) == 2:
        return found
    return None, found


def _checked_numbers(expected: str, found: Any, n: int) -> np.ndarray:
    expected = f"{expected} of {n} pairs, one for each column of the differences"
    try:
        numbers = np.asarray(found, np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(())
    if not numbers.shape:  # None becomes NaN
        raise LexiframeError(f"{expected}, found {shown(found)}")
    if numbers.shape != (n,):
        raise LexiframeError(
            f"{expected}, found an array of the shape {numbers.shape}; the differences are "
            "requests × pairs, so compute over axis 0"
        )
    return numbers


def _advice(differences: np.ndarray) -> str:
    """Return the advice for data that the usual tests have no p-value for."""
    if np.isnan(differences).any():
        return "; they lack requests, where the differences are NaN (SciPy: nan_policy='omit')"
    if not differences.any():
        return "; all their differences are 0: give such pairs the p-value 1"
    return ""
