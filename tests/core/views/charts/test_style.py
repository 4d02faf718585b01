"""One style sheet for all charts: legible on both grounds, for the colour-blind, when narrow."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.core.views.charts.style import COLOURS, GREY, GROUND, INK, ON_DARK

pytest.importorskip("altair")
from tests.core.views.charts import made_tables as made
from tests.core.views.charts.evaluation_charts import CHARTS
from tests.core.views.charts.tiny_tables import TINY

PACKAGE = Path(lf.__file__).parent
SEEN_BY = {
    "all colours": np.eye(3),
    "no green": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no red": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no blue": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
"""What becomes of linear red, green and blue (Machado, Oliveira & Fernandes 2009, severity 1)."""
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    """Red, green and blue without the curve of screens."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(*colours):
    """The contrast of two colours, from 1 to 21 (WCAG 2)."""
    darker, lighter = sorted(XYZ[1] @ linear(colour) + 0.05 for colour in colours)
    return lighter / darker


def lab(rgb):
    """A colour in CIELAB, where distances are those that people see."""
    t = np.clip(XYZ @ np.clip(rgb, 0, 1), 0, None) / [0.9505, 1, 1.089]
    x, y, z = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * y, 500 * (x - y), 200 * (y - z)])


def on(ground):
    """What a colour becomes on a ground."""
    return lambda colour: ON_DARK.get(colour, colour) if ground == "dark" else colour


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_colours_are_seen_on_either_ground_and_told_apart(ground):
    of = on(ground)
    assert min(contrast(of(INK), of(GROUND)), 2 * contrast(of(GREY), of(GROUND))) > 9
    assert min(contrast(of(colour), of(GROUND)) for colour in COLOURS) > (2.2, 3.5)[of(INK) != INK]
    for seen in SEEN_BY.values():
        each = [lab(np.array(seen) @ linear(of(colour))) for colour in COLOURS]
        assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(each, 2)) > 15


def test_colours_stand_in_the_style_sheet_alone():
    """But black and white by name, which are the numbers in coloured cells on either ground."""
    for path in PACKAGE.glob("**/*.py"):
        text = path.read_text(encoding="utf-8")
        if "charts.drawing import" in text and path.name != "style.py":
            assert not re.findall(
                r'"#[0-9a-f]{3,6}"|"\w*gr[ae]y"|color="(black|white)"|scheme="blue', text
            )


def test_a_dark_chart_differs_in_colours_alone():
    light, dark = (lf.views.style(CHARTS["mean_chart"](TINY, "RR"), g) for g in ("light", "dark"))
    assert type(light) is type(dark)
    one, other = light.to_dict(), dark.to_dict()
    assert one["datasets"] == other["datasets"]
    assert (one["config"]["background"], other["config"]["background"]) == ("#ffffff", "#131416")
    assert one["config"]["font"] == other["config"]["font"]
    text = str(one)
    for colour in sorted({*re.findall("#[0-9a-f]{6}", text)} & {*ON_DARK}):
        text = text.replace(colour, ON_DARK[colour].upper())
    assert text.lower() == str(other).lower()


def test_names_of_runs_that_look_like_colours_stay():
    runs = TINY["means"]["run"]
    means = TINY["means"].with_columns(run=runs.replace({runs[0]: "#000000"}))
    dark = lf.views.style(lf.views.charts.mean_chart(means), "dark").to_dict()
    (rows,) = dark["datasets"].values()
    assert "#000000" in {row["run"] for row in rows}


def test_narrow_charts():
    drawn = CHARTS["win_rate_chart"](TINY, "RR")
    narrow = lf.views.style(drawn, width=230, font="Charter").to_dict()
    assert narrow["width"] == narrow["height"] == {"step": round(drawn.width.step / 2)}
    assert narrow["config"]["legend"]["orient"] == "bottom"
    assert narrow["config"]["font"] == "Charter"
    assert "orient" not in lf.views.style(drawn).to_dict()["config"]["legend"]
    pair = lf.views.charts.pair_chart(made.OF_METRIC)
    title = lf.views.style(pair, width=100).to_dict()["title"]
    assert max(map(len, title["subtitle"])) <= (100 + 120) // 7 < len(pair.title.subtitle[0])


def test_boxes_keep_their_place_and_words_their_distance_from_the_top():
    order = lf.views.charts.order_chart(lf.theory.order("RR", 4, 2), "RR")
    assert lf.views.style(order, width=100).to_dict()["width"] == order.width
    ranking = lf.views.charts.ranking_chart(made.WORKED, "q", "X", "Y")
    narrow = lf.views.style(ranking, width=230)
    assert (narrow.width, narrow.height) == (230, ranking.height)


def test_a_chart_that_is_too_narrow_is_refused():
    with pytest.raises(lf.LexiframeError, match=r"a width of 100 pixels or more, found 99"):
        lf.views.style(CHARTS["mean_chart"](TINY, "RR"), width=99)
