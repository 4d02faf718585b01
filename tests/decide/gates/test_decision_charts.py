"""The charts of gates, of replicates, and of people and model show the numbers of their tables."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.decide.gates.decision_charts import (
    dependability_chart,
    gate_curve_chart,
    powered_chart,
    sequence_chart,
)
from tests.core.views.charts.drawn import png
from tests.core.views.charts.made_tables import DECISION_STUDY, GATE_CURVE, POWERED, SEQUENCE

pytestmark = pytest.mark.slow


def test_a_curve_has_a_line_for_each_candidate():
    chart = gate_curve_chart(GATE_CURVE)
    assert len(chart.data.values) == 8
    assert chart.title.subtitle == ["1,000 trials of each, with 95 % intervals"]
    png(chart)


def test_a_decision_study_has_a_line_for_each_number_of_replicates():
    chart = dependability_chart(DECISION_STUDY)
    assert {row["replicates"] for row in chart.data.values} == {"1 per request", "3 per request"}
    png(dependability_chart(DECISION_STUDY, "dependability"))
    with pytest.raises(lf.LexiframeError, match="expected value to be"):
        dependability_chart(DECISION_STUDY, "alpha")


def test_people_and_model_stand_together():
    rows = powered_chart(POWERED).data.values
    both = next(row for row in rows if row["by"] == "people and model" and row["of"] == "dense")
    assert (both["mean"], both["ci_low"], both["n"]) == (0.5, 0.45, 20)
    alone = next(row for row in rows if row["by"] == "model alone" and row["of"] == "dense")
    assert (alone["mean"], alone["ci_low"], alone["n"]) == (0.7, None, 100)
    png(powered_chart(POWERED, "AP"))
    pairs = POWERED.rename({"run": "run_a"}).with_columns(run_b=pl.lit("z"))
    assert powered_chart(pairs).data.values[0]["of"] == "bm25 − z"


def test_a_sequence_has_a_band_and_a_line():
    chart = sequence_chart(SEQUENCE)
    assert [row["n_requests"] for row in chart.data.values] == [20, 40, 60] * 2
    assert "95 % or more" in chart.title.subtitle[0]
    png(chart)
