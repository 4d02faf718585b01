"""The chart of two rankings marks the levels that decide, and says what they decide."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts import ranking_chart
from tests.core.views.charts.made_tables import WORKED, explanation
from tests.core.views.charts.pictures import INJECTED, UGLY, layers, page, rendered

pytestmark = pytest.mark.slow


def labels(chart):
    """Give what is written above and below the items that decide."""
    rows = [row for layer in layers(chart, "text") for row in layer["rows"]]
    return [row["text"] for row in rows if "text" in row]


def test_the_levels_that_decide_are_marked_and_named_in_words():
    chart = ranking_chart(WORKED, "q", "X", "Y")
    assert labels(chart) == ["LP · level 1"] * 2 + ["LR · level 6"] * 2
    of_lp, of_lr = chart.title.subtitle
    assert of_lp == (
        "LP prefers Y: its item of level 1, the first level that differs, is at position 1; the "
        "other's is at position 2"
    )
    assert of_lr == (
        "LR prefers Y: its item of level 6, the last level that differs, is at position 9; the "
        "other's was not retrieved"
    )


def test_the_same_level_may_decide_both():
    chart = ranking_chart(explanation({"d": 2}, {"d": 1}), "q", "X", "Y")
    assert labels(chart) == ["LP, LR · level 1"] * 2
    assert [line[:12] for line in chart.title.subtitle] == ["LP prefers Y", "LR prefers Y"]
    assert chart.title.text == "Request q: 1 relevant item in two rankings"


def test_equal_rankings_tie():
    chart = ranking_chart(explanation({"d": 2, "e": None}, {"d": 2, "e": None}), "q", "X", "Y")
    assert labels(chart) == []
    assert chart.title.subtitle == [
        "All relevant items have the same positions in both: LP and LR tie"
    ]


def test_items_stand_at_their_ranks_and_behind_the_break():
    marks = pl.DataFrame(layers(ranking_chart(WORKED, "q", "X", "Y"), "point")[0]["rows"])
    found = marks.filter("retrieved")
    assert found["place"].to_list() == found["rank"].cast(pl.Float64).to_list()
    of_x = found.filter(run="X").select("item", "place", "grade").rows()
    assert of_x == [("a", 2.0, 4.0), ("b", 3.0, 3.0), ("c", 7.0, 1.0), ("d", 9.0, 3.0)]
    missing = marks.filter(~pl.col("retrieved"))
    assert missing["rank"].unique().to_list() == ["not retrieved"]
    assert missing["place"].min() > 9
    by_level = missing.group_by("level").agg(pl.col("place").n_unique(), pl.len()).sort("level")
    assert by_level.rows() == [(5, 1, 1), (6, 1, 1), (7, 1, 2), (8, 1, 2), (9, 1, 2)]


def test_marks_are_filled_where_their_run_is_not_behind():
    marks = layers(ranking_chart(WORKED, "q", "X", "Y"), "point")[0]["rows"]
    filled = {(row["run"], row["level"]): row["filled"] for row in marks}
    assert [filled["X", level] for level in range(1, 8)] == [
        "behind", "tie", "behind", "behind", "behind", "behind", "tie"
    ]  # fmt: skip
    assert [filled["Y", level] for level in range(1, 8)] == ["b", "tie", "b", "b", "b", "b", "tie"]


def test_links_join_the_same_level_and_count_who_is_ahead():
    links = layers(ranking_chart(WORKED, "q", "X", "Y"), "line")
    thin, wide = links[0]["rows"], links[1]["rows"]
    assert [row["level"] for row in wide] == [1, 1, 6, 6]
    assert sorted({row["level"] for row in thin}) == [2, 3, 4, 5, 7, 8, 9]
    assert links[0]["encoding"]["color"]["scale"]["domain"] == ["0 in X", "5 in Y", "4 in neither"]
    assert links[2]["mark"]["strokeWidth"] > links[0]["mark"]["strokeWidth"]


def test_deep_ranks_are_compressed():
    deep = explanation({"d": 3, "e": 870}, {"d": 2, "e": 14})
    for table, kind in ((WORKED, "linear"), (deep, "log")):
        x = layers(ranking_chart(table, "q", "X", "Y"), "point")[0]["encoding"]["x"]
        assert x["scale"]["type"] == kind
    assert x["axis"]["values"] == [1, 2, 5, 10, 20, 50, 100, 200, 500]


@pytest.mark.parametrize(
    "a, b",
    [
        ({"d": 1}, {"d": 1}),
        ({"d": None}, {"d": None}),
        ({"d": None, "e": 1}, {"d": 900, "e": 2}),
        ({f"d{k}": 2 * k + 1 for k in range(300)}, {f"d{k}": k + 1 for k in range(250)}),
    ],
    ids=["equal", "nothing", "missing", "many"],
)
@pytest.mark.filterwarnings("ignore:no relevant document was retrieved")
def test_any_rankings_are_drawn(a, b):
    _, width, height = rendered(ranking_chart(explanation(a, b), "q", "X", "Y"))
    assert (width < 1000, height < 450) == (True, True)


def test_names_are_harmless():
    table = explanation(
        {UGLY[0]: 1, UGLY[1]: 2, UGLY[2]: 4}, {UGLY[0]: 3, UGLY[2]: 1, UGLY[3]: None}
    )
    chart = ranking_chart(table, UGLY[0], UGLY[0], UGLY[3])
    assert INJECTED not in page(chart)
    _, width, _ = rendered(chart)
    assert width < 1000
    rendered(ranking_chart(table, UGLY[4], UGLY[1], UGLY[2]))


def test_what_is_refused():
    with pytest.raises(lf.LexiframeError, match="expected two different runs, found 'X' twice"):
        ranking_chart(WORKED, "q", "X", "X")
    with pytest.raises(lf.LexiframeError, match="ranking_chart: expected at least one row"):
        ranking_chart(WORKED.clear(), "q", "X", "Y")
    with pytest.raises(lf.SchemaError, match="decides is missing"):
        ranking_chart(WORKED.drop("decides"), "q", "X", "Y")
