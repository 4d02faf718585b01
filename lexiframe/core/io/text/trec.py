"""Reading and writing TREC text: one row in each line, ASCII white space between its fields.

A plain file is parsed by Arrow's CSV reader. A file with tabs, repeated spaces or comments is first
rewritten with single spaces, and lines with different numbers of fields are parsed by Polars.
If a line is malformed, `parse_lines` raises an error without its number. Then
`core.io.text.trec_rows` finds the malformed lines, and `core.io.problems.bad_rows` the rows without
an id or a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

import polars as pl
import pyarrow as pa

from lexiframe.core.base import Problem, ReadError, n_and_first, warn
from lexiframe.core.io.column_forms.line_layouts import GRADED, QRELS, RANKED, RUN, SCORED, Layout
from lexiframe.core.io.column_forms.numbers import EXACT, NUMBER, whole_ranks
from lexiframe.core.io.reading_options import Third
from lexiframe.core.io.text.lines import (
    BLOCK_OF_ROWS,
    LARGEST,
    PIECE,
    blocks_of_lines,
    check_utf8,
    fields_of_lines,
    first_fields,
    is_plain,
    lacks_final_line_feed,
    plain,
    refuse_wide,
)

_NOT_PARSED = (pa.ArrowInvalid, pl.exceptions.PolarsError)
"""What the parsers raise."""
_UNEVEN = (*RUN.names, "7", "8", "9", "10", "11")
"""The fields of lines that differ in width: as many as are needed to see two rows in a line."""


def run_layout(data: bytes, third: Third | None) -> Layout:
    """Return the layout of a run's lines; ``third`` is the meaning of the third of three fields."""
    if third is None or not _has_three_columns(data):
        return RUN
    return RANKED if third == "rank" else SCORED


def _has_three_columns(data: bytes) -> bool:
    """Return whether the first line has three fields, or holds two rows and the next has three."""
    width = len(SCORED.names)
    first, *second = [len(fields) for fields in islice(fields_of_lines(data), 2)] or [0]
    return first == width or (first in (2 * width - 1, 2 * width) and second == [width])


def qrels_layout(data: bytes, *, labelled: bool = False) -> Layout:
    """Return the layout of the lines of qrels, by the first line; L0 to L3 are NTCIR's grades."""
    if not _has_three_columns(data):
        return QRELS
    fields = first_fields(data)
    is_grade = re.match(NUMBER.encode(), fields[-1].replace(b",", b".")) or labelled
    return GRADED if is_grade or re.fullmatch(rb"L\d", fields[-1]) else QRELS


def parse_lines(
    data: bytes, where: str, layout: Layout, wanted: tuple[str, ...], decimal: str = "."
) -> tuple[pl.DataFrame, int]:
    r"""Parse text into a table of the fields wanted; raise for a malformed line.

    The second value counts the lines of runs with more fields than the layout, which are ignored. A
    line that may have lost a field, or holds two rows, is malformed. A rank is a string, unless it
    is the layout's number.

    Examples
    --------
    >>> fields = ("query_id", "doc_id", "score")
    >>> text = b"q1 Q0 d7\t1 0.5 bm25\nq1 Q0  d3 2 0.25 my own"
    >>> table, n_wider = parse_lines(text, "", RUN, fields)
    >>> table.rows(), n_wider
    ([('q1', 'd7', 0.5), ('q1', 'd3', 0.25)], 1)
    """
    refuse_wide(data, where)
    text = data if is_plain(data) else plain(data, where)
    if not text:
        raise ReadError(Problem(where, f"lines of {layout}", "only comments"))
    table, n_wider = parse_plain(text, layout, wanted, decimal), 0
    if table is None and layout is RUN and not _is_cut(data, text):
        table, n_wider = _parse_uneven(text, wanted, decimal)
    if table is None:
        raise ReadError(Problem(where, "", f"cannot be parsed as lines of {layout}"))
    return table.select(n for n in wanted if n in table.columns), n_wider


def _is_cut(data: bytes, text: bytes) -> bool:
    """Return whether the last line has fewer fields than the line above and no line feed."""
    above = text.rfind(b"\n", 0, max(text.rfind(b"\n", 0, -1), 0))
    last = text[above + 1 :].split(b"\n")[:2]
    widths = [min(line.count(b" ") + 1, len(RUN.names)) for line in last]
    return widths[-1] < widths[0] and lacks_final_line_feed(data)


