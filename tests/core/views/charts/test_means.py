"""Charts of means show the numbers of their tables, best first."""

import json
import re
from datetime import date
from decimal import Decimal

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.core.views.charts import mean_chart, trade_off_chart
from lexiframe.core.views.charts.means import _room_for_names
from tests.core.views.charts.drawn import rows, titles
from tests.core.views.charts.tiny_tables import TINY, A, B, C

pytestmark = pytest.mark.slow

MEANS = TINY["means"]


def test_means_and_intervals_are_those_of_the_table_best_first():
    chart = mean_chart(MEANS, "AP", alpha=0.1)
    assert rows(chart).equals(MEANS.filter(measure="AP").sort("rank"))
    bars, points = chart.to_dict(validate=False)["layer"]
    assert [bars["encoding"][end]["field"] for end in ("x", "x2")] == ["ci_low", "ci_high"]
    assert points["encoding"]["x"]["field"] == "mean"
    assert points["encoding"]["y"]["sort"] == [B, A, C]
    assert titles(chart) == [
        "Mean AP over 4 requests, best first", "bars are 90 % intervals of the mean",
        "with n = 4 requests intervals say little",
    ]  # fmt: skip


def test_points_at_the_ends_stand_apart_from_the_frame():
    chart = mean_chart(MEANS, "AP")
    svg = pytest.importorskip("vl_convert").vegalite_to_svg(chart.to_dict())
    rule = r'"rule mark" transform="translate\(([0-9.]+),[0-9.]+\)" x2="([0-9.]+)"'
    bars = [(float(x), float(x) + float(width)) for x, width in re.findall(rule, svg)]
    points = re.findall(r'"point" transform="translate\(([0-9.]+)', svg)
    assert [len(bars), len(points)] == [2, 3]
    assert all(5 < x < chart.width - 5 for x in [*map(float, points), *sum(bars, ())])


def test_several_measures_stand_side_by_side_with_their_own_scales():
    both = mean_chart(MEANS, ["RR", "AP"])
    assert both.data.values == mean_chart(MEANS, ("RR", "AP")).data.values
    assert rows(both).sort("run", "measure").select(MEANS.columns).equals(MEANS)
    spec = both.to_dict(validate=False)
    assert spec["facet"]["sort"] == ["RR", "AP"]
    assert spec["resolve"] == {"scale": {"x": "independent"}}
    assert spec["spec"]["layer"][1]["encoding"]["y"]["sort"] == [A, B, C]  # as RR has it
    assert titles(both)[0] == "Means over 4 requests, best first by RR"
    assert mean_chart(MEANS).to_dict(validate=False)["facet"]["sort"] == ["AP", "RR"]


def test_one_request_has_no_interval_and_smaller_may_be_better():
    one = MEANS.with_columns(ci_low=None, ci_high=None, n=pl.lit(1))
    assert titles(mean_chart(one, "AP")) == ["Mean AP over 1 request, best first"]
    smaller = MEANS.with_columns(rank=4 - pl.col("rank"))
    spec = mean_chart(smaller, "AP").to_dict(validate=False)
    assert spec["layer"][1]["encoding"]["y"]["sort"] == [C, A, B]


def test_means_that_are_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'APP'; did you mean AP"):
        mean_chart(MEANS, ["RR", "APP"])
    groups = pl.concat([MEANS, MEANS])
    with pytest.raises(lf.LexiframeError, match="expected one row for each run, measure, found"):
        mean_chart(groups, "AP")
    with pytest.raises(lf.LexiframeError, match="expected at least one row to draw, found none"):
        mean_chart(MEANS.clear())
    with pytest.raises(lf.SchemaError, match="mean_chart: expected the columns run, measure, mean"):
        mean_chart(TINY["orderings"])


LOG = pl.DataFrame({"run": [A, B], "params.k": [0.9, None], "kind": ["lexical", "neural"]})


def coloured(**options):
    with pytest.warns(lf.LexiframeWarning, match="run without a log entry: 1"):
        return trade_off_chart(MEANS, "RR", "AP", log=LOG, **options)


