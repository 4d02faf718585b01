"""The chart of unjudged documents shows the numbers of its table."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.study.holes.charts import hole_chart
from tests.core.views.charts.drawn import png, rows, titles
from tests.core.views.charts.made_tables import HOLES

pytestmark = pytest.mark.slow


def test_points_bars_and_lines_are_those_of_the_table_best_first():
    chart = hole_chart(HOLES.reverse(), "AP")
    assert rows(chart)["value"].to_list() == [0.5, 0.4, 0.1]
    layers = chart.to_dict(validate=False)["layer"]
    assert [layer["encoding"]["x"]["field"] for layer in layers] == [
        "naive_low", "ci_low", "mean", "value"
    ]  # fmt: skip
    assert [layers[n]["encoding"]["x2"]["field"] for n in (0, 1)] == ["naive_high", "ci_high"]
    assert "widened by 1.5" in titles(chart)[1]
    assert "widened" not in titles(hole_chart(HOLES.with_columns(factor=1.0), "AP"))[1]
    png(chart)


def test_tables_that_are_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'APP'; did you mean AP"):
        hole_chart(HOLES, "APP")
    groups = pl.concat([HOLES, HOLES])
    with pytest.raises(lf.LexiframeError, match="expected one row for each run, measure, found"):
        hole_chart(groups, "AP")
