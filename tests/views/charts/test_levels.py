"""Charts of recall levels show the numbers of their tables."""

import polars as pl
import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.views.charts import (
    deciding_level_chart,
    level_correlation_chart,
    tie_profile_chart,
)
from tests.views.charts.drawn import compare_with_snapshot
from tests.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow

PROFILE = pl.DataFrame(
    {
        "by": ["first_rank", "first_rank", "level", "level"],
        "value": [1, 2, 1, 2],
        "pairs": [20, 10, 15, 15],
        "ties": [12, 1, 6, 3],
        "tie_rate": [0.6, 0.1, 0.4, 0.2],
    }
)
DECIDING = pl.DataFrame(
    {
        "measure": ["LP", "LP", "LR"],
        "deciding_level": [1, 3, 20],
        "pairs": [9, 3, 12],
        "share": [0.75, 0.25, 1.0],
        "cumulative": [0.75, 1.0, 1.0],
    }
)
CORRELATIONS = pl.DataFrame(
    {"level_a": [1, 1, 2], "level_b": [2, 3, 3], "n": 15, "correlation": [0.85, -0.2, None]}
)


def test_ties_are_shown_by_first_rank_and_by_level():
    rows = pl.DataFrame(tie_profile_chart(PROFILE).data.values)
    assert rows.select(PROFILE.columns).equals(PROFILE)
    assert rows["panel"].unique(maintain_order=True).to_list() == [
        "by rank of the first relevant item", "by recall level"
    ]  # fmt: skip


def test_bars_and_the_line_are_shares_of_the_pairs():
    chart = deciding_level_chart(DECIDING)
    assert pl.DataFrame(chart.data.values).select(DECIDING.columns).equals(DECIDING)
    bars, line = chart.to_dict()["spec"]["layer"]
    assert (bars["encoding"]["y"]["field"], line["encoding"]["y"]["field"]) == (
        "share", "cumulative"
    )  # fmt: skip
    assert bars["encoding"]["y2"] == {"datum": 0}
    assert "pairs of rankings: LP: 12; LR: 12" in chart.title.subtitle[0]


def test_cells_are_the_correlations():
    chart = level_correlation_chart(CORRELATIONS)
    assert pl.DataFrame(chart.data.values).equals(CORRELATIONS.select("level_a", "level_b", "n",
                                                                      "correlation"))  # fmt: skip
    assert chart.title.subtitle[1] == "over 15 pairs of rankings"


def test_the_specifications_are_those_of_the_snapshots():
    compare_with_snapshot(tie_profile_chart(PROFILE), "tie_profile_chart")
    compare_with_snapshot(deciding_level_chart(DECIDING), "deciding_level_chart")
    compare_with_snapshot(level_correlation_chart(CORRELATIONS), "level_correlation_chart")


def test_charts_are_drawn_and_names_are_harmless():
    ugly = pl.concat(DECIDING.head(1).with_columns(measure=pl.lit(name)) for name in UGLY)
    charts = [tie_profile_chart(PROFILE), tie_profile_chart(PROFILE.head(1))]
    charts += [deciding_level_chart(table) for table in (DECIDING, DECIDING.head(1), ugly)]
    charts += [level_correlation_chart(table) for table in (CORRELATIONS, CORRELATIONS.tail(1))]
    for chart in charts:
        rendered(chart)
        assert INJECTED not in page(chart)
