"""The judgments of answers read so far, and the parts that all their forms share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from lexiframe.core.base import printed, schemas
from lexiframe.core.io import data_sources
from lexiframe.core.io.text import json_places

Failed = Literal["error", "zero"]
Nugget = tuple[str, str, str | None, str]
"""The id of a nugget, its importance, what joins its answers, and its text."""
_CREDITS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


@dataclass
class Read:
    """The rows of all tables, with the options of `read_nuggets`, and failed or skipped records.

    ``nuggets`` has those of each request, with the run that they were first found in; ``answers``
    of each run and request says where it was read, and ``banks`` has the answers to the questions
    of each request.
    """

    failed: Failed
    max_grade: float | None
    rel: float | None
    nuggets: dict[str, tuple[str, list[Nugget]]] = field(default_factory=dict)
    banks: dict[str, dict[str, tuple[str, set[str], bool]]] = field(default_factory=dict)
    answers: dict[tuple[str, str], json_places.Value] = field(default_factory=dict)
    statements: list[tuple[str, str, str, float, int | None]] = field(default_factory=list)
    citations: list[tuple[str, str, int, str, float, bool | None]] = field(default_factory=list)
    sentences: list[tuple[str, str, int, bool, bool]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    n_failed: Counter[str] = field(default_factory=Counter)
    first_failed: str = ""
    has_grades: bool = False

    def fail(self, what: str, value: json_places.Value) -> None:
        """Count an importance or an assignment that failed."""
        self.n_failed[what] += 1
        self.first_failed = self.first_failed or f"{value.where}, {value.keys}"

    def importance(self, nugget: json_places.Value) -> str:
        """Return the importance of a nugget: okay where none is said."""
        found = nugget.get("importance", "okay")
        if found.data == "failed":
            self.fail("importance", found)
            return "okay"
        if found.data not in ("vital", "okay"):
            raise found.wrong("vital or okay")
        return str(found.data)

    def credit(self, assignment: json_places.Value) -> float:
        """Return the credit of an assignment or of a grade."""
        data = assignment.data
        if data == "failed":
            self.fail("assignment", assignment)
            return 0.0
        if isinstance(data, int | float) and not isinstance(data, bool):
            return self._credit_of_grade(assignment, data)
        if not isinstance(data, str) or data not in _CREDITS:
            raise assignment.wrong("support, partial_support or not_support")
        return _CREDITS[data]

    def _credit_of_grade(self, value: json_places.Value, grade: float) -> float:
        greatest, self.has_grades = self.max_grade, True
        if not 0 <= grade <= (float("inf") if greatest is None else greatest):
            raise value.wrong("a grade from 0" + (f" to {greatest:g}" if greatest else ""))
        if self.rel is not None:
            return float(grade >= self.rel)
        if greatest is None:
            names = {"python": ("max_grade=", "rel="), "terminal": ("--max-grade", "--rel")}
            words = "say the greatest of the scale, {}, or the least that is stated, {}"
            advice = printed.advice(**{who: words.format(*of) for who, of in names.items()})
            raise value.wrong("support, partial_support or not_support", advice)
        return grade / greatest

    def begin_answer(self, run: str, query: str, record: json_places.Value) -> None:
        """Remember that a run answers a request; raise if it did so before."""
        before = self.answers.setdefault((run, query), record)
        if before is not record:
            expected = f"one answer of run {run!r} to request {query!r}"
            found = f"a second one; the first is in {before.where}"
            raise record.wrong(expected, "keep one", found)

    def add_nuggets(
        self, query: str, run: str, nuggets: list[Nugget], record: json_places.Value
    ) -> None:
        """Keep the nuggets of a request; raise if they differ from the nuggets of earlier runs."""
        first, known = self.nuggets.setdefault(query, (run, nuggets))
        if known == nuggets:
            return
        n, theirs, ours = next(
            (n, a, b)
            for n, (a, b) in enumerate(zip([*known, None], [*nuggets, None], strict=False), 1)
            if a != b
        )
        said = [f"{one[3]!r} ({one[1]})" if one else "none" for one in (theirs, ours)]
        raise record.wrong(
            f"the nuggets of request {query!r} by which {first} is judged ({len(known)})",
            "judge all runs by the same nuggets, of the same importance",
            f"others ({len(nuggets)}) for {run}: nugget {n} is {said[1]}, and not {said[0]}",
        )


def run_of(record: json_places.Value, source: data_sources.Source) -> str:
    """Return the run of a record: named by the user, the record or its file.

    In a folder that the user gave a name, all files belong to this run.
    """
    if source.is_given or not record.has("run_id"):
        return str(source.name).partition(schemas.TWIN)[0]
    return record["run_id"].name()
