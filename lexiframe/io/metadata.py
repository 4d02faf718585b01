"""Metadata in run files: YAML in comment lines, in the form of ir_metadata.

Such a header begins with ``# ir_metadata.start`` and ends with ``# ir_metadata.end``. Its fields
become the columns of a table with one row for each run.

Source: Breuer, Keller & Schaer, *ir_metadata: An Extensible Metadata Schema for IR Experiments*,
SIGIR 2022, doi:10.1145/3477495.3531738.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from types import ModuleType
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, ReadError
from lexiframe.io.column_forms.records import flatten as dotted
from lexiframe.io.column_forms.records import table_of_records

_START = re.compile(rb"(?m)^[ \t]*#[ \t]?ir_metadata\.start[ \t]*$")
_END = re.compile(rb"[ \t]*#[ \t]?ir_metadata\.end[ \t]*")
_COMMENT = re.compile(rb"[ \t]*# ?")
_NEXT_LINE = re.compile(rb"(?:\r\n?|\n)([^\r\n]*)")
_ODD_LINE_ENDS = set("\x85\u2028\u2029")  # PyYAML writes these unescaped, but reads them as blanks
_FIRST_BYTES = 1 << 16  # where the header has to begin
_INT64 = range(-(2**63), 2**63)
_RENAMED = {"run": "ir_metadata.run"}  # the table has a key that is called run


def header_of(data: bytes) -> str | None:
    r"""Return the YAML in the comments of a run file; None if there is none.

    The header has to begin in the first 64 KiB, so a long file without one takes no time.

    Examples
    --------
    >>> header_of(b"# ir_metadata.start\n# tag: bm25\n# ir_metadata.end\nq1 Q0 d1 1 0.5 bm25\n")
    'tag: bm25'
    >>> header_of(b"q1 Q0 d1 1 0.5 bm25\n")
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


def header_text(metadata: Mapping[str, Any]) -> bytes:
    r"""Write nested metadata as a header that `header_of` and `parse_metadata` read back.

    Examples
    --------
    >>> print(header_text({"tag": "bm25", "method": {"automatic": True}}).decode(), end="")
    # ir_metadata.start
    # tag: bm25
    # method:
    #   automatic: true
    # ir_metadata.end
    """
    yaml = _yaml()
    try:
        dump = partial(yaml.safe_dump, _json_value(metadata), sort_keys=False, width=1000)
        text: str = dump(allow_unicode=True)
        if _ODD_LINE_ENDS & set(text):
            text = dump(allow_unicode=False)  # escapes them
    except (yaml.YAMLError, RecursionError) as error:
        raise LexiframeError(
            f"metadata: expected text, numbers, booleans and dates, found {error}"
        ) from None
    return commented(text)


def commented(text: str) -> bytes:
    """Write YAML as the comments that `header_of` reads back."""
    lines = ["ir_metadata.start", *text.rstrip("\n").split("\n"), "ir_metadata.end"]
    return "".join(f"# {line}".rstrip(" ") + "\n" for line in lines).encode()


def parse_metadata(text: str, where: str) -> dict[str, Any]:
    r"""Parse a header's YAML into nested dictionaries and lists of plain values.

    Dates become text in ISO 8601. References (``*name``) are refused: ir_metadata does not use
    them, and a few lines with nested references can expand to more than memory holds.

    Examples
    --------
    >>> parse_metadata("tag: bm25\nactor: {team: DEMIR, year: 2014}", "bm25.run")
    {'tag': 'bm25', 'actor': {'team': 'DEMIR', 'year': 2014}}
    """
    yaml = _yaml()
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise ReadError(
                f"{where}: the ir_metadata have a reference (*name), which is not read; "
                "write out what it stands for"
            )
        found = _json_value(yaml.safe_load(text))
        # PyYAML keeps the last of several fields with one name, without an error.
        twice = [*_repeated_fields(yaml.compose(text, yaml.SafeLoader))]
    except ReadError:
        raise
    # PyYAML does not catch errors of its conversions: !!int '' is an IndexError
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError) as error:
        reason = " ".join(str(error).split())
        raise ReadError(
            f"{where}: the ir_metadata in the comments are not YAML ({reason}); mend them, or take "
            "the header out"
        ) from None
    except RecursionError:
        raise ReadError(f"{where}: the ir_metadata are nested too deeply to be read") from None
    if twice:
        raise ReadError(
            f"{where}: the ir_metadata have two fields that are called {twice[0]!r} in one place; "
            "rename one, or write a list: each item begins with '- '"
        )
    if not isinstance(found, dict | None):
        raise ReadError(
            f"{where}: expected named fields in the ir_metadata (tag: bm25), found {found!r:.60}"
        )
    return found or {}


