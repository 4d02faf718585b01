r"""Tables as LaTeX with booktabs.

great-tables writes LaTeX too (``as_latex``), but no bold cells, no superscripts in them, no label
and no table of several pages, which is what these tables are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import polars as pl

from lexiframe.core.base import LexiframeError, escaped, shown
from lexiframe.core.views.shown.model import FIGURE_SPACE, Cell, Column, ShownTable

_PAGE = 40
"""The number of rows up to which a table fits a page; longer ones are longtables."""
_WRITTEN = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the beginning of a row, these would belong to the \\ of the row before.
    "[": "{[}",
    "*": "{*}",
    # Signs of our own captions, which fonts of pdfLaTeX do not have.
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "†": r"$\dagger$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "−": "$-$",
    "—": "---",
    **{sign: rf"\{sign}" for sign in "_&%$#{}"},
}
_SIGN = re.compile("|".join(map(re.escape, _WRITTEN)))
_NUMBER = re.compile(r"-(?=[0-9])")
_OTHER = re.compile("[^\x00-\u017f\u2013-\u2026]|[ĦħĸĿŀŉŦŧſ\u2017\u201b\u201f\u2023-\u2025]")
"""Signs that pdfLaTeX cannot write: all but most Latin letters, quotes and dashes."""
_T1 = re.compile("[«»ÐÞðþĄąĐđĘęĮįŊŋŲų\u201a\u201e]")
"""What stands in fonts of the encoding T1, and not in those that pdfLaTeX begins with."""
_NO_LABEL = re.compile(r"[\\{}%#~^&$]|[^ -\U0010ffff]")


def latex_of(text: str) -> str:
    r"""Return plain text as LaTeX that shows it."""
    # Hyphens would become a dash, and some signs in a row other signs.
    apart = re.sub(r"(?<=[-,'?!])(?=[-,'`])", "\0", escaped(text))
    return _SIGN.sub(lambda match: _WRITTEN[match[0]], apart).replace("\0", "{}")


def latex_table(table: pl.DataFrame) -> str:
    r"""Return a whole table as LaTeX, without a caption: numbers are aligned to the right."""
    return "\n".join(_table_lines(ShownTable.whole(table)))


def paper_latex(paper: ShownTable, caption: str | None = None, label: str | None = None) -> str:
    """Return a table for a paper as LaTeX, in a float, or on several pages if it is long."""
    if label is not None and _NO_LABEL.search(label):
        raise LexiframeError(
            rf"label: expected a name without \ {{ }} % # ~ ^ & $, found {shown(label)}"
        )
    ours = (latex_of(said).replace(" = ", "~=~") for said in paper.notes)  # stay in a line
    said = " ".join([*([caption] if caption else []), *ours])
    named = f"\\caption{{{said}}}" + (f"\\label{{{label}}}" if label is not None else "")
    return "\n".join([*_table_lines(paper, named), ""])


def _table_lines(table: ShownTable, named: str = "") -> list[str]:
    """Return the lines of a table; one that is named by a caption stands in a float."""
    sides = "".join(map(_side, table.columns))
    head, rows = _row_line(map(_heading, table.columns)), list(_row_lines(table))
    if len(rows) > _PAGE:
        return _name_packages("booktabs,longtable", _long_table(sides, head, rows, named))
    inside = [r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    lines = [rf"\begin{{tabular}}{{{sides}}}", *inside, r"\end{tabular}"]
    if named:  # the standard classes put captions close to what stands below them
        above = [r"\begin{table}", r"\centering", named, r"\smallskip", ""]
        lines = [*above, *lines, r"\end{table}"]
    return _name_packages("booktabs", lines)


def _side(column: Column) -> str:
    """Return where the cells are; numbers with marks have two columns, which meet."""
    if column.has_marks:
        return "r@{}l"
    return "r" if column.is_number else "l"


def _heading(column: Column) -> str:
    text = latex_of(column.heading)
    return rf"\multicolumn{{2}}{{c}}{{{text}}}" if column.has_marks else text


def _row_lines(table: ShownTable) -> Iterator[str]:
    width = len(table.columns) + sum(column.has_marks for column in table.columns)
    for place, panel in enumerate(table.panels):
        if panel.title:
            yield from [r"\midrule"] * (place > 0)
            yield rf"\multicolumn{{{width}}}{{l}}{{\emph{{{latex_of(panel.title)}}}}} \\"
        for row in panel.rows:
            yield _row_line(chain.from_iterable(map(_cell_lines, row, table.columns)))


def _cell_lines(cell: Cell, column: Column) -> Iterator[str]:
    of_digits = map(latex_of, cell.text.split(FIGURE_SPACE))
    text = _latex_number(cell.text) if column.is_number else r"\phantom{0}".join(of_digits)
    yield rf"\textbf{{{text}}}" if cell.is_best else text
    if column.has_marks:
        yield rf"\textsuperscript{{{latex_of(cell.mark)}}}" if cell.mark else ""


def _latex_number(text: str) -> str:
    """Write a number with a minus sign instead of a hyphen."""
    return latex_of(_NUMBER.sub("−", text.lstrip(FIGURE_SPACE)))


def _row_line(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _long_table(sides: str, head: str, rows: Sequence[str], named: str) -> list[str]:
    """Return a table of several pages, each with the names of the columns on top."""
    return [
        rf"\begin{{longtable}}{{{sides}}}",
        *([rf"{named} \\"] if named else []),
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
    ]


def _name_packages(packages: str, lines: Sequence[str]) -> list[str]:
    """Put comments before a table that name the packages, the encoding or the engine it needs."""
    others = "% XeLaTeX or LuaLaTeX, with a font that has all signs of the names"
    t1 = r"% \usepackage[T1]{fontenc} with pdfLaTeX, for some letters of the names"
    needs = [(others, _OTHER), (t1, _T1)]
    noted = (note for note, signs in needs if any(map(signs.search, lines)))
    return [rf"% \usepackage{{{packages}}}", *noted, *lines]
