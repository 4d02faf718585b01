"""Tables in text: CSV and TSV with a header, in any of the dialects, and JSON."""

from __future__ import annotations

import io
import json
from typing import Any

import polars as pl

from lexiframe.errors import ReadError
from lexiframe.io import trec
from lexiframe.io.frames import DIALECTS, is_one_run, to_frame, whole_ranks
from lexiframe.io.trec import NUMBER, Dialect

_SEPARATORS = "\t,;"
_NUMBERS = {name for ours in ("score", "relevance") for name in DIALECTS[ours]}


def is_json(data: bytes) -> bool:
    """Tell whether text begins as JSON does."""
    return data[:1000].lstrip().startswith((b"{", b"["))


def separator_of(data: bytes, dialect: Dialect) -> str | None:
    r"""Give what separates the columns of a table whose first line names them; None for no table.

    Examples
    --------
    >>> separator_of(b"qid,docno,score\n", Dialect())
    ','
    >>> separator_of(b"q1 Q0 d1 1 0.5 bm25\n", Dialect())
    """
    first = data.lstrip(b"\r\n").partition(b"\n")[0].strip(b"\r\n").decode("utf-8", "replace")
    words = {*dialect.columns.keys(), *dialect.columns.values()}
    queries, documents = ({*DIALECTS[name], *words} for name in ("query_id", "doc_id"))
    for separator in _SEPARATORS:
        names = {name.strip().strip('"').partition(":")[0] for name in first.split(separator)}
        has_items = any(name == "items" for name in names)
        if len(names) > 1 and names & queries and (names & documents or has_items):
            return separator
    if dialect.header:
        counts = {s: first.count(s) for s in _SEPARATORS}
        likely = max(counts, key=lambda s: counts[s])
        return likely if counts[likely] else " "
    return None


def parse_delimited(data: bytes, where: str, separator: str, dialect: Dialect) -> pl.DataFrame:
    r"""Parse a table with a header; ids stay as they are written, scores and grades are numbers.

    Raises
    ------
    ReadError
        With the line's number, for a row of another width, and what is no number.

    Examples
    --------
    >>> parse_delimited(b"qid,docno,score\n007,d1,0.5\n", "bm25.csv", ",", Dialect()).rows()
    [('007', 'd1', 0.5)]
    """
    if separator == " ":
        data = trec.without_empty_lines(trec.single_spaces(data, where))
    elif b"\0" in data:
        raise ReadError(
            f"{where}: expected text, found a binary file (byte 0 at offset {data.find(0)})"
        )
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        table = pl.read_csv(
            io.BytesIO(data),
            separator=separator,
            infer_schema=False,
            empty_string_is_null=False,
            quote_char=None if separator in " \t" else '"',
            extra_columns="raise",
        )
    except pl.exceptions.PolarsError as error:
        raise _unreadable(data, where, separator, error) from None
    return _with_numbers(table, where, dialect)


def _unreadable(data: bytes, where: str, separator: str, error: Exception) -> ReadError:
    """Name the first line that has another number of fields than the header."""
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as undecodable:
        line = data.count(b"\n", 0, undecodable.start) + 1
        found = data[undecodable.start : undecodable.start + 4]
        return ReadError(f"{where}, line {line}: expected UTF-8 text, found the bytes {found!r}")
    widths = pl.Series(lines).str.count_matches(separator, literal=True) + 1
    expected = widths[0]
    wrong = ((widths != expected) & (pl.Series(lines) != "")).arg_true()
    if len(wrong):
        index = wrong[0]
        return ReadError(
            f"{where}, line {index + 1}: expected {expected} fields as in the header, found "
            f"{widths[index]}: {lines[index][:80]!r}"
        )
    return ReadError(f"{where}: cannot be read as a table ({error})")


def _with_numbers(table: pl.DataFrame, where: str, dialect: Dialect) -> pl.DataFrame:
    """Turn the columns that hold scores or grades into numbers, and ranks into whole ones."""
    named = {theirs for ours, theirs in dialect.columns.items() if ours in _NUMBERS}
    named |= {theirs for theirs, ours in dialect.columns.items() if ours in _NUMBERS}
    for name in table.columns:
        if name.partition(":")[0] in _NUMBERS or name in named:
            text = table[name].str.strip_chars()
            text = text.str.replace(",", ".", literal=True) if dialect.decimal == "," else text
            is_number = text.str.contains(NUMBER)
            if not is_number.all():
                row = (~is_number).arg_true()[0]
                raise ReadError(_no_number(table[name], row, where, dialect))
            table = table.with_columns(text.cast(pl.Float64).alias(name))
        elif name == "rank":
            table = table.with_columns(whole_ranks(table[name]))
    return table


def _no_number(column: pl.Series, row: int, where: str, dialect: Dialect) -> str:
    said = f"{where}, line {row + 2}: expected a number as {column.name}, found {column[row]!r}"
    has_comma = dialect.decimal == "." and "," in column[row]
    return said + ("; is this a decimal comma? Say so with decimal=','" if has_comma else "")


def parse_json(data: bytes, where: str, value: str) -> pl.DataFrame:
    r"""Parse JSON lines, a list of records, or ``{query: {document: number}}``.

    Raises
    ------
    ReadError
        With the line's number, for what is no JSON.

    Examples
    --------
    >>> parse_json(b'{"qid": "007", "docno": 7, "score": 1}\n', "bm25.jsonl", "score").rows()
    [('007', '7', 1)]
    """
    keys = {name: pl.String() for ours in ("run", "query_id", "doc_id") for name in DIALECTS[ours]}
    first = data.lstrip().partition(b"\n")[0]
    try:
        records = json.loads(first) if first.lstrip().startswith(b"{") else None
    except ValueError:
        records = None
    try:
        if isinstance(records, dict) and not is_one_run(records):
            known = {name: keys[name] for name in records if name in keys}
            return pl.read_ndjson(data, schema_overrides=known, infer_schema_length=None)
        whole: Any = json.loads(data)
    except (ValueError, RecursionError, pl.exceptions.PolarsError) as error:
        raise _no_json(data, where, error) from None
    if isinstance(whole, dict) and is_one_run(whole):
        return to_frame(whole, value)
    if isinstance(whole, list) and whole and all(isinstance(record, dict) for record in whole):
        lines = "\n".join(json.dumps(record) for record in whole).encode()
        return parse_json(lines, where, value)
    raise ReadError(
        f"{where}: expected JSON with a record a line, a list of records, or "
        f"{{query: {{document: number}}}}, found {type(whole).__name__}"
    )


def _no_json(data: bytes, where: str, error: Exception) -> ReadError:
    """Name the first line that is no JSON record."""
    for number, line in enumerate(data.splitlines(), 1):
        try:
            json.loads(line or b"{}")
        except (ValueError, RecursionError) as wrong:
            shown = line[:80].decode("utf-8", "backslashreplace")
            return ReadError(f"{where}, line {number}: expected JSON, found {shown!r} ({wrong})")
    return ReadError(f"{where}: cannot be read as JSON records ({error})")
