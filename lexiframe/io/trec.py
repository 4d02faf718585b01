"""TREC text: runs of 5 or 6 fields, qrels of 4, separated by any mix of spaces and tabs.

A plain file goes straight to Polars' CSV reader. One that has tabs, runs of spaces or comment
lines is first rewritten with single spaces; and when lines differ in width or a number is none, the
first malformed line is looked for and named.
"""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeWarning, ReadError


@dataclass(frozen=True)
class Layout:
    """The fields of a line: their names, how many there have to be, and which is a number."""

    names: tuple[str, ...]
    at_least: int
    number: str

    def __str__(self) -> str:
        return f"{len(self.names)} fields ({' '.join(self.names)})"


RUN = Layout(("query_id", "q0", "doc_id", "rank", "score", "tag"), 5, "score")
QRELS = Layout(("query_id", "iteration", "doc_id", "relevance"), 4, "relevance")

_NUMBER = rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)"
_TABS_TO_SPACES = bytes.maketrans(b"\t", b" ")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
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
) -> pl.DataFrame:
    r"""Parse the text of a run into the fields asked for, in the order of the file.

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
    >>> parse_run(b"q1 Q0 d7\t1 0.5 bm25\nq1 Q0  d3 2 0.25 bm25", "bm25.run").rows()
    [('q1', 'd7', 0.5), ('q1', 'd3', 0.25)]
    >>> parse_run(b"q1 Q0 d7 1 0.5 bm25\nq1 Q0 broken\n", "bm25.run")
    Traceback (most recent call last):
    lexiframe.errors.ReadError: bm25.run, line 2: expected 6 fields (...), found 3: 'q1 Q0 broken'
    """
    return _parse(data, where, RUN, fields)


def parse_qrels(data: bytes, where: str) -> pl.DataFrame:
    r"""Parse the text of a qrels file: query, iteration, document, grade.

    Raises
    ------
    ReadError
        With the line's number, for another number of fields or a grade that is no number.

    Examples
    --------
    >>> parse_qrels(b"q1 0 d7 2\n", "qrels.txt").rows()
    [('q1', '0', 'd7', 2.0)]
    """
    return _parse(data, where, QRELS, QRELS.names)


def _parse(data: bytes, where: str, layout: Layout, wanted: tuple[str, ...]) -> pl.DataFrame:
    is_plain, n_fields = _survey(data)
    text = lines = data
    if not is_plain:
        text = _single_spaces(data, where)
        lines = re.sub(rb"\n+", b"\n", text).strip(b"\n") + b"\n"
        if lines == b"\n":
            raise ReadError(f"{where}: expected lines of {layout}, found only comments")
        n_fields = _survey(lines)[1]
    table = _read_csv(lines, layout, wanted, n_fields)
    if table is None:
        _refuse_malformed(text, where, layout)
        squared = _squared(lines, where, layout)
        table = _read_csv(squared, layout, wanted, _survey(squared)[1])
    if table is None:
        raise ReadError(f"{where}: cannot be parsed as lines of {layout}")
    return table.select(name for name in wanted if name in table.columns)


def _survey(data: bytes) -> tuple[bool, int]:
    """Tell whether single spaces and line feeds are all that stands between fields.

    Returns
    -------
    bool
        Whether there are no control characters, comments or empty lines, and no spaces that meet or
        stand at a line's end.
    int
        The number of fields, if so.
    """
    text = np.frombuffer(data, np.uint8)
    is_plain = b"#" not in data and not data.startswith(_BYTE_ORDER_MARK)
    n_separators = 0
    after_blank = True
    for start in range(0, len(text), _BLOCK_OF_BYTES):
        block = text[start : start + _BLOCK_OF_BYTES]
        blank = block <= 32
        separators = np.count_nonzero(block == 32) + np.count_nonzero(block == 10)
        is_plain &= np.count_nonzero(blank) == separators
        is_plain &= not ((after_blank and blank[0]) or (blank[1:] & blank[:-1]).any())
        n_separators += int(separators)
        after_blank = bool(blank[-1])
    return bool(is_plain), n_separators + (not after_blank)


