"""Logs of experiments in files: `read_log`."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import ReadError, n_and_first, shown, typed, warn
from lexiframe.core.io.column_forms.numbers import NUMBER
from lexiframe.core.io.column_forms.objects import to_frame
from lexiframe.core.io.column_forms.records import column_of, fields_of, flatten
from lexiframe.core.io.columns import KNOWN_NAMES
from lexiframe.core.io.files.data_sources import File, expanded, only_file
from lexiframe.core.io.files.folders import printable, refuse_odd
from lexiframe.core.io.files.tables import read_arrow
from lexiframe.core.io.files.unpacking import content_of
from lexiframe.core.io.logs.folders import records_of_folder
from lexiframe.core.io.problems.advice import LINES_OF_RECORD
from lexiframe.core.io.problems.problem_tables import decoded
from lexiframe.core.io.text.csv_rows import text_table
from lexiframe.core.io.text.json_values import load_json
from lexiframe.core.io.text.lines import is_json

LOG = "runs.jsonl"
"""The file that `log_folder` adds lines to."""
_IDS = {name for ours in ("run", "query_id", "doc_id") for name in KNOWN_NAMES[ours]}
_SQLITE = b"SQLite format 3\0"
_OF_DVC = {"Experiment", "rev"}
"""Names of columns in the table of DVC's experiments."""
_WHOLE = r"^(0|-?[1-9][0-9]*)$"
_POWER = r"(?i)^[+-]?[0-9](\.[0-9]+)?e[+-]?[0-9]{1,3}$"  # 1e-5, as no version or id is written
_NO_NUMBER = r"(?i)^[+-]?(nan|inf|infinity)$"
_SEPARATED = (
    r"^[+-]?[0-9]{1,3}([,.' ][0-9]{3})*,[0-9]+$|^[+-]?[0-9]{1,3}([,'_ ][0-9]{3})+([.,][0-9]+)?$"
)
_MISSING = (
    "None",
    "null",
    "NULL",
    "NA",
    "N/A",
    "n/a",
    "-",
    "–",
    "—",
    "−",
)  # of Python, JSON, SQL, R, tables
_FORMS = {"^−": "-", r"^\+([0-9.])": "${1}", r"^(-?)\.": "${1}0.", r"\.$": ""}
"""Parts of numbers that are written in two ways, and the usual one: −5, +9, .5 and 1."""


@typed
def read_log(path: str | Path | File) -> pl.DataFrame:
    r"""Read a log of experiments: one row for each run, in CSV, TSV, JSON lines or Parquet.

    The kind of file is recognised by its content; text may be compressed. In CSV and TSV, an empty
    field is null, and a column becomes numbers only if writing these gives the same text again
    ("0.9" and "10", or all with two decimals, but not "007"), or they are powers of ten ("1e-5").
    Names and ids stay text. Beside numbers, None, null, NA, N/A and a dash are null.

    Parameters
    ----------
    path
        A file: CSV with a header (fields separated by commas, semicolons or tabs), JSON with a
        record on each line or a list of records, or Parquet. Or a folder of `log_folder`, or one
        below which each run has its own: Hydra's (``multirun``), Sacred's, Weights & Biases'
        (``wandb``) and TensorBoard's, which needs tensorboard.

    Returns
    -------
    polars.DataFrame
        The rows of the file in their order. Nested fields become columns with dots in their names
        (``params.k1``). A column of JSON with values of several types, or with lists, is text. In
        the table of ``dvc exp show --csv`` the column ``run`` is added: the name of the experiment,
        or else the revision.

    Raises
    ------
    ReadError
        With the line, for text that cannot be read; and for a file of another kind.

    Warns
    -----
    LexiframeWarning
        When a column of CSV or TSV stays text because its numbers have commas or the like,
        and of runs in folders that lack their summary or configuration.

    Examples
    --------
    >>> import lexiframe as lf, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "log.csv"
    ...     _ = path.write_text("run,seed,k1\nbm25,007,0.9\nql,012,\n")
    ...     lf.read_log(path).rows()
    [('bm25', '007', 0.9), ('ql', '012', None)]
    """
    if not isinstance(path, str | Path | File):
        raise TypeError(
            f"read_log: expected path to be text or a path, found {type(path).__name__}: "
            f"{shown(path)}; a frame is a log already"
        )
    folder = None if isinstance(path, File) else expanded(path)
    if folder is not None and os.path.isdir(folder):  # noqa: PTH112 - too long names
        refuse_odd([folder / LOG])
        if (folder / LOG).is_file():
            return read_log(folder / LOG)
        return _table_of(records_of_folder(folder), printable(str(folder)))
    file = only_file(path)
    data, where = file.read(), str(file)
    if data.startswith(_SQLITE):
        raise ReadError(f"{where}: found an SQLite database; if MLflow made it, use read_mlflow")
    content = content_of(data, where, "a log")
    if content.form is not None:
        frame = to_frame(read_arrow(content.form, content.data, where), "value", where)
        return _log_frame(_unnest_structs(frame), where)
    if is_json(content.data):
        return _parse_json(decoded(content.data, where), where)
    return _parse_csv(content.data, where)


