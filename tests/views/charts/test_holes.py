"""The chart of unjudged documents shows the numbers of its table."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.base.schemas import HOLE_VALUES
from lexiframe.views.charts import hole_chart
from tests.views.charts.drawn import compare_with_snapshot, png, rows, titles

pytestmark = pytest.mark.slow

NUMBERS = {
    "a": (0.5, 0.45, 0.3, 0.6, 0.35, 0.55, 0.3, 0.7, 1.5, 1.0, 1.0, 2.0, 12),
    "b": (0.4, 0.42, 0.4, 0.5, 0.4, 0.45, 0.4, 0.6, 1.5, 2.0, 1.0, 2.0, 3),
    "c<b>": (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.5, 3.0, 3.0, 3.0, 0),
}
TABLE = pl.DataFrame(
    [(run, measure, *numbers) for run, numbers in NUMBERS.items() for measure in ("AP", "RR")],
    schema=HOLE_VALUES.columns,
    orient="row",
)


def test_its_specification():
    compare_with_snapshot(hole_chart(TABLE, "AP"), "hole_chart")


def test_points_bars_and_lines_are_those_of_the_table_best_first():
    chart = hole_chart(TABLE.reverse(), "AP")
    assert rows(chart)["value"].to_list() == [0.5, 0.4, 0.1]
    layers = chart.to_dict(validate=False)["layer"]
    assert [layer["encoding"]["x"]["field"] for layer in layers] == [
        "naive_low", "ci_low", "mean", "value"
    ]  # fmt: skip
    assert [layers[n]["encoding"]["x2"]["field"] for n in (0, 1)] == ["naive_high", "ci_high"]
    assert "widened by 1.5" in titles(chart)[1]
    assert "widened" not in titles(hole_chart(TABLE.with_columns(factor=1.0), "AP"))[1]
    png(chart)


def test_tables_that_are_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'APP'; did you mean AP"):
        hole_chart(TABLE, "APP")
    groups = pl.concat([TABLE, TABLE])
    with pytest.raises(lf.LexiframeError, match="expected one row for each run, measure, found"):
        hole_chart(groups, "AP")
