"""Lines of TREC text one by one: the rows that they hold, and what is wrong with the others."""

from __future__ import annotations

import polars as pl

from lexiframe.io.advice import CUT_SHORT, LOST_FIELD, TWO_ROWS, advice_for, mend_width
from lexiframe.io.lines import ends_in_a_line, single_spaces
from lexiframe.io.problems import SAVE_AS_UTF8, of_lines, short, undecodable
from lexiframe.io.rows import Hint, Rows
from lexiframe.io.trec import NUMBER, Dialect, Layout, is_pair


def rows_of_lines(data: bytes, where: str, layout: Layout, dialect: Dialect) -> Rows:
    """Give the lines that have the fields of a layout; and the problems of the others.

    Parameters
    ----------
    data
        UTF-8 text.
    where
        What to call the file.
    layout, dialect
        What its lines should be, and what was said of it.
    """
    lines = lines_of(data, where)
    width = pl.col("n").clip(upper_bound=len(layout.names)).cast(pl.Int64)
    is_last = pl.lit(ends_in_a_line(data)) & (pl.int_range(pl.len()) == pl.len() - 1)
    lines = lines.with_columns(is_cut=(is_last & (width.diff() < 0)).fill_null(value=False))
    field = pl.col("fields").list
    lines = lines.with_columns(is_pair=_is_pair(layout), may_lack=_may_lack(layout))
    is_too_wide = pl.col("n") > len(layout.names)
    if layout.at_least < len(layout.names):  # what follows is ignored, unless a field was split
        rank = field.get(layout.names.index("rank"), null_on_oob=True)
        is_too_wide &= ~rank.str.contains(NUMBER)
    is_no_row = pl.col("bytes").is_not_null() | (pl.col("n") < layout.at_least)
    is_no_row |= is_too_wide | pl.col("is_cut") | pl.col("is_pair") | pl.col("may_lack")
    good, bad = lines.filter(~is_no_row), lines.filter(is_no_row)
    hint = _hint(lines, layout)
    place = layout.names.index(layout.number)
    wanted = ("query_id", "iteration", "doc_id", layout.number)
    names = {name: n for n, name in enumerate(layout.names) if name in wanted}
    return Rows(
        good.select(field.get(n).alias(name) for name, n in names.items()),
        good["line"],
        problems=_no_rows(bad, where, layout, hint),
        behind=": '" + short(good["text"]) + "'",
        called={layout.number: f"in field {place + 1} ({layout.number})"},
        decimal=dialect.decimal,
        hint=hint,
    )


def _is_pair(layout: Layout) -> pl.Expr:
    """Tell the lines that hold two rows."""
    if layout.at_least < len(layout.names):
        return is_pair(pl.col("fields"))
    width = len(layout.names)
    is_number = pl.col("fields").list.last().str.contains(NUMBER)
    return pl.col("n").is_in([2 * width - 1, 2 * width]) & is_number


def _may_lack(layout: Layout) -> pl.Expr:
    """Tell the lines without a tag among those whose tags are numbers."""
    if layout.at_least == len(layout.names):
        return pl.lit(value=False)
    tag = pl.col("fields").list.get(layout.names.index("tag"), null_on_oob=True)
    return (pl.col("n") == layout.at_least) & tag.str.contains(NUMBER).any()


def _no_rows(lines: pl.DataFrame, where: str, layout: Layout, hint: Hint | None) -> pl.DataFrame:
    """Tell the lines with undecodable bytes or another number of fields."""
    few, many = (mend_width(" ", is_narrow=is_narrow) for is_narrow in (True, False))
    is_text, is_narrow = pl.col("bytes").is_null(), pl.col("n") < layout.at_least
    of_width = pl.when(is_narrow).then(pl.lit(few)).otherwise(pl.lit(many))
    of_width = pl.when("is_cut").then(pl.lit(CUT_SHORT)).otherwise(of_width)
    of_width = pl.when("is_pair").then(pl.lit(TWO_ROWS)).otherwise(of_width)
    of_width = pl.when("may_lack").then(pl.lit(LOST_FIELD)).otherwise(of_width)
    if hint is not None:
        of_width = pl.when(pl.col("n") == hint.width).then(pl.lit(hint.advice)).otherwise(of_width)
    width = pl.format("{}: '{}'", "n", short(lines["text"]))
    return of_lines(
        lines,
        where,
        problem=pl.when(is_text).then(pl.lit("fields")).otherwise(pl.lit("encoding")),
        expected=pl.when(is_text).then(pl.lit(str(layout))).otherwise(pl.lit("UTF-8 text")),
        found=pl.when(is_text).then(width).otherwise(pl.format("the bytes {}", "bytes")),
        advice=pl.when(is_text).then(of_width).otherwise(pl.lit(SAVE_AS_UTF8)),
    )


def _hint(lines: pl.DataFrame, layout: Layout) -> Hint | None:
    """Say what the first line tells of the file, if that is malformed."""
    if not lines.height:
        return None
    first = lines.row(0, named=True)
    number = dict(zip(layout.names, first["fields"], strict=False)).get(layout.number, "")
    advice = advice_for(lines["text"].head(1000).to_list(), number, layout)
    return Hint(first["line"], first["n"], advice) if advice else None


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
