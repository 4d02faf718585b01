"""Charts of differences show the numbers of their tables, and what is computed from these."""

import polars as pl
import pytest
from scipy.stats import pearsonr

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts import difference_chart, level_regression_chart
from lexiframe.study.theory.exposure_charts import contribution_chart
from lexiframe.study.theory.order_charts import first_rank_tie_chart
from tests.core.views.charts.made_tables import (
    DIFFERENCES,
    EXPLAINED,
    FIRST_RANKS,
    RANKINGS,
    REGRESSION,
)
from tests.core.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow

CHARTS = {
    "difference_chart": difference_chart(DIFFERENCES),
    "contribution_chart": contribution_chart(EXPLAINED),
    "level_regression_chart": level_regression_chart(REGRESSION),
    "first_rank_tie_chart": first_rank_tie_chart(FIRST_RANKS),
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_drawn(name):
    _, width, _ = rendered(CHARTS[name])
    assert width < 1000


def test_panels_say_correlation_and_agreement():
    wide = DIFFERENCES.pivot("measure", index="query_id", values="preference")
    rows = pl.DataFrame(CHARTS["difference_chart"].data.values)
    assert rows["panel"].unique(maintain_order=True).to_list() == [
        f"AP: r = {pearsonr(wide['AP'], wide['RPP']).statistic:.2f}, sa = 0.67",
        f"RR: r = {pearsonr(wide['RR'], wide['RPP']).statistic:.2f}, sa = 0.33",
    ]
    of_ap = rows.filter(pl.col("panel").str.starts_with("AP"))
    assert of_ap.select("query_id", "preference", "of_reference", "signs").rows() == [
        ("q1", 0.25, 0.5, "same sign"), ("q2", 0.125, -0.25, "other sign"),
        ("q3", 0.0, 0.0, "same sign"),
    ]  # fmt: skip


def test_pairs_are_drawn_by_a_seed_and_measures_chosen():
    few, again = (
        difference_chart(DIFFERENCES, "AP", ["RR", "RPP"], points=2, seed=1) for _ in "ab"
    )
    assert few.data.values == again.data.values
    assert len(few.data.values) == 4
    assert [row["panel"][:3] for row in few.data.values][::2] == ["RR:", "RPP"]
    with pytest.raises(lf.LexiframeError, match="expected measures beside AP, found none"):
        difference_chart(DIFFERENCES.filter(measure="AP"), "AP")
    with pytest.raises(lf.UnknownNameError, match="nDCG"):
        difference_chart(DIFFERENCES, "nDCG")
    with pytest.raises(lf.LexiframeError, match="points"):
        difference_chart(DIFFERENCES, points=0)


def test_bars_add_up_to_the_preferences():
    """Upwards for the first ranking, of search lengths too; what grades have is added."""
    p = lf.positions(RANKINGS, {"q": {"x": 2, "z": 1, "u": 1}}, pool=True)
    rows = pl.DataFrame(CHARTS["contribution_chart"].data.values)
    sums = dict(rows.group_by("measure").agg(pl.col("difference").sum()).rows())
    d = lf.preferences(p, ["RPP", "RR", "P@2", "ASL"])
    for measure, preference in d.select("measure", "preference").rows():
        assert sums[measure] == pytest.approx(preference)
    with pytest.raises(lf.LexiframeError, match="expected an explanation with measures"):
        contribution_chart(EXPLAINED.select(pl.nth(range(10))))


def test_lines_and_dots_are_those_of_the_tables():
    rows = pl.DataFrame(CHARTS["level_regression_chart"].data.values)
    assert rows.select(REGRESSION.columns).equals(REGRESSION)
    rows = pl.DataFrame(CHARTS["first_rank_tie_chart"].data.values)
    assert rows.select(FIRST_RANKS.columns).equals(FIRST_RANKS.head(3))


def test_names_are_harmless():
    for name in UGLY:
        ugly = DIFFERENCES.with_columns(pl.col("measure").replace("AP", name))
        chart = difference_chart(ugly)
        rendered(chart)
        assert INJECTED not in page(chart)
