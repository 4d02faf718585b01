"""Reading and writing TREC text: one row in each line, ASCII white space between its fields.

A plain file is parsed by Arrow's CSV reader. A file with tabs, repeated spaces or comments is first
rewritten with single spaces, and lines with different numbers of fields are cut to the same number.
If a line is malformed, `parse_lines` raises an error without its number. Then
`lexiframe.io.text.trec_rows` finds the malformed lines, and `lexiframe.io.problems.bad_rows` the
rows without an id or a number.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe.base import Problem, ReadError, n_and_first, warn
from lexiframe.io.column_forms.line_layouts import GRADED, QRELS, RANKED, RUN, SCORED, Layout
from lexiframe.io.column_forms.numbers import EXACT, NUMBER, whole_ranks
from lexiframe.io.reading_options import Third
from lexiframe.io.text.lines import (
    PIECE,
    blocks_of_lines,
    cut,
    first_fields,
    is_plain,
    lacks_final_line_feed,
    plain,
    squared,
    widths_of,
)

NOT_PARSED = (pl.exceptions.PolarsError, OSError)
"""What Polars raises for malformed CSV; OSError is for text that begins like packed data."""
_START = 1 << 12  # bytes of a file in which its second line is looked for
_FEWEST_OF_TWO_ROWS = 10
"""Two rows of a run in one line have at least this many fields."""


def run_layout(data: bytes, third: Third | None) -> Layout:
    """Return the layout of a run's lines; ``third`` says what the third of three fields is."""
    if third is None or not _has_three_columns(data):
        return RUN
    return RANKED if third == "rank" else SCORED


def _has_three_columns(data: bytes) -> bool:
    """Return whether the first line has three fields, or holds two rows and the next has three."""
    width = len(SCORED.names)
    first = len(first_fields(data))
    if first not in (2 * width - 1, 2 * width):
        return first == width
    lines = data[:_START].replace(b"\r", b"\n").split(b"\n")
    fields = (line.split() for line in lines if line.strip() and not line.lstrip().startswith(b"#"))
    return [len(of_line) for of_line in itertools.islice(fields, 2)][1:] == [width]


def qrels_layout(data: bytes) -> Layout:
    """Return the layout of the lines of qrels, by the first line."""
    if not _has_three_columns(data):
        return QRELS
    fields = first_fields(data)
    return GRADED if re.match(NUMBER.encode(), fields[-1].replace(b",", b".")) else QRELS


def parse_lines(
    data: bytes, where: str, layout: Layout, wanted: tuple[str, ...], decimal: str = "."
) -> tuple[pl.DataFrame, int]:
    r"""Parse text into a table of the fields wanted; raise if a line is malformed.

    The second value counts the lines of runs with more fields than the layout has: these fields are
    ignored. A line is also malformed if it may have lost a field, or holds two rows. A rank is a
    string, unless it is the layout's number.

    Examples
    --------
    >>> fields = ("query_id", "doc_id", "score")
    >>> text = b"q1 Q0 d7\t1 0.5 bm25\nq1 Q0  d3 2 0.25 my own"
    >>> table, n_wider = parse_lines(text, "", RUN, fields)
    >>> table.rows(), n_wider
    ([('q1', 'd7', 0.5), ('q1', 'd3', 0.25)], 1)
    """
    text = data if is_plain(data) else plain(data, where)
    if not text:
        raise ReadError(Problem(where, f"lines of {layout}", "only comments"))
    table, n_wider = parse_plain(text, layout, wanted, decimal), 0
    if table is None:
        widths = widths_of(text)
        is_wider = widths > len(layout.names)
        n_wider = int(np.count_nonzero(is_wider))
        if not (_are_malformed(text, widths, layout) or _is_cut(data, widths, layout)):
            asked = (*wanted, "rank") if n_wider else wanted
            table = parse_plain(squared(text, widths, len(layout.names)), layout, asked, decimal)
        # A space in an id shifts the fields behind it, so that the rank is no number.
        if table is not None and n_wider:
            are_ranks = table["rank"].filter(is_wider).str.contains(NUMBER).all()
            table = table if are_ranks else None
    if table is None:
        raise ReadError(Problem(where, "", f"cannot be parsed as lines of {layout}"))
    return table.select(n for n in wanted if n in table.columns), n_wider


def _are_malformed(lines: bytes, widths: np.ndarray, layout: Layout) -> bool:
    """Return whether lines that failed to parse are malformed, and not only different in width."""
    narrowest, widest, most = widths.min(), widths.max(), len(layout.names)
    if narrowest < layout.at_least or narrowest == widest <= most:
        return True
    if layout.at_least == most:  # only lines of runs may have more fields, as tags with spaces
        return bool(widest > most)
    return _may_lack_fields(lines, widths) or _any_holds_two_rows(lines, widths)


def _is_cut(data: bytes, widths: np.ndarray, layout: Layout) -> bool:
    """Return whether the last line has fewer fields than the line above and no line feed."""
    last = widths[-2:].clip(max=len(layout.names))
    return bool(last[-1] < last[0]) and lacks_final_line_feed(data)


def _may_lack_fields(lines: bytes, widths: np.ndarray) -> bool:
    """Return whether a line with five fields may lack a field other than the tag.

    That is possible if tags of other lines are numbers: if a document is missing, say, the rank
    would be read as the document and the tag as the score.
    """
    has_tag = widths >= len(RUN.names)
    if has_tag.all() or not has_tag.any():
        return False
    tagged = squared(_only(lines, has_tag), widths[has_tag], len(RUN.names))
    tags = _columns(tagged, RUN.names, {"tag": pa.string()})["tag"]
    return bool(tags.str.contains(NUMBER).any())


