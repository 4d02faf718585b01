r"""Tables as LaTeX with booktabs.

great-tables writes LaTeX too (``as_latex``), but no bold cells, no superscripts in them, no label
and no table of several pages, which is what these tables are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from lexiframe.base import LexiframeError, escaped, shown
from lexiframe.views.shown.cells import are_numbers, as_texts
from lexiframe.views.shown.paper import Mean, Paper, Row

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
    r"""Return plain text as LaTeX that shows it.

    Examples
    --------
    >>> print(latex_of("bm25_k1 & 5 % <b>"))
    bm25\_k1 \& 5 \% \textless{}b\textgreater{}
    """
    # Hyphens would become a dash, and some signs in a row other signs.
    apart = re.sub(r"(?<=[-,'?!])(?=[-,'`])", "\0", escaped(text))
    return _SIGN.sub(lambda match: _WRITTEN[match[0]], apart).replace("\0", "{}")


def latex_table(table: pl.DataFrame) -> str:
    r"""Return a whole table as LaTeX, without a caption: numbers are aligned to the right.

    Examples
    --------
    >>> print(latex_table(pl.DataFrame({"run": ["a_b"], "tie_rate": [0.5]})))
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    run & tie\_rate \\
    \midrule
    a\_b & 0.500 \\
    \bottomrule
    \end{tabular}
    """
    is_number = [are_numbers(column) for column in table]
    sides = "".join("r" if number else "l" for number in is_number)
    rows = [
        _row(_number(text) if number else latex_of(text) for text, number in cells)
        for cells in (zip(row, is_number, strict=True) for row in as_texts(table).iter_rows())
    ]
    head = _row(map(latex_of, table.columns))
    if len(rows) > _PAGE:
        return "\n".join(_long(sides, head, rows, ""))
    return "\n".join(_with_needs("booktabs", _tabular(sides, head, rows)))


def paper_latex(paper: Paper, caption: str | None = None, label: str | None = None) -> str:
    """Return a table for a paper as LaTeX, in a float, or on several pages if it is long."""
    if label is not None and _NO_LABEL.search(label):
        raise LexiframeError(
            rf"label: expected a name without \ {{ }} % # ~ ^ & $, found {shown(label)}"
        )
    ours = (latex_of(said).replace(" = ", "~=~") for said in paper.caption)  # stay in a line
    said = " ".join([*([caption] if caption else []), *ours])
    named = f"\\caption{{{said}}}" + (f"\\label{{{label}}}" if label is not None else "")
    # Numbers end and marks begin at the same place: each measure with marks has two columns.
    marked = [paper.has_marks(place) for place in range(len(paper.measures))]
    leads = 1 + paper.has_letters
    sides = "l" * leads + "".join("r@{}l" if is_marked else "r" for is_marked in marked)
    head = _row([*[""] * paper.has_letters, "run", *_measures(paper.measures, marked)])
    rows = list(_panels(paper, marked, leads + len(marked) + sum(marked)))
    if len(rows) > _PAGE:
        return "\n".join([*_long(sides, head, rows, named), ""])
    # The standard classes put captions close to what stands below them.
    inside = [r"\centering", named, r"\smallskip", "", *_tabular(sides, head, rows)]
    float_ = [r"\begin{table}", *inside, r"\end{table}", ""]
    return "\n".join(_with_needs("booktabs", float_))


def _measures(measures: Iterable[str], marked: Iterable[bool]) -> Iterator[str]:
    for measure, is_marked in zip(measures, marked, strict=True):
        text = latex_of(measure)
        yield rf"\multicolumn{{2}}{{c}}{{{text}}}" if is_marked else text


def _panels(paper: Paper, marked: Sequence[bool], width: int) -> Iterator[str]:
    for place, panel in enumerate(paper.panels):
        if panel.title:
            yield from [r"\midrule"] * (place > 0)
            yield rf"\multicolumn{{{width}}}{{l}}{{\emph{{{latex_of(panel.title)}}}}} \\"
        for row in panel.rows:
            yield _row(_cells(row, marked, has_letters=paper.has_letters))


def _cells(row: Row, marked: Sequence[bool], *, has_letters: bool) -> Iterator[str]:
    yield from [row.letter] * has_letters
    yield latex_of(row.run)
    for mean, is_marked in zip(row.means, marked, strict=True):
        number = _number(mean.number)
        yield rf"\textbf{{{number}}}" if mean.is_best else number
        if is_marked:
            yield _superscript(mean)


def _superscript(mean: Mean) -> str:
    return rf"\textsuperscript{{{latex_of(mean.mark)}}}" if mean.mark else ""


def _number(text: str) -> str:
    """Write a number with a minus sign instead of a hyphen."""
    return latex_of(_NUMBER.sub("−", text))


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _tabular(sides: str, head: str, rows: Sequence[str]) -> list[str]:
    top, end = rf"\begin{{tabular}}{{{sides}}}", r"\end{tabular}"
    return [top, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", end]


def _long(sides: str, head: str, rows: Sequence[str], named: str) -> list[str]:
    """Return a table of several pages, each of which begins with the names of the columns."""
    lines = [
        rf"\begin{{longtable}}{{{sides}}}",
        *([rf"{named} \\"] if named else []),
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
    ]
    return _with_needs("booktabs,longtable", lines)


def _with_needs(packages: str, lines: Sequence[str]) -> list[str]:
    """Put comments before a table that name the packages, the encoding or the engine it needs."""
    others = "% XeLaTeX or LuaLaTeX, with a font that has all signs of the names"
    t1 = r"% \usepackage[T1]{fontenc} with pdfLaTeX, for some letters of the names"
    needs = [(others, _OTHER), (t1, _T1)]
    noted = (note for note, signs in needs if any(map(signs.search, lines)))
    return [rf"% \usepackage{{{packages}}}", *noted, *lines]
