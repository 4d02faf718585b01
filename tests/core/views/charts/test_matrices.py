"""Charts show the numbers of their tables."""

import builtins
import re

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.core.views.charts import correlation_chart, significance_chart, win_rate_chart
from tests.core.views.charts.drawn import rows, titles
from tests.core.views.charts.tiny_tables import COMPARISONS, TINY, A, B, C
from tests.small_tables import scores

pytestmark = pytest.mark.slow

W = pl.DataFrame(
    {
        "measure": ["AP", "RPP", "RPP", "RPP"],
        "run_a": ["a", "a", "a", "b<b>"],
        "run_b": ["b<b>", "b<b>", "c", "c"],
        "n": [4, 4, 4, 4],
        "wins": [4, 1, 0, 4],
        "losses": [0, 1, 3, 0],
        "ties": [0, 2, 1, 0],
        "win_rate": [1.0, 0.5, 0.125, 1.0],
        "mean_preference": [1.0, 0.0, -0.5, 1.0],
    }
)
HARMLESS = "b<\u200bb>"
"""Such a name in a page is no tag."""


def test_a_cell_is_the_share_of_requests_that_its_run_wins():
    cells = pl.DataFrame(win_rate_chart(W, "RPP").data.values)
    share = {
        (run, against): s for run, against, s in cells.select("run", "against", "share").rows()
    }
    assert share == {
        ("a", HARMLESS): 0.5, (HARMLESS, "a"): 0.5, ("a", "c"): 0.125, ("c", "a"): 0.875,
        (HARMLESS, "c"): 1.0, ("c", HARMLESS): 0.0,
    }  # fmt: skip
    assert cells.filter(run="c", against="a").select("wins", "losses", "ties").row(0) == (3, 0, 1)


def test_the_best_run_comes_first_unless_told():
    spec = win_rate_chart(W, "RPP").to_dict(validate=False)["layer"][0]["encoding"]
    assert spec["y"]["sort"] == spec["x"]["sort"] == [HARMLESS, "c", "a"]
    told = win_rate_chart(W, "RPP", order=["a", "b<b>", "c"]).to_dict(validate=False)["layer"][0][
        "encoding"
    ]
    assert told["y"]["sort"] == ["a", HARMLESS, "c"]


def test_a_table_of_orderings_or_of_means_gives_the_order():
    def order(chart):
        return chart.to_dict(validate=False)["layer"][0]["encoding"]["y"]["sort"]

    wins, orderings = TINY["win_rates"], TINY["orderings"]
    assert order(win_rate_chart(wins, "AP")) == [B, A, C]
    assert order(win_rate_chart(wins, "AP", order=orderings.filter(method="borda"))) == [A, B, C]
    assert order(win_rate_chart(wins, "AP", order=orderings.filter(method="mean"))) == [B, A, C]
    assert order(win_rate_chart(wins, "AP", order=TINY["means"].lazy())) == [B, A, C]
    assert order(win_rate_chart(wins, "AP", order=pl.Series([C, B, "other", A]))) == [C, B, A]
    with pytest.raises(lf.LexiframeError, match="expected one row for each run, found several"):
        win_rate_chart(wins, "AP", order=orderings)
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'AP'"):
        win_rate_chart(wins, "AP", order=orderings.filter(measure="RR"))
    with pytest.raises(
        lf.LexiframeError, match="expected an order of all runs, found one without 'rand"
    ):
        win_rate_chart(wins, "AP", order=TINY["means"].filter(pl.col("run") != C))


@pytest.mark.parametrize("n, has_numbers", [(2, True), (10, True), (11, False)])
def test_cells_of_up_to_ten_runs_show_their_numbers(n, has_numbers):
    names = [f"run{k:02}" for k in range(n)]
    pairs = [(a, b) for a in names for b in names if a < b]
    wins = pl.DataFrame(
        [("AP", a, b, 4, 3, 1, 0, 0.75, 0.5) for a, b in pairs], schema=W.schema, orient="row"
    )
    svg = pytest.importorskip("vl_convert").vegalite_to_svg(win_rate_chart(wins, "AP").to_dict())
    written = re.findall(r'aria-roledescription="text mark"[^>]*>([^<]*)<', svg)
    assert sorted(written) == (["25%"] * len(pairs) + ["75%"] * len(pairs)) * has_numbers


