"""Tables as text that fits the terminal, and as HTML."""

from __future__ import annotations

import html
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import polars as pl

from lexiframe.core.base.errors import escaped
from lexiframe.core.base.printed.cells import are_numbers, cell

_NARROW = 16
"""Text is wrapped to this width, if need be, before columns go to another block."""
_GAP = 2
_BREAKS = re.compile(r"[-_/,;]")
"""Characters behind which a text without blanks is broken; a number has none of them."""


def terminal_width() -> int:
    """Return the width to write to: COLUMNS, the terminal's, or 80 without a terminal."""
    return shutil.get_terminal_size().columns


@dataclass(frozen=True)
class _Column:
    """The cells of a column as text, the name first, and the width that they take."""

    cells: tuple[str, ...]
    is_number: bool
    width: int

    @classmethod
    def measured(cls, column: pl.Series, *, leads: bool) -> _Column:
        cells = (cell("", column.name), *(cell(column.name, value) for value in column))
        is_number = column.dtype.is_numeric() or (are_numbers(column) and not leads)
        return cls(cells, is_number, max(map(_width, cells)))

    @property
    def least(self) -> int:
        """The width to which the cells can be wrapped; numbers are not."""
        return self.width if self.is_number else min(self.width, _NARROW)


def table_text(table: pl.DataFrame, width: int | None = None, leads: int | None = None) -> str:
    """Return a whole table as text, all rows and columns, in lines that fit the width.

    Text is wrapped where a table is too wide; columns that still do not fit go to a second table
    below, which repeats the leading columns (``leads``; by default the columns of text that the
    table begins with, or its first column). Only a number that is wider than the width makes a line
    longer. Polars could print it, but only with settings of the whole process (`polars.Config`),
    which would change the output of the user and of other threads, too.

    Examples
    --------
    >>> print(table_text(pl.DataFrame({"run": ["a", None], "tie_rate": [0.5, 10]})))
    ┌───────────────┐
    │ run  tie_rate │
    ╞═══════════════╡
    │ a       0.500 │
    │ —      10.000 │
    └───────────────┘
    """
    room = _room(width)
    return "\n".join(
        _boxed_block(block, _widths(block, room)) for block in _laid_out(table, room, leads)
    )


def fits(table: pl.DataFrame, width: int | None = None, leads: int | None = None) -> bool:
    """Return whether all columns of a table stand beside each other in the width."""
    return len(list(_laid_out(table, _room(width), leads))) == 1


def columns_that_fit(
    table: pl.DataFrame, width: int | None = None, leads: int | None = None
) -> int:
    """Return how many of the first columns of a table stand beside each other in the width."""
    return len(next(_laid_out(table, _room(width), leads), ()))


def _room(width: int | None) -> int:
    return (width or terminal_width()) - 4  # the borders, and the blanks beside them


def _laid_out(table: pl.DataFrame, room: int, leads: int | None) -> Iterator[tuple[_Column, ...]]:
    leads = min(leads or _n_leading(table), table.width)
    columns = [_Column.measured(column, leads=n < leads) for n, column in enumerate(table)]
    return _column_blocks(columns[:leads], columns[leads:], room)


def _n_leading(table: pl.DataFrame) -> int:
    is_text = [dtype == pl.String for dtype in table.dtypes]
    return max(1, is_text.index(False) if False in is_text else 1)


def _column_blocks(
    leads: list[_Column], others: list[_Column], room: int
) -> Iterator[tuple[_Column, ...]]:
    """Yield the columns of each block: as many as fit beside the leading columns, at least one."""
    block = list(leads)
    for column in others:
        taken = sum(other.least + _GAP for other in block) + column.least
        if taken > room and len(block) > len(leads):
            yield tuple(block)
            block = list(leads)
        block.append(column)
    yield tuple(block)


def _widths(block: Sequence[_Column], room: int) -> list[int]:
    """Return the widths of the columns: numbers are whole, the widest texts become narrower."""
    free = room - _GAP * (len(block) - 1) - sum(c.width for c in block if c.is_number)
    texts = [column.width for column in block if not column.is_number]
    most = max(texts, default=0)
    while most > 1 and sum(min(width, most) for width in texts) > free:
        most -= 1
    return [c.width if c.is_number else min(c.width, most) for c in block]


