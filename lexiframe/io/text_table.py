"""Tables in text: their cells as text, the line of each row, and what is wrong with their lines.

Lines are counted as they are in the file: blank ones count, and so do those inside quotes.
"""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from lexiframe.errors import Problem, ReadError
from lexiframe.io.advice import mend_width
from lexiframe.io.lines import refuse_binary, single_spaces
from lexiframe.io.problems import of_lines, problems_of_bytes, short, table_of


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
        raise ReadError(Problem(**problems.row(0, named=True)))
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
        raise ReadError(Problem(where, "a line of names, and lines below it", "none"))
    header, rows = records[:1], records[1:]
    width = header["n"].item()
    is_good = (pl.col("n") == width) & ~pl.col("is_broken")
    names = _names([cell.item() for cell in _cells(header, width, quotes=quotes)])
    told = problems_of_bytes(data, where)
    bad = records.filter(~is_good & ~pl.col("line").is_in([problem.line for problem in told]))
    told += _problems_of_names(names, where, header["line"].item())
    of_width = _problems_of_width(bad, where, separator, width)
    found = pl.concat([table_of(told), of_width]).sort("line", maintain_order=True)
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


def _problems_of_names(names: list[str], where: str, line: int) -> list[Problem]:
    twins = [name for name, n in Counter(names).items() if n > 1]
    expected, advice = "columns of different names", "rename one"
    found = [f"two that are named {name!r}" for name in twins]
    return [Problem(where, expected, f, advice, "fields", line, order=line) for f in found]


def _problems_of_width(bad: pl.DataFrame, where: str, separator: str, width: int) -> pl.DataFrame:
    text = pl.format("'{}'", short(bad["text"]))
    is_narrow = pl.col("n") < width
    few, many = (mend_width(separator, is_narrow=is_narrow) for is_narrow in (True, False))
    advice = pl.when("is_broken").then(pl.lit("write a quote in quoted text twice"))
    expected = pl.when("is_broken").then(pl.lit("quotes that end with their field"))
    return of_lines(
        bad,
        where,
        problem=pl.lit("fields"),
        expected=expected.otherwise(pl.lit(f"{width} fields as in the header")),
        found=pl.when("is_broken").then(text).otherwise(pl.format("{}: {}", "n", text)),
        advice=advice.when(is_narrow)
        .then(pl.lit(few))
        .when(pl.col("n") == 2 * width - 1)
        .then(pl.lit(f"{many}; if these are two rows, put a line feed between them"))
        .otherwise(pl.lit(many)),
    )
