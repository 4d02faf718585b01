"""Charts of judges show the numbers of their tables."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts import conclusion_chart
from lexiframe.decide.judges.charts import judge_confusion_chart, rank_shift_chart
from tests.core.views.charts.drawn import rows, titles
from tests.core.views.charts.made_tables import CONCLUSIONS, CONFUSION, SHIFTS
from tests.core.views.charts.pictures import INJECTED, UGLY, page, rendered

pytestmark = pytest.mark.slow


def test_bars_are_the_shares_of_the_categories():
    found = rows(conclusion_chart(CONCLUSIONS))
    assert found["row"].unique(maintain_order=True).to_list() == [
        "nist, a, AP",
        "nist, b, AP",
        "nist, b, RR",
    ]
    for row in CONCLUSIONS.iter_rows(named=True):
        part = found.filter(row=f"nist, {row['name_b']}, {row['measure']}")
        assert part["category"].to_list() == "AA MA PA TIE PD MD AD".split()
        assert part["n"].to_list() == [row[name] for name in part["category"]]
        shares = [n / row["n_pairs"] if row["n_pairs"] else None for n in part["n"]]
        assert part["share"].to_list() == shares
    one = conclusion_chart(CONCLUSIONS, "AP")
    assert rows(one)["row"].unique().sort().to_list() == ["nist, a", "nist, b"]
    assert titles(one)[1] == "10 pairs; measure = AP, test = t, correction = holm"
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'P@5'"):
        conclusion_chart(CONCLUSIONS, "P@5")


def test_cells_are_the_grades_and_their_shares():
    chart = judge_confusion_chart(CONFUSION)
    assert rows(chart).equals(CONFUSION)
    assert titles(chart) == ["Grades by nist and by llm", "of 4 items"]
    three = pl.concat(
        [CONFUSION, CONFUSION.with_columns(judge_b=pl.lit("b"), n=pl.lit(7, pl.Int64))]
    )
    assert rows(judge_confusion_chart(three, judge_b="b"))["n"].unique().to_list() == [7]
    with pytest.raises(lf.LexiframeError, match="expected one row for each relevance_a"):
        judge_confusion_chart(three)
    with pytest.raises(lf.UnknownNameError, match="unknown judge_a 'x'"):
        judge_confusion_chart(CONFUSION, "x")


def test_lines_go_from_rank_to_rank_and_the_movers_are_highlighted():
    found = rows(rank_shift_chart(SHIFTS, "AP"))
    for judge, end in (("nist", "a"), ("llm", "b")):
        part = found.filter(ordering=judge).sort("run")
        assert part["rank"].to_list() == SHIFTS[f"rank_{end}"].to_list()
        assert part["value"].to_list() == SHIFTS[f"value_{end}"].to_list()
    assert found.filter("is_highlighted")["run"].unique().sort().to_list() == [*"wxyz"]
    assert found.filter("is_first")["ordering"].unique().to_list() == ["nist"]
    assert found.filter("is_last")["ordering"].unique().to_list() == ["llm"]
    assert titles(rank_shift_chart(SHIFTS, "AP"))[1].startswith("4 of them have another rank")
    told = rows(rank_shift_chart(SHIFTS, "AP", highlight="v"))
    assert told.filter("is_highlighted")["run"].unique().to_list() == ["v"]
    with pytest.raises(lf.UnknownNameError, match="unknown run 'u'"):
        rank_shift_chart(SHIFTS, "AP", highlight=["u"])
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RR'"):
        rank_shift_chart(SHIFTS, "RR")


def test_charts_are_drawn_and_names_are_harmless():
    for name in UGLY:
        called = pl.lit(name)
        odd = SHIFTS.with_columns(judge_a=called, measure=called, run=pl.col("run") + name)
        charts = [
            judge_confusion_chart(CONFUSION.with_columns(judge_a=called, judge_b=called)),
            rank_shift_chart(odd, name),
            conclusion_chart(CONCLUSIONS[:2].with_columns(name_a=called, measure=called)),
        ]
        for chart in charts:
            rendered(chart)
            assert INJECTED not in page(chart)