def _repeated_fields(node: Any) -> Iterator[str]:
    """Yield the names of repeated fields of a mapping, in a node of YAML and below it."""
    inside = node.value if hasattr(node, "flow_style") else []
    fields = [part for part in inside if isinstance(part, tuple)]
    yield from (name for name, n in Counter(str(key.value) for key, _ in fields).items() if n > 1)
    for part in [value for _, value in fields] or inside:
        yield from _repeated_fields(part)


def _yaml() -> ModuleType:
    try:
        import yaml
    except ImportError:
        raise LexiframeError(
            "ir_metadata in run files need PyYAML; it comes with the extra interop: "
            "pip install 'lexiframe[interop]'"
        ) from None
    return yaml


def _json_value(value: Any) -> Any:
    """Convert to types of JSON: names, dates, huge integers and bytes (base64) to text."""
    if isinstance(value, Mapping):
        return {_yaml_text(key): _json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_json_value(inner) for inner in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, int) and value not in _INT64 else value


def flatten(metadata: Mapping[str, Any], where: str = "ir_metadata") -> dict[str, Any]:
    """Flatten nested fields to fields with dotted names; raise if two get the same name.

    A list of plain values becomes one text, joined by ``", "``. The items of other lists are
    numbered from 0. An empty mapping or list becomes None.

    Examples
    --------
    >>> flatten({"method": {"retrieval": [{"name": "bm25", "k1": 0.9}]}, "lang": ["C", "R"]})
    {'method.retrieval.0.name': 'bm25', 'method.retrieval.0.k1': 0.9, 'lang': 'C, R'}
    """
    return dotted({name: _flatten_lists(value) for name, value in metadata.items()}, where)


def _flatten_lists(value: Any) -> Any:
    """Convert a list to text or numbered fields, and an empty value to None, as `flatten` says."""
    if isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        value = {str(n): item for n, item in enumerate(value)}
    if isinstance(value, list):
        return ", ".join(map(_yaml_text, value)) or None
    if isinstance(value, Mapping):
        return {str(name): _flatten_lists(item) for name, item in value.items()} or None
    return value


def metadata_frame(headers: Mapping[str, str | None]) -> pl.DataFrame:
    r"""Make a table with one row for each run from ``{run: YAML, or None without a header}``.

    It is sorted by its key ``run``. The fields, named as in `flatten`, are columns in order of
    appearance: boolean, int64, float64, or text, also if the types of runs differ.

    Examples
    --------
    >>> metadata_frame({"b": None, "a": "tag: bm25\nk1: 0.9"}).rows()
    [('a', 'bm25', 0.9), ('b', None, None)]
    """
    runs = sorted(headers)
    fields = [
        flatten(parse_metadata(text, where), f"{where}, ir_metadata") if text else {}
        for where, text in ((f"run {run!r}", headers[run]) for run in runs)
    ]
    named = [{_RENAMED.get(name, name): row[name] for name in row} for row in fields]
    return pl.DataFrame(
        [pl.Series("run", runs, dtype=pl.String), *table_of_records(named, _yaml_text)]
    )


def _yaml_text(value: Any) -> str:
    """Write a value as YAML does."""
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: ""}[value]
    return value.isoformat() if isinstance(value, date) else str(value)
