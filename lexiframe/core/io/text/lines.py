"""Lines of fields as bytes: functions that make them plain, count, cut and check them.

Runs with a thousand documents for each query are megabytes of text. So the functions that read all
of it work on bytes as NumPy arrays, not on lines in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lexiframe.core.base import Problem, ReadError

_SPACE, _LINE_FEED, _HASH = 32, 10, 35
_BLANKS_TO_SPACES = bytes.maketrans(b"\t\v\f", b"   ")
_TO_SPACES_AND_LINE_FEEDS = bytes.maketrans(b"\t\v\f\r", b"   \n")
_ODD_BYTES = (b"\t", b"\r", b"\v", b"\f", b"\0")
_LINE_OF_FIELDS = re.compile(rb"(?:^|[\r\n])[ \t\v\f]*([^\s#][^\r\n]*)")
_BLOCK_OF_BYTES = 1 << 18
BLOCK_OF_ROWS = 1 << 22
"""The bytes of a file that are searched at once for problems of rows."""
PIECE = 1 << 25
"""The bytes of long text that are parsed at once: the table takes several times as much memory."""

_JSON_BEGINS = re.compile(rb"""\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|$))""")
_JSON_NAME = re.compile(rb'(?:^|[\s,{\[])"[^"\r\n]*"[ \t]*:')
LARGEST = 1 << 30
"""The bytes of text that Arrow parses at once, so that each column is one chunk."""


def is_json(data: bytes) -> bool:
    r"""Return whether text begins like JSON; a bracket alone may also begin an id.

    Text whose first line has a quoted name and a colon counts as JSON: its beginning may be lost.
    """
    first = re.match(rb"\s*[^\r\n]*", data[:1000])
    return bool(_JSON_BEGINS.match(data, 0, 1000) or (first and _JSON_NAME.search(first[0])))


def is_plain(data: bytes) -> bool:
    """Return whether only single spaces and line feeds separate fields.

    There are no other blanks, no comments, no empty lines, and no spaces at the ends of lines.
    """
    if data.startswith((b"#", b" ", b"\n")) or data.endswith(b" "):
        return False
    if b"#" in data and b"\n#" in data:
        return False
    text = np.frombuffer(data, np.uint8)
    for start in range(0, len(text), _BLOCK_OF_BYTES):  # a block stays in the cache
        end = start + _BLOCK_OF_BYTES + 1  # the next block begins with the last byte of this one
        if any(data.find(mark, start, end) >= 0 for mark in _ODD_BYTES):
            return False
        block = text[start:end]
        greater_of_two = np.maximum(block[1:], block[:-1])
        if greater_of_two.min(initial=_SPACE + 1) <= _SPACE:
            return False
    return True


def plain(data: bytes, where: str) -> bytes:
    r"""Put one space between fields; remove spaces at line ends, empty lines and comments."""
    refuse_binary(data, where)
    has_comments = b"#" in data
    data = data.translate(_TO_SPACES_AND_LINE_FEEDS)
    end = b"" if data.endswith(b"\n") else b"\n"
    text = _merge_blanks(np.frombuffer(b"\n" + data + end, np.uint8))
    if has_comments:
        text = _drop_comments(text)
    return text[1:].tobytes()


def _merge_blanks(text: np.ndarray) -> np.ndarray:
    """Reduce adjacent blanks to one: to a line feed if one is among them, else to a space."""
    while True:  # one pass reduces adjacent spaces; spaces between line feeds take several
        space, line_feed = text == _SPACE, text == _LINE_FEED
        blank = space | line_feed
        meet = blank[:-1] & blank[1:]
        if not meet.any():
            return text
        drop = np.zeros(len(text), bool)
        drop[:-1] = meet & (space[:-1] | line_feed[1:])
        drop[1:] |= meet & line_feed[:-1] & space[1:]
        text = text[~drop]


def _drop_comments(text: np.ndarray) -> np.ndarray:
    """Remove the lines that begin with #."""
    ends = np.flatnonzero(text == _LINE_FEED)
    is_comment = text[ends[:-1] + 1] == _HASH
    return cut(text, ends[:-1][is_comment], ends[1:][is_comment]) if is_comment.any() else text


