"""Tables with a row for each nugget of an answer, as records: `records_of_rows`."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import Problem, SchemaError
from lexiframe.core.io import File, column_forms, columns, data_sources
from lexiframe.core.io.text import csv_rows, json_places

_NAMES = {ours: columns.spelled(words) for ours, words in columns.NUGGETS.items()}
_IDS = ("query_id", "run", "nugget_id", "importance", "text")


def rows_in(source: data_sources.Source) -> pl.DataFrame | None:
    """Return the table of a frame, or of a file whose first line names queries and nuggets."""
    if not isinstance(source.origin, File):
        return column_forms.to_frame(source.origin, "credit", source.where)
    data = source.origin.content("judgments of answers").data
    first = data.lstrip().partition(b"\n")[0].decode(errors="replace")
    separator = "\t" if "\t" in first else ","
    names = {name.strip(' "\r') for name in first.split(separator)}
    if not all(names & {*_NAMES[ours]} for ours in ("query_id", "nugget_id")):
        return None
    return csv_rows.text_table(data, source.where, separator)[0]


def records_of_rows(table: pl.DataFrame, where: str, *, is_named: bool) -> list[json_places.Value]:
    """Return a record for each answer of a run, as nuggetizer writes them, with ids of nuggets.

    A run that ``is_named`` by the caller or its file needs no column.
    """
    found = column_forms.columns_among(_NAMES, table.columns, where)
    needed = ("query_id", *["run"] * (not is_named), "nugget_id")
    lacking = [name for name in needed if name not in found]
    if not {"credit", "assignment"} & {*found}:
        lacking.append("credit (0 to 1) or assignment")
    if lacking:
        there = ", ".join(table.columns)
        raise SchemaError(Problem(where, f"the columns {', '.join(lacking)}", there, "rename them"))
    t = table.select(pl.col(theirs).alias(ours) for ours, theirs in found.items())
    t = t.with_columns(pl.col(name).cast(pl.String) for name in _IDS if name in found)
    t = t.with_columns(_numbers(t[name]) for name in ("credit", "assignment") if name in found)
    t = t.with_columns(pl.when(pl.col(pl.String) != "").then(pl.col(pl.String)))
    t = t.sort("query_id", *["run"] * ("run" in found), "nugget_id").rename({"query_id": "qid"})
    key = {"qid": "qid", "run_id": "run"} if "run" in found else {"qid": "qid"}
    nuggets = pl.struct(pl.exclude("qid", "run")).alias("nuggets")
    answers = t.group_by(**key, maintain_order=True).agg(nuggets)
    return [
        json_places.Value(one, Problem(where, "", "", at=f"request {one['qid']!r}"))
        for one in answers.to_dicts()
    ]


def _numbers(column: pl.Series) -> pl.Series:
    """Return numbers, also from text; a column with other words unchanged."""
    numbers = column.cast(pl.Float64, strict=False)
    return column if numbers.null_count() > column.null_count() else numbers
