"""The records of nuggetizer: nuggets that were created, and assigned to the answers of runs."""

from __future__ import annotations

from lexiframe.collection.nuggets.read_so_far import Nugget, Read, run_of
from lexiframe.io import data_sources, json_places


def read_assignment(record: json_places.Value, source: data_sources.Source, read: Read) -> None:
    """Read the nuggets of a request, and which of them the answer of a run states.

    An answer without any of the request's nuggets counts as if there were none.
    """
    query = (record if "qid" in record.data else record["query"])["qid"].name()
    nuggets = [*record["nuggets"].each()]
    found: list[Nugget] = [
        (str(n), read.importance(one), None, one["text"].name()) for n, one in enumerate(nuggets, 1)
    ]
    if nuggets and not (record.has("run_id") or any(one.has("assignment") for one in nuggets)):
        read.add_nuggets(query, "those that were created", found, record)
        return
    name = run_of(record, source)
    read.begin_answer(name, query, record)
    if nuggets:
        read.add_nuggets(query, f"run {name!r}", found, record)
    for (nugget, *_), one in zip(found, nuggets, strict=True):
        read.statements.append((name, query, nugget, read.credit(one["assignment"]), None))
