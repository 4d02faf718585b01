"""Any table as LaTeX or Markdown."""

import polars as pl
import pytest

import lexiframe as lf

TABLE = pl.DataFrame({"run": ["a_b", "c", "d"], "mean": [0.5, 0.25, 1.0]})


@pytest.mark.parametrize("n", [0, -1])
def test_no_rows_are_refused(n):
    with pytest.raises(
        lf.LexiframeError, match="latex: expected n, the number of rows, from 1, found"
    ):
        lf.views.latex(TABLE, n)
    with pytest.raises(lf.LexiframeError, match="markdown: expected n, the number of rows"):
        lf.views.markdown(TABLE, n)
