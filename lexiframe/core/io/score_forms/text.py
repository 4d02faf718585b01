"""Per-request scores in text: the lines of trec_eval and ir_measures, CSV, TSV and JSON."""

from __future__ import annotations

import re

import polars as pl

from lexiframe.core.base import ReadError, schemas
from lexiframe.core.io.column_forms.measure_names import SUMMARIES
from lexiframe.core.io.problems.problem_tables import decoded
from lexiframe.core.io.score_forms.four_columns import PLAIN, FourColumns, share_of_measures
from lexiframe.core.io.text.csv_rows import text_table
from lexiframe.core.io.text.lines import is_json
from lexiframe.core.io.text_forms import json_reader

PLACE = "\0place"  # the column with the line of each row; no file has a column of this name

_WIDTH = 3
_WITH_RUN = 4
_OF_RUN = 6
_THREE = "measure, query and value, as trec_eval -q and ir_measures -q write them"
_FOUR = "run, query, measure and value, as in the first line"
# Three fields between tabs, which may hold spaces; or three fields between any blanks.
_FIELDS = r"^[ \r]*(?:([^\t]+)\t[ ]*([^\t]+?)[ ]*\t\s*([^\t]+?)|(\S+)\s+(\S+)\s+(\S+))\s*$"
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:inf|nan)", re.IGNORECASE)
_OF_PYSERINI = re.compile(
    r"(?m)^(Running command: |Results:$|Downloading http|/.* already exists!$|Skipping download).*"
)
"""What it prints around the output of trec_eval."""
_TEXTS = r"^(?:runid|relstring(?:_\d+)?)$"  # measures of trec_eval whose values are texts


def table_of_text(data: bytes, where: str, four: FourColumns = PLAIN) -> pl.DataFrame:
    r"""Parse text into its columns, as text, and ``PLACE``, the line or record of each row.

    ``four`` says which of four columns without a header are the requests.
    """
    if is_json(data):
        table: pl.DataFrame = json_reader().parse_json(data, where, schemas.SCORES, {})
        if {"query_id", "doc_id"} <= set(table.columns):  # a dictionary of dictionaries
            table = name_nested_columns(table)
        return table.with_row_index(PLACE, offset=1)
    text = decoded(data, where).replace("\r\n", "\n").replace("\r", "\n")
    text = _OF_PYSERINI.sub("", text)
    first = next((line for line in text.split("\n") if line.strip()), "")
    _refuse_run(first, where)
    if _is_triple(first) or four.are_in(first):
        width = len(first.split("\t") if "\t" in first else first.split())
        if width == _WITH_RUN:
            return _table_of_runs(text, where, four)
        return _table_of_lines(text, where)
    table, lines = text_table(data, where, _separator(first))
    table = table.insert_column(0, lines.alias(PLACE).cast(pl.get_index_type()))
    return table.filter(~pl.all_horizontal(pl.exclude(PLACE) == ""))


def _refuse_run(line: str, where: str) -> None:
    """Raise for the first line of a run in TREC's form, whose six fields could be a header."""
    fields = line.split()
    is_run = len(fields) == _OF_RUN and fields[1].upper() in ("Q0", "0")
    if is_run and _NUMBER.fullmatch(fields[3]) and _NUMBER.fullmatch(fields[4]):
        raise ReadError(
            f"{where}: expected scores per request, found a run, whose lines have a document each: "
            f"{line.strip()[:80]!r}; compare runs with evaluate(runs, qrels)"
        )


def name_nested_columns(table: pl.DataFrame) -> pl.DataFrame:
    """Name the columns of pytrec_eval's ``{query: {measure: value}}`` or its reverse in ranx."""
    if table["doc_id"].dtype == pl.Object:  # measures of ir_measures
        table = table.with_columns(doc_id=pl.Series(map(str, table["doc_id"]), dtype=pl.String))
    outer, inner = (share_of_measures(table[name]) for name in ("query_id", "doc_id"))
    names = ("measure", "query_id") if outer > inner else ("query_id", "measure")
    return table.rename(dict(zip(("query_id", "doc_id"), names, strict=True)))


def _separator(header: str) -> str:
    """Return the separator of columns: a tab, otherwise a comma or semicolon, otherwise a space."""
    if "\t" in header:
        return "\t"
    return max(",;", key=header.count) if "," in header or ";" in header else " "


# --- Lines of three fields ----------------------------------------------------------------------