def test_names_of_110_runs_do_not_overlap():
    names = [f"run{n}" for n in range(110)]
    pairs = [(a, b) for a in names for b in names if a < b]
    wins = pl.DataFrame(
        [("AP", a, b, 1, 1, 0, 0, 1.0, 1.0) for a, b in pairs], schema=W.schema, orient="row"
    )
    chart = win_rate_chart(wins, "AP")
    for axis, side in (("x", "width"), ("y", "height")):
        names = chart.layer[0].encoding[axis]["axis"]
        assert names["labelFontSize"] < chart[side].step
        assert names["labelOverlap"] is False


def test_what_is_refused(monkeypatch):
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RP'"):
        win_rate_chart(W, "RP")
    with pytest.raises(
        lf.LexiframeError, match="expected an order of all runs, found one without 'c'"
    ):
        win_rate_chart(W, "RPP", order=["a", "b<b>"])
    real = builtins.__import__

    def without_altair(name, *rest):
        if name == "altair":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_altair)
    with pytest.raises(lf.LexiframeError, match="charts need Altair, which is not installed"):
        win_rate_chart(W, "RPP")


CORRELATIONS = TINY["correlations"]


def cells(chart):
    return {(a, b): v for a, b, v in rows(chart).select("measure", "with", "value").rows()}


def test_correlations_are_those_of_the_table_in_both_directions():
    chart = correlation_chart(CORRELATIONS)
    assert cells(chart) == {
        ("AP", "AP"): 1.0, ("AP", "LP"): 0.5, ("AP", "RR"): 0.75,
        ("LP", "AP"): 0.5, ("LP", "LP"): 1.0, ("LP", "RR"): None,
        ("RR", "AP"): 0.75, ("RR", "LP"): None, ("RR", "RR"): 1.0,
    }  # fmt: skip
    found = rows(chart).filter(measure="RR", **{"with": "AP"})
    assert found.select("p_value", "n").row(0) == (0.25, 3)
    assert titles(chart) == ["Kendall's τ between measures", "orderings of 3 runs"]
    colours, numbers = chart.to_dict(validate=False)["layer"]
    assert colours["encoding"]["color"]["scale"]["domain"] == [-1, 1]
    assert numbers["encoding"]["text"]["field"] == "value"


def test_agreement_has_a_direction():
    s = pl.concat(
        [
            scores({"a": [0.9, 0.9, 0.5], "b": [0.1, 0.2, 0.6]}, "AP"),
            scores({"a": [1.0, 0.5, 0.5], "b": [0.5, 0.5, 0.5]}, "RR"),
        ]
    )
    table = lf.sign_agreement(s)
    found = cells(correlation_chart(table))
    assert (found["RR", "AP"], found["AP", "RR"]) == (1.0, 1 / 3)
    by_runs = correlation_chart(table, "system_agreement")
    assert cells(by_runs)["AP", "RR"] == 1.0
    assert (
        titles(by_runs)[1] == "of the pairs of runs that the row's measure does not tie (1 pair),"
    )
    spec = by_runs.to_dict(validate=False)["layer"][0]["encoding"]["color"]
    assert spec["scale"]["domain"] == [0, 1]


def test_measures_come_as_given_or_by_similarity():
    def order(table, order=None):
        return correlation_chart(table, order=order).to_dict(validate=False)["layer"][0][
            "encoding"
        ]["y"]["sort"]

    values = {"ab": 0.1, "ac": 0.9, "ad": 0.1, "bc": 0.1, "bd": 0.9, "cd": 0.2}
    table = pl.DataFrame(
        [("rbo", a, b, v, None, 5) for (a, b), v in values.items()],
        schema=CORRELATIONS.schema,
        orient="row",
    )
    assert order(table) == ["a", "b", "c", "d"]
    assert order(table.reverse()) == ["c", "d", "b", "a"]
    assert order(table, "similarity") in (["a", "c", "d", "b"], ["b", "d", "c", "a"])
    assert order(table, ["d", "c", "b", "a"]) == ["d", "c", "b", "a"]
    with pytest.raises(lf.LexiframeError, match="an order of all measures, found one without 'AP'"):
        correlation_chart(CORRELATIONS, order="similar")
    with pytest.raises(
        lf.LexiframeError, match="expected an order of all measures, found one without 'a'"
    ):
        order(table, ["d", "c", "b"])


