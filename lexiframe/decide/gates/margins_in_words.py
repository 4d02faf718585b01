"""Sentences with a margin: the runs that are good enough, and the requests that show it."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.significance.tests_in_words import test_and_correction
from lexiframe.decide.gates.schemas import EQUIVALENCES


def equivalences_in_words(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure, test and correction how many pairs have each conclusion, and which.

    With a baseline, which is run_b of every pair, the runs of each conclusion are named.
    """
    key = ("measure", "test", "correction")
    return printed.sentence_of_each(table, EQUIVALENCES, key, _equivalent)


def _equivalent(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    how, over = test_and_correction(row["test"], row["correction"])
    pairs = "the one pair" if part.height == 1 else f"{part.height:,} pairs"
    return (
        f"By {row['measure']}{of_group}, with a margin of {row['margin']:.4g}, "
        f"{_conclusions(part)} ({how}, {over} {pairs}, "
        f"n = {printed.counted(printed.n_range(part['n']), 'request')})."
    )


def _conclusions(part: pl.DataFrame) -> str:
    """Return the conclusions: for a baseline or a single pair by name, else by number."""
    if part.height == 1:
        return _concluded(part.row(0, named=True))
    if part["run_b"].n_unique() == 1:
        runs_of = {name: part.filter(conclusion=name)["run_a"].to_list() for name in _OF_RUNS}
        said = [
            f"{printed.they_are(runs)} {_OF_RUNS[name].format(part['run_b'][0])}"
            for name, runs in runs_of.items()
            if runs
        ]
        return "; ".join(said) + _trivial_phrase(part)
    counts = [
        (part["conclusion"].is_in(conclusions).sum(), one, many)
        for (one, many), conclusions in _OF_SEVERAL.items()
    ]
    said = [f"{n:,} {one if n == 1 else many}" for n, one, many in counts if n]
    return f"of {part.height:,} pairs of runs {', '.join(said)}{_trivial_phrase(part)}"


_OF_RUNS = {
    "a better": "better than {}",
    "equivalent": "equivalent to {}",
    "a not worse": "not worse than {}",
    "b better": "worse than {}",
    "b not worse": "not better than {} by the margin or more",
    "undecided": "undecided against {}: the requests are too few to tell",
}
_OF_SEVERAL = {
    ("is equivalent", "are equivalent"): ["equivalent"],
    ("has a better run", "have a better run"): ["a better", "b better"],
    ("has a run that is not worse", "have a run that is not worse"): ["a not worse", "b not worse"],
    ("is undecided", "are undecided"): ["undecided"],
}


def _concluded(row: dict[str, Any]) -> str:
    a, b = row["run_a"], row["run_b"]
    if row["conclusion"] == "equivalent":
        trivial = ", although their difference is significant" * row["trivial"]
        return f"{a} and {b} are equivalent{trivial}"
    if row["conclusion"] == "undecided":
        return f"{a} and {b} are undecided: the requests are too few to tell"
    first, second = (a, b) if row["conclusion"].startswith("a") else (b, a)
    return f"{first} is {row['conclusion'][2:]} than {second}"


def _trivial_phrase(part: pl.DataFrame) -> str:
    n = int(part["trivial"].sum())
    differences = "the difference of 1 equivalent pair is"
    if n > 1:
        differences = f"the differences of {n:,} equivalent pairs are"
    return f"; {differences} significant, and smaller than the margin" if n else ""
