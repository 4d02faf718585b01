"""The forms of text that few files have, and the layout of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexiframe import features
from lexiframe.core.base import Problem, ReadError, schemas
from lexiframe.core.base.feature import Forms
from lexiframe.core.io.column_forms.line_layouts import Layout
from lexiframe.core.io.columns import MODEL_OF_MTEB
from lexiframe.core.io.doubts.first_looks import DOUBT
from lexiframe.core.io.rare_forms import forms_of_text
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text import trec
from lexiframe.core.io.text.lines import first_fields

if TYPE_CHECKING:
    from lexiframe.core.io.problems.rows_as_written import Rows


def json_reader() -> Any:
    """Return the module that reads JSON, which is loaded when it is first asked for."""
    from lexiframe.core.io.text import json_tables

    return json_tables


def records_of_tool(data: bytes, where: str, schema: schemas.TableSchema) -> bytes:
    """Return the runs or judgments in a tool's JSON as records; any other JSON unchanged."""
    if MODEL_OF_MTEB.encode() not in data[:1000]:
        documents = features.found(Forms)
        is_run = schema is schemas.RUNS
        return documents.as_records(data, where, is_run=is_run) if documents else data
    text_of_one_split = features.needed(Forms, where).text_of_one_split
    found: bytes = text_of_one_split(data, where, is_run=schema is schemas.RUNS)
    return found


def rows_of_letor(
    data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema
) -> Rows | None:
    """Return the rows of a file of learning to rank; None for other text."""
    letor = forms_of_text(data) if options.rows is None else features.needed(Forms, "rows")
    found: Rows | None = (
        None if letor is None else letor.rows_of_letor(data, where, options, schema)
    )
    return found


def layout_of(data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema) -> Layout:
    """Return the layout of lines of TREC text; raise for ``columns=``, as it has no header."""
    if options.columns:
        named = ", ".join(map(repr, options.columns.values()))
        expected = f"a first line with the names in columns= ({named})"
        advice = "leave columns out, or say header=True"
        raise ReadError(Problem(where, expected, "lines of TREC text", advice))
    is_run = schema is schemas.RUNS
    fields = first_fields(data)
    if len(fields) > 1 and all(field.endswith((b",", b";")) for field in fields[:-1]):
        from lexiframe.core.io.problems.advice import no_names

        ids = ", ".join(repr(field.decode(errors="replace")) for field in fields[:-1])
        found = f"{ids}, which end with a separator"
        names = f"query_id,doc_id,{'score' if is_run else 'relevance'}"
        raise ReadError(Problem(where, "ids", found, no_names(names), DOUBT))
    return (
        trec.run_layout(data, options.third)
        if is_run
        else trec.qrels_layout(data, labelled=bool(options.grades))
    )
