"""Metadata in run files: YAML in comment lines, in the form of ir_metadata.

Such a header begins with ``# ir_metadata.start`` and ends with ``# ir_metadata.end``. Its fields
become the columns of a table with one row for each run.

Source: Breuer, Keller & Schaer, *ir_metadata: An Extensible Metadata Schema for IR Experiments*,
SIGIR 2022, doi:10.1145/3477495.3531738.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import ModuleType
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, ReadError, coded, in_threads, typed
from lexiframe.core.io.column_forms.records import flatten as dotted
from lexiframe.core.io.column_forms.records import table_of_records
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.headers import commented, header_of
from lexiframe.core.io.run_scan import RunScan
from lexiframe.core.io.runs import scan_runs
from lexiframe.core.io.text.yaml_values import json_value, load_yaml, yaml_text
from lexiframe.typing import RunsLike

_ODD_LINE_ENDS = set("\x85\u2028\u2029")  # PyYAML writes these unescaped, but reads them as blanks
_RENAMED = {"run": "ir_metadata.run"}  # the table has a key that is called run


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
        dump = partial(yaml.safe_dump, json_value(metadata), sort_keys=False, width=1000)
        text: str = dump(allow_unicode=True)
        if _ODD_LINE_ENDS & set(text):
            text = dump(allow_unicode=False)  # escapes them
    except (yaml.YAMLError, RecursionError) as error:
        raise LexiframeError(
            f"metadata: expected text, numbers, booleans and dates, found {error}"
        ) from None
    return commented(text)


def parse_metadata(text: str, where: str) -> dict[str, Any]:
    r"""Parse a header's YAML into nested dictionaries and lists of plain values.

    Dates become text in ISO 8601. References (``*name``) are refused: ir_metadata does not use
    them, and a few lines with nested references can expand to more than memory holds.
    """
    found = load_yaml(
        _yaml(), text, where, "the ir_metadata", " in the comments",
        "mend them, or take the header out",
    )  # fmt: skip
    if not isinstance(found, dict | None):
        raise ReadError(
            f"{where}: expected named fields in the ir_metadata (tag: bm25), found {found!r:.60}"
        )
    return found or {}


def _yaml() -> ModuleType:
    try:
        import yaml
    except ImportError:
        raise LexiframeError(
            "ir_metadata in run files need PyYAML; it comes with the extra interop: "
            "pip install 'lexiframe[interop]'"
        ) from None
    return yaml


def flatten(metadata: Mapping[str, Any], where: str = "ir_metadata") -> dict[str, Any]:
    """Flatten nested fields to fields with dotted names; raise if two get the same name.

    A list of plain values becomes one text, joined by ``", "``. The items of any other list are
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
        return ", ".join(map(yaml_text, value)) or None
    if isinstance(value, Mapping):
        return {str(name): _flatten_lists(item) for name, item in value.items()} or None
    return value


def metadata_frame(headers: Mapping[str, str | None]) -> pl.DataFrame:
    r"""Make a table with one row for each run from ``{run: YAML, or None without a header}``.

    It is sorted by its key ``run``. The fields, named as in `flatten`, are columns in order of
    appearance: boolean, int64, float64, or text, also if the types of runs differ.
    """
    runs = sorted(headers)
    fields = [
        flatten(parse_metadata(text, where), f"{where}, ir_metadata") if text else {}
        for where, text in ((f"run {run!r}", headers[run]) for run in runs)
    ]
    named = [{_RENAMED.get(name, name): row[name] for name in row} for row in fields]
    return pl.DataFrame(
        [
            pl.Series("run", runs, dtype=pl.String),
            *table_of_records(named, yaml_text, "ir_metadata"),
        ]
    )


@typed
def run_metadata(runs: RunsLike) -> pl.DataFrame:
    """Read the metadata of runs, which are comments in their files in the form of ir_metadata.

    Parameters
    ----------
    runs
        As for `read_runs`, or the table that it returns.

    Returns
    -------
    polars.DataFrame
        Key ``run``: one row for each run. Nested fields are columns with dots in their names:
        ``method.retrieval.0.name`` is the name of the first retrieval method. Fields that a run
        does not have are null.

    Raises
    ------
    ReadError
        For a file that cannot be read, and a header that is not YAML.
    LexiframeError
        When PyYAML is not installed.

    Notes
    -----
    Breuer, Keller & Schaer, "ir_metadata: An Extensible Metadata Schema for IR Experiments",
    SIGIR 2022, doi:10.1145/3477495.3531738.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.run_metadata("data/example/runs").columns
    ['run']
    """
    scan = runs if isinstance(runs, RunScan) else scan_runs(runs)
    found = in_threads(partial(_headers, scan), range(len(scan)), "reading metadata")
    return metadata_frame({name: header for headers in found for name, header in headers.items()})


def _headers(scan: RunScan, index: int) -> dict[str, str | None]:
    """Return the header of each run in a source; text with a header is not parsed further."""
    source = scan.sources[index]
    if isinstance(source.origin, File) and scan.reading(index)[0] == "file":
        content = source.origin.content()
        if content.form is None and (header := header_of(content.data)):
            return {coded.split_replicate(str(source.name))[0]: header}
    return {coded.split_replicate(part.name)[0]: part.header for part in scan.load(index)}
