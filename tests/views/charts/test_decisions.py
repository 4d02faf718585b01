"""The charts of gates, of replicates, and of people and model show the numbers of their tables."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.base.schemas import (
    CONFIDENCE_SEQUENCES,
    GATE_CURVES,
    GENERALISABILITY,
    POWERED_MEANS,
)

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.views.charts import (
    dependability_chart,
    gate_curve_chart,
    powered_chart,
    sequence_chart,
)
from tests.views.charts.drawn import compare_with_snapshot, png

pytestmark = pytest.mark.slow

CASES = ("unchanged", 0.0, (0.5, 0.8)), ("worse by the margin", -0.1, (0.06, 0.05))
CURVE = pl.DataFrame(
    [
        (measure, case, n, "t", mean, rate, rate - 0.02, rate + 0.02, 0.0, 0.1, 1000)
        for measure in ("AP", "RR")
        for case, mean, rates in CASES
        for n, rate in zip((50, 200), rates, strict=True)
    ],
    schema=GATE_CURVES.columns, orient="row",
)  # fmt: skip
STUDY = pl.DataFrame(
    [("AP", n, k, 0.5 + n / 1000 + k / 100, 0.4 + n / 1000) for n in (10, 100) for k in (1, 3)],
    schema=GENERALISABILITY.columns,
    orient="row",
)
MEANS = pl.DataFrame(
    [
        (run, "AP", mean, mean - 0.05, mean + 0.05, 0.7, 20, 80, 31.0, mean - 0.01, mean - 0.1,
         mean + 0.1, mean + 0.2)
        for run, mean in (("bm25", 0.25), ("dense", 0.5))
    ],
    schema=POWERED_MEANS.columns, orient="row",
)  # fmt: skip


def test_a_curve_has_a_line_for_each_candidate():
    chart = gate_curve_chart(CURVE)
    assert len(chart.data.values) == 8
    assert chart.title.subtitle == ["1,000 trials of each, with 95 % intervals"]
    compare_with_snapshot(chart, "gate_curve_chart")
    png(chart)


def test_a_decision_study_has_a_line_for_each_number_of_replicates():
    chart = dependability_chart(STUDY)
    assert {row["replicates"] for row in chart.data.values} == {"1 per request", "3 per request"}
    compare_with_snapshot(chart, "dependability_chart")
    png(dependability_chart(STUDY, "dependability"))
    with pytest.raises(lf.LexiframeError, match="expected value to be"):
        dependability_chart(STUDY, "alpha")


def test_people_and_model_stand_together():
    rows = powered_chart(MEANS).data.values
    both = next(row for row in rows if row["by"] == "people and model" and row["of"] == "dense")
    assert (both["mean"], both["ci_low"], both["n"]) == (0.5, 0.45, 20)
    alone = next(row for row in rows if row["by"] == "model alone" and row["of"] == "dense")
    assert (alone["mean"], alone["ci_low"], alone["n"]) == (0.7, None, 100)
    compare_with_snapshot(powered_chart(MEANS), "powered_chart")
    png(powered_chart(MEANS, "AP"))
    pairs = MEANS.rename({"run": "run_a"}).with_columns(run_b=pl.lit("z"))
    assert powered_chart(pairs).data.values[0]["of"] == "bm25 − z"


def test_a_sequence_has_a_band_and_a_line():
    table = pl.DataFrame(
        [
            (measure, n, 0.05 + n / 1000, -0.3 + n / 500, 0.4 - n / 500, 0.05, 60)
            for measure in ("AP", "RR")
            for n in (20, 40, 60)
        ],
        schema=CONFIDENCE_SEQUENCES.columns, orient="row",
    )  # fmt: skip
    chart = sequence_chart(table)
    assert [row["n_requests"] for row in chart.data.values] == [20, 40, 60] * 2
    assert "95 % or more" in chart.title.subtitle[0]
    compare_with_snapshot(chart, "sequence_chart")
    png(chart)
