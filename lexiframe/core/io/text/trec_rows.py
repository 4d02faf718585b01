"""TREC text line by line: the rows of good lines, and the problems of malformed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial

import polars as pl

from lexiframe.core.io.column_forms.line_layouts import Layout
from lexiframe.core.io.column_forms.numbers import NUMBER
from lexiframe.core.io.problems.problem_tables import (
    SAVE_AS_UTF8,
    chosen,
    line_problems,
    short,
    undecodable,
)
from lexiframe.core.io.problems.rows_as_written import Hint, Rows
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text.lines import (
    BLOCK_OF_ROWS,
    blocks_of_lines,
    is_plain,
    lacks_final_line_feed,
    n_lines_in,
    refuse_binary,
    refuse_wide,
    single_spaces,
)
from lexiframe.core.io.text.trec import holds_two_rows, parse_plain

_FIELDS = ("query_id", "iteration", "doc_id")


def rows_of_lines(data: bytes, where: str, layout: Layout, options: TextOptions) -> Iterator[Rows]:
    """Yield the lines with the fields of a layout, and the problems of other lines, in blocks."""
    refuse_binary(data, where)
    refuse_wide(data, where)
    tags_are_numbers = cache(partial(_tags_are_numbers, data, where, layout))
    line, width_above, end, hint = 1, 0, 0, None
    for block in blocks_of_lines(data, BLOCK_OF_ROWS):
        end += len(block)
        complete = _complete_rows(block, line, layout, options) if width_above else None
        if complete is not None:  # as in most blocks
            line += complete.table.height
            width_above = len(layout.names)
            yield complete
            continue
        lines = lines_of(block, where, line)
        line += n_lines_in(block)
        if not lines.height:
            continue
        is_first = not width_above
        hint = _first_line_hint(lines, layout) if is_first else hint
        ends_early = end == len(data) and lacks_final_line_feed(data)
        lines = _mark_lines(lines, layout, width_above, tags_are_numbers, ends_early=ends_early)
        width_above = lines["n"][-1]
        yield replace(
            _good_rows(lines, where, layout, options, hint), hint=hint if is_first else None
        )


def _complete_rows(block: bytes, first: int, layout: Layout, options: TextOptions) -> Rows | None:
    """Return the rows of a block if all lines are well-formed; None if each has to be checked."""
    width = len(layout.names)
    if layout.number == "rank" or not block.endswith(b"\n") or not is_plain(block):
        return None
    if block.count(b" ", 0, block.find(b"\n")) != width - 1:
        return None
    table = parse_plain(block, layout, _FIELDS, options.decimal)
    if table is None or table[layout.number].is_infinite().any():
        return None
    fields = table.select(name for name in table.columns if name in (*_FIELDS, layout.number))
    places = pl.int_range(first, first + table.height, eager=True)
    return Rows(fields, places, decimal=options.decimal)


def _mark_lines(
    lines: pl.DataFrame,
    layout: Layout,
    width_above: int,
    tags_are_numbers: Callable[[], bool],
    *,
    ends_early: bool,
) -> pl.DataFrame:
    """Mark lines that hold two rows, may lack a field, or end a file that was cut short."""
    widest = len(layout.names)
    width = pl.col("n").clip(upper_bound=widest).cast(pl.Int64)
    is_last = pl.lit(ends_early) & (pl.int_range(pl.len()) == pl.len() - 1)
    may_lack = pl.col("n") == layout.at_least if layout.at_least < widest else pl.lit(value=False)
    lines = lines.with_columns(
        is_cut=is_last & (width < width.shift(fill_value=min(width_above, widest))),
        holds_two_rows=_holds_two_rows(layout),
        may_lack=may_lack,
    )
    if lines["may_lack"].any() and not tags_are_numbers():
        return lines.with_columns(may_lack=pl.lit(value=False))
    return lines


def _holds_two_rows(layout: Layout) -> pl.Expr:
    """Return which lines hold two rows, because a line feed was lost when files were joined."""
    fields, width = pl.col("fields").list, len(layout.names)
    if layout.at_least < width:
        return holds_two_rows(lambda n: fields.get(n, null_on_oob=True))
    return pl.col("n").is_in([2 * width - 1, 2 * width]) & fields.last().str.contains(NUMBER)


def _tags_are_numbers(data: bytes, where: str, layout: Layout) -> bool:
    """Return whether any tag in the file is a number: then a short line may lack another field."""
    tag = pl.col("fields").list.get(layout.names.index("tag"), null_on_oob=True)
    blocks = (lines_of(block, where) for block in blocks_of_lines(data, BLOCK_OF_ROWS))
    return any(lines.select(tag.str.contains(NUMBER).any()).item() for lines in blocks)


def _good_rows(
    lines: pl.DataFrame, where: str, layout: Layout, options: TextOptions, hint: Hint | None
) -> Rows:
    field = pl.col("fields").list
    is_too_wide = pl.col("n") > len(layout.names)
    if layout.at_least < len(layout.names):
        # Further fields are ignored, unless a space in an id shifted the fields behind it.
        rank = field.get(layout.names.index("rank"), null_on_oob=True)
        is_too_wide &= ~rank.str.contains(NUMBER)
    is_no_row = pl.col("bytes").is_not_null() | (pl.col("n") < layout.at_least)
    is_no_row |= is_too_wide | pl.col("is_cut") | pl.col("holds_two_rows") | pl.col("may_lack")
    good, bad = lines.filter(~is_no_row), lines.filter(is_no_row)
    wanted = (*_FIELDS, layout.number)
    names = {name: n for n, name in enumerate(layout.names) if name in wanted}
    return Rows(
        good.select(field.get(place).alias(name) for name, place in names.items()),
        good["line"],
        problems=_problems_of_lines(bad, where, layout, hint),
        behind=": '" + short(good["text"]) + "'",
        called={layout.number: f"in field {names[layout.number] + 1} ({layout.number})"},
        decimal=options.decimal,
    )


def _problems_of_lines(
    lines: pl.DataFrame, where: str, layout: Layout, hint: Hint | None
) -> pl.DataFrame:
    """Describe the problems of lines that are no rows, with the advice to mend them."""
    from lexiframe.core.io.problems.advice import CUT_SHORT, LOST_FIELD, TWO_ROWS, mend_width

    few, many = (mend_width(" ", is_narrow=is_narrow) for is_narrow in (True, False))
    is_text, is_narrow = pl.col("bytes").is_null(), pl.col("n") < layout.at_least
    hinted = [] if hint is None else [(pl.col("n") == hint.width, hint.advice)]
    advice = chosen(
        *hinted,
        ("may_lack", LOST_FIELD),
        ("holds_two_rows", TWO_ROWS),
        ("is_cut", CUT_SHORT),
        (is_narrow, few),
        otherwise=many,
    )
    width = pl.format("{}: '{}'", "n", short(lines["text"]))
    return line_problems(
        lines,
        where,
        problem=chosen((is_text, "fields"), otherwise="encoding"),
        expected=chosen((is_text, str(layout)), otherwise="UTF-8 text"),
        found=chosen((is_text, width), otherwise=pl.format("the bytes {}", "bytes")),
        advice=chosen((is_text, advice), otherwise=SAVE_AS_UTF8),
    )


def _first_line_hint(lines: pl.DataFrame, layout: Layout) -> Hint | None:
    """Return the advice that the first line suggests, for all lines with as many fields.

    Return None if the first line is good, or if it is not clear what the file is.
    """
    from lexiframe.core.io.problems.advice import advice_for

    first = lines.row(0, named=True)
    number = dict(zip(layout.names, first["fields"], strict=False)).get(layout.number, "")
    advice = advice_for(lines["text"].head(1000).to_list(), number, layout)
    return Hint(first["line"], first["n"], advice) if advice else None


def lines_of(data: bytes, where: str, first: int = 1) -> pl.DataFrame:
    """Return the lines that are not empty; ``first`` is the number of the first line.

    Columns are line, text, fields, n (of fields), and bytes: the first that are not UTF-8.
    """
    text = single_spaces(data, where)
    texts = text.decode("utf-8", "backslashreplace").split("\n")
    fields = pl.col("text").str.split(" ")
    bad_bytes = pl.col("line").replace_strict(undecodable(text, first), default=None)
    return (
        pl.DataFrame({"line": range(first, first + len(texts)), "text": texts})
        .filter(pl.col("text") != "")
        .with_columns(fields=fields, n=fields.list.len(), bytes=bad_bytes.cast(pl.String))
    )