def _parse_uneven(
    text: bytes, wanted: tuple[str, ...], decimal: str
) -> tuple[pl.DataFrame | None, int]:
    """Parse plain lines of a run that differ in width; count the lines with unread fields.

    The table is None if a line has too few fields or no number, holds two rows, or may lack another
    field than the tag, which is possible if tags of other lines are numbers: without the document,
    say, the rank would be read as the document and the tag as the score.
    """
    is_wider, may_be_two = (pl.col(place) != "" for place in ("7", "10"))
    score = _number_field("score", decimal)
    facts = {
        "n_wider": is_wider.sum(),
        "nan": score.is_nan().any(),
        "two_rows": holds_two_rows(lambda n: pl.col(_UNEVEN[n]).filter(may_be_two)).any(),
        # A space in an id shifts the fields behind it, so that the rank is no number.
        "no_rank": pl.col("rank").filter(is_wider).str.contains(NUMBER).not_().any(),
        "no_tag": (pl.col("tag") == "").any(),
        "tag_is_number": pl.col("tag").str.contains(NUMBER).any(),
    }
    blocks = partial(_uneven_fields, text)
    try:
        check_utf8(text)
        if len(text) <= 2 * PIECE:  # in longer text, bad lines are found before a table is kept
            blocks = partial(iter, [*blocks()])
        found = pl.concat(fields.select(**facts) for fields in blocks())
        n = found.sum().row(0, named=True)
    except _NOT_PARSED:
        return None, 0
    if n["nan"] or n["two_rows"] or n["no_rank"] or (n["no_tag"] and n["tag_is_number"]):
        return None, 0
    tables = (fields.select(wanted).with_columns(score) for fields in blocks())
    table = pl.concat(tables, rechunk=True)
    return table.drop("tag", strict=False) if n["no_tag"] else table, n["n_wider"]


def _uneven_fields(text: bytes) -> Iterator[pl.DataFrame]:
    """Parse lines that differ in width, in blocks; fields that a line lacks are empty."""
    for block in blocks_of_lines(text, BLOCK_OF_ROWS):
        fields = pl.read_csv(
            b"\n" + block,  # or ids such as x^1, with which packed data may begin, are unpacked
            skip_lines=1,
            separator=" ",
            has_header=False,
            schema=dict.fromkeys(_UNEVEN, pl.String()),
            quote_char=None,
            empty_string_is_null=False,
            extra_columns="ignore",
            missing_columns="insert",
        )
        yield fields.fill_null("")


def holds_two_rows(field: Callable[[int], pl.Expr]) -> pl.Expr:
    """Return which lines of a run hold two rows, since a line feed was lost when files were joined.

    The query of the second row is joined to the last field of the first one, the tag, or follows
    it. So column 2 (Q0) of the second row is the seventh or eighth field. It has to equal column 2
    of the first row, or be no number, so that other fields behind a row are not taken for a second
    one. ``field`` returns the field at a place, from 0.
    """

    def is_row(at: int) -> pl.Expr:
        q0, rank, score = (field(at + n) for n in (0, 2, 3))
        is_like = (q0 == field(1)) | ~q0.str.contains(NUMBER)
        return is_like & rank.str.contains(r"^[0-9]+(?:\.0+)?$") & score.str.contains(NUMBER)

    return is_row(6).fill_null(value=False) | is_row(7).fill_null(value=False)


def warn_of_wider_lines(counts: Mapping[str, int]) -> None:
    """Warn once of lines with more fields than are read; ``counts`` maps files to their number."""
    files, count = [where for where, n in counts.items() if n], sum(counts.values())
    lines = "1 line has" if count == 1 else f"{count} lines have"
    ignored = f"{lines} more than 6 fields; the fields after the sixth are ignored"
    if len(files) == 1:
        warn(f"{files[0]}: {ignored}")
    elif files:
        warn(f"{ignored}; files: {n_and_first(files)}")


def parse_plain(
    text: bytes, layout: Layout, wanted: tuple[str, ...], decimal: str
) -> pl.DataFrame | None:
    """Parse plain text; return None if its lines differ in width, or a number is malformed."""
    width = text[: text.find(b"\n") % (len(text) + 1)].count(b" ") + 1
    if not layout.at_least <= width <= len(layout.names):
        return None
    names, number = layout.names[:width], layout.number
    # Without these types, Arrow would read the id 007 as the number 7.
    types = {name: pa.string() for name in names if name in (*wanted, number)}
    if decimal == ".":
        types[number] = pa.float64()
    try:
        check_utf8(text)
        table = _parse_columns(text, names, types)
        numbers = table.select(_number_field(number, decimal))[number]
    except _NOT_PARSED:
        return None
    no_ranks = number == "rank" and whole_ranks(numbers).has_nulls()
    return None if numbers.is_nan().any() or no_ranks else table.with_columns(numbers)


