"""Text that is larger than memory, unpacked while it is read, in pieces of whole lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from lexiframe.core.base import LexiframeError, Problem, ReadError, errors, schemas
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.files.packings import packing_of, unpacked
from lexiframe.core.io.files.unpacking import BYTE_ORDER_MARKS, UTF8_MARK, Content, content_of
from lexiframe.core.io.rare_forms import forms_of_text
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.rows_of_files import error_with_line
from lexiframe.core.io.text.csv_tables import table_in
from lexiframe.core.io.text.lines import blocks_of_lines, is_json, n_lines_in
from lexiframe.core.io.text_forms import json_reader

T = TypeVar("T")
_BLOCK = 1 << 16
"""The bytes of a packed file that are unpacked at once; they may be a thousand times as many."""


def parse_pieces(
    path: str,
    where: str,
    options: TextOptions,
    schema: schemas.TableSchema,
    size: int,
    parse: Callable[[Content], T],
) -> Iterator[T]:
    """Parse a text file in pieces of about ``size`` bytes; errors name the line of the file."""
    n_before = 0
    for content, n_repeated in _contents(path, where, options, schema, size):
        try:
            parsed = parse(content)
        except LexiframeError as error:
            found = error_with_line(error, content, where, options, schema)
            raise _further_down(found, n_before - n_repeated) from None
        yield parsed
        n_before += n_lines_in(content.data) - n_repeated


def _further_down(error: LexiframeError, n_lines: int) -> LexiframeError:
    problem = error.problem
    if problem is None or problem.line is None or not n_lines:
        return error
    return type(error)(replace(problem, line=problem.line + n_lines))


def _contents(
    path: str, where: str, options: TextOptions, schema: schemas.TableSchema, size: int
) -> Iterator[tuple[Content, int]]:
    """Yield the pieces, each with the header of its file, and the number of lines repeated."""
    pieces = _whole_line_pieces(_decode_blocks(_unpacked(path, where), where), size)
    first = content_of(next(pieces, b""), where)
    second = next(pieces, None)
    if second is None:
        yield first, 0
        return
    if first.form is not None or _is_one_value(first.data, schema, options):
        advice = "write it as Parquet, or one JSON object in each line"
        found = f"a file of more than {size:,} bytes that has to be read as a whole"
        raise ReadError(Problem(where, "text with a row in each line", found, advice))
    header = _header(first.data, options)
    yield first, 0
    for piece in chain([second], pieces):
        data = content_of(piece, where).data if piece.startswith(UTF8_MARK) else piece
        yield Content(header + data), n_lines_in(header)


def _is_one_value(data: bytes, schema: schemas.TableSchema, options: TextOptions) -> bool:
    """Return whether text is JSON, but not one object in each line; or of learning to rank."""
    if not is_json(data):
        letor = forms_of_text(data)
        return letor is not None and letor.is_of_letor(data, schema)
    return next(json_reader().pieces_of_json(data[:_BLOCK], schema, options.columns), ...) is ...


def _header(data: bytes, options: TextOptions) -> bytes:
    """Return the line of names of a CSV or TSV table; nothing for other text."""
    if is_json(data):
        return b""
    text, separator = table_in(data, options)
    found = re.match(rb"[\r\n]*([^\r\n]*(?:\r\n?|\n))", text)
    return found[1] if separator is not None and found else b""


def _whole_line_pieces(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Join blocks to pieces of at least ``size`` bytes that end with a line."""
    held: list[bytes] = []
    n_held = 0
    for block in blocks:
        held.append(block)
        n_held += len(block)
        if n_held < size:
            continue
        data = b"".join(held)
        end = data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
        yield from blocks_of_lines(data[:end], size)
        held, n_held = [data[end:]], len(data) - end
    yield from blocks_of_lines(b"".join(held), size)


def _decode_blocks(blocks: Iterator[bytes], where: str) -> Iterator[bytes]:
    """Turn UTF-16 and UTF-32 with a byte order mark into UTF-8."""
    first = next(blocks, b"")
    marks = BYTE_ORDER_MARKS.items()
    encoding = next((name[:6] for mark, name in marks if first.startswith(mark)), None)

    def all_blocks() -> Iterator[bytes]:
        yield first
        yield from blocks

    if encoding is None:
        yield from all_blocks()
        return
    try:
        for text in codecs.iterdecode(all_blocks(), encoding):
            yield text.encode()
    except UnicodeError as error:
        expected = f"{encoding.upper()} text, as its byte order mark says"
        found = f"bytes that cannot be decoded ({errors.one_line(error)})"
        raise ReadError(Problem(where, expected, found, "save it as UTF-8")) from None


def _unpacked(path: str, where: str) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked if they are packed."""
    with File(path).opened() as file:
        packing = packing_of(file.read(_BLOCK))
        file.seek(0)
        if packing is None:
            yield from iter(lambda: file.read(_BLOCK), b"")
        else:
            yield from unpacked(file, packing, where, _BLOCK)
