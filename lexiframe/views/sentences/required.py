"""What `required_requests` with a margin says: which questions the requests can answer."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.views.sentences.rows import sentence_of_each


def required_in_words(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure and question how many requests it takes to answer it with yes.

    Examples
    --------
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, -0.25, 0.75, 0.0]})
    >>> said = required_in_words(lf.required_requests(d, margin=0.5))
    >>> print(said.filter(question="equivalent")["sentence"].item())
    By RPP, with a margin of 0.5, it takes about 23 requests to show that a and b are equivalent; \
there are 4.
    """
    key = ("measure", "how", "question")
    return sentence_of_each(table, schemas.REQUIRED_BY_QUESTION, key, _sentence)


def _sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    said = _of_pair(row) if part.height == 1 else _of_pairs(part, row["question"])
    return f"By {row['measure']}{of_group}, with a margin of {row['margin']:.4g}, {said}."


def _of_pair(row: dict[str, Any]) -> str:
    claim = _OF_PAIR[row["question"]].format(row["run_a"], row["run_b"])
    there = f"there {'is' if row['n'] == 1 else 'are'} {row['n']:,}"
    if row["required"] is None:
        return f"no number of requests that was tried shows that {claim}; {there}"
    return f"it takes about {row['required']:,} requests to show that {claim}; {there}"


def _of_pairs(part: pl.DataFrame, question: str) -> str:
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
