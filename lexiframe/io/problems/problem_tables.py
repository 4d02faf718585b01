"""Problems of a file as a table: the first for an error, all of them for `check_run`."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from lexiframe.errors import LexiframeError, Problem, ReadError, printable
from lexiframe.schemas import INT, PROBLEMS, STR

PARTS = PROBLEMS.columns | {"at": STR, "behind": STR, "order": INT}
"""The columns of a table of problems in parts, as `Problem` has them."""
SAVE_AS_UTF8 = "save it as UTF-8"
_SHOWN = 80


def table_of(problems: Iterable[Problem]) -> pl.DataFrame:
    """Give problems as a table of their parts."""
    rows = [tuple(getattr(problem, name) for name in PARTS) for problem in problems]
    return pl.DataFrame(rows, schema=PARTS, orient="row")


def of_lines(lines: pl.DataFrame, where: str, **parts: pl.Expr) -> pl.DataFrame:
    """Give the problems of lines, one each; ``parts`` are what they are not by default."""
    same = {"file": pl.lit(where), "at": pl.lit(""), "behind": pl.lit(""), "order": pl.col("line")}
    return lines.with_columns(**same | parts).select(
        pl.col(name).cast(of) for name, of in PARTS.items()
    )


def problem_of(error: LexiframeError, where: str) -> Problem:
    """Give the problem of an error that ends the reading of a file.

    Examples
    --------
    >>> problem_of(ReadError("a.run: cannot be read"), "a.run").found
    'cannot be read'
    """
    return error.problem or Problem(where, "", str(error).removeprefix(where).lstrip(": "))


def listed(problems: pl.DataFrame, what: str) -> pl.DataFrame:
    """Give problems as `check_run` lists them; ``what`` was expected where nothing else is said."""
    place = pl.when(pl.col("at") != "").then(pl.format(" in {}", "at")).otherwise(pl.lit(""))
    texts = pl.col("expected", "found", "advice")
    return (
        problems.with_columns(
            expected=pl.when(pl.col("expected") == "").then(pl.lit(what)).otherwise("expected"),
            found=pl.col("found") + place + pl.col("behind"),
        )
        .with_columns(texts.map_elements(printable, return_dtype=pl.String))
        .select(*PROBLEMS.columns)
    )


def first_error(
    error: LexiframeError, first: pl.DataFrame, count: int, check: str
) -> LexiframeError:
    """Give the error for the first problem that has a place; the one that was raised for none.

    Parameters
    ----------
    error
        What was raised.
    first
        The first problem of the file that has a place, if there is one.
    count
        How many there are.
    check
        The function that lists them.
    """
    if not first.height:
        return error
    parts = first.row(0, named=True)
    parts["advice"] += f" ({count - 1} more: lexiframe.{check} lists them)" if count > 1 else ""
    return ReadError(Problem(**parts, is_first=True))


def short(texts: pl.Series) -> pl.Series:
    """Cut long texts, and say so."""
    is_long = texts.str.len_chars() > _SHOWN
    return (texts.str.head(_SHOWN - 3) + "...").zip_with(is_long, texts)


def decoded(data: bytes, where: str) -> str:
    """Decode UTF-8.

    Raises
    ------
    ReadError
        With the first line that is none.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ReadError(problems_of_bytes(data, where)[0]) from None


def problems_of_bytes(data: bytes, where: str, first: int = 1) -> list[Problem]:
    """List the lines, counted from ``first``, whose bytes are no UTF-8, with these bytes."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return [
        Problem(where, "UTF-8 text", f"the bytes {bad}", SAVE_AS_UTF8, "encoding", n, order=n)
        for n, bad in undecodable(lines, first).items()
    ]


def undecodable(text: bytes, first: int = 1) -> dict[int, str]:
    """Give the lines, counted from ``first``, whose bytes are no UTF-8, and these bytes."""
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
