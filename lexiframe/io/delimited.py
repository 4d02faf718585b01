"""Tables in text: CSV and TSV with a header, in any of the dialects."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import ReadError
from lexiframe.io.advice import NO_NUMBER
from lexiframe.io.dialects import DIALECTS, whole_ranks
from lexiframe.io.lines import count_of, is_rectangular, plain, refuse_binary
from lexiframe.io.problems import first_of
from lexiframe.io.text_table import checked_table, may_quote
from lexiframe.io.trec import NOT_PARSED, NUMBER, Dialect
from lexiframe.schemas import PROBLEMS

_LINE = "\0line"  # no column of a file
_TOLD_APART = re.compile(r"_duplicated_[0-9]+$")  # what Polars puts behind the second of two names
_BLANK = re.compile(rb"\A(?:[ \t]*\n)+")
_BLANK_OR_COMMENT = re.compile(rb"\A(?:[ \t]*(?:#[^\n]*)?\n)+")
_LONGEST_HEADER = 1 << 16
_SEPARATORS = "\t,;"
_KNOWN = {name for names in DIALECTS.values() for name in names}
_NUMBERS = {name for ours in ("score", "relevance") for name in DIALECTS[ours]}


def separator_of(data: bytes, dialect: Dialect) -> str | None:
    r"""Give what separates the columns of a table whose first line names them; None for no table.

    Examples
    --------
    >>> separator_of(b"qid,docno,score\n", Dialect())
    ','
    >>> separator_of(b"q1 Q0 d1 1 0.5 bm25\n", Dialect())
    """
    start = data[:_LONGEST_HEADER].replace(b"\r", b"\n")
    on_top = _BLANK_OR_COMMENT if dialect.header else _BLANK
    first = on_top.sub(b"", start).partition(b"\n")[0].decode("utf-8", "replace")
    words = {*dialect.columns.keys(), *dialect.columns.values()}
    queries, documents = ({*DIALECTS[name], *words} for name in ("query_id", "doc_id"))
    for separator in _SEPARATORS:
        names = {name.strip().strip('"').partition(":")[0] for name in first.split(separator)}
        has_items = any(name == "items" for name in names)
        if len(names) > 1 and names & queries and (names & documents or has_items):
            return separator
    if dialect.header:
        names = set(first.split())
        if names & queries and names & documents:
            return " "  # which stands for any blanks
        counts = {s: first.count(s) for s in _SEPARATORS}
        likely = max(counts, key=lambda s: counts[s])
        return likely if counts[likely] else " "
    return None


def parse_delimited(data: bytes, where: str, separator: str, dialect: Dialect) -> pl.DataFrame:
    r"""Parse a table with a header; ids stay as they are written, scores and grades are numbers.

    Blank lines are left out, and blanks around names and cells that are not quoted.

    Raises
    ------
    ReadError
        With the line's number, for a row of another width, two columns of one name, quotes that do
        not end, and what is no number.

    Examples
    --------
    >>> parse_delimited(b"qid,docno,score\n007,d1,0.5\n", "bm25.csv", ",", Dialect()).rows()
    [('007', 'd1', 0.5)]
    """
    table = _parse_quickly(_in_order(data, where, separator), separator, dialect)
    if table is not None:
        return table.with_columns(_whole_rank(table))
    table, _, problems = checked_text(data, where, separator, dialect)
    if problems.height:
        raise first_of(problems)
    return table.with_columns(_whole_rank(table))


def checked_text(
    data: bytes, where: str, separator: str, dialect: Dialect
) -> tuple[pl.DataFrame, pl.Series, pl.DataFrame]:
    """Give the rows that are in order, their lines, and the problems of the others."""
    table, lines, problems = checked_table(data, where, separator)
    bad = [_no_numbers(table, name, lines, where, dialect) for name in table.columns]
    found = pl.concat([problems, *bad]).unique("line", keep="first").sort("line")
    is_good = ~lines.is_in(found["line"].to_list())
    numbers = (
        _english(name, dialect).cast(pl.Float64) for name in _numbers(table.columns, dialect)
    )
    return table.filter(is_good).with_columns(*numbers), lines.filter(is_good), found


def lines_of_rows(data: bytes, where: str, separator: str) -> np.ndarray:
    """Give the line on which each row begins."""
    return checked_table(data, where, separator)[1].to_numpy()


def _in_order(data: bytes, where: str, separator: str) -> bytes:
    """Make white space single spaces, or line ends line feeds."""
    if separator == " ":
        text = plain(data, where)
        if not text:
            raise ReadError(f"{where}: expected a line of names, and lines below it, found none")
        return text
    refuse_binary(data, where)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.strip(b"\n") + b"\n"


def _scan(data: bytes, separator: str, **options: Any) -> pl.LazyFrame:
    return pl.scan_csv(
        data,
        separator=separator,
        empty_string_is_null=False,
        quote_char='"' if may_quote(data, separator) else None,
        extra_columns="raise",
        missing_columns="raise",
        **options,
    )


def _has_one_width(table: pl.DataFrame, data: bytes, separator: str) -> bool:
    """Tell whether lines were too short, which Polars fills up; too long ones it refuses."""
    quotes = may_quote(data, separator) and b'"' in data
    separators = (table.height + 1) * (table.width - 1)
    if not quotes and count_of(separator, data) == separators:
        return True
    return is_rectangular(data, separator, table.width, quotes=quotes)


def _parse_quickly(data: bytes, separator: str, dialect: Dialect) -> pl.DataFrame | None:
    """Parse only the columns that may be wanted, numbers as such; None when that does not go."""
    try:
        names = _scan(data, separator, infer_schema=False).collect_schema().names()
        if any(name != name.strip() or _TOLD_APART.search(name) for name in names):
            return None
        wanted = {*_KNOWN, *dialect.columns.keys(), *dialect.columns.values()}
        numbers = _numbers(names, dialect)
        parsed = [] if dialect.decimal == "," else numbers
        schema = dict.fromkeys(names, pl.String()) | dict.fromkeys(parsed, pl.Float64())
        table = _scan(data, separator, schema=schema).collect()  # all columns, or none is counted
    except NOT_PARSED:
        return None
    has_blank_lines = not numbers and b"\n\n" in data  # a number of theirs would be null
    if has_blank_lines or not _has_one_width(table, data, separator):
        return None
    if dialect.decimal == ",":
        table = table.with_columns(
            _english(n, dialect).cast(pl.Float64, strict=False) for n in numbers
        )
    is_bad = any(table[name].null_count() or table[name].is_nan().any() for name in numbers)
    if numbers:  # else a column may be missing, and the error names those that are there
        table = table.select(name for name in names if name.partition(":")[0] in wanted)
    return None if is_bad or _has_blanks(table, data, separator) else table


def _has_blanks(table: pl.DataFrame, data: bytes, separator: str) -> bool:
    """Tell whether cells begin or end with blanks, which are stripped elsewhere."""
    blanks = [blank for blank in " \t" if blank != separator and blank.encode() in data]
    texts = [column.str for column in table if column.dtype == pl.String]
    return any(
        text.starts_with(blank).any() or text.ends_with(blank).any()
        for blank in blanks
        for text in texts
    )


def _no_numbers(
    table: pl.DataFrame, name: str, lines: pl.Series, where: str, dialect: Dialect
) -> pl.DataFrame:
    """List the cells of a column of numbers that are none."""
    if not _numbers([name], dialect):
        return pl.DataFrame(schema=PROBLEMS.columns)
    is_comma = pl.col(name).str.contains(r"^[-+0-9]+,[0-9]+$") & (dialect.decimal == ".")
    advice = "this has a decimal comma: say so with decimal=','"
    is_grade = name in DIALECTS["relevance"] or dialect.columns.get("relevance") == name
    mend = NO_NUMBER["relevance" if is_grade else "score"]
    rows = table.with_columns(lines.alias(_LINE))
    return rows.filter(~_english(name, dialect).str.contains(NUMBER)).select(
        pl.lit(where).alias("file"),
        pl.col(_LINE).alias("line"),
        pl.lit("number").alias("problem"),
        pl.lit(f"a number as {name}").alias("expected"),
        pl.format("'{}'", name).alias("found"),
        pl.when(is_comma).then(pl.lit(advice)).otherwise(pl.lit(mend)).alias("advice"),
    )


def _numbers(names: list[str], dialect: Dialect) -> list[str]:
    """Name the columns that hold scores or grades."""
    said = [*dialect.columns.items(), *((b, a) for a, b in dialect.columns.items())]
    named = {theirs for ours, theirs in said if ours in ("score", "relevance")}
    return [name for name in names if name.partition(":")[0] in _NUMBERS or name in named]


def _english(name: str, dialect: Dialect) -> pl.Expr:
    text = pl.col(name).str.strip_chars()
    return text.str.replace(",", ".", literal=True) if dialect.decimal == "," else text


def _whole_rank(table: pl.DataFrame) -> list[pl.Series]:
    """Give the rank as integers; as text when one is no whole number."""
    if "rank" not in table.columns:
        return []
    ranks = whole_ranks(table["rank"])
    return [] if ranks.null_count() else [ranks]
