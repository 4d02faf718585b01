"""The judgments of several judges on the same items: read, and side by side."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, schemas
from lexiframe.core.io import qrel_files, read_qrels


def read_judges(
    function: str, judges: Any, duplicates: qrel_files.Duplicates = "error"
) -> dict[str, pl.DataFrame]:
    """Read the judgments of two or more judges; errors name the judge."""
    check_judges(function, judges)
    return {name: _read_judge(name, qrels, duplicates) for name, qrels in judges.items()}


def check_judges(function: str, judges: Any) -> None:
    """Raise unless two judges or more are given by their names."""
    if not isinstance(judges, Mapping):
        raise TypeError(
            f"{function}: expected judgments by the names of their judges, as in "
            f'{{"nist": "qrels.txt", "llm": "llm.txt"}}, found {type(judges).__name__}'
        )
    if len(judges) < 2:
        raise LexiframeError(
            f"{function}: expected at least two judges, found {n_and_first(judges)}"
        )
    unnamed = [name for name in judges if not isinstance(name, str) or not name]
    if unnamed:
        raise LexiframeError(
            f"{function}: expected the names of judges to be text, found {unnamed[0]!r}"
        )


def _read_judge(name: str, qrels: Any, duplicates: qrel_files.Duplicates) -> pl.DataFrame:
    try:
        return pl.DataFrame(read_qrels(qrels, duplicates=duplicates))
    except (LexiframeError, TypeError) as error:
        raise type(error)(f"judge {name!r}: {error}") from None


def side_by_side(
    function: str, judges: Mapping[str, pl.DataFrame], of_answers: bool = False
) -> pl.DataFrame:
    """Return a row for each item that somebody judged: its request, and each judge's grade.

    The columns of grades are the judges' numbers, from "0"; null where a judge did not judge the
    item. An item is a document of a request, or of a subtopic, where a judge judged a document of a
    request in several iterations. Otherwise iterations are left aside, because judges may number
    them as they like. In answers an item is a nugget in an answer of a run.

    Examples
    --------
    >>> qrels = pl.DataFrame({"query_id": "q1", "iteration": "0", "doc_id": ["d1", "d2"],
    ...                       "relevance": [2.0, 0.0]})
    >>> side_by_side("judge_agreement", {"a": qrels, "b": qrels[:1]}).rows()
    [('q1', 2.0, 2.0), ('q1', 0.0, None)]
    """
    are_of_subtopics = any(q.select(schemas.IDS).is_duplicated().any() for q in judges.values())
    key = [*schemas.IDS, *["iteration"] * (are_of_subtopics or of_answers)]
    long = pl.concat(
        q.select(*key, "relevance", judge=pl.lit(str(n))) for n, q in enumerate(judges.values())
    )
    wide = long.pivot("judge", index=key, values="relevance").sort(key)
    numbers = [str(n) for n in range(len(judges))]
    wide = wide.select("query_id", *(pl.col(n) if n in wide.columns else _none(n) for n in numbers))
    shared = [wide[a].is_not_null() & wide[b].is_not_null() for a, b in combinations(numbers, 2)]
    if not any(both.any() for both in shared):
        what = "subtopics, requests and documents" if are_of_subtopics else "requests and documents"
        if of_answers:
            raise LexiframeError(
                f"{function}: expected nuggets that two judges judged in the same answer, found "
                f"none; do {', '.join(judges)} name runs, requests and nuggets alike? Judges with "
                "nuggets of their own have only conclusions in common: compare_judges"
            )
        raise LexiframeError(
            f"{function}: expected documents that two judges judged for the same request, found "
            f"none; do {', '.join(judges)} name {what} alike?"
        )
    return wide


def _none(name: str) -> pl.Expr:
    return pl.lit(None, pl.Float64).alias(name)