def test_one_measure_against_another_with_a_parameter_of_the_log():
    found = rows(coloured(colour="params.k"))
    assert found.select("run", "x", "y", "n", "colour").rows() == [
        (A, 0.75, 0.375, 4, 0.9), (B, 0.75, 0.5, 4, None), (C, 0.25, 0.125, 4, None)
    ]  # fmt: skip
    spec = coloured(colour="params.k").to_dict(validate=False)["layer"][0]["encoding"]
    assert spec["color"]["condition"]["type"] == "quantitative"
    assert spec["color"]["value"] == "#767676"  # without an entry, and a cross
    assert spec["shape"]["value"] == "cross"
    assert spec["x"]["title"] == "mean RR"


def test_texts_have_a_shape_as_well_as_a_colour():
    spec = coloured(colour="kind").to_dict(validate=False)["layer"][0]["encoding"]
    scales = [spec[channel]["condition"]["scale"] for channel in ("color", "shape")]
    assert [scale["domain"] for scale in scales] == [["lexical", "neural"]] * 2
    assert len({*scales[1]["range"]}) == 2


def test_values_of_any_type_colour_points(tmp_path):
    log = pl.DataFrame(
        {"run": [A, B, C], "day": [date(2026, 1, 2), None, date(2026, 1, 3)],
         "layers": [[1], [2, 3], None], "stemmed": [True, False, None],
         "k1": [Decimal("0.9"), Decimal("1.2"), None]}
    )  # fmt: skip

    def colours(column, log=log):
        chart = trade_off_chart(MEANS, "RR", "AP", log=log, colour=column)
        assert "colour" in json.dumps(chart.to_dict())
        return rows(chart)["colour"].to_list()

    assert colours("day") == ["2026-01-02", None, "2026-01-03"]
    assert colours("stemmed") == ["True", "False", None]
    assert colours("layers") == ["[1]", "[2, 3]", None]
    assert colours("k1") == [0.9, 1.2, None]
    (tmp_path / "log.csv").write_text(f"run,k1\n{A},0.9\n{B},1.2\n{C},0.4\n")
    assert colours("k1", tmp_path / "log.csv") == [0.9, 1.2, 0.4]


def test_the_log_may_have_been_joined_before():
    with pytest.warns(lf.LexiframeWarning, match="run without a log entry"):
        joined = lf.with_log(MEANS, LOG)
    found = rows(trade_off_chart(joined, "RR", "AP", colour="kind"))
    assert found["colour"].to_list() == ["lexical", "neural", None]
    named_as_ours = pl.DataFrame({"run": [A, B, C], "n": [8, 16, 32]})
    found = rows(trade_off_chart(MEANS, "RR", "AP", log=named_as_ours, colour="n"))
    assert found.select("n", "colour").rows() == [(4, 8), (4, 16), (4, 32)]
    assert "colour" not in rows(trade_off_chart(joined, "RR", "AP")).columns


def test_names_stand_where_they_cover_no_point():
    points = pl.DataFrame(
        {"run": ["a", "bb", "far", "above"], "x": [0.0, 0.01, 1.0, 0.0], "y": [0.0, 0.0, 0.0, 1.0]}
    )
    assert _room_for_names(points).to_list() == [False, True, True, True]
    assert _room_for_names(points.head(1)).to_list() == [True]


def test_trade_offs_that_are_refused_or_leave_out_runs():
    only = MEANS.filter((pl.col("run") != C) | (pl.col("measure") != "RR"))
    chart = trade_off_chart(only, "AP", "RR")
    assert rows(chart)["run"].to_list() == [A, B]
    assert titles(chart) == [
        "RR against AP", "2 runs, 4 requests", "1 without a mean under both measures"
    ]  # fmt: skip
    apart = MEANS.filter((pl.col("run") == C) == (pl.col("measure") == "RR"))
    with pytest.raises(lf.LexiframeError, match="expected a run with means under AP and RR, found"):
        trade_off_chart(apart, "AP", "RR")
    with pytest.raises(lf.LexiframeError, match="expected colour= to name a column of the log"):
        trade_off_chart(MEANS, "AP", "RR", log=LOG)
    with (
        pytest.warns(lf.LexiframeWarning),
        pytest.raises(lf.UnknownNameError, match=r"unknown column 'params\.b'"),
    ):
        trade_off_chart(MEANS, "AP", "RR", log=LOG, colour="params.b")
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'P'"):
        trade_off_chart(MEANS, "AP", "P")
