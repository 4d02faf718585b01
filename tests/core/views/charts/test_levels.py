"""Charts of recall levels show the numbers of their tables."""

import polars as pl
import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts import (
    deciding_level_chart,
    level_correlation_chart,
    tie_profile_chart,
)
from tests.core.views.charts.made_tables import DECIDING, LEVEL_CORRELATIONS, PROFILE
from tests.core.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow


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
    chart = level_correlation_chart(LEVEL_CORRELATIONS)
    assert pl.DataFrame(chart.data.values).equals(LEVEL_CORRELATIONS)
    assert chart.title.subtitle[1] == "over 15 pairs of rankings"


def test_charts_are_drawn_and_names_are_harmless():
    ugly = pl.concat(DECIDING.head(1).with_columns(measure=pl.lit(name)) for name in UGLY)
    charts = [tie_profile_chart(PROFILE), tie_profile_chart(PROFILE.head(1))]
    charts += [deciding_level_chart(table) for table in (DECIDING, DECIDING.head(1), ugly)]
    charts += [
        level_correlation_chart(table) for table in (LEVEL_CORRELATIONS, LEVEL_CORRELATIONS.tail(1))
    ]
    for chart in charts:
        rendered(chart)
        assert INJECTED not in page(chart)
