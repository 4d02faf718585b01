"""Charts of several collections: a panel each of one scale, and the mean over collections."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe import charts
from lexiframe.core.projection.by_collection import together
from lexiframe.core.views.charts.panels import mean_of
from tests.core.views.charts.drawn import png, rows, titles
from tests.core.views.charts.evaluation_charts import CHARTS
from tests.core.views.charts.evaluation_tables import tables
from tests.core.views.charts.tiny_tables import TINY

LAST = "mean over collections"
WITH_MEAN = {
    "mean_chart", "trade_off_chart", "win_rate_chart", "correlation_chart", "power_chart"
}  # fmt: skip
OF_FEW = {"news": tables(4, 5), "law": tables(4, 6)}


def several(tables_of):
    names = next(iter(tables_of.values()))
    return {name: together({c: t[name] for c, t in tables_of.items()}) for name in names}


def panels(chart):
    """The rows of the panels by their titles, for each facet and layer with rows of its own."""
    spec = chart.to_dict(validate=False)
    found = {}

    def walk(part, title, data):
        data = part.get("data", data)
        inside = [one for of in ("layer", "hconcat") for one in part.get(of, [])]
        for one in inside:
            walk(one, title, data)
        if not inside and spec["datasets"][data["name"]] not in found[title]:
            found[title].append(spec["datasets"][data["name"]])

    for block in spec.get("vconcat", [spec]):
        for panel in block["concat"]:
            found.setdefault(panel["title"]["text"], [])
            walk(panel, panel["title"]["text"], block.get("data", spec.get("data")))
    return found


def shown(chart, title):
    """The rows of a panel, whose layers have the same."""
    (own,) = panels(chart)[title]
    return pl.DataFrame(own, infer_schema_length=None)


def every_row(chart):
    """All rows of a chart without panels."""
    return {str(sorted(row.items())) for of in chart["datasets"].values() for row in of}


def test_every_chart_of_a_table_that_collections_may_have_draws_them():
    """Others are of a theory, or of one request, and `tie_chart` has its own points."""
    typed_alone = {
        name
        for name in charts.__all__
        if not hasattr(getattr(charts, name).__wrapped__.__wrapped__, "__wrapped__")
    }
    assert typed_alone == {
        "axiom_chart", "contribution_chart", "exposure_difference_chart", "first_and_last_chart",
        "first_rank_tie_chart", "optimal_chart", "order_chart", "orientation_chart",
        "population_chart", "ranking_chart", "simulated_agreement_chart", "simulated_tie_chart",
        "tie_chart",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*CHARTS} - {"asl_chart"}))
def test_each_panel_has_the_data_of_the_chart_of_its_collection(name):
    chart = CHARTS[name](several(OF_FEW), "RR")
    found = panels(chart)
    assert [*found] == ["news", "law"] + [LAST] * (name in WITH_MEAN)
    png(chart)
    for collection, of in OF_FEW.items():
        alone = CHARTS[name](of, "RR").to_dict(validate=False)
        rows_of_panel = {str(sorted(row.items())) for of in found[collection] for row in of}
        assert rows_of_panel == every_row(alone)
    said = titles(chart)
    assert said[-1].startswith("2 collections")
    assert not any(word in line for line in said for word in ("law", "news"))


def test_panels_share_the_scale_and_the_order_of_runs_and_titles_have_the_range():
    chart = charts.mean_chart(several(OF_FEW)["means"], "AP")
    assert titles(chart)[0] == "Mean AP over 5 to 6 requests, best on average first"
    assert chart.resolve["scale"]["x"] == chart.resolve["scale"]["y"] == "shared"
    law, news, mean = chart.to_dict(validate=False)["concat"]
    orders = [p["layer"][1]["encoding"]["y"]["sort"] for p in (law, news, mean)]
    assert orders[0] == orders[1] == orders[2]
    assert law["layer"][0]["encoding"]["y"]["axis"].get("labels", True)
    assert not news["layer"][0]["encoding"]["y"]["axis"]["labels"]
    for run, value in shown(chart, LAST).select("run", "mean").rows():
        own = [t["means"].filter(run=run, measure="AP")["mean"][0] for t in OF_FEW.values()]
        assert value == pytest.approx(sum(own) / 2)


def test_collections_of_other_runs_have_rows_and_an_order_of_their_own_and_no_mean():
    of = TINY["means"]
    other = of.with_columns(run=pl.col("run") + "'")
    chart = charts.mean_chart(together({"a": of, "b": other}), "AP")
    assert titles(chart)[0] == "Mean AP over 4 requests, best first"
    assert titles(chart)[-1] == "2 collections"
    assert chart.resolve["scale"]["y"] == "independent"
    assert {*panels(chart)} == {"a", "b"}


def test_a_win_rate_counts_each_collection_once():
    of = TINY["win_rates"]
    one = of.with_columns(n=8, wins=8, losses=0, ties=0, win_rate=pl.lit(1.0))
    chart = charts.win_rate_chart(
        together({"a": of, "b": one}), "AP", order=["bm25", "dense", "random"]
    )
    shares = {(r["run"], r["against"]): r["share"] for r in shown(chart, LAST).to_dicts()}
    assert shares["bm25", "dense"] == (0.375 + 1) / 2
    assert shares["dense", "bm25"] == pytest.approx(1 - shares["bm25", "dense"])


def test_panels_are_in_the_order_of_classes():
    table = several({"a": TINY, "b": TINY, "c": TINY})["power"]
    kinds = pl.col("collection").replace_strict({"a": "web", "b": "law", "c": "web"})
    chart = charts.power_chart(table.with_columns(kinds.alias("class")))
    assert [*panels(chart)] == ["b", "a", "c", LAST]
    of_one = charts.power_chart(table.filter(collection="b"))
    assert titles(of_one) == titles(charts.power_chart(TINY["power"]))


def test_a_table_of_the_order_needs_all_collections():
    t = several(OF_FEW)
    order = t["orderings"].filter(collection="law", method="mean")
    with pytest.raises(lf.UnknownNameError, match="unknown collection 'news'"):
        charts.win_rate_chart(t["win_rates"], "AP", order=order)
    with pytest.raises(lf.UnknownNameError, match="collection 'news': unknown measure 'x'"):
        charts.win_rate_chart(t["win_rates"], "x")


@pytest.mark.slow
def test_up_to_eight_collections_are_lines_of_one_measure_and_panels_of_several():
    curves = together(dict.fromkeys("ab", TINY["asl_curve"]))
    assert [*panels(charts.asl_chart(curves, ["RR", "AP"]))] == ["a", "b"]
    chart = charts.asl_chart(curves, "RR")
    assert [*panels(chart)] == ["RR"]
    color = chart.concat[0].layer[1].encoding.color.to_dict(validate=False)
    assert color["scale"]["domain"] == ["a", "b"]
    many = charts.asl_chart(together({f"c{n}": TINY["asl_curve"] for n in range(9)}), "AP")
    assert len(panels(many)) == 9


@pytest.mark.slow
def test_facets_become_blocks_of_panels():
    table = several(OF_FEW)["means"]
    chart = charts.mean_chart(table, ["RR", "AP"])
    assert [block.title.text for block in chart.vconcat] == ["RR", "AP"]
    assert [len(of) for of in panels(chart).values()] == [2, 2, 2]


def test_a_level_that_decides_nothing_counts_as_0_in_the_mean():
    levels = pl.DataFrame({"measure": "LP", "deciding_level": [1, 2], "pairs": [3, 1],
                           "share": [0.75, 0.25], "cumulative": [0.75, 1.0]})  # fmt: skip
    one = levels.head(1).with_columns(share=1.0, cumulative=1.0)
    chart = charts.deciding_level_chart(together({"a": levels, "b": one}))
    last = shown(chart, LAST).select("deciding_level", "share", "cumulative")
    assert last.rows() == [(1, 0.875, 0.875), (2, 0.125, 1.0)]


@pytest.mark.slow
def test_ties_are_points_with_a_stroke_at_the_mean():
    ties = pl.DataFrame({"measure": ["AP", "RR"], "n": 4, "ties": [0, 2], "tie_rate": [0.0, 0.5]})
    other = ties.with_columns(ties=pl.Series([0, 3]), tie_rate=pl.Series([0.0, 0.75]))
    chart = charts.tie_chart(together({"a": ties, "b": other}))
    strokes, points = chart.layer
    assert dict(rows(strokes).select("measure", "tie_rate").rows()) == {"AP": 0.0, "RR": 0.625}
    assert rows(points).height == 4
    assert titles(chart)[1:] == [
        "of 4 pairs of rankings of the same request", "2 collections; strokes: their means"
    ]  # fmt: skip
    png(chart)


def test_missing_data_have_a_line_for_each_collection_and_one_for_the_mean():
    key = {"what": "labels", "how": "uniform", "fraction": [0.5, 1.0], "measure": "AP"}
    less = pl.DataFrame({**key, "samples": 3, "tau": [0.5, 1.0], "tau_sd": [0.1, 0.0]})
    missing = ("tie_rate", "agreement", "system_agreement")
    less = less.with_columns(
        pl.lit(None, pl.Float64).alias(f"{m}{end}") for m in missing for end in ("", "_sd")
    )
    chart = charts.degradation_chart(
        together({"a": less, "b": less.with_columns(tau=pl.lit(1.0))}), "tau"
    )
    lines = shown(chart, "AP").filter(fraction=0.5).select("measure", "mean", "low").rows()
    assert lines == [("a", 0.5, 0.4), ("b", 1.0, 0.9), (LAST, 0.75, None)]
    assert "means over 3 samples" in titles(chart)


def test_names_of_collections_are_harmless():
    chart = charts.mean_chart(together(dict.fromkeys(["a</script>", "b"], TINY["means"])), "AP")
    assert "a</script>" not in chart.to_html(inline=False)


def test_what_a_collection_lacks_has_no_mean():
    table = pl.DataFrame({"collection": ["a", "a", "b"], "run": ["x", "y", "x"], "n": [1, 2, 3],
                          "value": [1.0, 2.0, 4.0], "ci_low": [0.0, 0.0, 0.0]})  # fmt: skip
    found = mean_of("value")(table)
    assert found.to_dicts() == [{"run": "x", "value": 2.5, "ci_low": None, "n": 4}]
