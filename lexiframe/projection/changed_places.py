"""Judgments and runs that have changed places, where nothing but their order told them apart."""

from __future__ import annotations

import polars as pl

from lexiframe.base import SchemaError
from lexiframe.io import column_forms, run_parts

_LEAST, _GREATEST = -2.0, 10.0
"""Grades of most judgments."""
_MOST = 0.9
"""Scores of a run mostly differ within a request."""


def refuse_changed_places(part: run_parts.RunPart, items: pl.DataFrame) -> None:
    """Raise where a run looks like judgments, and the judged ``items`` look like a run.

    A run that has a name, ranks, or lines of its own form is a run.
    """
    if part.is_known or not part.rows.height or not items.height:
        return
    scores, grades = part.rows["score"], items["relevance"]
    if not (_are_like_grades(part.rows) and _are_like_scores(items)):
        return
    few = "few whole numbers" if scores.n_unique() > 1 else "one whole number alone"
    raise SchemaError(
        f"{part.where}: expected a run, found {few} ({_span(scores)}), as grades are, "
        f"and in the judgments different ones in each request ({_span(grades)}), as scores are; "
        f"{column_forms.RIGHT_ORDER}; if they have not, give the run a name: {{'name': run}}"
    )


def _span(numbers: pl.Series) -> str:
    """Return the least and the greatest number as text, or the only one."""
    return " to ".join(dict.fromkeys(f"{x:g}" for x in numbers.cast(pl.Float64).sort()[[0, -1]]))


def _are_like_grades(rows: pl.DataFrame) -> bool:
    """Return whether scores are few whole numbers, repeated in a request or all the same."""
    scores = rows["score"]
    if not scores.is_between(_LEAST, _GREATEST).all() or (scores != scores.round()).any():
        return False
    is_repeated = pl.struct("query_id", "score").is_duplicated().any()
    is_one = scores.n_unique() == 1 and rows.height > 1
    return is_one or bool(rows.select(is_repeated).item())


def _are_like_scores(items: pl.DataFrame) -> bool:
    """Return whether grades differ within most requests, and are no whole numbers or too great."""
    grades = items["relevance"]
    are_odd = (grades != grades.round()) | ~grades.is_between(_LEAST, _GREATEST)
    are_apart = pl.struct("query_id", "relevance").is_unique().mean() >= _MOST
    several = items["query_id"].n_unique() < items.height
    return several and bool(are_odd.any()) and bool(items.select(are_apart).item())