def _any_holds_two_rows(lines: bytes, widths: np.ndarray) -> bool:
    may_be_two = widths >= _FEWEST_OF_TWO_ROWS
    if not may_be_two.any():
        return False
    texts = _only(lines, may_be_two).decode("utf-8", "replace").split("\n")
    split = pl.DataFrame({"fields": texts}).select(pl.col("fields").str.split(" "))
    return bool(split.select(holds_two_rows(RUN).any()).item())


def holds_two_rows(layout: Layout) -> pl.Expr:
    """Return which lines hold two rows, because a line feed was lost when files were joined.

    The query of the second row is joined to the last field of the first one, or follows it. In a
    run that field is the tag, so column 2 (Q0) of the second row is the seventh or eighth field. It
    has to equal column 2 of the first row, or be no number, so that other fields behind a row are
    not taken for a second one.
    """
    fields, width = pl.col("fields"), len(layout.names)
    if layout.at_least == width:
        may_be_two = fields.list.len().is_in([2 * width - 1, 2 * width])
        return may_be_two & fields.list.last().str.contains(NUMBER)

    def is_row(at: int) -> pl.Expr:
        q0, rank, score = (fields.list.get(at + n, null_on_oob=True) for n in (0, 2, 3))
        is_like = (q0 == fields.list.get(1, null_on_oob=True)) | ~q0.str.contains(NUMBER)
        return is_like & rank.str.contains(r"^[0-9]+(?:\.0+)?$") & score.str.contains(NUMBER)

    return is_row(6).fill_null(value=False) | is_row(7).fill_null(value=False)


def _only(lines: bytes, kept: np.ndarray) -> bytes:
    """Return the lines of plain text for which ``kept`` is true."""
    text = np.frombuffer(lines if lines.endswith(b"\n") else lines + b"\n", np.uint8)
    ends = np.flatnonzero(text == ord("\n")) + 1
    starts = np.append(0, ends[:-1])
    return cut(text, starts[~kept], ends[~kept]).tobytes()


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
        _check_utf8(text)
        table = _columns(text, names, types)
        if decimal == ",":
            table = table.with_columns(pl.col(number).str.replace(",", ".", literal=True))
        numbers = table[number].cast(pl.Float64)
    except (pa.ArrowInvalid, pl.exceptions.PolarsError):
        return None
    no_ranks = number == "rank" and whole_ranks(numbers).has_nulls()
    return None if numbers.is_nan().any() or no_ranks else table.with_columns(numbers)


def _check_utf8(text: bytes) -> None:
    """Raise Arrow's error for bytes that are not UTF-8, also in fields that are not read."""
    if not text.isascii():
        edges = np.array([0, len(text)], np.int64)
        buffers = (pa.py_buffer(edges), pa.py_buffer(text))
        pa.LargeStringArray.from_buffers(1, *buffers).validate(full=True)


def _columns(text: bytes, names: Sequence[str], types: Mapping[str, pa.DataType]) -> pl.DataFrame:
    """Parse the columns of UTF-8 text that are in ``types``; each line must have all ``names``."""
    if len(text) <= 2 * PIECE:
        return _parsed(text, names, types)
    numbers = {name: dtype for name, dtype in types.items() if dtype != pa.string()}
    for block in blocks_of_lines(text, PIECE):  # find a bad line before any table is kept
        _parsed(block, names, numbers or {names[-1]: pa.string()})
    blocks = [_parsed(block, names, types) for block in blocks_of_lines(text, PIECE)]
    return pl.concat(blocks, rechunk=True)


def _parsed(text: bytes, names: Sequence[str], types: Mapping[str, pa.DataType]) -> pl.DataFrame:
    from pyarrow import csv

    table = csv.read_csv(
        pa.BufferReader(text),
        # One block, so that each column is one chunk.
        csv.ReadOptions(use_threads=False, block_size=len(text), column_names=names),
        csv.ParseOptions(delimiter=" ", quote_char=False),
        csv.ConvertOptions(
            check_utf8=False, column_types=types, include_columns=[*types], null_values=[]
        ),
    )
    return pl.DataFrame(pl.from_arrow(table))


def text_of_run(rows: pl.DataFrame, tag: str) -> bytes:
    r"""Write one run's rows as TREC text, in their order; without ranks, number each query's rows.

    Examples
    --------
    >>> text_of_run(pl.DataFrame({"query_id": ["q1"], "doc_id": ["d7"], "score": [0.5]}), "bm25")
    b'q1 Q0 d7 1 0.5 bm25\n'
    """
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    rank = pl.col("rank") if "rank" in rows.columns else place
    constant = {"q0": pl.lit("Q0"), "tag": pl.lit(tag)}
    return _text(rows.with_columns(rank=rank, **constant).select(RUN.names))


def text_of_qrels(rows: pl.DataFrame) -> bytes:
    r"""Write judgments as TREC text, in their order; without decimal points if all are whole.

    Examples
    --------
    >>> text_of_qrels(pl.DataFrame([("q1", "0", "d7", 2.0)], schema=QRELS.names, orient="row"))
    b'q1 0 d7 2\n'
    """
    grades = rows["relevance"]
    whole = ((grades == grades.round()) & (grades.abs() < EXACT)).all()
    grade = pl.col("relevance").cast(pl.Int64) if whole else pl.col("relevance")
    return _text(rows.select("query_id", "iteration", "doc_id", grade))


def _text(rows: pl.DataFrame) -> bytes:
    text = rows.write_csv(include_header=False, separator=" ", quote_style="never")
    return text.encode()
