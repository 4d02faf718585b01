"""Everything that is wrong with a file at once: `check_run` and `check_qrels`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import polars as pl

from lexiframe.errors import LexiframeError, printable
from lexiframe.io import trec
from lexiframe.io.advice import are_grades
from lexiframe.io.arrow import read_arrow
from lexiframe.io.content import Content
from lexiframe.io.delimited import checked_text, separator_of
from lexiframe.io.dialects import DIALECTS
from lexiframe.io.forms import refuse_columns
from lexiframe.io.frames import to_frame
from lexiframe.io.json_records import check_lines, check_list
from lexiframe.io.json_text import is_json, is_meant_as_lines, load_whole, parse_json
from lexiframe.io.lines import first_fields
from lexiframe.io.problems import lines_of, problem_table, problems_of_lines
from lexiframe.io.qrels import load_qrels
from lexiframe.io.row_problems import Rows, problems_of_rows
from lexiframe.io.runs import RunScan
from lexiframe.io.sources import File, Source, only_file, run_name
from lexiframe.io.trec import Dialect, Third
from lexiframe.schemas import PROBLEMS, QRELS, RUNS

Kind = Literal["run", "qrels"]


def check_run(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
) -> pl.DataFrame:
    r"""List all problems of a run at once, where reading it stops at the first.

    Parameters
    ----------
    path
        A file in any of the forms that `read_runs` takes.
    columns, third, header, decimal
        As for `read_runs`.

    Returns
    -------
    polars.DataFrame
        Key ``file, line, problem``, sorted by line; empty when the file is in order. ``line`` is
        null when the file as a whole is meant, and for Parquet, Arrow and lists in JSON, where
        ``found`` numbers the row or record; ``problem`` is one of ``file``, ``encoding``,
        ``fields``, ``number``, ``id`` and ``duplicate``; ``expected`` and ``found`` say what is
        wrong, ``advice`` how to mend it or to read it all the same.

    Raises
    ------
    ReadError
        When there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import lexiframe as lf
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "bm25.run")
    >>> _ = path.write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2\nq1 Q0 d1 3 high x\nq1 Q0 d1 4 0.5 x\n")
    >>> lf.check_run(path).select("line", "problem").rows()
    [(2, 'fields'), (3, 'number'), (4, 'duplicate')]
    >>> folder.cleanup()
    """
    dialect = Dialect(third, header, decimal, dict(columns or {}))
    return check_file(only_file(path), dialect, "run")


def check_qrels(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    header: bool = False,
    decimal: str = ".",
) -> pl.DataFrame:
    r"""List all problems of a qrels file at once, where reading it stops at the first.

    Parameters
    ----------
    path
        A file in any of the forms that `read_qrels` takes.
    columns, header, decimal
        As for `read_qrels`.

    Returns
    -------
    polars.DataFrame
        As `check_run`.

    Raises
    ------
    ReadError
        When there is no such file.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.check_qrels("data/example/qrels.txt").height
    0
    """
    dialect = Dialect(None, header, decimal, dict(columns or {}))
    return check_file(only_file(path), dialect, "qrels")


def check_file(file: File, dialect: Dialect, kind: Kind) -> pl.DataFrame:
    """List the problems of a file; see `check_run` and `check_qrels`."""
    where = str(file)
    problems = pl.DataFrame(schema=PROBLEMS.columns)
    try:
        rows, problems = _rows_in_order(file.content(), where, dialect, kind)
        of_rows = problems_of_rows(rows, where, RUNS if kind == "run" else QRELS, dialect)
        problems = pl.concat([problems, of_rows]).sort("line", maintain_order=True)
        if not problems.height:
            _read(file, dialect, kind)
    except LexiframeError as error:
        problems = pl.concat([problems, _whole_file(where, error)])
    texts = pl.col("found", "advice").map_elements(printable, return_dtype=pl.String)
    return problems.with_columns(texts)


def _rows_in_order(
    content: Content, where: str, dialect: Dialect, kind: Kind
) -> tuple[Rows, pl.DataFrame]:
    """Give the rows that can be parsed, and the problems of the others."""
    data, value = content.data, "score" if kind == "run" else "relevance"
    if content.kind != "text":
        table = to_frame(read_arrow(content, where), value, where)
        return Rows(table, _numbered(table), "row"), pl.DataFrame(schema=PROBLEMS.columns)
    if is_json(data):
        return _rows_of_json(data, where, value)
    separator = separator_of(data, dialect)
    if separator is None:
        return _rows_of_lines(data, where, dialect, kind)
    table, lines, problems = checked_text(data, where, separator, dialect)
    return Rows(table, lines, "line"), problems


def _rows_of_json(data: bytes, where: str, value: str) -> tuple[Rows, pl.DataFrame]:
    if is_meant_as_lines(data):
        checked, unit = check_lines(data, where), "line"
        problems = checked.problems
    else:
        whole = load_whole(data, where)
        if isinstance(whole, dict):
            table = to_frame(whole, value, where)
            return Rows(table, _numbered(table), "row"), pl.DataFrame(schema=PROBLEMS.columns)
        checked, unit = check_list(whole, where), "record"
        at = pl.format("{} in record {}", "found", "line")
        problems = checked.problems.with_columns(found=at, line=pl.lit(None, pl.Int64))
    table = parse_json(checked.good, where, value) if checked.good else pl.DataFrame()
    return Rows(table, pl.Series(checked.places, dtype=pl.Int64), unit), problems


def _rows_of_lines(
    data: bytes, where: str, dialect: Dialect, kind: Kind
) -> tuple[Rows, pl.DataFrame]:
    refuse_columns(dialect, where)
    is_run = kind == "run"
    layout = trec.run_layout(data, dialect.third) if is_run else trec.qrels_layout(data)
    problems = problems_of_lines(data, where, layout, dialect)
    good = lines_of(data, where).join(problems, on="line", how="anti", maintain_order="left")
    field = pl.col("fields").list
    names = [*(n for n in QRELS.key if n in layout.names), layout.number]
    table = good.select(field.get(layout.names.index(n)).alias(n) for n in names)
    if dialect.decimal == ",":
        english = pl.col(layout.number).str.replace(",", ".", literal=True)
        table = table.with_columns(english)
    return Rows(table, good["line"], "line"), problems


def _numbered(table: pl.DataFrame) -> pl.Series:
    return pl.int_range(1, table.height + 1, dtype=pl.Int64, eager=True)


def _read(file: File, dialect: Dialect, kind: Kind) -> None:
    """Read a file, in which nothing wrong was found, as readers do."""
    if kind == "qrels":
        load_qrels(file, dialect)
    else:
        RunScan((Source(run_name(Path(str(file))), file),), "file", dialect).load(0)


def _whole_file(where: str, error: LexiframeError) -> pl.DataFrame:
    """Make the problem of an error that ends the reading of a file."""
    said = str(error).removeprefix(where)
    at = re.match(r", line ([0-9]+)(?=: )", said)
    said = said[at.end() if at else 0 :].removeprefix(": ")
    said = said.removeprefix("expected runs or judgments, ").removeprefix("found ")
    line = int(at[1]) if at else None
    return problem_table(where, line, "file", "runs or judgments", said)


def kind_of(file: File, dialect: Dialect) -> Kind:
    """Tell whether a file holds runs or judgments: by its columns, or the fields of its lines."""
    try:
        content = file.content()
        if content.kind != "text":
            names = read_arrow(content, str(file)).column_names
        elif is_json(content.data):
            names = parse_json(content.data, str(file), "score").columns
        elif separator := separator_of(content.data, dialect):
            start = content.data[: 1 << 16].lstrip().splitlines()[0].decode("utf-8", "replace")
            fields = [field.decode("utf-8", "replace") for field in first_fields(content.data)]
            names = fields if separator == " " else start.split(separator)
        else:
            return _kind_of_lines(content.data, str(file), dialect)
    except LexiframeError:
        return "run"
    found = {name.strip(' "').partition(":")[0] for name in names}
    said = {theirs for ours, theirs in dialect.columns.items() if ours == "relevance"}
    return "qrels" if found & {*DIALECTS["relevance"], *said} else "run"


def _kind_of_lines(data: bytes, where: str, dialect: Dialect) -> Kind:
    layout = trec.qrels_layout(data)
    n_fields = len(first_fields(data))
    if n_fields != len(layout.names) or (layout is trec.GRADED and dialect.third):
        return "run"
    start = data[: 1 << 16].rpartition(b"\n")[0] or data
    return "qrels" if are_grades(lines_of(start, where)["text"].to_list(), layout) else "run"
