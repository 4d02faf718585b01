"""Tables as Markdown: pipe tables, as GitHub, Jupyter and Pandoc read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from lexiframe.base import escaped
from lexiframe.views.shown.cells import are_numbers, as_texts
from lexiframe.views.shown.paper import Mean, Paper

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&^]")
"""What Markdown, or the formulas and superscripts of its dialects, would not show as it is."""


def markdown_of(text: str) -> str:
    r"""Return plain text as Markdown that shows it.

    Examples
    --------
    >>> print(markdown_of("bm25_k1|b <b> *"))
    bm25\_k1\|b \<b\> \*
    """
    return _MARKUP.sub(r"\\\g<0>", escaped(text))


def markdown_table(table: pl.DataFrame) -> str:
    r"""Return a whole table as Markdown: numbers are aligned to the right.

    Examples
    --------
    >>> print(markdown_table(pl.DataFrame({"run": ["a_b", None], "tie_rate": [0.5, 10]})))
    | run  | tie\_rate |
    |:-----|----------:|
    | a\_b |     0.500 |
    | —    |    10.000 |
    """
    sides = ["right" if are_numbers(column) else "left" for column in table]
    rows = [[markdown_of(text) for text in row] for row in as_texts(table).iter_rows()]
    return _pipes([markdown_of(name) for name in table.columns], rows, sides)


def paper_markdown(paper: Paper, caption: str | None = None) -> str:
    """Return a table for a paper as Markdown, below its caption in the form that Pandoc knows."""
    groups, letters = any(panel.title for panel in paper.panels), paper.has_letters
    head = ["group"] * groups + [""] * letters + ["run", *map(markdown_of, paper.measures)]
    rows = [
        [*[markdown_of(panel.title)] * groups, *[row.letter] * letters, markdown_of(row.run)]
        + [mean_markdown(mean) for mean in row.means]
        for panel in paper.panels
        for row in panel.rows
    ]
    # Marks would push numbers out of a column that is aligned to the right.
    marked = ["left" if paper.has_marks(n) else "right" for n in range(len(paper.measures))]
    sides = ["left"] * (groups + letters + 1) + marked
    said = [*([caption] if caption else []), *map(markdown_of, paper.caption)]
    return f"Table: {' '.join(said)}\n\n{_pipes(head, rows, sides)}\n"


def mean_markdown(mean: Mean) -> str:
    """Return a mean as Markdown: the best is bold, and marks are superscripts.

    Examples
    --------
    >>> print(mean_markdown(Mean("0.8615", True, "bc")))
    **0.8615**<sup>bc</sup>
    """
    number = f"**{mean.number}**" if mean.is_best else mean.number
    return f"{number}<sup>{mean.mark}</sup>" if mean.mark else number


def _pipes(head: Sequence[str], rows: Sequence[Sequence[str]], sides: Sequence[str]) -> str:
    """Draw the columns between pipes, padded so that the text can be read as well."""
    widths = [max(3, *map(len, cells)) for cells in zip(head, *rows, strict=True)]
    lines = [
        f":{'-' * (width + 1)}" if side == "left" else f"{'-' * (width + 1)}:"
        for width, side in zip(widths, sides, strict=True)
    ]
    drawn = (_line(row, widths, sides) for row in (head, *rows))
    first, *others = drawn
    return "\n".join([first, f"|{'|'.join(lines)}|", *others])


def _line(row: Iterable[str], widths: Sequence[int], sides: Sequence[str]) -> str:
    cells = (
        text.ljust(width) if side == "left" else text.rjust(width)
        for text, width, side in zip(row, widths, sides, strict=True)
    )
    return f"| {' | '.join(cells)} |"
