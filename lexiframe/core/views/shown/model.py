"""A table for display, before it is written as LaTeX, Markdown or HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from lexiframe.core.base import printed

FIGURE_SPACE = "\u2007"
"""A blank as wide as a digit, before numbers that others are longer than."""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, whether it is the best of its column, and the superscript behind it."""

    text: str = printed.MISSING
    is_best: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Column:
    """The heading of a column, and whether its cells are numbers, and some have a superscript."""

    heading: str
    is_number: bool = False
    has_marks: bool = False

    @property
    def is_right(self) -> bool:
        """Whether cells end at the same place; marks would push the numbers out of line."""
        return self.is_number and not self.has_marks


@dataclass(frozen=True)
class Panel:
    """The rows of a group of requests; the title names it, and is empty without groups."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class ShownTable:
    """A table to write: plain text throughout, which each writer escapes in its own way.

    ``notes`` are sentences about the numbers and marks, for a caption or below the table.
    """

    columns: tuple[Column, ...]
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def whole(cls, table: pl.DataFrame) -> ShownTable:
        """Return a whole table without notes."""
        columns = (Column(column.name, printed.are_numbers(column)) for column in table)
        rows = (tuple(map(Cell, row)) for row in printed.as_texts(table).iter_rows())
        return cls(tuple(columns), (Panel("", tuple(rows)),))

    @property
    def has_titles(self) -> bool:
        """Whether there are groups of requests."""
        return any(panel.title for panel in self.panels)

    def rows(self) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        """Yield each row behind the title of its panel."""
        for panel in self.panels:
            yield from ((panel.title, row) for row in panel.rows)
