"""Metadata in the comments of run files, as text: `connect.metadata` parses it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_START = re.compile(rb"(?m)^[ \t]*#[ \t]?ir_metadata\.start[ \t]*$")
_END = re.compile(rb"[ \t]*#[ \t]?ir_metadata\.end[ \t]*")
_COMMENT = re.compile(rb"[ \t]*# ?")
_NEXT_LINE = re.compile(rb"(?:\r\n?|\n)([^\r\n]*)")
_FIRST_BYTES = 1 << 16  # where the header has to begin


def header_of(data: bytes) -> str | None:
    r"""Return the YAML in the comments of a run file; None if there is none.

    The header has to begin in the first 64 KiB, so a long file without one takes no time.
    """
    if data.find(b"ir_metadata.start", 0, _FIRST_BYTES) < 0:
        return None
    lines = data[:_FIRST_BYTES].replace(b"\r", b"\n")  # keeps offsets
    start = _START.search(lines)
    if start is None:
        return None
    yaml = b"\n".join(_comment_lines(data, start.end()))
    return yaml.decode("utf-8", "backslashreplace")


def _comment_lines(data: bytes, start: int) -> Iterator[bytes]:
    """Yield the lines from ``start`` to the end mark, or to the first line that is no comment."""
    for match in _NEXT_LINE.finditer(data, start):
        line = match[1]
        mark = _COMMENT.match(line)
        if _END.fullmatch(line) or (mark is None and line.strip()):
            return
        yield line[mark.end() :] if mark else b""


def commented(text: str) -> bytes:
    """Write YAML as the comments that `header_of` reads back."""
    lines = ["ir_metadata.start", *text.rstrip("\n").split("\n"), "ir_metadata.end"]
    return "".join(f"# {line}".rstrip(" ") + "\n" for line in lines).encode()
