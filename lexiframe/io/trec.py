"""TREC text: runs of 5 or 6 fields, qrels of 4, separated by any mix of spaces and tabs.

A well-formed file goes straight to Arrow's CSV reader. One that has tabs, runs of spaces or
comment lines is first rewritten with single spaces, and only when that fails are its lines
looked at one by one, to name the first that is malformed.
"""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe.errors import LexiframeWarning, ReadError

RUN_FIELDS = ("query_id", "q0", "doc_id", "rank", "score", "tag")
QRELS_FIELDS = ("query_id", "iteration", "doc_id", "relevance")

_NUMBER = rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)"
_TABS_TO_SPACES = bytes.maketrans(b"\t", b" ")
_BLOCK_OF_LINES = 1 << 22
_BLOCK_OF_BYTES = 1 << 18


def read_bytes(path: Path) -> bytes:
    """Read a file whole, unpacking gzip, which is recognised by its first bytes.

    Raises
    ------
    ReadError
        When the file cannot be opened, is empty, or its compression is broken.
    """
    try:
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(
            f"{path}: the gzip data is broken or cut short ({error}); fetch or pack it again"
        ) from None
    except OSError as error:
        raise ReadError(f"{path}: cannot be read ({error.strerror or error})") from None
    if not data or data.isspace():
        raise ReadError(f"{path}: the file is empty")
    return data


def parse_run(
    data: bytes, where: str, fields: tuple[str, ...] = ("query_id", "doc_id", "score")
) -> pa.Table:
    """Parse the text of a run into the fields asked for, in the order of the file.

    Parameters
    ----------
    data
        The text, decompressed.
    where
        What error messages call the file.
    fields
        Any of ``query_id``, ``doc_id``, ``score``, ``rank``, ``tag``. The rank is a string.

    Raises
    ------
    ReadError
        With the line's number, for too few fields or a score that is no number.

    Examples
    --------
    >>> parse_run(b"q1 Q0 d7\\t1 0.5 bm25\\nq1 Q0  d3 2 0.25 bm25", "bm25.run").to_pylist()
    [{'query_id': 'q1', 'doc_id': 'd7', 'score': 0.5}, {'query_id': 'q1', 'doc_id': 'd3', 'score': 0.25}]
    >>> parse_run(b"q1 Q0 d7 1 0.5 bm25\\nq1 Q0 broken\\n", "bm25.run")
    Traceback (most recent call last):
    lexiframe.errors.ReadError: bm25.run, line 2: expected 6 fields (query_id q0 doc_id rank score \
tag), found 3: 'q1 Q0 broken'
    """
    return _parse(data, where, RUN_FIELDS, 5, fields, "score")


def parse_qrels(data: bytes, where: str) -> pa.Table:
    """Parse the text of a qrels file: query, iteration, document, grade.

    Raises
    ------
    ReadError
        With the line's number, for another number of fields or a grade that is no number.

    Examples
    --------
    >>> parse_qrels(b"q1 0 d7 2\\n", "qrels.txt").to_pylist()
    [{'query_id': 'q1', 'iteration': '0', 'doc_id': 'd7', 'relevance': 2.0}]
    """
    return _parse(data, where, QRELS_FIELDS, 4, QRELS_FIELDS, "relevance")


def _parse(
    data: bytes,
    where: str,
    names: tuple[str, ...],
    at_least: int,
    wanted: tuple[str, ...],
    number: str,
) -> pa.Table:
    text = _single_spaces(data, where)
    if text.isspace() or not text:
        raise ReadError(f"{where}: expected lines of {len(names)} fields, found only comments")
    try:
        table = _read_csv(text, names, at_least, wanted, number)
    except pa.ArrowInvalid as error:
        _refuse_malformed(text, where, names, at_least, number)
        text = _squared(text, where, names, at_least)
        try:
            table = _read_csv(text, names, at_least, wanted, number)
        except pa.ArrowInvalid:
            raise ReadError(f"{where}: cannot be parsed ({error})") from None
    if pl.Series(table[number]).is_nan().any():
        _refuse_malformed(text, where, names, at_least, number)
    return table


def _single_spaces(data: bytes, where: str) -> bytes:
    """Rewrite the text with one space between fields, none at line ends and comment lines emptied.

    Line numbers stay as they are.
    """
    if b"\0" in data:
        raise ReadError(
            f"{where}: expected text, found a binary file (byte 0 at offset {data.find(0)})"
        )
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\t" in data:
        data = data.translate(_TABS_TO_SPACES)
    if _has_stray_space(data):
        data = re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", data))
    if b"#" in data:
        data = re.sub(rb"(?m)^#[^\n]*", b"", data)
    return data


def _has_stray_space(data: bytes) -> bool:
    """Tell whether two blanks meet or a line begins or ends with one, a block at a time."""
    text = np.frombuffer(data, np.uint8)
    blank_before = True
    for start in range(0, len(text), _BLOCK_OF_BYTES):
        blank = text[start : start + _BLOCK_OF_BYTES] <= 32
        if (blank_before and blank[0]) or (blank[1:] & blank[:-1]).any():
            return True
        blank_before = bool(blank[-1])
    return False


