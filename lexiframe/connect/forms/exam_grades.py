"""Grades that models give: of RUBRIC and EXAM++ as judgments, and the scale of a judge."""

from __future__ import annotations

from typing import Any

from lexiframe.core.base import LexiframeError, ReadError, n_and_first
from lexiframe.core.io.problems.line_numbers import places_of_rows
from lexiframe.core.io.text.json_places import Value, values_of_lines


def columns_of_grades(data: bytes, where: str) -> dict[str, list[Any]]:
    """Return the columns of judgments: each question that a passage was asked is a subtopic.

    Examples
    --------
    >>> asked = b'[{"question_id": "who", "self_rating": 4}]'
    >>> line = b'["q", [{"paragraph_id": "d", "exam_grades": [{"self_ratings": %s}]}]]' % asked
    >>> columns_of_grades(line, "graded.jsonl")
    {'query_id': ['q'], 'iteration': ['who'], 'doc_id': ['d'], 'relevance': [4.0]}
    """
    columns: dict[str, list[Any]] = {
        name: [] for name in ("query_id", "iteration", "doc_id", "relevance")
    }
    for line in values_of_lines(data, where):
        query, passages = _query_and_passages(line)
        for passage in passages.each():
            document = passage["paragraph_id"].name()
            for grades in passage.get("exam_grades", []).each():
                for rating in grades.get("self_ratings", []).each():
                    kind = "question_id" if rating.has("question_id") else "nugget_id"
                    row = query, rating[kind].name(), document, rating["self_rating"].number()
                    for column, cell in zip(columns.values(), row, strict=True):
                        column.append(cell)
    if not columns["query_id"]:
        raise ReadError(f"{where}: expected self_ratings of passages, found none")
    return columns


def _query_and_passages(line: Value) -> tuple[str, Value]:
    if not isinstance(line.data, list) or len(line.data) != 2:
        raise line.wrong("a list of the query's id and its passages")
    query, passages = line.each()
    return query.name(), passages


def refuse_off_scale(judged: Any, greatest: float) -> None:
    """Raise for judgments with grades that the judge's scale from 0 on does not have."""
    if not greatest > 0:
        raise LexiframeError(f"read_qrels: expected max_grade above 0, found {greatest:g}")
    wrong = (~judged.rows["relevance"].is_between(0, greatest)).arg_true()
    if len(wrong):
        unit, numbers = places_of_rows(judged.rows.height, judged.places)
        row = judged.rows.row(wrong[0], named=True)
        grades = n_and_first(judged.rows["relevance"].gather(wrong))
        raise ReadError(
            f"{judged.where}, {unit} {numbers[wrong[0]]}: expected grades from 0 to {greatest:g}, "
            f"found {grades}, the first of document {row['doc_id']!r} and query "
            f"{row['query_id']!r}; judge these again, or leave max_grade out"
        )