def _boxed_block(block: Sequence[_Column], widths: Sequence[int]) -> str:
    """Draw a block in a box: the names of the columns, a line, the rows."""
    head, *rows = (
        list(_row_lines(row, block, widths)) for row in zip(*(c.cells for c in block), strict=True)
    )
    inside = sum(widths) + _GAP * (len(widths) - 1) + 2
    top, below_head, bottom = f"┌{'─' * inside}┐", f"╞{'═' * inside}╡", f"└{'─' * inside}┘"
    return "\n".join([top, *head, below_head, *(line for row in rows for line in row), bottom])


def _row_lines(
    row: Sequence[str], block: Sequence[_Column], widths: Sequence[int]
) -> Iterator[str]:
    """Yield the lines of a row; numbers stand in the first."""
    wrapped = [list(_wrapped(text, room)) for text, room in zip(row, widths, strict=True)]
    for parts in zip_longest(*wrapped, fillvalue=""):
        blanks = (" " * (room - _width(text)) for text, room in zip(parts, widths, strict=True))
        texts = (
            blank + text if column.is_number else text + blank
            for text, blank, column in zip(parts, blanks, block, strict=True)
        )
        yield f"│ {(' ' * _GAP).join(texts)} │"


def _wrapped(text: str, room: int, *, keeps_paths: bool = False) -> Iterator[str]:
    """Yield a text in lines that fit, broken at blanks where there are any."""
    while _width(text) > room:
        most = max(1, next(n for n in range(len(text)) if _width(text[: n + 1]) > room))
        blank = text.rfind(" ", 1, most + 1)
        if blank < 0 and keeps_paths and _is_path(text.split(" ", 1)[0]):
            blank = text.find(" ")
            if blank < 0:
                break
        if blank < 0:  # a long name
            most = max((match.end() for match in _BREAKS.finditer(text[:most])), default=most)
        yield text[: blank if blank > 0 else most]
        text = text[blank + 1 if blank > 0 else most :]
    yield text


def _is_path(word: str) -> bool:
    return "/" in word or "\\" in word


def _width(text: str) -> int:
    """Return the columns that a text takes in a terminal: two for a Chinese character, say."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def paragraph(text: str, width: int | None = None) -> str:
    r"""Return a sentence or a title in lines that fit the width; paths are not broken."""
    return "\n".join(_wrapped(escaped(text), width or terminal_width(), keeps_paths=True))


def paragraphs(text: str, width: int | None = None) -> str:
    r"""Return a text of several lines, each wrapped to the width with its continuation indented.

    Examples
    --------
    >>> print(paragraphs("AP\n  formula: the mean of precisions", 22))
    AP
      formula: the mean
        of precisions
    """
    return "\n".join(_indented(line, width or terminal_width()) for line in text.split("\n"))


def _indented(line: str, width: int) -> str:
    body = line.lstrip(" ")
    indent = " " * (len(line) - len(body))
    further = indent + "  " * bool(indent)
    first, _, rest = paragraph(body, max(1, width - len(further))).partition("\n")
    rest = "".join(f"\n{further}{part}" for part in rest.split("\n")) if rest else ""
    return f"{indent}{first}{rest}"


def html_table(table: pl.DataFrame) -> str:
    """Return a whole table as HTML: numbers are aligned to the right."""
    sides = ["right" if are_numbers(column) else "left" for column in table]
    head = _html_row("th", table.columns, sides)
    body = "".join(
        _html_row("td", map(_html_cell, table.columns, row), sides) for row in table.iter_rows()
    )
    return f'<table class="dataframe">\n<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>'


def _html_row(tag: str, cells: Iterable[str], sides: Iterable[str]) -> str:
    written = (
        f'<{tag} style="text-align: {side}">{html.escape(escaped(text))}</{tag}>'
        for text, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>\n"


def _html_cell(name: str, value: Any) -> str:
    return cell(name, value) if value is None or isinstance(value, float) else str(value)