def _unnest_structs(frame: pl.DataFrame) -> list[pl.Series]:
    columns = []
    for column in frame:
        if isinstance(column.dtype, pl.Struct):
            inner = column.struct.unnest()
            names = {name: f"{column.name}.{name}" for name in inner.columns}
            columns += _unnest_structs(inner.rename(names))
        else:
            columns.append(column)
    return columns


def _log_frame(columns: list[pl.Series], where: str) -> pl.DataFrame:
    twice = [name for name, n in Counter(column.name for column in columns).items() if n > 1]
    if twice:
        raise ReadError(f"{where}: two columns are called {', '.join(twice)}; rename one")
    return pl.DataFrame(columns)


def _parse_csv(data: bytes, where: str) -> pl.DataFrame:
    first = next((line for line in data.splitlines() if line.strip()), b"")
    header = first.decode(errors="replace")
    separator = max("\t,;", key=header.count)
    if separator not in header and header.strip(' "') not in _IDS:  # a list of ids has one name
        raise ReadError(
            f"{where}: expected a log in CSV, TSV, JSON lines or Parquet, found text whose first "
            f"line names no columns: {header[:80]!r}"
        )
    table, _ = text_table(data, where, separator, quotes=True)
    # pandas writes its index without a name.
    names = [name or f"column_{n}" for n, name in enumerate(table.columns, 1)]
    columns = []
    for name, texts in zip(names, table, strict=True):
        # The alias is needed because Polars takes a name like ^...$ for a pattern.
        cells = texts.alias("cells").replace("", None)
        columns.append((cells if name in _IDS else numbers_of(cells)).alias(name))
    _warn_of_separators(columns, where)
    return name_runs(_log_frame(columns, where))


def numbers_of(texts: pl.Series) -> pl.Series:
    """Turn a column of text into numbers if writing these gives the same text again.

    Whole numbers are written without leading zeros. Others are written as Python does, or all with
    the same number of decimals. Powers of ten, NaN and infinity may be written as they like, signs
    too, and a zero may be left out (.5). Beside numbers, None, NA, null and a dash are null.

    Examples
    --------
    >>> for texts in (["8", "16"], ["0.9", "10"], ["0.50", "0.25"], ["007", "8"], ["0.9", "1.10"],
    ...               ["1e-5", "0.01", "3.0E-4"], [".5", "None", "−2"]):
    ...     print(numbers_of(pl.Series(texts)).to_list())
    [8, 16]
    [0.9, 10.0]
    [0.5, 0.25]
    ['007', '8']
    ['0.9', '1.10']
    [1e-05, 0.01, 0.0003]
    [0.5, None, -2.0]
    """
    given, texts = texts, texts.set(texts.is_in(_MISSING), None)
    for form, usual in _FORMS.items():
        texts = texts.str.replace(form, usual)
    values = texts.drop_nulls().unique()
    if not len(values):
        return given
    if values.str.contains(_WHOLE).all() and not values.cast(pl.Int64, strict=False).has_nulls():
        return texts.cast(pl.Int64)
    plain = values.filter(~(values.str.contains(_POWER) | values.str.contains(_NO_NUMBER)))
    decimals = {len(text.partition(".")[2]) for text in plain}
    format = f".{max(decimals)}f" if len(decimals) == 1 and decimals != {0} else ".1f"
    return texts.cast(pl.Float64) if all(_writes_back(v, format) for v in plain) else given


