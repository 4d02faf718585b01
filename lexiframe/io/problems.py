"""What is wrong with lines of text: the first problem for an error, all of them for `check_run`.

Readers come here only after they failed, so this is written to be clear and not to be fast.
"""

from __future__ import annotations

import polars as pl

from lexiframe.errors import ReadError
from lexiframe.io.advice import NO_NUMBER, advice_for
from lexiframe.io.lines import single_spaces
from lexiframe.io.trec import NUMBER, Dialect, Layout
from lexiframe.schemas import PROBLEMS

_WHOLE = r"^[+-]?[0-9]+(?:\.0*)?$"
_SHOWN = 80


def malformed(data: bytes, where: str, layout: Layout, dialect: Dialect) -> ReadError:
    """Give the error for text that cannot be parsed: its first problem, and how many more."""
    problems = problems_of_lines(data, where, layout, dialect)
    if not problems.height:
        return ReadError(f"{where}: cannot be parsed as lines of {layout}")
    return first_of(problems)


def first_of(problems: pl.DataFrame, unit: str = "line") -> ReadError:
    """Give the error for the first problem, and say how many more there are."""
    more = problems.height - 1
    others = f" ({more} more: lexiframe.check_run lists them)" if more else ""
    return ReadError(sentence(problems.row(0, named=True), unit) + others)


def sentence(problem: dict[str, str | int | None], unit: str = "line") -> str:
    """Say a problem in one sentence; ``unit`` is what its place counts.

    Examples
    --------
    >>> sentence(dict(file="a.run", line=3, expected="a number", found="'x'", advice=""))
    "a.run, line 3: expected a number, found 'x'"
    """
    line = "" if problem["line"] is None else f", {unit} {problem['line']}"
    advice = f"; {problem['advice']}" if problem["advice"] else ""
    return (
        f"{problem['file']}{line}: expected {problem['expected']}, found {problem['found']}{advice}"
    )


def problems_of_lines(data: bytes, where: str, layout: Layout, dialect: Dialect) -> pl.DataFrame:
    """List lines with undecodable bytes, a wrong number of fields, or no number where one must be.

    Parameters
    ----------
    data
        UTF-8 text.
    where
        What to call the file.
    layout, dialect
        What its lines should be, and what was said of it.

    Returns
    -------
    polars.DataFrame
        The table of `check_run`.
    """
    lines = lines_of(data, where)
    index = layout.names.index(layout.number)
    number = pl.col("fields").list.get(index, null_on_oob=True)
    as_english = number.str.replace(",", ".", literal=True) if dialect.decimal == "," else number
    is_whole = layout.number == "rank"
    is_too_wide = pl.col("n") > len(layout.names)
    if layout.at_least < len(layout.names):  # what follows is ignored, unless a field was split
        rank = pl.col("fields").list.get(layout.names.index("rank"), null_on_oob=True)
        is_too_wide &= ~rank.str.contains(NUMBER)
    problem = (
        pl.when(pl.col("bytes").is_not_null())
        .then(pl.lit("encoding"))
        .when((pl.col("n") < layout.at_least) | is_too_wide)
        .then(pl.lit("fields"))
        .when(~as_english.str.contains(_WHOLE if is_whole else NUMBER))
        .then(pl.lit("number"))
    )
    bad = lines.with_columns(problem=problem, number=number).drop_nulls("problem")
    if not bad.height:
        return pl.DataFrame(schema=PROBLEMS.columns)
    a_number = f"a {'whole ' * is_whole}number in field {index + 1} ({layout.number})"
    expected = {"encoding": "UTF-8 text", "fields": str(layout), "number": a_number}
    mend = {"encoding": "save it as UTF-8", "fields": "", "number": NO_NUMBER[layout.number]}
    found = (
        pl.when(problem="encoding")
        .then(pl.format("the bytes {}", "bytes"))
        .when(problem="fields")
        .then(pl.format("{}: '{}'", "n", _short("text")))
        .otherwise(pl.format("'{}': '{}'", "number", _short("text")))
    )
    first = bad.row(0, named=True)
    start = lines["text"].head(1000).to_list()
    advice = advice_for(first["text"], first["number"] or "", start, layout, dialect)
    return bad.select(
        pl.lit(where).alias("file"),
        pl.col("line").cast(pl.Int64),
        "problem",
        pl.col("problem").replace_strict(expected).alias("expected"),
        found.alias("found"),
        pl.when((pl.int_range(pl.len()) == 0) & bool(advice))
        .then(pl.lit(advice))
        .otherwise(pl.col("problem").replace_strict(mend))
        .alias("advice"),
    )


def problem_table(
    where: str, line: int | None, problem: str, expected: str, found: str, advice: str = ""
) -> pl.DataFrame:
    """Make a table of one problem."""
    row = (where, line, problem, expected, found, advice)
    return pl.DataFrame([row], schema=PROBLEMS.columns, orient="row")


def lines_of(data: bytes, where: str) -> pl.DataFrame:
    """Give the lines that hold fields.

    Columns are line, text, fields, their number n, and the first bytes that are no UTF-8.
    """
    text = single_spaces(data, where)
    texts = text.decode("utf-8", "backslashreplace").split("\n")
    fields = pl.col("text").str.split(" ")
    bad_bytes = pl.col("line").replace_strict(undecodable(text), default=None)
    return (
        pl.DataFrame({"line": range(1, len(texts) + 1), "text": texts})
        .filter(pl.col("text") != "")
        .with_columns(fields=fields, n=fields.list.len(), bytes=bad_bytes.cast(pl.String))
    )


def _short(column: str) -> pl.Expr:
    text = pl.col(column)
    is_long = text.str.len_chars() > _SHOWN
    return pl.when(is_long).then(text.str.head(_SHOWN - 3) + "...").otherwise(text)


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
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        line, found = next(iter(undecodable(lines).items()))
        raise ReadError(
            f"{where}, line {line}: expected UTF-8 text, found the bytes {found}; save it as UTF-8"
        ) from None


def undecodable(text: bytes) -> dict[int, str]:
    """Give the lines whose bytes are no UTF-8, and the first of these bytes."""
    try:
        text.decode()
    except UnicodeDecodeError:
        found = ((number, _bad_bytes(line)) for number, line in enumerate(text.split(b"\n"), 1))
        return {number: bad for number, bad in found if bad}
    return {}


def _bad_bytes(line: bytes) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return repr(line[error.start : error.start + 4])
    return ""
