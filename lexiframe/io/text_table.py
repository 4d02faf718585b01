"""Tables in text: their cells as text, the line of each row, and what is wrong with their lines.

Lines are counted as they are in the file: blank ones count, and so do those inside quotes.
"""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from lexiframe.errors import ReadError
from lexiframe.io.lines import refuse_binary, single_spaces
from lexiframe.io.problems import problem_table, sentence, undecodable
from lexiframe.schemas import PROBLEMS

_SHOWN = 80


def text_table(
    data: bytes, where: str, separator: str, *, quotes: bool | None = None
) -> tuple[pl.DataFrame, pl.Series]:
    r"""Give the cells of a table with a header, and the line on which each row begins.

    Blank lines are left out, and so are blanks around names and around cells that are not quoted.
    An unnamed column that is empty is left out; a second one that is not is called by its place.

    Parameters
    ----------
    data
        UTF-8 text.
    where
        What error messages call the file.
    separator
        What stands between cells; ``" "`` stands for any blanks, and then lines that begin with #
        are comments.
    quotes
        Whether cells may stand in double quotes; by default as `may_quote` says.

    Raises
    ------
    ReadError
        With the line, for bytes that are no UTF-8, two columns of one name, a row of another width
        than the header, and quotes that do not end.

    Examples
    --------
    >>> table, lines = text_table(b'\nrun, k1\n\n"a, b", 0.9\n', "log.csv", ",")
    >>> table.rows(), lines.to_list()
    ([('a, b', '0.9')], [4])
    """
    table, lines, problems = checked_table(data, where, separator, quotes=quotes)
    if problems.height:
        raise ReadError(sentence(problems.row(0, named=True)))
    return table, lines


def may_quote(data: bytes, separator: str) -> bool:
    r"""Tell whether cells may stand in double quotes: between tabs, when the first name does.

    Examples
    --------
    >>> may_quote(b'"qid"\t"docno"\n', "\t"), may_quote(b'qid\tdocno\n', "\t")
    (True, False)
    """
    return separator not in " \t" or (separator == "\t" and data.lstrip(b"\r\n").startswith(b'"'))


def checked_table(
    data: bytes, where: str, separator: str, *, quotes: bool | None = None
) -> tuple[pl.DataFrame, pl.Series, pl.DataFrame]:
    """As `text_table`, of the rows that are in order; and the problems of the others."""
    if quotes is None:
        quotes = may_quote(data, separator)
    data = _with_line_feeds(data, where, separator)
    records = _records(data.decode("utf-8", "backslashreplace"), separator, quotes=quotes)
    if not records.height:
        raise ReadError(f"{where}: expected a line of names, and lines below it, found none")
    header, rows = records[:1], records[1:]
    width = header["n"].item()
    is_good = (pl.col("n") == width) & ~pl.col("is_broken")
    names = _names([cell.item() for cell in _cells(header, width, quotes=quotes)])
    problems = [
        _problems_of_bytes(data, where),
        _problems_of_names(names, where, header["line"].item()),
        _problems_of_width(records.filter(~is_good), where, separator, width),
    ]
    found = pl.concat(problems).unique("line", keep="first").sort("line")
    rows = rows.filter(is_good)
    if len(set(names)) < width:
        return pl.DataFrame(), rows["line"][:0], found
    cells = _cells(rows, width, quotes=quotes)
    table = pl.DataFrame(dict(zip(names, cells, strict=True)))
    # by Series, since Polars takes the names * and ^...$ for patterns
    return pl.DataFrame({name: table[name] for name in _meant(table)}), rows["line"], found


def _with_line_feeds(data: bytes, where: str, separator: str) -> bytes:
    """Make every line end a line feed, so that lines keep their numbers."""
    if separator == " ":
        return single_spaces(data, where) + b"\n"
    refuse_binary(data, where)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + b"\n"


