"""Charts of what people prefer: strengths, expected shares, and concordance of measures."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.decide.votes.charts import concordance_chart, residual_chart, strength_chart
from tests.core.views.charts.drawn import png, rows, titles
from tests.core.views.charts.made_tables import CONCORDANCES, JUDGED_PAIRS, STRENGTH

pytestmark = pytest.mark.slow

ODD = "</script><b>"


def test_strengths_stand_with_their_intervals_the_strongest_first():
    chart = strength_chart(STRENGTH.sort("run", descending=True))
    assert rows(chart)["run"].to_list() == ["x", "y", "z"]
    png(chart)
    odd = strength_chart(STRENGTH.with_columns(run=ODD + pl.col("run")))
    assert "</" not in str(odd.to_dict(validate=False)["data"])
    with pytest.raises(lf.LexiframeError, match="expected at least one row to draw"):
        strength_chart(STRENGTH.clear())


def test_observed_shares_lie_over_those_that_the_strengths_expect():
    chart = residual_chart(JUDGED_PAIRS)
    found = pl.DataFrame(chart.layer[1].data.values)
    assert found["pair"].to_list() == ["x against y", "x against z", "x against w"]
    assert found["observed_share"].to_list() == pytest.approx([0.65, 0.2, 0.6])
    assert found["residual"].to_list() == [0.25, -5.5, -1.0]
    assert titles(chart)[1].startswith("3 pairs of runs were judged; 1 is 3 or more")
    png(chart)
    with pytest.raises(lf.LexiframeError, match="a pair of runs that was judged, found none"):
        residual_chart(JUDGED_PAIRS.filter(n_judgments=0))


def test_measures_stand_by_their_concordance():
    chart = concordance_chart(CONCORDANCES)
    assert rows(chart)["measure"].to_list() == ["AP", "RR"]
    png(chart)
    with pytest.raises(lf.LexiframeError, match="expected at least one row to draw"):
        concordance_chart(CONCORDANCES.clear())
