"""Sentences on how many requests it takes, with a margin."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed, schemas


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
    said = [
        f"{enough:,} of {part.height:,} pairs of runs have enough requests to show that {claim}"
    ]
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
