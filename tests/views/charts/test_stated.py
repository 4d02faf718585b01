"""Charts of what people prefer: strengths, expected shares, and concordance of measures."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.base.schemas import CONCORDANCE, STRENGTH_PAIRS, STRENGTHS

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.views.charts import concordance_chart, residual_chart, strength_chart
from tests.views.charts.drawn import compare_with_snapshot, png, rows, titles

pytestmark = pytest.mark.slow

ODD = "</script><b>"
STRENGTH = pl.DataFrame(
    [("x", 0.5, 0.25, 0.75, 1.0, 0.1, 40), ("y", 0.0, -0.25, 0.25, 2.0, 0.1, 30),
     ("z", -0.5, None, None, 3.0, None, 20)],
    schema=[c for c in STRENGTHS.columns if c not in STRENGTHS.optional], orient="row",
)  # fmt: skip
PAIRS = pl.DataFrame(
    [("x", "y", 20, 12.0, 2.0, 6.0, 0.65, 0.625, 0.25, 0.5, 0.1, 0.9, 0.01, 0.03, 0.6, 0.5, 0.7,
      0.4),
     ("x", "z", 20, 4.0, 0.0, 16.0, 0.2, 0.75, -5.5, 1.0, 0.5, 1.5, 0.01, 0.03, 0.75, 0.6, 0.8,
      0.25),
     ("y", "z", 0, 0.0, 0.0, 0.0, None, 0.625, None, 0.5, 0.1, 0.9, 0.2, 0.2, 0.6, 0.5, 0.7, 0.4),
     ("w", "x", 10, 4.0, 0.0, 6.0, 0.4, 0.25, 1.0, -1.0, -2.0, 0.5, 0.2, 0.2, 0.25, 0.2, 0.3,
      0.75)],
    schema=[*STRENGTH_PAIRS.columns], orient="row",
)  # fmt: skip
MEASURES = pl.DataFrame(
    [("AP", 40, 10, 0, 30, 0, 0.75, 0.625, 0.875), ("RR", 40, 10, 2, 20, 10, 0.625, 0.5, 0.75)],
    schema=[*CONCORDANCE.columns],
    orient="row",
)


def test_strengths_stand_with_their_intervals_the_strongest_first():
    chart = strength_chart(STRENGTH.sort("run", descending=True))
    assert rows(chart)["run"].to_list() == ["x", "y", "z"]
    compare_with_snapshot(chart, "strength_chart")
    png(chart)
    odd = strength_chart(STRENGTH.with_columns(run=ODD + pl.col("run")))
    assert "</" not in str(odd.to_dict(validate=False)["data"])
    with pytest.raises(lf.LexiframeError, match="expected at least one row to draw"):
        strength_chart(STRENGTH.clear())


def test_observed_shares_lie_over_those_that_the_strengths_expect():
    chart = residual_chart(PAIRS)
    found = pl.DataFrame(chart.layer[1].data.values)
    assert found["pair"].to_list() == ["x against y", "x against z", "x against w"]
    assert found["observed_share"].to_list() == pytest.approx([0.65, 0.2, 0.6])
    assert found["residual"].to_list() == [0.25, -5.5, -1.0]
    assert titles(chart)[1].startswith("3 pairs of runs were judged; 1 is 3 or more")
    compare_with_snapshot(chart, "residual_chart")
    png(chart)
    with pytest.raises(lf.LexiframeError, match="a pair of runs that was judged, found none"):
        residual_chart(PAIRS.filter(n_judgments=0))


def test_measures_stand_by_their_concordance():
    chart = concordance_chart(MEASURES)
    assert rows(chart)["measure"].to_list() == ["AP", "RR"]
    compare_with_snapshot(chart, "concordance_chart")
    png(chart)
    with pytest.raises(lf.LexiframeError, match="expected at least one row to draw"):
        concordance_chart(MEASURES.clear())
