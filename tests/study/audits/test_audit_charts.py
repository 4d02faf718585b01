"""The chart of audits shows the numbers of its table."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.study.audits.charts import audit_chart
from tests.core.views.charts.made_tables import audits
from tests.core.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow


def test_points_are_rates_and_rules_their_intervals():
    chart = audit_chart(audits(["AP"]))
    rows = pl.DataFrame(chart.data.values).select("test", "n_requests", "rate", "low", "high")
    assert rows.with_columns(pl.col("rate", "low", "high").round(9)).rows() == [
        ("sign", 25, 0.05, 0.04, 0.07), ("sign", 50, 0.06, 0.05, 0.08),
        ("t", 25, 0.15, 0.14, 0.17), ("t", 50, 0.26, 0.25, 0.28),
    ]  # fmt: skip
    assert chart.title.subtitle[1:] == ["equal means; line: α = 0.05"]
    power = audit_chart(audits(["AP"]), "power")
    assert {(row["rate"], row["low"], row["high"]) for row in power.data.values} == {
        (0.5, 0.47, 0.53)
    }
    assert len(power.title.subtitle) == 1


def test_evaluations_of_several_runs_have_lines_of_their_own():
    chart = audit_chart(
        pl.concat([audits(["AP"], tests=["t"]), audits(["AP"], tests=["t"], n_runs=10)])
    )
    assert {row["test"] for row in chart.data.values} == {"t", "t, 10 runs, holm"}


def test_each_null_has_a_row_of_panels():
    chart = audit_chart(audits(nulls=["centred", "exchanged"]))
    assert {row["null"] for row in chart.data.values} == {"equal means", "exchangeable runs"}
    assert {"row", "column"} <= {*chart.to_dict()["facet"]}
    assert chart.title.subtitle[1].startswith("equal means and exchangeable runs; line")


def test_charts_are_drawn_and_names_are_harmless():
    many = audits([f"M{n}" for n in range(7)], tests=[f"test {n}" for n in range(12)])
    both = audits(["AP"], nulls=["centred", "exchanged"])
    charts = [audit_chart(many), audit_chart(audits(UGLY, tests=UGLY)), audit_chart(both)]
    charts.append(audit_chart(audits(["AP"]).head(1), "type_iii"))
    for chart in charts:
        _, width, _ = rendered(chart)
        assert width < 1100
        assert INJECTED not in page(chart)


def test_what_is_refused():
    with pytest.raises(lf.LexiframeError, match="expected rate to be one of 'error_rate', 'power'"):
        audit_chart(audits(), "errors")
    with pytest.raises(lf.LexiframeError, match="audit_chart: expected one row for each measure"):
        audit_chart(pl.concat([audits(), audits()]))
    without = audits().with_columns(power=pl.lit(None, pl.Float64))
    with pytest.raises(lf.LexiframeError, match="audit_chart: expected a row with power, found no"):
        audit_chart(without, "power")