def _single_spaces(data: bytes, where: str) -> bytes:
    """Put one space between fields, none at line ends, and empty the lines of comments.

    Line numbers stay as they are.
    """
    if b"\0" in data:
        raise ReadError(
            f"{where}: expected text, found a binary file (byte 0 at offset {data.find(0)})"
        )
    data = (
        data.removeprefix(_BYTE_ORDER_MARK)
        .replace(b"\r\n", b"\n")
        .replace(b"\r", b"\n")
        .translate(_TABS_TO_SPACES)
    )
    data = re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", data))
    return re.sub(rb"(?m)^#[^\n]*", b"", data)


def _read_csv(
    text: bytes, layout: Layout, wanted: tuple[str, ...], n_fields: int
) -> pl.DataFrame | None:
    """Read plain text whose lines all have the width of the first; None when they have not."""
    width = text[: text.find(b"\n") % (len(text) + 1)].count(b" ") + 1
    if not layout.at_least <= width <= len(layout.names):
        return None
    names, number = layout.names[:width], layout.number
    schema = dict.fromkeys(names, pl.String()) | {number: pl.Float64()}
    lines = pl.scan_csv(text, separator=" ", has_header=False, quote_char=None, schema=schema)
    kept = [name for name in names if name in (*wanted, names[-1])]
    try:
        table = lines.select(kept).collect()
    except pl.exceptions.PolarsError:
        return None
    is_rectangular = table.height * width == n_fields and not table[names[-1]].null_count()
    is_number = not (table[number].null_count() or table[number].is_nan().any())
    return table if is_rectangular and is_number else None


def _refuse_malformed(text: bytes, where: str, layout: Layout) -> None:
    """Raise for the first line that has too few fields, no number or bytes that are no text."""
    names, index = layout.names, layout.names.index(layout.number)
    fields_before = rb"(?:[^ \n]+ ){%d}" % index
    other_fields = rb"(?: [^ \n]+)" + (b"*" if len(names) > layout.at_least else b"{0}")
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
    if len(fields) < layout.at_least or len(fields) > len(names) == layout.at_least:
        raise ReadError(f"{where}: expected {layout}, found {len(fields)}: {shown}")
    raise ReadError(
        f"{where}: expected a number in field {index + 1} ({layout.number}), "
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


def _squared(text: bytes, where: str, layout: Layout) -> bytes:
    """Bring well-formed lines to one width: cut behind the last field, fill a missing tag."""
    all_fields = rb"(?:[^ \n]+ ){%d}[^ \n]+" % (len(layout.names) - 1)
    text, too_long = re.subn(rb"(?m)^(%s) [^\n]+$" % all_fields, rb"\1", text)
    if too_long:
        lines = "1 line has" if too_long == 1 else f"{too_long} lines have"
        warnings.warn(
            f"{where}: {lines} more than {len(layout.names)} fields; what follows is ignored",
            LexiframeWarning,
            stacklevel=2,
        )
    required_fields = rb"(?:[^ \n]+ ){%d}[^ \n]+" % (layout.at_least - 1)
    if re.search(rb"(?m)^%s$" % all_fields, text):
        text = re.sub(rb"(?m)^(%s)$" % required_fields, rb"\1 -", text)
    return text


def text_of_run(rows: pl.DataFrame, tag: str) -> bytes:
    r"""Write one run's rows as TREC text, in their order; without ``rank`` its place in the query.

    Examples
    --------
    >>> text_of_run(pl.DataFrame({"query_id": ["q1"], "doc_id": ["d7"], "score": [0.5]}), "bm25")
    b'q1 Q0 d7 1 0.5 bm25\n'
    """
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    rank = pl.col("rank") if "rank" in rows.columns else place
    constant = {"q0": pl.lit("Q0"), "tag": pl.lit(tag)}
    return _text(rows.with_columns(rank=rank, **constant).select(RUN.names))


def text_of_qrels(rows: pl.DataFrame) -> bytes:
    r"""Write judgments as TREC text, in their order; whole grades without a decimal point.

    Examples
    --------
    >>> text_of_qrels(pl.DataFrame([("q1", "0", "d7", 2.0)], schema=QRELS.names, orient="row"))
    b'q1 0 d7 2\n'
    """
    whole = (rows["relevance"].is_finite() & (rows["relevance"] == rows["relevance"].round())).all()
    grade = pl.col("relevance").cast(pl.Int64) if whole else pl.col("relevance")
    return _text(rows.select("query_id", "iteration", "doc_id", grade))


def _text(rows: pl.DataFrame) -> bytes:
    text = rows.write_csv(include_header=False, separator=" ", quote_style="never")
    return text.encode()
