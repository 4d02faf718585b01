"""The records of nuggetizer: nuggets that were created, and assigned to the answers of runs."""

from __future__ import annotations

from lexiframe.core.io import data_sources
from lexiframe.core.io.text import json_places
from lexiframe.decide.nuggets.read_so_far import Nugget, Read, run_of


def read_assignment(record: json_places.Value, source: data_sources.Source, read: Read) -> None:
    """Read the nuggets of a request, and the nuggets that a run's answer states.

    An answer without any of the request's nuggets counts as if there were none.
    """
    query = (record if "qid" in record.data else record["query"])["qid"].name()
    nuggets = [*record["nuggets"].each()]
    found: list[Nugget] = [
        (one.get("nugget_id", str(n)).name(), read.importance(one), None, _text(one))
        for n, one in enumerate(nuggets, 1)
    ]
    if nuggets and not (
        record.has("run_id") or any(one.has("assignment") or one.has("credit") for one in nuggets)
    ):
        read.add_nuggets(query, "those that were created", found, record)
        return
    name = run_of(record, source)
    read.begin_answer(name, query, record)
    if nuggets:
        read.add_nuggets(query, f"run {name!r}", found, record)
    for (nugget, *_), one in zip(found, nuggets, strict=True):
        read.statements.append((name, query, nugget, _credit(one, read), None))


def _text(nugget: json_places.Value) -> str:
    """Return the text of a nugget, or its id where only the id is known, as in tables."""
    return nugget[
        "text" if nugget.has("text") or not nugget.has("nugget_id") else "nugget_id"
    ].name()


def _credit(nugget: json_places.Value, read: Read) -> float:
    """Return the given credit, or the credit of the assignment."""
    if not nugget.has("credit"):
        return read.credit(nugget["assignment"])
    if not 0 <= nugget["credit"].number() <= 1:
        raise nugget["credit"].wrong("a credit from 0 to 1")
    return nugget["credit"].number()