def cut(text: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Remove the bytes from each start (inclusive) to its end (exclusive)."""
    change = np.zeros(len(text) + 1, np.int8)
    change[starts] += 1
    change[ends] -= 1
    inside = np.cumsum(change[:-1], dtype=np.int8).view(bool)  # 1 from a start to before its end
    left: np.ndarray = text[~inside]
    return left


def single_spaces(data: bytes, where: str) -> bytes:
    """Put one space between fields and none at line ends; empty the lines of comments.

    Unlike `plain`, this keeps all lines, so that they can be numbered.
    """
    refuse_binary(data, where)
    data = unify_line_ends(data).translate(_BLANKS_TO_SPACES)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    return re.sub(rb"\n#[^\n]*", b"\n", b"\n" + data)[1:]


def unify_line_ends(data: bytes) -> bytes:
    """Replace all line endings by line feeds."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def blocks_of_lines(data: bytes, size: int, start: int = 0) -> Iterator[bytes]:
    r"""Yield the text from ``start`` in blocks of whole lines, of about ``size`` bytes."""
    while start < len(data):
        stop = start + size
        end = max(data.rfind(b"\n", start, stop), data.rfind(b"\r", start, stop))
        if stop >= len(data):
            end = len(data) - 1
        elif end < 0:  # the line is longer than a block
            ends = [e for mark in (b"\n", b"\r") if (e := data.find(mark, stop)) >= 0]
            end = min(ends, default=len(data) - 1)
        end += data[end : end + 2] == b"\r\n"
        yield data[start : end + 1]
        start = end + 1


def n_lines_in(data: bytes) -> int:
    """Count the line endings."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def fields_of_lines(data: bytes) -> Iterator[list[bytes]]:
    r"""Yield the fields of each line that is not empty and not a comment."""
    return (found[1].split() for found in _LINE_OF_FIELDS.finditer(data))


def first_fields(data: bytes) -> list[bytes]:
    """Return the fields of the first line that has some; none if no line has."""
    return next(fields_of_lines(data), [])


def lacks_final_line_feed(data: bytes) -> bool:
    r"""Return whether the last line has fields but no line feed, as in a truncated file."""
    last = data[max(data.rfind(b"\n"), data.rfind(b"\r")) + 1 :].strip()
    return bool(last) and not last.startswith(b"#")


def quotes_are_at_edges(data: bytes, separator: str) -> bool:
    r"""Return whether double quotes stand in pairs, each around a field or twice inside one."""
    text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    is_edge = np.zeros(256, bool)
    is_edge[[ord(mark) for mark in (separator, "\n", '"')]] = True
    before, behind = text[quotes[::2] - 1], text[quotes[1::2] + 1]  # opening, closing
    return len(quotes) % 2 == 0 and bool(is_edge[before].all() and is_edge[behind].all())


def check_utf8(text: bytes) -> None:
    """Raise Arrow's error for bytes that are not UTF-8, also in fields that are not read."""
    if not text.isascii():
        edges = np.array([0, len(text)], np.int64)
        buffers = (pa.py_buffer(edges), pa.py_buffer(text))
        pa.LargeStringArray.from_buffers(1, *buffers).validate(full=True)


_LONG = 1 << 20
"""Lines of fewer bytes have so few fields that they need no count."""
_MOST_FIELDS = 100_000


def refuse_wide(data: bytes, where: str, between: str = " \t") -> None:
    """Raise for a line of so many fields that no table has, which would take a lot of memory.

    Each character of ``between`` stands between two fields.
    """
    marks = [mark.encode() for mark in between]
    at = 0
    while at + _LONG < len(data):
        end = max(data.rfind(mark, at, at + _LONG) for mark in (b"\n", b"\r"))
        if end >= 0:
            at = end + 1
            continue
        ends = [place for mark in (b"\n", b"\r") if (place := data.find(mark, at)) >= 0]
        end = min(ends, default=len(data))
        n = sum(data.count(mark, at, end) for mark in marks)
        if n >= _MOST_FIELDS:
            found = f"a line of up to {n + 1:,}"
            expected = f"lines of at most {_MOST_FIELDS:,} fields"
            advice = "write each row on a line of its own"
            raise ReadError(Problem(where, expected, found, advice, "fields", _line_of(data, at)))
        at = end + 1


def _line_of(data: bytes, at: int) -> int:
    return len(re.findall(rb"\r\n?|\n", data[:at])) + 1


def refuse_binary(data: bytes, where: str) -> None:
    """Raise for a file with zero bytes, which text does not have."""
    if b"\0" in data:
        offset = data.find(0)
        found = f"a binary file (byte 0 at offset {offset}, in line {_line_of(data, offset)})"
        advice = "fetch it again; if it is UTF-16, save it as UTF-8"
        raise ReadError(Problem(where, "text", found, advice))