def _number_field(name: str, decimal: str) -> pl.Expr:
    """Turn a field into numbers, unless Arrow did; Polars raises an error for other text."""
    text = pl.col(name)
    return (text.str.replace(",", ".", literal=True) if decimal == "," else text).cast(pl.Float64)


def _parse_columns(
    text: bytes, names: Sequence[str], types: Mapping[str, pa.DataType]
) -> pl.DataFrame:
    """Parse the columns of UTF-8 text that are in ``types``; each line must have all ``names``."""
    if len(text) <= 2 * PIECE:
        return parse_fields(text, names, types)
    numbers = {name: dtype for name, dtype in types.items() if dtype != pa.string()}
    for block in blocks_of_lines(text, PIECE):  # find a bad line before any table is kept
        parse_fields(block, names, numbers or {names[-1]: pa.string()})
    blocks = [parse_fields(block, names, types) for block in blocks_of_lines(text, PIECE)]
    return pl.concat(blocks, rechunk=True)


def parse_fields(
    text: bytes,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
    separator: str = " ",
    *,
    quotes: bool = False,
) -> pl.DataFrame:
    """Let Arrow parse the fields of UTF-8 text that are in ``types``; raise if it is malformed.

    Each line must have all ``names``; with ``quotes``, fields may stand in double quotes.
    """
    from pyarrow import csv

    quote = '"' if quotes else False
    table = csv.read_csv(
        pa.BufferReader(text),
        # One block, so that each column is one chunk.
        csv.ReadOptions(use_threads=False, block_size=min(len(text), LARGEST), column_names=names),
        csv.ParseOptions(delimiter=separator, quote_char=quote, newlines_in_values=quotes),
        csv.ConvertOptions(
            check_utf8=False, column_types=types, include_columns=[*types], null_values=[]
        ),
    )
    fields = pl.DataFrame(pl.from_arrow(table))
    fields.columns = [*types]  # Polars would call a column without a name column_0
    return fields


_PLACES = 128
"""How many lines, from all over a text, are looked at before any is parsed."""
_LONG = 1 << 12
"""Lines of a run are mostly shorter by far, so that others need not be looked at."""


def fields_that_vary(data: bytes, layout: Layout) -> tuple[str, ...]:
    r"""Return the unread fields that have several values in some lines of a run."""
    if layout is not RUN:
        return ()
    lines = (_line_at(data, n * len(data) // _PLACES) for n in range(_PLACES + 1))
    fields = [line for line in lines if len(line) >= layout.at_least]
    second = {line[1] for line in fields}
    tags = {line[5] for line in fields if len(line) >= len(layout.names)}
    return (*["q0"] * (len(second) > 1), *["tag"] * (len(tags) > 1))


def _line_at(data: bytes, place: int) -> list[bytes]:
    """Return the fields of the line at a byte; none for a comment."""
    place = min(place, len(data) - 1)
    low = max(place - _LONG, 0)
    start, end = data.rfind(b"\n", low, place), data.find(b"\n", place, place + _LONG)
    if (start < 0 and low) or (end < 0 and place + _LONG < len(data)):
        return []
    line = data[start + 1 : end if end >= 0 else len(data)]
    return [] if line.startswith(b"#") else line.split()


def text_of_run(rows: pl.DataFrame, tag: str) -> bytes:
    r"""Write one run's rows as TREC text, in order; without ranks, number each query's rows."""
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    rank = pl.col("rank") if "rank" in rows.columns else place
    constant = {"q0": pl.lit("Q0"), "tag": pl.lit(tag)}
    return _text(rows.with_columns(rank=rank, **constant).select(RUN.names))


def text_of_qrels(rows: pl.DataFrame) -> bytes:
    r"""Write judgments as TREC text, in their order; without decimal points if all are whole."""
    grades = rows["relevance"]
    whole = ((grades == grades.round()) & (grades.abs() < EXACT)).all()
    grade = pl.col("relevance").cast(pl.Int64) if whole else pl.col("relevance")
    return _text(rows.select("query_id", "iteration", "doc_id", grade))


def _text(rows: pl.DataFrame) -> bytes:
    text = rows.write_csv(include_header=False, separator=" ", quote_style="never")
    return text.encode()