def test_many_measures_have_no_numbers():
    names = [f"m{n:02}" for n in range(13)]
    pairs = [("spearman", a, b, 0.5, None, 5) for a in names for b in names if a < b]
    table = pl.DataFrame(pairs, schema=CORRELATIONS.schema, orient="row")
    assert len(correlation_chart(table).layer) == 1
    assert titles(correlation_chart(table))[0] == "Spearman's ρ between measures"


def test_correlations_that_are_refused():
    with pytest.raises(lf.LexiframeError, match="expected at least two measures, found no pair"):
        correlation_chart(CORRELATIONS.clear())
    both = pl.concat([CORRELATIONS, CORRELATIONS.with_columns(method=pl.lit("tau_ap"))])
    with pytest.raises(lf.LexiframeError, match="has several methods of correlation"):
        correlation_chart(both)


def who(chart):
    return {(a, b): kind for a, b, kind in rows(chart).select("run", "against", "is").rows()}


def test_the_significance_map_says_who_beats_whom():
    chart = significance_chart(COMPARISONS, "AP", order=TINY["means"], alpha=0.05)
    assert who(chart) == {
        (A, B): "not significantly different", (B, A): "not significantly different",
        (A, C): "better", (C, A): "worse",
        (B, C): "better", (C, B): "worse",
    }  # fmt: skip
    found = rows(chart).filter(run=C, against=B)
    columns = ["mean_difference", "p_value", "p_adjusted", "n"]
    assert found.select(columns).row(0) == (-0.375, 0.001, 0.003, 4)
    spec = chart.to_dict(validate=False)["encoding"]
    assert spec["y"]["sort"] == spec["x"]["sort"] == [B, A, C]
    shapes = dict(
        zip(spec["shape"]["scale"]["domain"], spec["shape"]["scale"]["range"], strict=True)
    )
    assert (shapes["better"], shapes["worse"]) == ("triangle-up", "triangle-down")
    assert titles(chart)[1:] == ["test: t, correction: holm, α = 0.05", "3 runs, 4 requests"]
    by_wins = significance_chart(COMPARISONS, "AP").to_dict(validate=False)["encoding"]["y"]["sort"]
    assert by_wins == [B, A, C]  # as many wins, but a greater mean difference


def test_the_direction_is_that_of_what_the_test_compares():
    """The sign test counts requests: it may favour the run of the smaller mean."""
    odd = {"test": pl.lit("sign"), "effect_size": pl.lit(0.2), "reject": pl.lit(True)}
    c = COMPARISONS.filter(measure="AP", run_b=C).with_columns(**odd)
    assert who(significance_chart(c, "AP"))[A, C] == "worse"


def test_runs_that_were_not_compared_have_no_mark():
    against_baseline = COMPARISONS.filter(measure="AP", run_b=C)
    assert set(who(significance_chart(against_baseline, "AP"))) == {(A, C), (C, A), (B, C), (C, B)}


def test_several_tests_are_refused_unless_one_is_chosen():
    both = pl.concat([COMPARISONS, COMPARISONS.with_columns(test=pl.lit("sign"))])
    with pytest.raises(lf.LexiframeError, match="expected one row for each run_a, run_b, found"):
        significance_chart(both, "AP")
    assert "test: sign" in titles(significance_chart(both, "AP", test="sign"))[1]
    with pytest.raises(lf.UnknownNameError, match="unknown correction 'bh'"):
        significance_chart(both, "AP", test="t", correction="bh")
