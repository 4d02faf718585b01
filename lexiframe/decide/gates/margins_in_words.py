"""Sentences with a margin: the runs that are good enough, and the requests that show it."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed, schemas
from lexiframe.core.significance.tests_in_words import test_and_correction


def equivalences_in_words(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure, test and correction how many pairs have each conclusion, and which.

    With a baseline, which is run_b of every pair, the runs of each conclusion are named.
    """
    key = ("measure", "test", "correction")
    return printed.sentence_of_each(table, schemas.EQUIVALENCES, key, _equivalent)


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


def required_in_words(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure and question how many requests it takes to answer it with yes."""
    key = ("measure", "how", "question")
    return printed.sentence_of_each(table, schemas.REQUIRED_BY_QUESTION, key, _required_sentence)


def _required_sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    said = _pair_phrase(row) if part.height == 1 else _pairs_phrase(part, row["question"])
    return f"By {row['measure']}{of_group}, with a margin of {row['margin']:.4g}, {said}."


def _pair_phrase(row: dict[str, Any]) -> str:
    claim = _OF_PAIR[row["question"]].format(row["run_a"], row["run_b"])
    there = f"there {'is' if row['n'] == 1 else 'are'} {row['n']:,}"
    if row["required"] is None:
        return f"no number of requests that was tried shows that {claim}; {there}"
    return f"it takes about {row['required']:,} requests to show that {claim}; {there}"


def _pairs_phrase(part: pl.DataFrame, question: str) -> str:
    claim, lacking = _OF_PAIRS[question], part["required"].null_count()
    enough = part.filter(pl.col("required") <= pl.col("n")).height
    said = [f"{enough:,} of {part.height:,} pairs of runs have the requests that show that {claim}"]
    more = part.filter(pl.col("required") > pl.col("n"))["required"].to_list()
    if more:
        said.append(f"{len(more):,} would need up to about {max(more):,}")
    if lacking:
        said.append(f"for {lacking:,} no number of requests that was tried is enough")
    return "; ".join(said)


_OF_PAIR = {
    "a not worse": "{0} is not worse than {1}",
    "b not worse": "{1} is not worse than {0}",
    "better": "one of {0} and {1} is better",
    "equivalent": "{0} and {1} are equivalent",
}
_OF_PAIRS = {
    "a not worse": "run_a is not worse than run_b",
    "b not worse": "run_b is not worse than run_a",
    "better": "one run is better",
    "equivalent": "they are equivalent",
}
"""For each question, what a yes to it shows."""
