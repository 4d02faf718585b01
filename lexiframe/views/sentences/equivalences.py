"""What the table of `equivalence` says: which runs are good enough, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from lexiframe.base import escaped
from lexiframe.views.sentences.words import for_group, listed, test_and_correction

_KEY = ("measure", "test", "correction")


def equivalences_in_words(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure, test and correction how many pairs have each conclusion, and which.

    With a baseline, which is run_b of every pair, the other runs are named.
    """
    groups = table.columns[: table.columns.index("measure")]
    renamed = {name: f"by {name}" for name in groups}
    by = [*renamed.values(), *_KEY]
    table = table.rename(renamed)
    parts = table.partition_by(by, maintain_order=True)
    sentences = [_sentence(part, groups) for part in parts]
    rows = pl.concat([part.head(1).select(by) for part in parts]) if parts else table.select(by)
    rows = rows.with_columns(sentence=pl.Series(sentences, dtype=pl.String))
    return rows.rename({called: name for name, called in renamed.items()})


def _sentence(part: pl.DataFrame, groups: Sequence[str]) -> str:
    row = part.row(0, named=True)
    scope = f"By {row['measure']}{for_group(row, groups, 'by ')}, with a margin of "
    how, over = test_and_correction(row["test"], row["correction"])
    pairs = "the one pair" if part.height == 1 else f"{part.height:,} pairs"
    n = " to ".join(f"{n:,}" for n in part["n"].unique().sort()[[0, -1]].unique())
    tested = f"{how}, {over} {pairs}, n = {n} request{'s' * (n != '1')}"
    return escaped(f"{scope}{row['margin']:.4g}, {_conclusions(part)} ({tested}).")


def _conclusions(part: pl.DataFrame) -> str:
    """Return what was concluded: of a baseline or a single pair by name, else by number."""
    if part.height == 1:
        return _of_pair(part.row(0, named=True))
    if part["run_b"].n_unique() == 1:
        baseline = part["run_b"][0]
        said = []
        for conclusion, words in _OF_RUNS.items():
            runs = part.filter(conclusion=conclusion)["run_a"].to_list()
            if runs:
                verb = "is" if len(runs) == 1 else "are"
                said.append(f"{listed(runs)} {verb} {words.format(baseline)}")
        return "; ".join(said) + _of_trivial(part)
    counts = [
        (part["conclusion"].is_in(conclusions).sum(), one, many)
        for (one, many), conclusions in _OF_PAIRS.items()
    ]
    said = [f"{n:,} {one if n == 1 else many}" for n, one, many in counts if n]
    return f"of {part.height:,} pairs of runs {', '.join(said)}{_of_trivial(part)}"


_OF_RUNS = {
    "a better": "better than {}",
    "equivalent": "equivalent to {}",
    "a not worse": "not worse than {}",
    "b better": "worse than {}",
    "b not worse": "not better than {} by the margin or more",
    "undecided": "undecided against {}: the requests are too few to tell",
}
_OF_PAIRS = {
    ("is equivalent", "are equivalent"): ["equivalent"],
    ("has a better run", "have a better run"): ["a better", "b better"],
    ("has a run that is not worse", "have a run that is not worse"): ["a not worse", "b not worse"],
    ("is undecided", "are undecided"): ["undecided"],
}


def _of_pair(row: dict[str, Any]) -> str:
    a, b = row["run_a"], row["run_b"]
    if row["conclusion"] == "equivalent":
        trivial = ", although their difference is significant" * row["trivial"]
        return f"{a} and {b} are equivalent{trivial}"
    if row["conclusion"] == "undecided":
        return f"{a} and {b} are undecided: the requests are too few to tell"
    first, second = (a, b) if row["conclusion"].startswith("a") else (b, a)
    return f"{first} is {row['conclusion'][2:]} than {second}"


def _of_trivial(part: pl.DataFrame) -> str:
    n = int(part["trivial"].sum())
    of = (
        "the difference of 1 equivalent pair is"
        if n == 1
        else (f"the differences of {n:,} equivalent pairs are")
    )
    return f"; {of} significant, and smaller than the margin" if n else ""
