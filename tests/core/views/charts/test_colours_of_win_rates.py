"""The cells of win rates are blue above one half and orange below, in the picture itself."""

import re

import polars as pl
import pytest

pytest.importorskip("altair")
from lexiframe.core.views.charts import win_rate_chart

pytestmark = pytest.mark.slow

W = pl.DataFrame(
    {"measure": "AP", "run_a": "good", "run_b": "poor", "n": 4, "wins": 3, "losses": 1, "ties": 0}
).with_columns(win_rate=pl.lit(0.75), mean_preference=pl.lit(0.5))


def test_the_run_that_wins_is_blue_and_the_one_that_loses_orange():
    vl_convert = pytest.importorskip("vl_convert")
    svg = vl_convert.vegalite_to_svg(win_rate_chart(W, "AP").to_dict())
    cells = r'aria-label="([^"]*)"[^>]*aria-roledescription="rect mark"[^>]*fill="rgb\(([^)]*)\)"'
    colours = {}
    for label, colour in re.findall(cells, svg):
        row = "good" if re.search(r"\brun: good\b", label) else "poor"
        colours[row] = [int(part) for part in colour.split(",")]
    assert colours.keys() == {"good", "poor"}
    red, _, blue = colours["good"]
    assert blue > red
    red, _, blue = colours["poor"]
    assert red > blue