def _read_csv(
    text: bytes, names: tuple[str, ...], at_least: int, wanted: tuple[str, ...], number: str
) -> pa.Table:
    from pyarrow import csv

    first_line = re.search(rb"[^\n]+", text)
    width = first_line[0].count(b" ") + 1 if first_line else 0
    if not at_least <= width <= len(names):
        raise pa.ArrowInvalid(f"the first line has {width} fields")
    names = names[:width]
    types = dict.fromkeys(names, pa.string()) | {number: pa.float64()}
    types["query_id"] = pa.dictionary(pa.int32(), pa.string())
    return csv.read_csv(
        pa.py_buffer(text),
        read_options=csv.ReadOptions(
            column_names=names, use_threads=False, block_size=_BLOCK_OF_LINES
        ),
        parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
        convert_options=csv.ConvertOptions(
            column_types=types,
            include_columns=[name for name in wanted if name in names],
            null_values=[],
        ),
    )


def _refuse_malformed(
    text: bytes, where: str, names: tuple[str, ...], at_least: int, number: str
) -> None:
    """Raise for the first line that has too few fields, no number or bytes that are no text."""
    index = names.index(number)
    fields_before = rb"(?:[^ \n]+ ){%d}" % index
    other_fields = rb"(?: [^ \n]+)" + (b"*" if len(names) > at_least else b"{0}")
    good = fields_before + _NUMBER + other_fields
    bad = re.search(rb"(?mi)^(?!%s$)[^\n]+$" % good, text)
    if bad is None:
        _refuse_undecodable(text, where)
        return
    line = bad[0].decode("utf-8", "backslashreplace")
    shown = repr(line if len(line) <= 80 else line[:77] + "...")
    line_number = text.count(b"\n", 0, bad.start()) + 1
    where = f"{where}, line {line_number}"
    fields = line.split(" ")
    if len(fields) < at_least or len(fields) > len(names) == at_least:
        raise ReadError(
            f"{where}: expected {len(names)} fields ({' '.join(names)}), "
            f"found {len(fields)}: {shown}"
        )
    raise ReadError(
        f"{where}: expected a number in field {index + 1} ({number}), "
        f"found {fields[index]!r}: {shown}"
    )


def _refuse_undecodable(text: bytes, where: str) -> None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"{where}, line {line}: expected UTF-8 text, "
            f"found the bytes {text[error.start : error.start + 4]!r}"
        ) from None


def _squared(text: bytes, where: str, names: tuple[str, ...], at_least: int) -> bytes:
    """Bring well-formed lines to one width: cut behind the last field, fill a missing tag."""
    all_fields = rb"(?:[^ \n]+ ){%d}[^ \n]+" % (len(names) - 1)
    text, too_long = re.subn(rb"(?m)^(%s) [^\n]+$" % all_fields, rb"\1", text)
    if too_long:
        lines = "1 line has" if too_long == 1 else f"{too_long} lines have"
        warnings.warn(
            f"{where}: {lines} more than {len(names)} fields; what follows them is ignored",
            LexiframeWarning,
            stacklevel=2,
        )
    required_fields = rb"(?:[^ \n]+ ){%d}[^ \n]+" % (at_least - 1)
    if re.search(rb"(?m)^%s$" % all_fields, text):
        text = re.sub(rb"(?m)^(%s)$" % required_fields, rb"\1 -", text)
    return text


def text_of_run(table: pa.Table, tag: str, ranks: list[int]) -> bytes:
    """Write one run's rows as TREC text, in their order, with the ranks given.

    Examples
    --------
    >>> run = pa.table({"query_id": ["q1"], "doc_id": ["d7"], "score": [0.5]})
    >>> text_of_run(run, "bm25", [1])
    b'q1 Q0 d7 1 0.5 bm25\\n'
    """
    columns = zip(
        table["query_id"].to_pylist(),
        table["doc_id"].to_pylist(),
        ranks,
        table["score"].to_pylist(),
        strict=True,
    )
    return "".join(f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in columns).encode()


def text_of_qrels(table: pa.Table) -> bytes:
    """Write judgments as TREC text, in their order; whole grades without a decimal point.

    Examples
    --------
    >>> qrels = {"query_id": ["q1"], "iteration": ["0"], "doc_id": ["d7"], "relevance": [2.0]}
    >>> text_of_qrels(pa.table(qrels))
    b'q1 0 d7 2\\n'
    """
    grade: Callable[[float], str] = lambda g: str(int(g)) if g == int(g) else repr(g)  # noqa: E731
    rows = zip(*(table[name].to_pylist() for name in QRELS_FIELDS), strict=True)
    return "".join(f"{q} {i} {d} {grade(g)}\n" for q, i, d, g in rows).encode()
