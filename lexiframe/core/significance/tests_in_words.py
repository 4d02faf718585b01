"""Tests and corrections in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lexiframe.core.base import printed
from lexiframe.core.significance.tests import TESTS

_TESTS = {
    "auto": "default test",
    **{name: test.words for name, test in TESTS.items()},
    "hsd_randomized": "Tukey's HSD, randomized, requests as blocks",
    "hsd_parametric": "Tukey's HSD, requests as blocks",
}


_CORRECTIONS = {
    "none": "not corrected for",
    "bonferroni": "Bonferroni's correction over",
    "holm": "Holm's correction over",
    "bh": "Benjamini and Hochberg's correction over",
    "max_t": "step-down max-t over",
    "tukey": "over",
}


def how_tested(
    rows: Sequence[dict[str, Any]], names: Sequence[str], alpha: float, family: str
) -> str:
    """Return tests, correction, family, level and number of requests of some measures in words.

    The requests of the pairs are between ``n`` and ``n_most`` of the rows.
    """
    n = printed.counted(printed.n_range([rows[0]["n"], rows[0]["n_most"]]), "request")
    star = rows[0].get("n_effective")
    of_weights = "" if star is None else f", n* = {printed.n_range([star])}"
    return f"{how_decided(rows, names, alpha, family)}, n = {n}{of_weights}"


def how_decided(
    rows: Sequence[dict[str, Any]], names: Sequence[str], alpha: float, family: str
) -> str:
    """Return the tests, correction, family and level of some measures, whose tests may differ."""
    row, (how, over) = rows[0], each_test(rows)
    pairs = "the one pair" if row["family"] == 1 else f"the {row['family']:,} pairs"
    groups = [name for name in names if name != "collection"]  # each collection is alone
    scope = f" of all measures{' and groups' * bool(groups)}" if family == "all" else ""
    scope += " of the collection" * (scope != "" and len(groups) < len(names))
    return f"{how}{over} {pairs}{scope}, α = {alpha:g}"


def each_test(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the tests in words, with their measures if there are several, and the correction."""
    by_test = dict[str, list[str]]()
    several = len({one["correction"] for one in rows}) > 1
    for one in rows:
        test, over = test_and_correction(one["test"], one["correction"])
        if several:
            test, over = f"{test} with {over.removesuffix(' over')}", "over"
        by_test.setdefault(test, []).append(one["measure"])
    # Tests of measures, which are listed with commas, end with semicolons.
    each = [f"{test} for {printed.and_joined(of)}; " for test, of in by_test.items()]
    return "".join(each) if len(each) > 1 else f"{next(iter(by_test))}, ", over


def test_and_correction(test: str, correction: str) -> tuple[str, str]:
    """Return the test in words, and the correction in words that the family follows."""
    name, _, options = test.partition("(")
    # The comparisons that a user gives may have tests and corrections that are not ours.
    how = _TESTS.get(name, name) + (f" ({options}" if options else "")
    return how, _CORRECTIONS.get(correction, correction)
