"""Charts of theory show the numbers of its functions."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.charts import agreement_chart
from lexiframe.study.theory.charts import (
    axiom_chart,
    first_and_last_chart,
    optimal_chart,
    orientation_chart,
    simulated_agreement_chart,
    simulated_tie_chart,
)
from lexiframe.study.theory.order_charts import order_chart, population_chart
from tests.core.views.charts.made_tables import (
    AXIOMS,
    OPTIMAL,
    ORIENTATION,
    SIMULATED_AGREEMENT,
    SIMULATED_TIES,
)
from tests.core.views.charts.pictures import INJECTED, UGLY, layers, page, rendered

pytestmark = pytest.mark.slow

CHARTS = {
    "orientation": orientation_chart(ORIENTATION),
    "simulated_tie": simulated_tie_chart(SIMULATED_TIES),
    "simulated_agreement": simulated_agreement_chart(SIMULATED_AGREEMENT),
    "optimal": optimal_chart(OPTIMAL, "AP"),
    "axiom": axiom_chart(AXIOMS),
    "order": order_chart(lf.theory.order("RR", 4, 2), "RR"),
    "population": population_chart(lf.theory.population_order(3), level=2),
    "first_and_last": first_and_last_chart(lf.theory.first_and_last(10, [1, 3])),
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_drawn(name):
    _, width, _ = rendered(CHARTS[name])
    assert width < 1000


def test_orientation_is_shown_for_each_m():
    rows = pl.DataFrame(CHARTS["orientation"].data.values).pivot(
        "orientation", index=["measure", "m"], values="change"
    )
    assert rows.rows() == ORIENTATION.rows()


def test_curves_have_the_numbers_of_their_tables():
    assert pl.DataFrame(CHARTS["simulated_tie"].data.values).equals(SIMULATED_TIES)
    rows = pl.DataFrame(CHARTS["simulated_agreement"].data.values)
    assert rows.equals(SIMULATED_AGREEMENT.select(rows.columns))
    rows = pl.DataFrame(CHARTS["optimal"].data.values).pivot("ranking", index="m", values="value")
    assert rows.rows() == OPTIMAL.rows()


def test_marks_say_whether_a_property_holds():
    rows = {(r["method"], r["property"]): r for r in CHARTS["axiom"].data.values}
    for method, name, holds, counterexample in AXIOMS.rows():
        row = rows[method, name]
        null = "no case" if counterexample == "no case" else "does not apply"
        assert row["said"] == {True: "holds", False: "fails", None: null}[holds]
        assert row["counterexample"] == counterexample
    order = CHARTS["axiom"].to_dict()["layer"][0]["encoding"]["y"]["sort"]
    assert order == AXIOMS["property"].unique(maintain_order=True).to_list()


def test_marks_say_where_there_is_no_case():
    table = lf.theory.axioms(["RR", "LR"], n=2, m=2)
    rows = axiom_chart(table).data.values
    said = {row["property"]: row["said"] for row in rows if row["method"] == "RR"}
    assert (said["increasing in swapping up"], said["bounded"]) == ("no case", "holds")
    assert table.filter(counterexample="no case")["holds"].is_null().all()
    assert {row["said"] for row in rows if row["method"] == "LR"} == {"no case", "does not apply"}


@pytest.mark.parametrize("measure", ["LP", "LR", "RR", "TSE(AP)", "AP"])
def test_a_ranking_stands_one_layer_below_the_lowest_above_it(measure):
    edges = lf.theory.order(measure, 5, 2)
    chart = order_chart(edges)
    layer = {row["ranks"]: row["layer"] for row in layers(chart, "rect")[0]["rows"]}
    assert len(layer) == 10
    written = [(" ".join(map(str, a)), " ".join(map(str, b))) for a, b in edges.rows()]
    for ranks, place in layer.items():
        above = [layer[a] for a, b in written if b == ranks]
        assert place == max(above, default=-1) + 1
    links = pl.DataFrame(layers(chart, "line")[0]["rows"])
    drawn = links.group_by("edge", maintain_order=True).agg("ranks").sort("edge")["ranks"]
    assert [tuple(pair) for pair in drawn] == written


def test_the_longest_way_from_the_top_decides_the_layer():
    ends = {"better": [[1], [2], [3], [4]], "worse": [[2], [3], [5], [5]]}
    chart = order_chart(pl.DataFrame(ends))
    layer = {row["ranks"]: row["layer"] for row in layers(chart, "rect")[0]["rows"]}
    assert layer == {"1": 0, "2": 1, "3": 2, "4": 0, "5": 3}


def test_a_cycle_and_an_empty_order_are_refused():
    ends = {"better": [[1], [2], [3]], "worse": [[2], [3], [1]]}
    with pytest.raises(lf.LexiframeError, match="order_chart: expected an order, found a cycle"):
        order_chart(pl.DataFrame(ends))
    with pytest.raises(lf.LexiframeError, match="order_chart: expected at least one row to draw"):
        order_chart(lf.theory.order("RR", 1, 1))


def test_users_have_the_part_of_the_proof():
    """At k = 3 of five items: 4 behind it, 4 and {3} with it alone, the others in three parts."""
    rows = population_chart(lf.theory.population_order(5), level=3).layer[1].data.values
    for row in rows:
        levels = [int(level) for level in row["ranks"].split()]
        if levels[0] > 3:
            assert row["part"] == "behind k"
        elif levels[0] == 3:
            assert row["part"] == "k and behind"
        elif levels[-1] <= 3:
            assert row["part"] == "the last up to k"
        else:
            assert row["part"] == ("with k" if 3 in levels else "around k")
    assert len(rows) == 31
    plain = population_chart(lf.theory.population_order(5))
    assert "part" not in plain.layer[1].data.values[0]


def test_agreement_of_one_measure_is_that_of_the_table():
    d = pl.DataFrame(
        {"query_id": ["q1", "q2"] * 3, "run_a": "a", "run_b": "b",
         "measure": ["LR", "LR", "RR", "RR", "AP", "AP"],
         "preference": [1.0, -1.0, 0.5, 0.0, 0.2, -0.1]}
    )  # fmt: skip
    table = lf.sign_agreement(d, samples=5)
    chart = agreement_chart(table)
    rendered(chart)
    rows = pl.DataFrame(chart.data.values)
    of_lr = table.filter(measure_b="LR")
    for panel, name in (("rankings", "agreement"), ("runs", "system_agreement")):
        found = rows.filter(panel=panel).select("measure", "agreement", "low", "high")
        assert found.rows() == of_lr.select("measure_a", name, f"{name}_low", f"{name}_high").rows()
    with pytest.raises(lf.UnknownNameError, match="RPP"):
        agreement_chart(table, "RPP")


def test_names_are_harmless():
    ugly = pl.DataFrame({"measure": UGLY})
    charts = [
        orientation_chart(ORIENTATION.head(1).drop("measure").join(ugly, how="cross")),
        simulated_tie_chart(SIMULATED_TIES.head(1).drop("measure").join(ugly, how="cross")),
        simulated_agreement_chart(
            SIMULATED_AGREEMENT.head(1).drop("measure").join(ugly, how="cross")
        ),
        axiom_chart(AXIOMS.drop("method").join(ugly.rename({"measure": "method"}), how="cross")
                    .unique(["method", "property"], maintain_order=True)),
        optimal_chart(OPTIMAL, UGLY[0]),
        order_chart(lf.theory.order("RR", 3, 2), UGLY[0]),
    ]  # fmt: skip
    for chart in charts:
        rendered(chart)
        assert INJECTED not in page(chart)
