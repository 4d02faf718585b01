"""Judgments and runs that have changed places, where nothing but their order told them apart."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import SchemaError
from lexiframe.core.io.column_forms.column_names import RIGHT_ORDER
from lexiframe.core.io.one_run import RunPart

_LEAST, _GREATEST = -2.0, 10.0
"""Grades of most judgments."""
_SCALE = 100.0
"""The greatest grade of ratings."""
_MOST, _LEVELS = 0.9, 21
"""Scores of a run mostly differ within a request, and few scales have more levels than these."""
_DEPTH = 5
"""Runs are mostly cut at this depth or a greater one."""
_OF_RANKS = 5
"""Where all requests have the same grades, more levels than these are made of ranks."""
_ROUNDING = 1e-6


def refuse_changed_places(part: RunPart, items: pl.DataFrame) -> None:
    """Raise where a run looks like judgments, and the judged ``items`` look like a run.

    It is asked where a run has no name, no ranks, and no lines of its own form (``is_known``).
    """
    if not part.rows.height or not items.height:
        return
    scores, grades = part.rows["score"], items["relevance"]
    if not (_are_like_grades(part.rows, grades) and _are_like_scores(items, part.rows)):
        return
    whole = "whole numbers" if _are_rounded(scores) else "half points"
    few = f"few {whole}" if scores.n_unique() > 1 else "one whole number alone"
    raise SchemaError(
        f"{part.where}: expected a run, found {few} ({_span(scores)}), as grades are, "
        f"and in the judgments more different ones ({_span(grades)}), as scores are; "
        f"{RIGHT_ORDER}; if they have not, give the run a name: {{'name': run}}"
    )


def _span(numbers: pl.Series) -> str:
    """Return the least and the greatest number as text, or the only one."""
    return " to ".join(dict.fromkeys(f"{x:g}" for x in numbers.cast(pl.Float64).sort()[[0, -1]]))


def _are_like_grades(rows: pl.DataFrame, others: pl.Series) -> bool:
    """Return whether scores are few whole numbers, repeated in a request or all the same.

    They may be up to 100 where ``others`` have more levels than a scale; otherwise half points
    count.
    """
    scores = rows["score"]
    greatest = _SCALE if others.n_unique() > _LEVELS else _GREATEST
    is_scale = scores.is_between(_LEAST, _GREATEST).all()
    if not scores.is_between(_LEAST, greatest).all() or not _are_rounded(scores * (1 + is_scale)):
        return False
    is_repeated = pl.struct("query_id", "score").is_duplicated().any()
    is_one = scores.n_unique() == 1 and rows.height > 1
    return is_one or bool(rows.select(is_repeated).item())


def _are_rounded(numbers: pl.Series) -> bool:
    return bool((numbers == numbers.round()).all())


def _are_like_scores(items: pl.DataFrame, rows: pl.DataFrame) -> bool:
    """Return whether grades cannot be of a scale, since they have too many levels.

    Averages of grades have few levels, other fractions and what is above 100 may have many. Scores
    that were rounded have fewer, and ties, as shares of clicks do; but runs are cut at one depth,
    and judgments, which are the ``rows`` then, are neither cut nor in the order of their grades.
    Scores that follow the rank are the same in each request.
    """
    grades, n_rows = items["relevance"], items.height
    n_levels = grades.n_unique()
    if items["query_id"].n_unique() == n_rows:
        return False
    hundredths = grades * _SCALE
    are_fine = bool(((hundredths - hundredths.round()).abs() > _ROUNDING).any())
    if n_levels > _SCALE + 1 or (are_fine and n_levels > _LEVELS):
        return True
    are_odd = (grades != grades.round()) | ~grades.is_between(_LEAST, _SCALE)
    if are_odd.any():
        are_apart = pl.struct("query_id", "relevance").is_unique().mean() >= _MOST
        is_cut = n_levels > _LEVELS and _have_one_depth(items) and _are_unlike_a_run(rows)
        return is_cut or n_levels >= _MOST * n_rows or bool(items.select(are_apart).item())
    return n_levels > _OF_RANKS and _are_the_same_in_each(items)


def _have_one_depth(rows: pl.DataFrame) -> bool:
    """Return whether nearly all of several requests have equally many documents, and not few."""
    sizes = rows.group_by("query_id").len()["len"]
    counts = sizes.value_counts(sort=True)
    common, n_common = counts.row(0)
    return bool(len(sizes) > 2 and common >= _DEPTH and n_common >= _MOST * len(sizes))


def _are_unlike_a_run(rows: pl.DataFrame) -> bool:
    """Return whether requests have different numbers of documents, which are in no order."""
    rises = rows.group_by("query_id").agg(rise=(pl.col("score").diff() > 0).any())["rise"]
    return not _have_one_depth(rows) and rises.sum() > (1 - _MOST) * len(rises)


def _are_the_same_in_each(items: pl.DataFrame) -> bool:
    """Return whether each of several requests has the same grades, equally often."""
    n_queries = items["query_id"].n_unique()
    counts = items.group_by("query_id", "relevance").len().group_by("relevance")
    same = counts.agg(n=pl.len(), times=pl.col("len").n_unique())
    return n_queries > 1 and bool(((same["n"] == n_queries) & (same["times"] == 1)).all())