def _is_triple(line: str) -> bool:
    """Return whether the first line has values, so that it is not a header."""
    fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
    is_summary = len(fields) == _WIDTH and not {*fields[:2]}.isdisjoint(SUMMARIES)
    is_list = any(field.endswith(",") for field in fields)
    is_long = len(fields) > 1 and not is_list
    # A decimal comma is refused later.
    last = fields[-1].replace(",", ".", len(fields) == _WIDTH) if is_long else ""
    return is_summary or bool(_NUMBER.fullmatch(last))


def _table_of_lines(text: str, where: str) -> pl.DataFrame:
    """Parse ``measure query value`` (trec_eval) or ``query measure value`` (ir_measures)."""
    lines = pl.DataFrame({"text": text.split("\n")}).with_row_index(PLACE, offset=1)
    lines = lines.filter(pl.col("text").str.strip_chars() != "")
    found = lines["text"].str.extract_groups(_FIELDS).struct.unnest()
    fields = [pl.coalesce(str(n), str(n + _WIDTH)).alias(name) for n, name in enumerate("abc", 1)]
    rows = pl.concat([lines, found.select(fields)], how="horizontal")
    bad = rows.filter(pl.col("c").is_null())
    if bad.height:
        _refuse_line(bad["text"][0], f"{where}, line {bad[PLACE][0]}")
    names = ("measure", "query_id") if _measure_is_first(rows, where) else ("query_id", "measure")
    stripped = [
        pl.col(column).str.strip_chars().alias(n) for column, n in zip("ab", names, strict=True)
    ]
    rows = rows.select(PLACE, *stripped, pl.col("c").alias("value"))
    return _name_tagged_runs(rows, where).filter(~pl.col("measure").str.contains(_TEXTS))


def _refuse_line(line: str, where: str, expected: str = _THREE) -> None:
    n = len(line.split("\t") if "\t" in line else line.split())
    advice = "; means are no per-request scores: ask for these with -q" if n == _WIDTH - 1 else ""
    raise ReadError(
        f"{where}: expected {expected}, found {n} fields: {line.strip()[:80]!r}{advice}"
    )


def _table_of_runs(text: str, where: str, four: FourColumns) -> pl.DataFrame:
    """Parse lines of four fields: three names and the value."""
    lines = pl.DataFrame({"text": text.split("\n")}).with_row_index(PLACE, offset=1)
    lines = lines.filter(pl.col("text").str.strip_chars() != "")
    line = pl.col("text").str.strip_chars()
    of_tabs = line.str.split("\t").list.eval(pl.element().str.strip_chars())
    fields = of_tabs if "\t" in lines["text"][0] else line.str.extract_all(r"\S+")
    rows = lines.with_columns(fields=fields)
    bad = rows.filter(pl.col("fields").list.len() != _WITH_RUN)
    if bad.height:
        _refuse_line(bad["text"][0], f"{where}, line {bad[PLACE][0]}", _FOUR)
    rows = rows.select(PLACE, *(pl.col("fields").list.get(n).alias(str(n)) for n in range(4)))
    columns = four.names([rows[str(n)] for n in range(3)], where)
    return rows.rename(dict(zip("0123", [*columns, "value"], strict=True)))


def _measure_is_first(rows: pl.DataFrame, where: str) -> bool:
    """Return whether measures come first, as in trec_eval.

    Rows of means show it; without them, known names of measures; else the blanks behind names.
    """
    a, b = (rows[column].str.strip_chars() for column in "ab")
    evidence = [
        (b.is_in(SUMMARIES).any(), a.is_in(SUMMARIES).any()),
        (share_of_measures(a), share_of_measures(b)),
        (rows["a"].str.ends_with(" ").any(), False),
    ]
    for first, second in evidence:
        if first != second:
            return bool(first > second)
    raise ReadError(
        f"{where}: cannot tell whether the measure or the query comes first ({a[0]!r}, {b[0]!r}); "
        "give the file a header: query_id, measure, value"
    )


def _name_tagged_runs(rows: pl.DataFrame, where: str) -> pl.DataFrame:
    """Name the runs in a file with several outputs of trec_eval, each by its ``runid``.

    A single output is named by its file instead, as runs are.
    """
    is_tag = pl.col("measure") == "runid"
    if rows.filter(is_tag)["value"].n_unique() < 2:
        return rows
    rows = rows.with_columns(run=pl.when(is_tag).then(pl.col("value")).backward_fill())
    # trec_eval prints runid before its other means, so those have no runid below them.
    nameless = rows.filter(pl.col("run").is_null() & ~pl.col("query_id").is_in(SUMMARIES))
    if nameless.height:
        raise ReadError(
            f"{where}, line {nameless[PLACE][0]}: the file holds several runs, and no line runid "
            "follows that names this one; split the file"
        )
    return rows
