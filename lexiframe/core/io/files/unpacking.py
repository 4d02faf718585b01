"""Unpacking files (gzip, bzip2, xz, zstd), decoding them to UTF-8, and recognising their kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO

from lexiframe.core.base import Problem, ReadError
from lexiframe.core.io.files.form import Form
from lexiframe.core.io.files.packings import (
    PACKINGS,
    TooMuchError,
    packing_of,
    room_for,
    too_much,
    unpacked,
)
from lexiframe.core.io.forms import form_of


@dataclass(frozen=True)
class Content:
    """The unpacked bytes of a file, and their form.

    Text has none; it is UTF-8 without a byte order mark.
    """

    data: bytes
    form: Form | None = None


def content_of(data: bytes, where: str, what: str = "runs or judgments") -> Content:
    r"""Unpack and decode the bytes of a file.

    gzip, bzip2, xz and zstd are recognised by their first bytes, and UTF-16 and UTF-32 by their
    byte order marks. A file is refused if it unpacks to more than 1 GiB and also to more than 100
    times its size (LEXIFRAME_UNPACK_RATIO replaces the 100). ``what`` names the expected kind.

    Examples
    --------
    >>> import gzip
    >>> content_of(gzip.compress(b"q1 Q0 d1 1 0.5 bm25\n"), "bm25.run.gz")
    Content(data=b'q1 Q0 d1 1 0.5 bm25\n', form=None)
    >>> content_of(b"%PDF-1.7", "paper.pdf")
    Traceback (most recent call last):
    lexiframe.ReadError: paper.pdf: expected runs or judgments, found a PDF document
    """
    data = _unpacked(data, where)
    form = form_of(data)
    if form is not None:
        return Content(data, form)
    _refuse_other_kinds(data, where, what)
    text = _decode_to_utf8(data, where)
    if not text or text.isspace():
        raise ReadError(Problem(where, "", "the file is empty"))
    _refuse_markup(text, where, what)
    return Content(text)


_OTHER_KINDS = {
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive (or an Office document); unpack it first",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"SQLite format 3\0": "an SQLite database",
    b"\x80\x04\x95": "a Python pickle",
    b"\x80\x05\x95": "a Python pickle",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
    b"7z\xbc\xaf": "a 7-Zip archive; unpack it first",
    b"\x04\x22\x4d\x18": "LZ4 data; unpack it first",
    b"\x1f\x9d": "data packed by compress (.Z); unpack it first",
    b"version https://git-lfs": "a Git LFS pointer; fetch the file itself with `git lfs pull`",
}
_OTHER_KINDS |= {
    packing.magic: f"{packing.name} data inside packed data; unpack them first"
    for packing in PACKINGS
}
_MARKUP = {b"<!doctype": "an HTML page", b"<html": "an HTML page", b"<?xml": "an XML document"}
BYTE_ORDER_MARKS = {  # the longer ones first, as UTF-32's mark begins with UTF-16's
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = re.compile(b"(?:%s)+" % UTF8_MARK)
_BEFORE_A_MARK = (*b" \t\v\f", *UTF8_MARK)


def _unpacked(data: bytes, where: str) -> bytes:
    packing = packing_of(data)
    if packing is None:
        return data
    try:
        return b"".join(unpacked(BytesIO(data), packing, where, room=room_for(len(data))))
    except TooMuchError:
        raise too_much(where, len(data)) from None


def _refuse_other_kinds(data: bytes, where: str, what: str) -> None:
    kinds = (kind for magic, kind in _OTHER_KINDS.items() if data.startswith(magic))
    is_tar = data[257:262] == b"ustar"  # tar has its magic bytes behind the first file's name
    kind = "a tar archive; unpack it first" if is_tar else next(kinds, None)
    if kind is not None:
        found, _, advice = kind.partition("; ")
        raise ReadError(Problem(where, what, found, advice))


def _refuse_markup(text: bytes, where: str, what: str) -> None:
    start = text[:1000].lstrip().lower()
    for mark, kind in _MARKUP.items():
        if start.startswith(mark):
            advice = "a link may lead to a page about the file instead of the file"
            raise ReadError(Problem(where, what, kind, advice))


def _decode_to_utf8(data: bytes, where: str) -> bytes:
    """Convert text to UTF-8 by its byte order mark; text without one is taken for UTF-8."""
    data = _decode_marked(data, where).removeprefix(UTF8_MARK)
    has_marks = not data.isascii() and UTF8_MARK in data
    return _strip_line_marks(data) if has_marks else data


def _strip_line_marks(data: bytes) -> bytes:
    """Remove byte order marks at the beginning of lines, as in files that were joined.

    Blanks, and the quote of a CSV field, may stand before the mark. Marks are searched for, not
    line ends, since marks are rare and line ends are not.
    """

    def kept(found: re.Match[bytes]) -> bytes:
        at = found.start() - (data[found.start() - 1 : found.start()] == b'"')
        while at and data[at - 1] in _BEFORE_A_MARK:
            at -= 1
        return found[0] if at and data[at - 1] not in b"\r\n" else b""

    return _MARKS.sub(kept, data)


def _decode_marked(data: bytes, where: str) -> bytes:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding).encode()
            except UnicodeError as error:
                expected = f"{encoding.upper()} text, as its byte order mark says"
                at = f"{error.args[-1]} at byte {len(mark) + error.args[2]}"
                found = f"bytes that cannot be decoded ({at})"
                raise ReadError(Problem(where, expected, found, "save it as UTF-8")) from None
    return data