def _records(text: str, separator: str, *, quotes: bool) -> pl.DataFrame:
    """Give the line, text, fields and their number n of all records but blank ones.

    A field has its separator in front. A line is broken when its quotes are.
    """
    mark = re.escape(separator)
    field = f"[^{mark}\n]*"
    if quotes:
        blanks = "[ ]*" if separator == "\t" else "[ \t]*"
        quoted = f'{blanks}"[^"]*(?:""[^"]*)*"{blanks}'
        bare = f'{blanks}(?:[^{mark}" \t\n][^{mark}\n]*)?'
        field = f"(?:{quoted}|{bare})"
    record = f"{field}(?:{mark}{field})*\n|[^\n]*\n"
    found = pl.Series("text", [text]).str.extract_all(record).explode().to_frame()
    n_lines = pl.col("text").str.count_matches("\n", literal=True).cast(pl.Int64)
    whole = pl.lit(separator) + pl.col("text")
    return (
        found.with_columns(line=n_lines.cum_sum() - n_lines + 1)
        .with_columns(pl.col("text").str.strip_suffix("\n"))
        .filter(pl.col("text").str.strip_chars() != "")
        .with_columns(fields=whole.str.extract_all(mark + field))
        .with_columns(
            n=pl.col("fields").list.len(), is_broken=pl.col("fields").list.join("") != whole
        )
    )


def _cells(records: pl.DataFrame, width: int, *, quotes: bool) -> list[pl.Series]:
    """Give the columns of records that all have one width."""
    cells = []
    for place in range(width):
        cell = pl.col("fields").list.get(place, null_on_oob=True).str.slice(1)
        cell = cell.str.strip_chars(" \t")
        if quotes:
            inner = cell.str.strip_prefix('"').str.strip_suffix('"')
            inner = inner.str.replace_all('""', '"', literal=True)
            cell = pl.when(cell.str.starts_with('"')).then(inner).otherwise(cell)
        cells.append(records.select(cell.alias("cell"))["cell"])
    return cells


def _names(cells: list[str]) -> list[str]:
    """Strip the names of columns, and give one to all but the first that have none."""
    names = [cell.strip() for cell in cells]
    unnamed = [place for place, name in enumerate(names) if not name]
    for place in unnamed[1:]:
        names[place] = f"column_{place + 1}"
    return names


def _meant(table: pl.DataFrame) -> list[str]:
    """Leave out the unnamed columns that a separator at the end of every line makes."""
    return [
        name
        for place, name in enumerate(table.columns, 1)
        if name not in ("", f"column_{place}") or (table[name] != "").any()
    ]


def _problems_of_bytes(data: bytes, where: str) -> pl.DataFrame:
    found = undecodable(data)
    return _problems(
        pl.DataFrame({"line": list(found), "bytes": list(found.values())}, schema_overrides=_TYPES),
        (where, "encoding", "UTF-8 text", "save it as UTF-8"),
        pl.format("the bytes {}", "bytes"),
    )


def _problems_of_names(names: list[str], where: str, line: int) -> pl.DataFrame:
    twins = [name for name, n in Counter(names).items() if n > 1]
    if not twins:
        return pl.DataFrame(schema=PROBLEMS.columns)
    found = f"two that are named {twins[0]!r}"
    return problem_table(where, line, "fields", "columns of different names", found, "rename one")


def _problems_of_width(bad: pl.DataFrame, where: str, separator: str, width: int) -> pl.DataFrame:
    text = pl.col("text").str.head(_SHOWN)
    advice = "put text that holds commas into double quotes" if separator == "," else ""
    return pl.concat(
        [
            _problems(
                bad.filter("is_broken"),
                (
                    where,
                    "fields",
                    "quotes that end with their field",
                    "write a quote in quoted text twice",
                ),
                pl.format("'{}'", text),
            ),
            _problems(
                bad.filter(~pl.col("is_broken")),
                (where, "fields", f"{width} fields as in the header", advice),
                pl.format("{}: '{}'", "n", text),
            ),
        ]
    )


_TYPES = {"line": pl.Int64(), "bytes": pl.String()}


def _problems(lines: pl.DataFrame, said: tuple[str, str, str, str], found: pl.Expr) -> pl.DataFrame:
    """Make a table of problems; ``said`` is the same for all: file, problem, expected, advice."""
    file, problem, expected, advice = map(pl.lit, said)
    return lines.select(
        file.alias("file"),
        "line",
        problem.alias("problem"),
        expected.alias("expected"),
        found.alias("found"),
        advice.alias("advice"),
    )
