"""CSV and TSV row by row: the cells as text, the line of each row, and the problems of bad lines.

Line numbers are those of the file: blank lines count, and so do line ends inside quotes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl

from lexiframe.core.base import Problem, ReadError
from lexiframe.core.io.problems.problem_tables import (
    chosen,
    line_problems,
    problems_of_bytes,
    short,
    table_of,
)
from lexiframe.core.io.text.lines import (
    BLOCK_OF_ROWS,
    blocks_of_lines,
    refuse_binary,
    refuse_wide,
    single_spaces,
    unify_line_ends,
)


def text_table(
    data: bytes, where: str, separator: str, *, quotes: bool | None = None
) -> tuple[pl.DataFrame, pl.Series]:
    r"""Return the cells of a table with a header, and the line on which each row begins.

    Blank lines are left out, blanks around names and cells (not inside quotes), and columns with
    neither a name nor values. Of the unnamed columns, the first gets an empty name, and any other,
    at place N, the name ``column_N``. The separator ``" "`` stands for any blanks; lines that begin
    with # are then comments. ``quotes``: cells may stand in double quotes (by default as
    `may_quote` finds).

    Examples
    --------
    >>> table, lines = text_table(b'\nrun, k1\n\n"a, b", 0.9\n', "log.csv", ",")
    >>> table.rows(), lines.to_list()
    ([('a, b', '0.9')], [4])
    """
    tables, lines = [], []
    for table, table_lines, problems in blocks_of_table(data, where, separator, quotes=quotes):
        if problems.height:
            raise ReadError(Problem(**problems.row(0, named=True)))
        tables.append(table)
        lines.append(table_lines)
    return drop_empty_unnamed(pl.concat(tables)), pl.concat(lines)


def may_quote(data: bytes, separator: str) -> bool:
    r"""Return whether cells may stand in double quotes; in TSV, only if the first name does."""
    return separator not in " \t" or (separator == "\t" and data.lstrip(b"\r\n").startswith(b'"'))


def blocks_of_table(
    data: bytes, where: str, separator: str, *, quotes: bool | None = None
) -> Iterator[tuple[pl.DataFrame, pl.Series, pl.DataFrame]]:
    """Yield, for each block of a file, the cells of good rows, their lines, and the problems.

    Rows are good if they have the right number of fields, even if they are not UTF-8. The tables
    have all columns: `drop_empty_unnamed` drops those that `text_table` leaves out.
    """
    refuse_binary(data, where)
    refuse_wide(data, where, separator)
    quotes = may_quote(data, separator) if quotes is None else quotes
    names: list[str] = []
    for records, text, line in _blocks_of_records(data, where, separator, quotes=quotes):
        name_problems, header_line = [], 0
        if not names and records.height:
            header_line = records["line"][0]
            names = _column_names(_record_cells(records[:1], quotes=quotes).to_list())
            name_problems = _problems_of_names(names, where, header_line)
        if names:
            is_good = (pl.col("n") == len(names)) & ~pl.col("is_broken")
            byte_problems = problems_of_bytes(text, where, line)
            # A line that is not UTF-8 has that problem only: its width means nothing.
            is_no_utf8 = pl.col("line").is_in([problem.line for problem in byte_problems])
            bad = records.filter(~is_good & ~is_no_utf8)
            width_problems = _problems_of_width(bad, where, separator, len(names))
            problems = pl.concat([table_of([*byte_problems, *name_problems]), width_problems])
            rows = records.filter(is_good & (pl.col("line") != header_line))
            table = _record_columns(rows, names, quotes=quotes)
            places = rows["line"] if table.width else rows["line"][:0]
            yield table, places, problems.sort("line", maintain_order=True)
    if not names:
        raise ReadError(Problem(where, "a line of names, and lines below it", "none"))


def drop_empty_unnamed(table: pl.DataFrame) -> pl.DataFrame:
    """Drop unnamed empty columns, such as a separator at the end of every line makes."""
    places = enumerate(table.columns, 1)
    unnamed = [name for place, name in places if name in ("", f"column_{place}")]
    return table.drop(name for name in unnamed if not (table[name] != "").any())


def _blocks_of_records(
    data: bytes, where: str, separator: str, *, quotes: bool
) -> Iterator[tuple[pl.DataFrame, bytes, int]]:
    """Yield blocks of records, with the text of the block and the number of its first line."""
    rest, line, end = b"", 1, 0
    for block in blocks_of_lines(data, BLOCK_OF_ROWS):
        end += len(block)
        text, rest = rest + plain_lines(block, where, separator), b""
        records = _records(text.decode("utf-8", "backslashreplace"), line, separator, quotes=quotes)
        if quotes and end < len(data):
            rest = _open_end(records, text, line, separator)
            text = text.removesuffix(rest)
            records = records.filter(pl.col("line") < line + text.count(b"\n"))
        yield records, text, line
        line += text.count(b"\n")


def _open_end(records: pl.DataFrame, text: bytes, first: int, separator: str) -> bytes:
    """Return the end of a block that begins with a record whose quotes are still open.

    It is empty if there is none. Quotes that stay open for more than half a block are never closed.
    """
    starts = np.append(0, np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1)
    broken = starts[records.filter("is_broken")["line"].to_numpy() - first]
    field, mark = _field(separator), re.escape(separator)
    is_open = re.compile(rf'(?:{field}{mark})*[ \t]*"[^"]*(?:""[^"]*)*\Z'.encode())
    late = (at for at in broken if at > len(text) // 2)
    at = next((at for at in late if is_open.match(text, at)), len(text))
    return text[at:]


def plain_lines(data: bytes, where: str, separator: str) -> bytes:
    """Replace each line ending by a line feed, and add a last one; the lines keep their numbers.

    If the separator is a blank, also reduce blanks to one space, and empty the lines of comments.
    """
    data = single_spaces(data, where) if separator == " " else unify_line_ends(data)
    return data if data.endswith(b"\n") else data + b"\n"


def _field(separator: str) -> str:
    mark = re.escape(separator)
    blanks = "[ ]*" if separator == "\t" else "[ \t]*"
    quoted = f'{blanks}"[^"]*(?:""[^"]*)*"{blanks}'
    return f'(?:{quoted}|{blanks}(?:[^{mark}" \t\n][^{mark}\n]*)?)'


def _records(text: str, first: int, separator: str, *, quotes: bool) -> pl.DataFrame:
    """Split text into records; columns are line, text, fields, n (of fields) and is_broken.

    Each field begins with a separator, also the first. A record is broken if a quoted field
    lacks its closing quote, or has text behind it. Blank records are left out.
    """
    if not quotes or '"' not in text:  # `_split_lines` takes less than half the time
        return _split_lines(text, first, separator)
    mark, field = re.escape(separator), _field(separator)
    record = f"{field}(?:{mark}{field})*\n|[^\n]*\n"
    found = pl.Series("text", [text]).str.extract_all(record).explode().to_frame()
    n_lines = pl.col("text").str.count_matches("\n", literal=True).cast(pl.Int64)
    whole = pl.lit(separator) + pl.col("text")
    return (
        found.with_columns(line=n_lines.cum_sum() - n_lines + first)
        .with_columns(pl.col("text").str.strip_suffix("\n"))
        .filter(pl.col("text").str.strip_chars() != "")
        .with_columns(fields=whole.str.extract_all(mark + field))
        .with_columns(
            n=pl.col("fields").list.len(), is_broken=pl.col("fields").list.join("") != whole
        )
    )


def _split_lines(text: str, first: int, separator: str) -> pl.DataFrame:
    """Split text without quotes into records, as `_records` does: each line is one."""
    texts = pl.Series("text", text.removesuffix("\n").split("\n"))
    fields = (pl.lit(separator) + pl.col("text")).str.split(separator).list.slice(1)
    return (
        texts.to_frame()
        .with_columns(line=pl.int_range(first, first + pl.len()))
        .filter(pl.col("text").str.strip_chars() != "")
        .with_columns(fields=fields.list.eval(pl.lit(separator) + pl.element()))
        .with_columns(n=pl.col("fields").list.len(), is_broken=pl.lit(value=False))
    )


def _record_columns(records: pl.DataFrame, names: list[str], *, quotes: bool) -> pl.DataFrame:
    """Return the columns of records of the right width; no columns if two have the same name."""
    if len(set(names)) < len(names):
        return pl.DataFrame()
    rows = (
        _record_cells(records, quotes=quotes).reshape((records.height, len(names))).to_frame("row")
    )
    return rows.select(pl.col("row").arr.to_struct(names))["row"].struct.unnest()


def _record_cells(records: pl.DataFrame, *, quotes: bool) -> pl.Series:
    """Return the cells of all records in one column, record by record."""
    cell = pl.col("fields").str.slice(1).str.strip_chars(" \t")
    cells = records.select(pl.col("fields").explode(empty_as_null=False)).select(cell)
    if quotes:
        inner = pl.col("fields").str.strip_prefix('"').str.strip_suffix('"')
        inner = inner.str.replace_all('""', '"', literal=True)
        is_quoted = pl.col("fields").str.starts_with('"')
        cells = cells.select(pl.when(is_quoted).then(inner).otherwise("fields"))
    return cells["fields"]


def _column_names(cells: list[str]) -> list[str]:
    """Strip the names of columns; all unnamed columns but the first get a name by their place."""
    names = [cell.strip() for cell in cells]
    unnamed = [place for place, name in enumerate(names) if not name]
    for place in unnamed[1:]:
        names[place] = f"column_{place + 1}"
    return names


def _problems_of_names(names: list[str], where: str, line: int) -> list[Problem]:
    twins = [name for name, n in Counter(names).items() if n > 1]
    expected, advice = "columns of different names", "rename one"
    found = [f"two that are named {name!r}" for name in twins]
    return [Problem(where, expected, f, advice, "fields", line, order=line) for f in found]


def _problems_of_width(bad: pl.DataFrame, where: str, separator: str, width: int) -> pl.DataFrame:
    from lexiframe.core.io.problems.advice import mend_width

    text = pl.format("'{}'", short(bad["text"]))
    is_narrow = pl.col("n") < width
    few, many = (mend_width(separator, is_narrow=is_narrow) for is_narrow in (True, False))
    closed, same = "a closing quote at the end of each quoted field", "fields as in the header"
    advice = chosen(
        ("is_broken", 'write each quote inside a quoted field as ""'),
        (is_narrow, few),
        (
            pl.col("n") == 2 * width - 1,
            f"{many}; if these are two rows, put a line feed between them",
        ),
        otherwise=many,
    )
    return line_problems(
        bad,
        where,
        problem=pl.lit("fields"),
        expected=chosen(("is_broken", closed), otherwise=f"{width} {same}"),
        found=chosen(("is_broken", text), otherwise=pl.format("{}: {}", "n", text)),
        advice=advice,
    )
