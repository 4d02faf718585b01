"""The charts of overlap and of documents to judge show the numbers of their tables."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.study.overlaps.charts import overlap_chart, unjudged_chart
from tests.core.views.charts.drawn import png, rows, titles
from tests.core.views.charts.made_tables import OVERLAPS, UNJUDGED

pytestmark = pytest.mark.slow

HARMLESS = "b<\u200bb>"


def test_a_cell_is_the_mean_over_requests_with_a_value():
    chart = overlap_chart(OVERLAPS, "tau@5")
    cells = {tuple(row) for row in rows(chart).select("run", "with", "mean", "n").rows()}
    one_way = {("a", HARMLESS, 0.75, 2), ("a", "c", 0.25, 1)}
    assert cells == one_way | {(b, a, *rest) for a, b, *rest in one_way}
    assert titles(chart) == ["Overlap of rankings by tau@5", "3 runs, 0 to 2 requests"]
    encoding = chart.to_dict(validate=False)["encoding"]
    assert encoding["color"]["scale"]["domain"] == [0, 1]
    assert encoding["y"]["sort"] in (["c", "a", HARMLESS], [HARMLESS, "a", "c"])


def test_values_below_0_have_another_colour_and_runs_stand_as_told():
    chart = overlap_chart(
        OVERLAPS.with_columns(-pl.col("value")), "tau@5", order=["c", "b<b>", "a"]
    )
    encoding = chart.to_dict(validate=False)["encoding"]
    assert encoding["color"]["scale"]["domain"] == [-1, 1]
    assert encoding["x"]["sort"] == ["c", HARMLESS, "a"]


def test_the_line_is_the_cumulated_share():
    chart = unjudged_chart(UNJUDGED)
    points = rows(chart).select("judged", "share", "is_marked").rows()
    assert points == [
        (0, 0.0, False), (1, 0.5, True), (2, 0.75, False), (3, 0.875, False), (4, 1.0, True)
    ]  # fmt: skip
    assert titles(chart)[1] == "4 unjudged documents of 1 request; dots: 50 %, 90 %"


def test_many_documents_make_few_points():
    runs = {"X": {str(q): {f"d{n}": -n for n in range(60)} for q in range(30)}}
    qrels = {str(q): {"d0": 1} for q in range(30)}
    chart = unjudged_chart(lf.unjudged(runs, qrels, depth=60))
    found = rows(chart)
    assert found.height <= 502
    assert found.row(-1) == (30 * 59, 1.0, False)
    png(chart)


def test_tables_of_a_collection_are_drawn():
    folder = lf.bundled("digits")
    few = sorted((folder / "runs").iterdir())[:6]
    qrels = pl.read_parquet(folder / "qrels.parquet")
    with pytest.warns(lf.LexiframeWarning, match="requests without judgments"):
        table = lf.unjudged(few, qrels.filter(pl.col("query_id") < "q0100").gather_every(3))
    png(overlap_chart(lf.overlap(few, "RBO"), "RBO(p=0.9)"))
    png(unjudged_chart(table))


def test_what_is_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RBO'"):
        overlap_chart(OVERLAPS, "RBO")
    nothing = OVERLAPS.with_columns(value=pl.lit(None, pl.Float64))
    with pytest.raises(lf.LexiframeError, match="expected a pair of runs with a value, found none"):
        overlap_chart(nothing, "tau@5")
    judged = lf.unjudged({"X": {"q": {"a": 1}}}, {"q": {"a": 1}})
    with pytest.raises(lf.LexiframeError, match="unjudged_chart: expected at least one row to dr"):
        unjudged_chart(judged)
