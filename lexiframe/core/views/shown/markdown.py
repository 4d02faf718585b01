"""Tables as Markdown: pipe tables, as GitHub, Jupyter and Pandoc read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from lexiframe.core.base import escaped
from lexiframe.core.views.shown.model import FIGURE_SPACE, Cell, Column, ShownTable

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&^]")
"""What Markdown, or the formulas and superscripts of its dialects, would not show as it is."""


def markdown_of(text: str) -> str:
    r"""Return plain text as Markdown that shows it."""
    return _MARKUP.sub(r"\\\g<0>", escaped(text))


def markdown_table(table: pl.DataFrame) -> str:
    r"""Return a whole table as Markdown: numbers are aligned to the right."""
    return _pipes(ShownTable.whole(table))


def paper_markdown(paper: ShownTable, caption: str | None = None) -> str:
    """Return a table for a paper as Markdown, below its caption in the form that Pandoc knows."""
    said = [*([caption] if caption else []), *map(markdown_of, paper.notes)]
    return f"Table: {' '.join(said)}\n\n{_pipes(paper)}\n"


def markdown_cell(cell: Cell) -> str:
    """Return a cell as Markdown: the best is bold, and marks are superscripts."""
    text = "&numsp;".join(map(markdown_of, cell.text.split(FIGURE_SPACE)))
    strong = f"**{text}**" if cell.is_best else text
    return f"{strong}<sup>{cell.mark}</sup>" if cell.mark else strong


def _pipes(table: ShownTable) -> str:
    """Draw the columns between pipes, padded so that the text can be read as well."""
    columns = [Column("group")] * table.has_titles + [*table.columns]
    head = [markdown_of(column.heading) for column in columns]
    rows = [
        [markdown_of(title)] * table.has_titles + [markdown_cell(cell) for cell in row]
        for title, row in table.rows()
    ]
    widths = [max(3, *map(len, cells)) for cells in zip(head, *rows, strict=True)]
    lines = (
        f"{'-' * (width + 1)}:" if column.is_right else f":{'-' * (width + 1)}"
        for width, column in zip(widths, columns, strict=True)
    )
    first, *others = (_line(row, widths, columns) for row in (head, *rows))
    return "\n".join([first, f"|{'|'.join(lines)}|", *others])


def _line(row: Iterable[str], widths: Sequence[int], columns: Sequence[Column]) -> str:
    cells = (
        text.rjust(width) if column.is_right else text.ljust(width)
        for text, width, column in zip(row, widths, columns, strict=True)
    )
    return f"| {' | '.join(cells)} |"