def _writes_back(text: str, format: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return text in (repr(number).removesuffix(".0"), f"{number:{format}}")


def _warn_of_separators(columns: Iterable[pl.Series], where: str) -> None:
    """Warn of columns of numbers that stay text, and would be in the order of letters."""
    texts = [column for column in columns if column.dtype == pl.String and column.name not in _IDS]
    are_numbers = f"{NUMBER}|{_SEPARATED}"
    for column in texts:
        cells = column.drop_nulls()
        odd = cells.filter(cells.str.contains(_SEPARATED))
        if len(odd) and cells.str.contains(are_numbers).all():
            warn(
                f"{where}: the column {column.name} stays text, since its numbers have marks "
                "between digits, which may be decimal or separate thousands: "
                f"{n_and_first(odd)}; write them with a decimal point and no other mark"
            )


def _parse_json(text: str, where: str) -> pl.DataFrame:
    if text.lstrip().startswith("["):
        records = [(f"record {n}", record) for n, record in enumerate(_load_json(text, where), 1)]
    else:
        lines = [(f"line {n}", line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        one = _record_of_lines(text) if len(lines) > 1 else None
        records = (
            [("record 1", one)]
            if one is not None
            else [(place, _load_json(line, f"{where}, {place}")) for place, line in lines]
        )
    flat = []
    for place, record in records:
        if not isinstance(record, dict):
            raise ReadError(
                f"{where}, {place}: expected a JSON object with the fields of a run, "
                f"found {json.dumps(record)[:80]}"
            )
        flat.append(flatten(record, f"{where}, {place}"))
    return _table_of(flat, where)


def _table_of(records: list[dict[str, Any]], where: str) -> pl.DataFrame:
    """Return flat records as a table."""
    as_text = partial(json.dumps, ensure_ascii=False, default=str)
    fields = fields_of(records, where)
    read = ((name, of if name in _IDS else _read_numbers(of)) for name, of in fields)
    return pl.DataFrame([column_of(name, values, as_text) for name, values in read])


def _read_numbers(values: list[Any]) -> list[Any]:
    """Return values where NaN and infinity beside numbers are numbers, also as text."""
    known = [value for value in values if value is not None]
    others = [x for x in known if not (isinstance(x, str) and re.match(_NO_NUMBER, x))]
    if len(others) == len(known) or not {*map(type, others)} <= {int, float}:
        return values
    return [None if value is None else float(value) for value in values]


def name_runs(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the names of runs to a table of DVC, which has them in two columns."""
    if not {*frame.columns} >= _OF_DVC or "run" in frame.columns:
        return frame
    texts = pl.col("Experiment", "rev").cast(pl.String).replace("", None)
    return frame.with_columns(pl.coalesce(texts).alias("run"))


def _record_of_lines(text: str) -> dict[str, Any] | None:
    """Return the one record that all lines of a text are; None if they are something else."""
    if not text.rstrip().endswith("}"):
        return None
    try:
        record = load_json(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _load_json(text: str, where: str) -> Any:
    try:
        return load_json(text)
    except (ValueError, RecursionError) as error:
        is_begin = text.strip() in ("{", "[")
        found = "a record of several lines" if is_begin else f"broken JSON ({error})"
        advice = f"; {LINES_OF_RECORD}" * is_begin
        raise ReadError(f"{where}: {found}: {text.strip()[:80]!r}{advice}") from None
