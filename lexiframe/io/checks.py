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
from lexiframe.io.delimited import problems_of_delimited, separator_of
from lexiframe.io.dialects import DIALECTS
from lexiframe.io.duplicates import places_of_rows, problems_of_duplicates
from lexiframe.io.json_text import is_json, parse_json
from lexiframe.io.lines import first_fields
from lexiframe.io.problems import lines_of, problem_table, problems_of_lines
from lexiframe.io.qrels import load_qrels
from lexiframe.io.runs import RunScan
from lexiframe.io.sources import File, Source, only_file, run_name
from lexiframe.io.trec import Dialect, Third
from lexiframe.schemas import QRELS

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
        null when the file as a whole is meant, ``problem`` is one of ``file``, ``encoding``,
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
    try:
        content = file.content()
        is_text = content.kind == "text" and not is_json(content.data)
        problems = _check_text(content.data, where, dialect, kind) if is_text else None
        if problems is None or not problems.height:
            problems = _check_rows(file, dialect, kind)
    except LexiframeError as error:
        return _whole_file(where, error)
    texts = pl.col("found", "advice").map_elements(printable, return_dtype=pl.String)
    return problems.with_columns(texts)


def _check_text(data: bytes, where: str, dialect: Dialect, kind: Kind) -> pl.DataFrame:
    separator = separator_of(data, dialect)
    if separator is None:
        return _check_lines(data, where, dialect, kind)
    return problems_of_delimited(data, where, separator, dialect)


def _check_lines(data: bytes, where: str, dialect: Dialect, kind: Kind) -> pl.DataFrame:
    is_run = kind == "run"
    layout = trec.run_layout(data, dialect.third) if is_run else trec.qrels_layout(data)
    problems = problems_of_lines(data, where, layout, dialect)
    good = lines_of(data, where).join(problems, on="line", how="anti", maintain_order="left")
    key = [name for name in QRELS.key if name in layout.names]
    ids = (pl.col("fields").list.get(layout.names.index(name)).alias(name) for name in key)
    repeated = problems_of_duplicates(good.select("line", *ids), where, key)
    return pl.concat([problems, repeated]).sort("line", maintain_order=True)


def _check_rows(file: File, dialect: Dialect, kind: Kind) -> pl.DataFrame:
    """Check a table: what reading refuses is one problem, repeated documents are one each."""
    where = str(file)
    if kind == "qrels":
        judged = load_qrels(file, dialect)
        tables = [(judged.rows, list(QRELS.key), judged.lines)]
    else:
        parts = RunScan((Source(run_name(Path(where)), file),), "file", dialect).load(0)
        tables = [(part.rows, ["query_id", "doc_id"], part.lines) for part in parts]
    return pl.concat(
        problems_of_duplicates(rows.with_columns(line=numbers), where, key, is_line=unit == "line")
        for rows, key, lines in tables
        for unit, numbers in [places_of_rows(rows.height, lines)]
    )


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
