"""Charts of ties and of missing data show the numbers of their tables."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts.marks import SHAPES, lines_of
from lexiframe.study.less_data.charts import degradation_chart, tie_chart
from tests.core.views.charts.made_tables import TIES, degraded
from tests.core.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow


def test_bars_are_shares_of_ties_the_greatest_first():
    rows = tie_chart(TIES).data.values
    assert [(row["measure"], row["tie_rate"], row["ties"]) for row in rows] == [
        ("RR", 2 / 3, 40), ("AP", 0.05, 3), ("LR", 0.0, 0)
    ]  # fmt: skip
    few = pl.DataFrame({"measure": ["P"], "n": 31680, "ties": [2], "tie_rate": [2 / 31680]})
    rows = tie_chart(pl.concat([TIES, few])).data.values
    assert [row["share"] for row in rows] == ["66.7%", "5.0%", "< 0.1%", "none"]
    assert tie_chart(TIES).title.subtitle == ["of 60 pairs of rankings of the same request"]


def test_a_table_by_groups_is_refused():
    with pytest.raises(lf.LexiframeError, match="tie_chart: expected one row for each measure"):
        tie_chart(pl.concat([TIES, TIES]))


def test_points_are_means_and_bands_a_deviation_around_them():
    rows = pl.DataFrame(degradation_chart(degraded(), "agreement", "LR").data.values)
    assert rows.filter(missing="less: labels, uniform").select(
        "fraction", "mean", pl.col("low", "high").round(9)
    ).rows() == [(0.2, 0.2, 0.15, 0.25), (0.6, 0.6, 0.55, 0.65), (1.0, 1.0, 0.95, 1.05)]
    assert rows["missing"].unique().sort().to_list() == ["less: labels, uniform", "less: requests"]
    assert rows["measure"].unique().to_list() == ["LR"]


def test_counts_of_requests_are_on_the_axis():
    table = degraded(whats=(("requests", None),)).cast({"how": pl.String})
    counted = table.insert_column(3, (table["fraction"] * 50).cast(pl.Int64).alias("n_requests"))
    chart = degradation_chart(counted, "tie_rate", "AP").to_dict()
    (encoding,) = {layer["encoding"]["x"]["field"] for layer in chart["spec"]["layer"]}
    assert encoding == "n_requests"
    rows = pl.DataFrame(degradation_chart(counted, "tie_rate", "AP").data.values)
    assert rows["n_requests"].to_list() == [10, 30, 50]


def test_statistics_without_values_have_no_panel_and_one_sample_has_no_band():
    rows = pl.DataFrame(degradation_chart(degraded()).data.values)
    assert rows["statistic"].unique(maintain_order=True).to_list() == [
        "share of pairs that tie", "agreement with all data", "Kendall's τ with all data"
    ]  # fmt: skip
    assert rows.filter(statistic="Kendall's τ with all data")["low"].null_count() == 12


def test_each_of_many_names_has_its_own_colour_and_shape():
    colour, shape = (one.to_dict()["scale"]["range"] for one in lines_of("x", map(str, range(56))))
    assert len({*zip(colour, shape, strict=True)}) == 56
    assert len({*SHAPES}) == 7


def test_charts_are_drawn_and_names_are_harmless():
    many = pl.concat(TIES.head(1).with_columns(measure=pl.lit(f"M{k}")) for k in range(60))
    ugly = pl.concat(TIES.head(1).with_columns(measure=pl.lit(name)) for name in UGLY)
    charts = [tie_chart(TIES.head(1)), tie_chart(many), tie_chart(ugly)]
    charts += [degradation_chart(degraded(UGLY)), degradation_chart(degraded(["AP"]), "tau")]
    for chart in charts:
        _, width, _ = rendered(chart)
        assert width < 1000
        assert INJECTED not in page(chart)


def test_what_is_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown statistic 'taus'"):
        degradation_chart(degraded(), "taus")
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'nDCG'"):
        degradation_chart(degraded(), measures=["nDCG"])
    with pytest.raises(
        lf.LexiframeError, match="degradation_chart: expected values of system_agreement, found no"
    ):
        degradation_chart(degraded(), "system_agreement")
