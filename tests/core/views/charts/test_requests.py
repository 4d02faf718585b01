"""The chart of a pair of runs shows the numbers of its table, request by request."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts import pair_chart
from tests.core.views.charts.made_tables import OF_LEVELS, OF_METRIC, pair_table
from tests.core.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow


def test_bars_are_the_differences_from_gain_to_loss():
    chart = pair_chart(OF_METRIC.reverse())
    rows = pl.DataFrame(chart.data.values)
    assert rows.select("query_id", "preference").rows() == [
        ("q0000", 0.25), ("q0001", 0.1), ("q0002", 0.0), ("q0003", -0.3)
    ]  # fmt: skip
    assert rows["better"].to_list() == ["a", "a", "tie", "b"]
    assert chart.title.text == "Differences in AP: bm25 − dense"
    assert chart.title.subtitle == [
        "positive where bm25 is better: 2 of 4 requests",
        "negative where dense is better: 1; tied: 1",
    ]


def test_level_1_is_outermost_among_equal_differences():
    rows = pair_chart(OF_LEVELS).data.values
    assert [row["deciding_level"] for row in rows] == [1, 3, None, 5, 2]
    domain = pair_chart(OF_LEVELS).to_dict()["vconcat"][1]["encoding"]["x"]["scale"]["domain"]
    assert domain == [row["query_id"] for row in rows]


def test_a_metric_has_no_panel_of_levels():
    assert "vconcat" not in pair_chart(OF_METRIC).to_dict()
    assert len(pair_chart(OF_LEVELS).to_dict()["vconcat"]) == 2


def test_outermost_requests_are_named_where_the_axis_has_no_room_for_names():
    table = pair_table([1 - 2 * k / 49 for k in range(50)])
    ends = "from the left: q0000, q0001, q0002; from the right: q0049, q0048, q0047"
    assert pair_chart(table).title.subtitle[2:] == [ends]
    assert pair_chart(table.head(40)).title.subtitle[2:] == []
    named = table.with_columns(query_id=pl.lit("a_request_with_a_long_name_") + pl.col("query_id"))
    assert pair_chart(named).title.subtitle[2].startswith("from the left: a_requ…q0000, a_requ…q0")


@pytest.mark.parametrize("n", [1, 5, 50, 250, 1000])
def test_any_number_of_requests_is_drawn(n):
    table = pair_table([1 - 2 * k / max(1, n - 1) for k in range(n)])
    _, width, _ = rendered(pair_chart(table))
    assert width < 800
    named = pair_chart(table).to_dict()["layer"][0]["encoding"]["x"]["axis"]["labels"]
    assert named == (n < 50)
    assert len(pair_chart(table).data.values) == n


def test_names_are_harmless():
    table = pair_table([0.5, 0.2, 0, -0.1, -1], runs=UGLY[:2], names=UGLY)
    for levels in ([None] * 5, [1, 2, None, 1, 1]):
        drawn = table.with_columns(deciding_level=pl.Series(levels, dtype=pl.Int64))
        _, width, _ = rendered(pair_chart(drawn))
        assert width < 800
        assert INJECTED not in page(pair_chart(drawn))


def test_what_is_refused():
    both = pl.concat([OF_METRIC, OF_LEVELS])
    with pytest.raises(lf.LexiframeError, match="pair_chart: expected one row for each query_id"):
        pair_chart(both)
    assert len(pair_chart(both, "LP").data.values) == 5
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'LQ'"):
        pair_chart(both, "LQ")
    with pytest.raises(lf.LexiframeError, match="expected at least one row to draw"):
        pair_chart(OF_METRIC.clear())


def test_the_title_subtracts_as_the_bars_do_where_smaller_is_better():
    folder = lf.bundled("example")
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["ASL", "AP"])
    a, b = "pixels_euclidean", "random"
    both = e.pair(a, b)
    assert pair_chart(both, "AP").title.text == f"Differences in AP: {a} − {b}"
    said = f"Differences in ASL (smaller is better): {b} − {a}"
    assert pair_chart(both, "ASL").title.text == said
    for row in pair_chart(both, "ASL").data.values:
        assert row["preference"] == pytest.approx(row["value_b"] - row["value_a"])
