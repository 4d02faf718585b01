"""Parts of printed output: a title, a table whose rows stay in one piece, and notes below it."""

from __future__ import annotations

import html
from dataclasses import dataclass

import polars as pl

from lexiframe.core.base.errors import escaped
from lexiframe.core.base.printed.cells import MISSING, cell
from lexiframe.core.base.printed.readers import advice
from lexiframe.core.base.printed.tables import (
    columns_that_fit,
    fits,
    html_table,
    paragraph,
    table_text,
)
from lexiframe.core.base.printed.words import and_joined


def take_out_constants(table: pl.DataFrame) -> tuple[str, pl.DataFrame]:
    """Take out the constant columns; return them in words.

    A table of less than two rows, or of constant columns only, does not change.
    """
    constant = [column.name for column in table if column.n_unique() == 1]
    if table.height < 2 or len(constant) == table.width:
        return "", table
    said = (f"{escaped(name)} = {cell(name, table[name][0])}" for name in constant)
    return ", ".join(said), table.drop(constant)


def plain_text(table: pl.DataFrame, *, is_matrix: bool = False) -> str:
    """Return a table as text, below a line with its constant columns.

    Rows stay in one piece, so that the last columns may have no room; rows of a matrix go on in
    another table below.
    """
    same, table = take_out_constants(table)
    table, said = (table, "") if is_matrix else whole_rows(table)
    if said:
        said += advice(terminal="; --format csv prints all", python="; the frame has all")
    return "\n".join(text for text in (paragraph(same), table_text(table), paragraph(said)) if text)


def join_interval_ends(table: pl.DataFrame) -> pl.DataFrame:
    """Write the ends of intervals, ci_low and ci_high, into one column."""
    if not {"ci_low", "ci_high"} <= {*table.columns}:
        return table
    ends = table.select("ci_low", "ci_high").iter_rows()
    texts = (
        MISSING if None in both else ", ".join(cell("ci", end) for end in both) for both in ends
    )
    at = table.columns.index("ci_low")
    other = table.drop("ci_low", "ci_high")
    return other.insert_column(at, pl.Series("interval", [*texts], pl.String))


def whole_rows(
    table: pl.DataFrame, width: int | None = None, leads: int | None = None
) -> tuple[pl.DataFrame, str]:
    """Leave out the last columns that have no room, and name them."""
    n = columns_that_fit(table, width, leads)
    n -= table.columns[n - 1 : n + 1] == ["ci_low", "ci_high"]  # no interval is halved
    names = [escaped(name) for name in table.columns[n:]]
    said = f"no room for the column{'s' * (len(names) > 1)} {and_joined(names)}" if names else ""
    return table.select(table.columns[:n]), said


MOST = 40
"""How many rows of one sort a table for people has: the first and the last."""


LONG = 1000
"""The rows above which a table that was asked for is printed by its ends too."""


def ends_of_long(table: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return a table of up to `LONG` rows whole, else its ends and a note that says so."""
    if table.height <= LONG:
        return table, ()
    said = f"the first and the last {MOST // 2} of {table.height:,} rows"
    said += advice(terminal="; --format csv has all", python="; the frame has all")
    return ends_of(table), (said,)


def ends_of(table: pl.DataFrame) -> pl.DataFrame:
    """Return the first and the last rows of a table that has more than `MOST`."""
    if table.height <= MOST:
        return table
    return pl.concat([table.head(MOST // 2), table.tail(MOST // 2)])


@dataclass(frozen=True)
class Section:
    """A part of a summary: a title, a table, and notes below it; any of them may be absent.

    ``leads`` is the number of the table's leading columns, see `table_text`. ``parts`` show the
    same in narrower tables, for text that the table is too wide for; or ``instead`` does, with less
    in each row. Else the columns that are the same in all rows, and the last ones that have no
    room, are left out and named, as rows stay in one piece; a matrix, whose columns are all alike
    (``is_matrix``), goes on in another table below.
    """

    title: str = ""
    table: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()
    leads: int = 1
    parts: tuple[Section, ...] = ()
    instead: Section | None = None
    is_matrix: bool = False

    def text(self, width: int | None = None) -> str:
        """Return the section as text."""
        title = paragraph(self.title, width)
        if self.instead and self.table is not None and not fits(self.table, width, self.leads):
            return self.instead.text(width)
        if self.parts and self.table is not None and not fits(self.table, width, self.leads):
            return "\n".join([title, *(part.text(width) for part in self.parts)])
        table, left_out = self._shown(width)
        notes = (paragraph(said, width) for said in (*left_out, *self.notes))
        return "\n".join(part for part in (title, *table, *notes) if part)

    def _shown(self, width: int | None) -> tuple[list[str], list[str]]:
        """Return the lines of the table, and a note on columns that have no room."""
        if self.table is None:
            return [], []
        if self.is_matrix or fits(self.table, width, self.leads):
            return [table_text(self.table, width, self.leads)], []
        same, differing = take_out_constants(self.table)
        leads = None if same else self.leads
        whole, said = whole_rows(differing, width, leads)
        notes = [f"in each row: {same}"] * bool(same) + [said] * bool(said)
        return [table_text(whole, width, leads)], notes

    def html(self) -> str:
        """Return the section as HTML."""
        table = [] if self.table is None else [html_table(self.table)]
        title = f"<h3>{_markup(self.title)}</h3>" if self.title else ""
        notes = (f"<p>{_markup(note)}</p>" for note in self.notes)
        return "\n".join(part for part in (title, *table, *notes) if part)


def _markup(text: str) -> str:
    return html.escape(escaped(text), quote=False)
