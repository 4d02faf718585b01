"""CSV and TSV with a header: recognising and parsing them, fast if nothing is malformed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl
import pyarrow as pa

from lexiframe.core.base import ReadError
from lexiframe.core.io.column_forms.column_names import words_for
from lexiframe.core.io.column_forms.numbers import NUMBER
from lexiframe.core.io.columns import FALLBACK_NAMES, KNOWN_NAMES, LISTS_OF_IDS, spelled
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text.lines import (
    PIECE,
    blocks_of_lines,
    check_utf8,
    quotes_are_at_edges,
    refuse_binary,
    refuse_wide,
)
from lexiframe.core.io.text.trec import parse_fields

_ABOVE = re.compile(rb"\A(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))+")  # blank lines and comments
_LONGEST_HEADER = 1 << 16
_SEPARATORS = "\t,;"
_KNOWN = {name for names in KNOWN_NAMES.values() for name in names}
_LISTS = {name for names in LISTS_OF_IDS.values() for name in spelled(names)}
_CLEAR = 2  # a line with at least this many known names and no number is a header


def table_in(data: bytes, options: TextOptions) -> tuple[bytes, str | None]:
    r"""Return text and the separator of its columns, which is None if the text has no header.

    Comment lines above the header are emptied, so that lines keep their numbers.

    Examples
    --------
    >>> table_in(b"# from the archive\nqid,docno,score\n", TextOptions())
    (b'\nqid,docno,score\n', ',')
    >>> table_in(b"q1 Q0 d1 1 0.5 bm25\n", TextOptions())
    (b'q1 Q0 d1 1 0.5 bm25\n', None)
    """
    first, start = first_line(data), 0
    separator = _separator_of_names(first, options)
    if separator is None and first.startswith("#") and (above := _ABOVE.match(data)):
        start = above.end()
        first = first_line(data[start : start + _LONGEST_HEADER])
        separator = _separator_of_names(first, options)
    if separator is None and options.header:
        likely = max(_SEPARATORS, key=first.count)
        separator = likely if likely in first else " "
    if separator is None or not start:
        return data, separator
    return re.sub(rb"[^\r\n]", b"", data[:start]) + data[start:], separator


def first_line(data: bytes) -> str:
    """Return the first line that is not blank, without blanks at its ends."""
    start = data[:_LONGEST_HEADER].lstrip().replace(b"\r", b"\n").partition(b"\n")[0]
    return start.rstrip().decode("utf-8", "replace")


def _separator_of_names(line: str, options: TextOptions) -> str | None:
    """Return the separator of names in a line; None if they are not names of our columns."""
    words = {*options.columns.keys(), *options.columns.values()}
    queries, documents = (
        {*KNOWN_NAMES[name], *FALLBACK_NAMES[name], *words} for name in ("query_id", "doc_id")
    )
    for separator in _SEPARATORS:
        names = {name.strip().strip('"').partition(":")[0] for name in line.split(separator)}
        is_clear = len(names & _KNOWN) >= _CLEAR and not any(re.match(NUMBER, n) for n in names)
        is_table = bool(names & queries and names & (documents | _LISTS))
        if len(names) > 1 and (is_table or is_clear):
            return separator
    names = set(line.split())
    is_table = bool(options.header and names & queries and names & documents)
    return " " if is_table else None  # a space stands for any number of blanks


def parse_delimited(data: bytes, where: str, separator: str, options: TextOptions) -> pl.DataFrame:
    """Parse a table with a header: ids remain text, scores and grades become numbers."""
    from lexiframe.core.io.text.csv_rows import text_table

    table = _parse_quickly(data, where, separator, options)
    if table is not None:
        return table
    table, _ = text_table(data, where, separator)
    return table.with_columns(
        _as_numbers(table[name], options)
        for name in _number_columns(table.columns, options)
        if not table[name].head(1).str.starts_with("[").any()  # a list of numbers in each cell
    )


def pieces_of_table(
    data: bytes, where: str, separator: str, options: TextOptions
) -> Iterator[pl.DataFrame | None]:
    """Parse a table in pieces, each with the header; yield None for a piece with a problem."""
    start = re.match(rb"[\r\n]*[^\r\n]*(?:\r\n?|\n)?", data)
    header = start[0] if start else b""
    for piece in blocks_of_lines(data, PIECE, len(header)):
        yield _parse_quickly(header + piece, where, separator, options)


def _parse_quickly(
    data: bytes, where: str, separator: str, options: TextOptions
) -> pl.DataFrame | None:
    """Parse with Arrow; return None if it fails or could change a value."""
    from lexiframe.core.io.text.csv_rows import blocks_of_table, may_quote, plain_lines

    refuse_binary(data, where)
    refuse_wide(data, where, separator)
    data = plain_lines(data, where, separator).lstrip(b"\n")
    end = data.find(b"\n") + 1
    try:
        header, _, problems = next(blocks_of_table(data[:end], "", separator))
    except ReadError:
        return None
    quotes = b'"' in data and may_quote(data, separator)
    if problems.height or (quotes and not quotes_are_at_edges(data, separator)):
        return None
    names, numbers = header.columns, _number_columns(header.columns, options)
    types = dict.fromkeys(names, pa.string())
    if options.decimal == ".":
        types |= dict.fromkeys(numbers, pa.float64())
    try:
        check_utf8(data)
        table = parse_fields(data[end:], names, types, separator, quotes=quotes)
    except pa.ArrowInvalid:
        return None
    if options.decimal == ",":
        table = table.with_columns(_as_numbers(table[name], options) for name in numbers)
    is_bad = any(table[name].null_count() or table[name].is_nan().any() for name in numbers)
    wanted = {*_KNOWN, *options.columns.keys(), *options.columns.values()}
    may_be_ours = [table[name] for name in names if name.partition(":")[0] in wanted]
    return None if is_bad or _has_blanks(may_be_ours, data, separator) else table


def _has_blanks(columns: list[pl.Series], data: bytes, separator: str) -> bool:
    """Return whether cells begin or end with blanks, which the slower parser strips."""
    blanks = [blank for blank in " \t" if blank != separator and blank.encode() in data]
    texts = [column.str for column in columns if column.dtype == pl.String]
    return any(
        text.starts_with(blank).any() or text.ends_with(blank).any()
        for blank in blanks
        for text in texts
    )


def _number_columns(names: list[str], options: TextOptions) -> list[str]:
    """Return the names of columns that hold scores or grades."""
    words = {word for ours in ("score", "relevance") for word in words_for(ours, options.columns)}
    return [name for name in names if name in words or name.partition(":")[0] in words]


def _as_numbers(texts: pl.Series, options: TextOptions) -> pl.Series:
    texts = texts.str.strip_chars()
    if options.decimal == ",":
        texts = texts.str.replace(",", ".", literal=True)
    return texts.cast(pl.Float64, strict=False)
