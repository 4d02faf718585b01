"""Problems of a file as a table: an error reports the first, `check_run` lists them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from lexiframe.core.base import LexiframeError, Problem, ReadError, errors, schemas

PARTS = schemas.PROBLEMS.columns | {"at": schemas.STR, "behind": schemas.STR, "order": schemas.INT}
"""The columns of a table of problems: one for each attribute of `Problem` in a message."""
Condition = str | pl.Expr | pl.Series
"""A condition that holds for some rows; text is the name of a column."""
SAVE_AS_UTF8 = "save it as UTF-8"
_SHOWN = 80  # characters of a line or cell in a message


def table_of(problems: Iterable[Problem]) -> pl.DataFrame:
    """Return problems as a table with the columns ``PARTS``."""
    rows = [tuple(getattr(problem, name) for name in PARTS) for problem in problems]
    return pl.DataFrame(rows, schema=PARTS, orient="row")


def row_problems(rows: pl.DataFrame, **parts: str | pl.Expr | pl.Series) -> pl.DataFrame:
    """Return one problem for each row; text in ``parts`` is the same for all rows."""
    columns = {name: _literal(part) for name, part in parts.items()}
    dtypes = PARTS | ({"row": schemas.INT} if "row" in rows.columns else {})
    return rows.with_columns(**columns).select(pl.col(n).cast(dtype) for n, dtype in dtypes.items())


def chosen(*cases: tuple[Condition, str | pl.Expr], otherwise: str | pl.Expr) -> pl.Expr:
    """Return for each row the text of the first case whose condition holds."""
    text = _literal(otherwise)
    for condition, of_case in reversed(cases):
        text = pl.when(condition).then(_literal(of_case)).otherwise(text)
    return text


def _literal(part: str | pl.Expr | pl.Series) -> pl.Expr:
    return part if isinstance(part, pl.Expr) else pl.lit(part)


def line_problems(lines: pl.DataFrame, where: str, **parts: pl.Expr) -> pl.DataFrame:
    """Return one problem for each line; ``parts`` are columns of ``PARTS`` without a default."""
    return row_problems(lines, file=where, at="", behind="", order=pl.col("line"), **parts)


def problem_of(error: LexiframeError, where: str) -> Problem:
    """Return the problem that an error reports; an error without one gets it from its message."""
    found = error.problem or Problem(where, "", str(error).removeprefix(f"{where}: "))
    return found if found.file.startswith(where) else replace(found, file=where)


def listed(problems: pl.DataFrame, what: str) -> pl.DataFrame:
    """Return problems in the form of `check_run`; ``what`` fills an empty ``expected``."""
    place = pl.when(pl.col("at") != "").then(pl.format(" in {}", "at")).otherwise(pl.lit(""))
    table = problems.with_columns(
        expected=pl.when(pl.col("expected") == "").then(pl.lit(what)).otherwise("expected"),
        found=pl.col("found") + place + pl.col("behind"),
    ).select(*schemas.PROBLEMS.columns)
    texts = pl.col("expected", "found", "advice")
    return table.with_columns(texts.map_elements(errors.printable, return_dtype=pl.String))


def first_error(
    error: LexiframeError, first: pl.DataFrame, count: int, schema: schemas.TableSchema
) -> LexiframeError:
    """Build the error for the first problem with a line or record; without one, return ``error``.

    ``first`` is a table with this problem, or without rows; ``count`` is the number of problems.
    """
    if not first.height:
        return error
    parts = first.row(0, named=True)
    check = "check_run" if schema is schemas.RUNS else "check_qrels"
    parts["advice"] += f" ({count - 1} more: lexiframe.{check} lists them)" if count > 1 else ""
    return ReadError(Problem(**parts, is_first=True))


def short(texts: pl.Series) -> pl.Series:
    """Cut texts of more than 80 characters, with ``...`` at the cut."""
    is_long = texts.str.len_chars() > _SHOWN
    return (texts.str.head(_SHOWN - 3) + "...").zip_with(is_long, texts)


def decoded(data: bytes, where: str) -> str:
    """Decode UTF-8 text, or raise ReadError with the first line that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ReadError(problems_of_bytes(data, where)[0]) from None


def problems_of_bytes(data: bytes, where: str, first: int = 1) -> list[Problem]:
    """List the problems of lines that are not UTF-8; ``first`` is the number of the first line."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return [
        Problem(where, "UTF-8 text", f"the bytes {bad}", SAVE_AS_UTF8, "encoding", n, order=n)
        for n, bad in undecodable(lines, first).items()
    ]


def undecodable(text: bytes, first: int = 1) -> dict[int, str]:
    """Map the numbers of lines that are not UTF-8 to the first bytes that are not."""
    try:
        text.decode()
    except UnicodeDecodeError:
        found = ((n, _bad_bytes(line)) for n, line in enumerate(text.split(b"\n"), first))
        return {number: bad for number, bad in found if bad}
    return {}


def _bad_bytes(line: bytes) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return repr(line[error.start : error.start + 4])
    return ""
