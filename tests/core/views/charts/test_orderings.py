"""Charts of orderings: the places of runs, what is highlighted, and how probable ranks are."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.core.views.charts import ordering_chart, rank_distribution_chart
from tests.core.views.charts.drawn import rows, titles
from tests.core.views.charts.tiny_tables import TINY, A, B, C

pytestmark = pytest.mark.slow

ORDERINGS = TINY["orderings"]
RANKS = TINY["rank_distributions"]


def shown(chart):
    return rows(chart).select("ordering", "run", "rank", "place").rows()


def order_of(chart):
    """The orderings from left to right; lines go through them in the same order."""
    line = chart.to_dict(validate=False)["layer"][1]["encoding"]
    assert line["order"]["field"] == "at"
    by_place = rows(chart).sort("at")["ordering"].unique(maintain_order=True).to_list()
    assert line["x"]["sort"] == by_place
    return by_place


def test_measures_of_one_method_stand_side_by_side():
    chart = ordering_chart(ORDERINGS, methods="mean")
    assert order_of(chart) == ["AP", "RR"]
    assert shown(chart) == [
        ("AP", B, 1.0, 1), ("AP", A, 2.0, 2), ("AP", C, 3.0, 3),
        ("RR", A, 1.5, 1), ("RR", B, 1.5, 2), ("RR", C, 3.0, 3),
    ]  # fmt: skip
    assert titles(chart) == ["Ranks of 3 runs by measure (method: mean)"]
    assert order_of(ordering_chart(ORDERINGS, ["RR", "AP"], "mean")) == ["RR", "AP"]


def test_methods_of_one_measure_stand_side_by_side():
    chart = ordering_chart(ORDERINGS, "AP", ["mean", "borda"])
    assert order_of(chart) == ["mean", "borda"]
    assert titles(chart) == ["Ranks of 3 runs by AP, by method"]
    both = ordering_chart(ORDERINGS)
    assert order_of(both) == ["AP borda", "AP mean", "RR mean"]


def test_names_stand_at_both_ends():
    found = rows(ordering_chart(ORDERINGS))
    assert found.filter("is_first")["ordering"].unique().to_list() == ["AP borda"]
    assert found.filter("is_last")["ordering"].unique().to_list() == ["RR mean"]
    one = rows(ordering_chart(ORDERINGS, "RR"))
    assert one["is_first"].all()
    assert not one["is_last"].any()


def test_few_runs_are_highlighted_of_many_the_first_ones():
    def highlighted(chart):
        found = rows(chart).filter("is_highlighted")["run"].unique(maintain_order=True).to_list()
        assert (
            chart.to_dict(validate=False)["layer"][1]["encoding"]["color"]["scale"]["domain"]
            == found
        )
        return found

    assert highlighted(ordering_chart(ORDERINGS, "AP", "mean")) == [B, A, C]
    assert highlighted(ordering_chart(ORDERINGS, "AP", "mean", highlight=C)) == [C]
    many = pl.concat(
        [
            pl.DataFrame(
                {"measure": m, "method": "mean", "run": [f"r{n}" for n in range(9)], "value": 0.5,
                 "rank": [float((n + k) % 9 + 1) for n in range(9)]}
            )
            for k, m in enumerate(["AP", "RR"])
        ]
    )  # fmt: skip
    assert highlighted(ordering_chart(many)) == ["r0", "r8"]


def test_orderings_that_are_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown run 'bm26'; did you mean bm25"):
        ordering_chart(ORDERINGS, highlight=["bm26"])
    with pytest.raises(lf.UnknownNameError, match="unknown method 'mc4'"):
        ordering_chart(ORDERINGS, methods="mc4")
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'R'"):
        ordering_chart(ORDERINGS, ["AP", "R"])
    with pytest.raises(lf.LexiframeError, match="choose one group of requests, one method"):
        ordering_chart(pl.concat([ORDERINGS, ORDERINGS]))


def test_probabilities_are_those_of_the_table_with_medians_and_intervals():
    found = rows(rank_distribution_chart(RANKS, "AP", alpha=0.5))
    probabilities = found.select("run", "rank", "probability").sort("run", "rank")
    assert probabilities.equals(RANKS.select("run", "rank", "probability"))
    medians = found.filter("is_median").select("run", "low", "median", "high").rows()
    assert medians == [(B, 1.0, 1.0, 1.5), (A, 1.0, 2.0, 2.0), (C, 3.0, 3.0, 3.0)]


def test_many_runs_are_a_heat_map():
    ranks = [float(rank) for rank in range(1, 42)]
    many = pl.DataFrame(
        {"measure": "AP", "method": "mean", "run": [f"r{rank}" for rank in ranks], "rank": ranks,
         "probability": 1.0}
    )  # fmt: skip
    assert (
        rank_distribution_chart(many, "AP").to_dict(validate=False)["layer"][0]["mark"]["type"]
        == "rect"
    )
    few = rank_distribution_chart(many.head(40), "AP").to_dict(validate=False)["layer"][0]
    assert few["mark"]["type"] == "circle"
    # Size is the area of the square around a circle, so that its area is the probability.
    scale = few["encoding"]["size"]["scale"]
    assert (scale["domain"], scale["range"][0], scale["zero"]) == ([0, 1], 0, True)


@pytest.mark.parametrize("n, numbers", [(1, [1]), (3, [1, 2, 3]), (22, [1, 5, 10, 15, 20])])
def test_ranks_at_the_axis_are_whole(n, numbers):
    ranks = [float(rank) for rank in range(1, n + 1)]
    runs = [f"r{rank}" for rank in ranks]
    table = pl.DataFrame({"measure": "AP", "method": "mean", "run": runs, "rank": ranks})
    chart = rank_distribution_chart(table.with_columns(probability=1.0), "AP")
    layers = chart.to_dict(validate=False)["layer"]
    assert all(layer["encoding"]["x"]["axis"]["values"] == numbers for layer in layers)


def test_rank_distributions_that_are_refused():
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RR'"):
        rank_distribution_chart(RANKS, "RR")
    both = pl.concat([RANKS, RANKS.with_columns(method=pl.lit("borda"))])
    with pytest.raises(lf.LexiframeError, match=r"each run, rank, found .*method \(borda, mean\)"):
        rank_distribution_chart(both, "AP")
    assert "(borda)" in titles(rank_distribution_chart(both, "AP", "borda"))[0]
    with pytest.raises(lf.LexiframeError, match="rank_intervals: expected alpha between 0 and 1"):
        rank_distribution_chart(RANKS, "AP", alpha=1)


def test_measures_ordered_by_different_methods_are_told_apart_below_the_title():
    folder = lf.bundled("example")
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP", "LR"])
    chart = e.plot.orderings()
    assert chart.title.text == "Ranks of 3 runs by measure"
    assert chart.title.subtitle == ["RPP, LR by win_rate; AP by mean"]
    assert ordering_chart(e.orderings, "AP").title.text.endswith("by measure (method: mean)")


def test_a_table_of_one_measure_and_method_needs_no_choice():
    assert (
        rank_distribution_chart(RANKS).to_dict() == rank_distribution_chart(RANKS, "AP").to_dict()
    )
    both = pl.concat([RANKS, RANKS.with_columns(measure=pl.lit("RR"))])
    message = r"2 values of measure \(AP, RR\): choose one, such as measure='AP'"
    with pytest.raises(lf.LexiframeError, match=message):
        rank_distribution_chart(both)


def test_the_axis_of_a_part_of_the_runs_has_all_their_ranks():
    ranks = [float(rank) for rank in range(1, 10)]
    runs = [f"r{rank:g}" for rank in ranks]
    table = pl.DataFrame({"measure": "AP", "method": "mean", "run": runs, "rank": ranks})
    part = table.with_columns(probability=1.0).filter(pl.col("run").is_in(["r3", "r8"]))
    chart = rank_distribution_chart(part)
    assert titles(chart)[0] == "Probable ranks of 2 runs among 8 or more by AP (mean)"
    for layer in chart.to_dict(validate=False)["layer"]:
        x = layer["encoding"]["x"]
        assert x["scale"]["domain"] == [0.5, 8.5]
        assert x["axis"]["values"] == [1, 2, 3, 4, 5, 6, 7, 8]
    half = part.with_columns(rank=pl.col("rank") + 0.5)  # ties of the eighth and the ninth
    assert titles(rank_distribution_chart(half))[0].startswith("Probable ranks of 2 runs among 9 ")
