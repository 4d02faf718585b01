"""Logs of experiments in files: ``read_log``."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.errors import ReadError
from lexiframe.io.arrow import read_arrow
from lexiframe.io.content import Content, content_of
from lexiframe.io.frames import DIALECTS, to_frame
from lexiframe.io.sources import only_file

_IDS = {name for ours in ("run", "query_id", "doc_id") for name in DIALECTS[ours]}
_LARGEST_EXACT = 2**53  # whole numbers up to here are floats without loss
_SQLITE = b"SQLite format 3\0"
_WHOLE = r"^(0|-?[1-9][0-9]*)$"


def read_log(path: str | Path) -> pl.DataFrame:
    r"""Read a log of experiments: one row for each run, in CSV, TSV, JSON lines or Parquet.

    What kind of file it is shows in its content; text may be compressed. In CSV and TSV an empty
    field is null, and a column holds numbers only when they write back to the same text ("0.9" and
    "10", or all with two decimals, but not "007"); names and ids stay text.

    Parameters
    ----------
    path
        A file: CSV with a header (fields separated by commas, semicolons or tabs), JSON with a
        record a line or a list of records, or Parquet.

    Returns
    -------
    polars.DataFrame
        The rows of the file in their order. Nested fields are dotted columns (``params.k1``); a
        column of JSON that holds values of several kinds, or lists, is text.

    Raises
    ------
    ReadError
        With the line, for what cannot be read, and for a file of another kind.

    Examples
    --------
    >>> import lexiframe as lf, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "log.csv"
    ...     _ = path.write_text("run,seed,k1\nbm25,007,0.9\nql,012,\n")
    ...     lf.read_log(path).rows()
    [('bm25', '007', 0.9), ('ql', '012', None)]
    """
    file = only_file(path)
    data, where = file.read(), str(file)
    if data.startswith(_SQLITE):
        raise ReadError(f"{where}: found an SQLite database; if MLflow made it, use read_mlflow")
    content = content_of(data, where, "a log")
    if content.kind != "text":
        return _from_arrow(content, where)
    try:
        text = content.data.decode()
    except UnicodeDecodeError as error:
        line = content.data.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"{where}, line {line}: expected a log in UTF-8, found {error.object[error.start]:#x}"
        ) from None
    is_json = text.lstrip().startswith(("{", "["))
    return _from_json(text, where) if is_json else _from_csv(text, where)


def _from_arrow(content: Content, where: str) -> pl.DataFrame:
    frame = to_frame(read_arrow(content, where), "value", where)
    return _frame(_without_structs(frame), where)


def _without_structs(frame: pl.DataFrame) -> list[pl.Series]:
    columns = []
    for column in frame:
        if isinstance(column.dtype, pl.Struct):
            inner = column.struct.unnest()
            columns += _without_structs(
                inner.rename({c: f"{column.name}.{c}" for c in inner.columns})
            )
        else:
            columns.append(column)
    return columns


def _frame(columns: list[pl.Series], where: str) -> pl.DataFrame:
    twice = [name for name, n in Counter(column.name for column in columns).items() if n > 1]
    if twice:
        raise ReadError(f"{where}: two columns are called {', '.join(twice)}; rename one")
    return pl.DataFrame(columns)


def _from_csv(text: str, where: str) -> pl.DataFrame:
    header = next((line for line in text.splitlines() if line.strip()), "")
    separator = max("\t,;", key=header.count)
    if separator not in header:
        raise ReadError(
            f"{where}: expected a log in CSV, TSV, JSON lines or Parquet, found text whose first "
            f"line names no columns: {header[:80]!r}"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        lines = [(reader.line_num, fields) for fields in reader if fields]
    except csv.Error as error:
        raise ReadError(f"{where}, line {reader.line_num}: broken CSV ({error})") from None
    (_, names), *rows = lines
    wrong = [(line, fields) for line, fields in rows if len(fields) != len(names)]
    if wrong:
        line, fields = wrong[0]
        raise ReadError(
            f"{where}, line {line}: expected {len(names)} fields, as many as names in the header, "
            f"found {len(fields)}: {separator.join(fields)[:80]!r}"
        )
    # pandas writes its index without a name
    names = [name.strip() or f"column_{n}" for n, name in enumerate(names, 1)]
    columns = [
        pl.Series(name, [fields[n] or None for _, fields in rows], pl.String)
        for n, name in enumerate(names)
    ]
    return _frame([c if c.name in _IDS else numbers_of(c) for c in columns], where)


def numbers_of(texts: pl.Series) -> pl.Series:
    """Turn a column of text into numbers when they write back to the same text.

    Whole numbers are written as usual; others as Python writes them, or all with the same number
    of decimals.

    Examples
    --------
    >>> for texts in (["8", "16"], ["0.9", "10"], ["0.50", "0.25"], ["007", "8"], ["0.9", "1.10"]):
    ...     print(numbers_of(pl.Series(texts)).to_list())
    [8, 16]
    [0.9, 10.0]
    [0.5, 0.25]
    ['007', '8']
    ['0.9', '1.10']
    """
    values = texts.drop_nulls().unique()
    if not len(values):
        return texts
    if values.str.contains(_WHOLE).all() and not values.cast(pl.Int64, strict=False).has_nulls():
        return texts.cast(pl.Int64)
    decimals = {len(text.partition(".")[2]) for text in values}
    format = f".{max(decimals)}f" if len(decimals) == 1 and decimals != {0} else ".1f"
    return texts.cast(pl.Float64) if all(_writes_back(v, format) for v in values) else texts


def _writes_back(text: str, format: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return text in (repr(number).removesuffix(".0"), f"{number:{format}}")


def _from_json(text: str, where: str) -> pl.DataFrame:
    if text.lstrip().startswith("["):
        records = list(enumerate(_parsed(text, where), 1))
        place = "record"
    else:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        records = [(n, _parsed(line, f"{where}, line {n}")) for n, line in lines]
        place = "line"
    flat = []
    for number, record in records:
        if not isinstance(record, dict):
            raise ReadError(
                f"{where}, {place} {number}: expected a JSON object with the fields of a run, "
                f"found {json.dumps(record)[:80]}"
            )
        flat.append(_dotted(record, f"{where}, {place} {number}"))
    names = dict.fromkeys(name for record in flat for name in record)
    return pl.DataFrame([_column(name, [record.get(name) for record in flat]) for name in names])


def _parsed(text: str, where: str) -> Any:
    try:
        value = json.loads(text)
        if r"\ud" in text.lower():  # half a pair of surrogates is no character
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{where}: broken JSON ({error}): {text.strip()[:80]!r}") from None


def _dotted(record: dict[str, Any], where: str) -> dict[str, Any]:
    """Flatten nested objects: ``{"params": {"k1": 0.9}}`` has the field ``params.k1``."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        inner = {name: value}
        if isinstance(value, dict):
            inner = {f"{name}.{k}": v for k, v in _dotted(value, where).items()}
        if both := flat.keys() & inner.keys():
            raise ReadError(f"{where}: two fields are called {', '.join(sorted(both))}")
        flat |= inner
    return flat


def _column(name: str, values: list[Any]) -> pl.Series:
    """Make a column of JSON values; what has no common type is written as text."""
    kinds = {type(value) for value in values if value is not None}
    whole = [value for value in values if type(value) is int]
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in whole):
        return pl.Series(name, values, pl.Int64)
    if float in kinds <= {int, float} and all(abs(value) <= _LARGEST_EXACT for value in whole):
        return pl.Series(name, values, pl.Float64, strict=False)
    texts = [
        value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)
        for value in values
    ]
    return pl.Series(name, texts, pl.String)
