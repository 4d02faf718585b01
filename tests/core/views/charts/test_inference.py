"""Charts of tests: p-values, power, and groups that are not significantly different."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.core.views.charts import (
    asl_chart,
    critical_difference_chart,
    power,
    power_chart,
    power_curve_chart,
    significance_chart,
)
from tests.core.views.charts.drawn import rows, titles
from tests.core.views.charts.evaluation_tables import drawn_scores
from tests.core.views.charts.tiny_tables import ASL_CURVE, COMPARISONS, TINY, A, B, C

pytestmark = pytest.mark.slow

POWER, MEANS, CURVE = TINY["power"], TINY["means"], TINY["power_curve"]


def test_the_curve_has_the_p_values_of_the_table():
    chart = asl_chart(ASL_CURVE, alpha=0.01)
    assert rows(chart).select(ASL_CURVE.columns).equals(ASL_CURVE)
    level, curves = chart.to_dict(validate=False)["layer"]
    assert curves["encoding"]["y"]["field"] == "p_value"
    assert chart.layer[0].data.values == [{"alpha": 0.01}]
    assert level["encoding"]["y"]["field"] == "alpha"
    assert titles(chart)[1:] == [
        "test: t", "3 pairs of runs, p not corrected; line: α = 0.01"
    ]  # fmt: skip


def test_each_curve_has_its_own_colour_and_dashes():
    spec = asl_chart(ASL_CURVE, ["RR", "AP"]).to_dict(validate=False)["layer"][1]["encoding"]
    assert spec["color"]["scale"]["domain"] == spec["strokeDash"]["scale"]["domain"] == ["RR", "AP"]
    one = ASL_CURVE.filter(measure="AP")
    many = pl.concat([one.with_columns(measure=pl.lit(f"m{n:02}")) for n in range(20)])
    spec = asl_chart(many).to_dict(validate=False)["layer"][1]["encoding"]
    colours, dashes = (spec[name]["scale"]["range"] for name in ("color", "strokeDash"))
    looks = {(colour, *dash) for colour, dash in zip(colours, dashes, strict=True)}
    assert len(looks) == 20
    by_test = pl.concat([ASL_CURVE, ASL_CURVE.with_columns(test=pl.lit("sign"))])
    spec = asl_chart(by_test, "AP").to_dict(validate=False)["layer"][1]["encoding"]
    assert spec["color"]["scale"]["domain"] == ["t", "sign"]


def test_long_curves_are_thinned_up_to_their_last_point(monkeypatch):
    monkeypatch.setattr(power, "_MOST_PLACES", 2)
    assert rows(asl_chart(ASL_CURVE, "AP"))["place"].to_list() == [1, 3]
    longer = pl.concat(
        [ASL_CURVE, ASL_CURVE.filter(place=3).with_columns(place=pl.lit(4, pl.Int64))]
    )
    assert rows(asl_chart(longer, "AP"))["place"].to_list() == [1, 3, 4]
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'P'"):
        asl_chart(ASL_CURVE, "P")


def test_power_is_that_of_the_table_the_greatest_first():
    chart = power_chart(POWER)
    assert rows(chart).select(POWER.columns).sort(POWER.columns[:4]).equals(POWER)
    spec = chart.to_dict(validate=False)["encoding"]
    assert spec["y"]["sort"] == ["AP", "RR"]
    assert spec["shape"]["scale"]["domain"] == ["sign", "t"]
    assert len({*spec["shape"]["scale"]["range"]}) == 2
    assert titles(chart)[1:] == ["correction: holm, α = 0.05", "3 pairs of runs"]
    better = POWER.with_columns(power=pl.Series([0.0, 0.1, 0.0, 0.2]))
    assert power_chart(better).to_dict(validate=False)["encoding"]["y"]["sort"] == ["RR", "AP"]
    one = power_chart(POWER.filter(test="t"))
    assert titles(one)[1] == "test: t, correction: holm, α = 0.05"
    assert "shape" not in one.to_dict(validate=False)["encoding"]
    with pytest.raises(lf.LexiframeError, match="expected one row for each measure, test, corr"):
        power_chart(pl.concat([POWER, POWER]))


def bars(chart):
    return [(bar["from"], bar["to"], bar["lane"]) for bar in chart.hconcat[1].data.values]


def test_bars_join_runs_that_are_not_told_apart():
    chart = critical_difference_chart(COMPARISONS, MEANS, "AP", alpha=0.05)
    points = rows(chart.hconcat[0])
    assert points.select("run", "value", "rank").rows() == [
        (B, 0.5, 1.0), (A, 0.375, 2.0), (C, 0.125, 3.0)
    ]  # fmt: skip
    assert bars(chart) == [(B, A, 0)]
    assert titles(chart)[1:] == ["test: t, correction: holm, α = 0.05, 4 requests"]
    by_borda = TINY["orderings"].filter(method="borda")
    values = rows(critical_difference_chart(COMPARISONS, by_borda, "AP").hconcat[0])
    assert values["value"].to_list() == [1.5, 1.5, 0.0]


def told_apart(*pairs):
    return COMPARISONS.filter(measure="AP").with_columns(
        reject=pl.struct("run_a", "run_b").map_elements(
            lambda pair: (pair["run_a"], pair["run_b"]) in pairs, pl.Boolean
        )
    )


def test_bars_that_overlap_have_lanes():
    assert bars(critical_difference_chart(told_apart((B, C)), MEANS, "AP")) == [
        (B, A, 0), (A, C, 1)
    ]  # fmt: skip
    assert bars(critical_difference_chart(told_apart(), MEANS, "AP")) == [(B, C, 0)]


def test_a_pair_without_a_bar_is_counted():
    """Of bm25, which lies between them, one differs: a bar over all three would be wrong."""
    chart = critical_difference_chart(told_apart((A, B)), MEANS, "AP")
    assert bars(chart) == [(A, C, 0)]
    assert (
        titles(chart)[2] == "no bar for 1 pair not significantly different: a run between differs"
    )
    alone = critical_difference_chart(told_apart((A, B), (A, C), (B, C)), MEANS, "AP")
    assert len(alone.hconcat) == 1


def test_groups_may_come_from_the_hsd_with_requests_as_blocks():
    folder = lf.bundled("example")
    s = lf.scores(lf.positions(folder / "runs", folder / "qrels.txt"), "AP")
    hsd = lf.tukey_hsd(s, "parametric")
    chart = critical_difference_chart(hsd, lf.order_runs(s), "AP")
    assert bars(chart) == [("pixels_euclidean", "pca8_euclidean", 0)]
    assert "hsd_parametric" in titles(chart)[1]


def test_comparisons_with_a_baseline_make_no_groups():
    with pytest.raises(lf.LexiframeError, match="expected comparisons of all pairs, found none"):
        critical_difference_chart(COMPARISONS.filter(run_b=C), MEANS, "AP")
    with pytest.raises(
        lf.LexiframeError, match="expected an order of all runs, found one without 'rand"
    ):
        critical_difference_chart(COMPARISONS, MEANS.filter(pl.col("run") != C), "AP")


def lines(chart):
    return rows(chart).select("run_a", "run_b", "n_requests", "power", "is_highlighted").rows()


def test_power_by_number_of_requests():
    chart = power_curve_chart(CURVE, "AP", highlight=(C, A), power=0.9)
    assert lines(chart) == [
        (A, B, 5, 0.125, False), (A, B, 50, 0.5, False), (A, C, 5, 0.75, True),
        (A, C, 50, 1.0, True),
    ]  # fmt: skip
    assert titles(chart)[1] == "2 pairs of runs, 1 without (one request); line: power 0.9"
    assert all(row[-1] for row in lines(power_curve_chart(CURVE, "AP")))
    with pytest.raises(lf.UnknownNameError, match="unknown pair 'bm25 − dens'; did you mean"):
        power_curve_chart(CURVE, "AP", highlight=[(A, "dens")])


def test_a_single_run_is_no_pair():
    with pytest.raises(TypeError, match="expected highlight to be a pair of which each is text"):
        power_curve_chart(CURVE, "AP", highlight=A)


def test_power_of_many_pairs_is_drawn_as_cells(monkeypatch):
    monkeypatch.setattr(power, "_MOST_LINES", 1)
    chart = power_curve_chart(CURVE, "AP", highlight=[(A, B)])
    assert {row[:2] for row in lines(chart)} == {(A, B)}
    cells = rows(chart.layer[0])
    assert cells.select("n_requests", "low", "n_pairs", "share").rows() == [
        (5, 0.1, 1, 0.5), (5, 0.7, 1, 0.5), (50, 0.5, 1, 0.5), (50, 0.9, 1, 0.5)
    ]  # fmt: skip
    assert chart.to_dict(validate=False)["resolve"] == {
        "scale": {"color": "independent", "strokeDash": "independent"}
    }
    without = power_curve_chart(CURVE, "AP", highlight=[])
    assert len(without.layer) == 2


def test_a_table_of_one_measure_and_test_needs_no_choice():
    """Else the error lists what there is, of the comparisons and of the orderings."""
    s = drawn_scores(3, 6, ("AP", "RR"))
    c, o = lf.compare(s, "t"), lf.order_runs(s, "mean")
    one = c.filter(measure="RR")
    same = significance_chart(one), significance_chart(one, "RR")
    assert same[0].to_dict() == same[1].to_dict()
    same = critical_difference_chart(one, o), critical_difference_chart(one, o, "RR")
    assert same[0].to_dict() == same[1].to_dict()
    message = r"2 values of measure \(AP, RR\): choose one, such as measure='AP'"
    for draw in (significance_chart, lambda c: critical_difference_chart(c, o)):
        with pytest.raises(lf.LexiframeError, match=message):
            draw(c)
        with pytest.raises(lf.LexiframeError, match=r"2 values of test \(sign, t\): choose one"):
            draw(pl.concat([one, lf.compare(s, "sign").filter(measure="RR")]))
    both = pl.concat([o, lf.order_runs(s, "borda")])
    with pytest.raises(lf.LexiframeError, match=r"2 values of method \(borda, mean\): choose one"):
        critical_difference_chart(one, both)
