"""Charts without an order: the run with most significant wins over losses comes first."""

import polars as pl
import pytest

pytest.importorskip("altair")
from lexiframe.core.views.charts import significance_chart
from tests.core.views.charts.tiny_tables import COMPARISONS


def test_wins_less_losses_count_more_than_differences():
    """In the sign test the run that wins more requests may have the smaller mean."""
    c = COMPARISONS.filter(measure="AP").with_columns(
        test=pl.lit("sign"), run_a=pl.Series(["z", "z", "y"]), run_b=pl.Series(["y", "x", "x"]),
        mean_difference=pl.lit(-0.5), effect_size=pl.lit(3.0), reject=pl.lit(True),
    )  # fmt: skip
    encoding = significance_chart(c, "AP").to_dict()["encoding"]
    assert encoding["y"]["sort"] == encoding["x"]["sort"] == ["z", "y", "x"]
