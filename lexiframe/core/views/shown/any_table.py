"""Any table of the library as LaTeX or Markdown: `latex`, `markdown`."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import LexiframeError, to_polars, typed
from lexiframe.core.views.shown.latex import latex_table
from lexiframe.core.views.shown.markdown import markdown_table
from lexiframe.typing import Frame


@typed
def latex(table: Frame, n: int | None = None) -> str:
    r"""Return any table as LaTeX (booktabs), without a caption.

    Parameters
    ----------
    table
        What a function of the library returned, or any other frame.
    n : int, optional
        The number of rows, from the first. Default: all.

    Returns
    -------
    str
        LaTeX that needs booktabs; names are escaped, and numbers are aligned to the right.

    Raises
    ------
    LexiframeError
        For a number of rows below 1.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> print(lf.views.latex(e.tie_rates.select("measure", "ties"), n=1))
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    measure & ties \\
    \midrule
    AP & 1 \\
    \bottomrule
    \end{tabular}
    """
    return latex_table(_first_rows("latex", table, n))


@typed
def markdown(table: Frame, n: int | None = None) -> str:
    r"""Return any table as Markdown: a pipe table.

    Parameters
    ----------
    table, n
        As for `latex`.

    Returns
    -------
    str
        Markdown, as GitHub, Jupyter and Pandoc read it.

    Raises
    ------
    LexiframeError
        As `latex`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> print(lf.views.markdown(e.tie_rates.select("measure", "ties"), n=1))
    | measure | ties |
    |:--------|-----:|
    | AP      |    1 |
    """
    return markdown_table(_first_rows("markdown", table, n))


def _first_rows(called: str, table: Frame, n: int | None) -> pl.DataFrame:
    if n is not None and n < 1:
        raise LexiframeError(f"{called}: expected n, the number of rows, from 1, found {n}")
    frame = to_polars(table)
    return frame if n is None else frame.head(n)
