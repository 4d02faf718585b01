"""The columns and rows that measures need of the positions, and errors for lacking ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, warn

RELEVANT = "relevant items"
FOUND = "relevant items as they were found"
JUDGED = "judged items"
POOL = "pool or corpus size"
SUBTOPICS = "subtopics"
ITEMS = "the items of a catalogue"


def parts_of(measures: Iterable[Any]) -> list[Any]:
    """Return measures, each once, with the components of compositions in place of these."""
    every = (part for one in measures for part in getattr(one, "components", (one,)))
    return [*dict.fromkeys(every)]


def refuse_lower_rel(measures: Iterable[Any], rel: float | None) -> None:
    """Raise when a measure counts grades below ``rel``, which the positions do not contain."""
    for measure in parts_of(measures):
        if rel is not None and measure.rel is not None and measure.rel < rel:
            raise LexiframeError(
                f"{measure} counts grades from {measure.rel:g}, but rel={rel:g} removes lower "
                "grades; leave rel out, or raise the rel of the measure"
            )


def refuse_of_items(measures: Iterable[Any]) -> None:
    """Raise for measures of lists over a catalogue, or of answers, which judgments do not tell."""
    for measure in parts_of(measures):
        if elsewhere := getattr(measure, "elsewhere", ""):
            raise LexiframeError(f"{measure}: {elsewhere}")


def no_item_of_grade(measure: Any) -> LexiframeError:
    """Return the error for a measure with a ``rel`` that no item of any request reaches."""
    if measure.needs == ITEMS:
        return LexiframeError(f"{measure}: says nothing of any list, see lexiframe.list_scores")
    return LexiframeError(
        f"{measure}: expected some items with a grade of {measure.rel:g} or more, found none"
    )


def refuse_unfit(p: pl.DataFrame, measures: Iterable[Any]) -> None:
    """Raise when positions lack the lowest grades, or judged items, that a measure needs."""
    measures = parts_of(measures)
    refuse_lower_rel(measures, _rel_of(p))
    needing = [measure for measure in measures if measure.needs == JUDGED]
    counting = [measure for measure in measures if measure.needs == FOUND]
    if "corpus_size" in p.columns and (needing or counting):
        first = [*needing, *counting][0]
        raise LexiframeError(
            f"{first}: expected the ranks that runs gave, found imputed ones (corpus_size): "
            "they would make all items count as retrieved; use the positions before impute"
        )
    if not needing:
        return
    if "n_judged" in p.columns:
        _refuse_unranked(p, needing[0])
    elif not {"doc_id", "level"} <= {*p.columns} or p["doc_id"].count() == p["level"].count():
        raise LexiframeError(
            f"{needing[0]}: needs the judged items that are not relevant, and the positions have "
            "none: make them with positions(..., judged=True), and with rel= where low grades are "
            "not relevant"
        )


def warn_of_lost_gains(p: pl.DataFrame, measures: Iterable[Any]) -> None:
    """Warn when a ``rel`` takes gains out of graded metrics, as far as positions show it."""
    of_table = _rel_of(p)
    has_all, measures = of_table is None or "n_judged" in p.columns, parts_of(measures)
    if "relevance" not in p.columns:
        return  # who checks the columns says so
    warn_of_lower_grades(measures, of_table, p["relevance"])
    # positions of relevant items do not show lower grades; most scales have none between 0 and 1
    graded = [str(measure) for measure in measures if measure.kind in _GRADED]
    if graded and not has_all and (of_table or 0) > 1:
        warn(f"positions(rel={of_table:g}): lower positive grades, if any, {_lost(graded)}")


def warn_of_lower_grades(measures: Iterable[Any], rel: float | None, grades: pl.Series) -> None:
    """Warn when positive grades below ``rel``, or a measure's own, do not count as gains."""
    least = {m: max(m.rel or 0, rel or 0) for m in parts_of(measures) if m.kind in _GRADED}
    positive = grades.filter(grades > 0)
    graded = [str(m) for m, of_measure in least.items() if (positive < of_measure).any()]
    if graded:
        warn(f"positive grades below rel {_lost(graded)}")


def count_any_grade(measures: Iterable[Any]) -> bool:
    """Return whether a measure has no least grade of its own."""
    return any(measure.rel is None for measure in parts_of(measures))


_GRADED = ("graded", "cascade")


def set_level(measures: Iterable[Any], level: float | None) -> list[Any]:
    """Return measures with the least relevant grade ``level``, like trec_eval -l.

    Measures with gains do not change: in trec_eval lower grades keep their gain; Rndcg is 0 where a
    request lacks the level. Neither do measures with a ``rel`` of their own, nor preferences by
    grade, which have several thresholds.
    """
    return list(measures) if level is None else [_set_level(m, level) for m in measures]


def _set_level(measure: Any, level: float) -> Any:
    """Return one measure with the least relevant grade ``level``."""
    if parts := getattr(measure, "components", None):
        return type(measure).compose([_set_level(part, level) for part in parts])
    if measure.rel is not None:
        return measure
    if measure.kind not in _BY_GRADE:
        return measure(rel=level)
    takes_level = "level" in measure.parameters and "level" not in measure.given
    return measure(level=level) if takes_level else measure


_BY_GRADE = (*_GRADED, "level preference", "matrix preference")


def _lost(graded: list[str]) -> str:
    return (
        f"have no gain in {', '.join(graded)}. With -l, trec_eval keeps their gain: to do the "
        "same, leave rel out, and give it to measures without gains, as in AP(rel=2)"
    )


def _rel_of(p: pl.DataFrame) -> float | None:
    """Return the ``rel`` that the positions were made with; None stands for any positive grade."""
    if "rel" not in p.columns or p.is_empty():
        return None
    least, greatest = p.select(pl.col("rel").min(), pl.col("rel").max().alias("most")).row(0)
    if least != greatest or p["rel"].null_count() not in (0, p.height):
        raise SchemaError(
            "positions: expected one rel in all rows, found several; compute the positions of all "
            "runs with one rel"
        )
    return None if least is None else float(least)


def _refuse_unranked(p: pl.DataFrame, measure: Any) -> None:
    """Raise when a ranking does not have all judged items of its request."""
    counted = p.group_by("run", "query_id").agg(
        found=pl.col("doc_id").count(), n_judged=pl.col("n_judged").first()
    )
    lacking = counted.filter(pl.col("found") != pl.col("n_judged")).sort("run", "query_id")
    if lacking.height:
        row = lacking.row(0, named=True)
        raise SchemaError(
            f"{measure}: needs all judged items, expected {row['n_judged']} of query "
            f"{row['query_id']!r} for run {row['run']!r}, found {row['found']} ({lacking.height} "
            "such rankings); runs and requests can be left out only as a whole"
        )
