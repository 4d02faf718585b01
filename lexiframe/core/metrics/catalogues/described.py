"""Explanations of measures for ``help``, and lists of measures that print whole."""

from __future__ import annotations

from typing import Any

import polars as pl


class Explained:
    """The ``__doc__`` of a class; an instance's explains this one measure.

    Each kind of measure is one class with many instances, and ``help(lf.nDCG)`` has to be about
    nDCG, not about all graded metrics.
    """

    def __init__(self, of_class: str | None) -> None:
        self._of_class = of_class

    def __get__(self, measure: Any, owner: type) -> str | None:
        if measure is None:
            return self._of_class
        from lexiframe.core.metrics.catalogues.explanations import explanation

        return explanation(measure)


class Listing(pl.DataFrame):
    """A table that prints all rows and the whole of each cell: a few lines for each row.

    Its columns are too wide and too many for a terminal, and Polars shows eight rows.
    """

    def __str__(self) -> str:
        width = max(map(len, self.columns), default=0) + 1
        rows = (row.items() for row in self.iter_rows(named=True))
        return "\n".join(
            "\n".join([str(first), *(f"    {name + ':':<{width}} {cell}" for name, cell in cells)])
            for (_, first), *cells in rows
        )

    __repr__ = __str__

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        import html  # loaded only where a notebook asks for it

        rows = [self.columns, *self.iter_rows()]
        cells = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows)
        head, *body = (f"<tr>{row}</tr>" for row in cells)
        return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"
