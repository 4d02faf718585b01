"""Any table as LaTeX or Markdown."""

import polars as pl
import pytest

import lexiframe as lf

TABLE = pl.DataFrame({"run": ["a_b", "c", "d"], "mean": [0.5, 0.25, 1.0]})


def test_a_number_of_rows():
    assert lf.views.markdown(TABLE).count("\n") == 4
    assert lf.views.markdown(TABLE, n=2).endswith("| c    | 0.250 |")
    assert r"a\_b & 0.500" in lf.views.latex(TABLE, n=1)
    assert "c &" not in lf.views.latex(TABLE, n=1)
    assert lf.views.latex(TABLE.lazy()) == lf.views.latex(TABLE.to_arrow())


@pytest.mark.parametrize("n", [0, -1])
def test_no_rows_are_refused(n):
    with pytest.raises(
        lf.LexiframeError, match="latex: expected n, the number of rows, from 1, found"
    ):
        lf.views.latex(TABLE, n)
    with pytest.raises(lf.LexiframeError, match="markdown: expected n, the number of rows"):
        lf.views.markdown(TABLE, n)
