"""Each chart of an evaluation: pictures of few, many and odd runs, and its page."""

import json
import math
from inspect import getmembers, isfunction

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe import charts
from lexiframe.core.orderings.means import run_means
from lexiframe.core.views.charts import agreement, means, orderings, power, significance, win_rates
from lexiframe.decide.gates import equivalence_charts as equivalences
from tests.core.views.charts.drawn import Tags, png
from tests.core.views.charts.evaluation_charts import CHARTS
from tests.core.views.charts.evaluation_tables import UGLY_MEASURE, drawn_scores, tables
from tests.core.views.charts.tiny_tables import TINY

pytestmark = pytest.mark.slow


def test_each_chart_is_tested_here():
    of_modules = {
        name
        for module in (
            agreement,
            equivalences,
            means,
            orderings,
            power,
            significance,
            win_rates,
        )
        for name, function in getmembers(module, isfunction)
        if name.endswith("_chart") and function.__module__ == module.__name__
    }
    assert of_modules <= set(charts.__all__)
    # what measures prefer alike is drawn in `test_snapshots`
    assert of_modules - {"agreement_chart"} == set(CHARTS)


@pytest.mark.parametrize("name", CHARTS)
def test_two_runs_and_one_request(name):
    t = tables(2, 1)
    if name != "power_curve_chart":
        png(CHARTS[name](t, "RR"))
        return
    with pytest.raises(lf.LexiframeError, match="expected a pair of runs with a power"):
        CHARTS[name](t, "RR")


def test_a_single_run():
    """It has means and ranks; what is about pairs has nothing to draw."""
    s = drawn_scores(1, 2)
    m, o = run_means(s), lf.order_runs(s)
    r = lf.rank_distributions(s, samples=10)
    drawn = [charts.mean_chart(m), charts.trade_off_chart(m, "AP", "RR"), charts.ordering_chart(o)]
    for chart in [*drawn, charts.rank_distribution_chart(r, "AP")]:
        png(chart)
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'AP'"):
        charts.win_rate_chart(lf.win_rates(s), "AP")


@pytest.mark.parametrize("name", CHARTS)
def test_odd_names_are_drawn_and_inject_nothing(name):
    """Runs and a measure; the page has the tags of one with plain names, in the same order."""
    chart = CHARTS[name](tables(5, 3, ("AP", UGLY_MEASURE), "ugly"), UGLY_MEASURE)
    png(chart)
    page = chart.to_html(inline=False)
    assert not [part for part in ("</script><b", "<!--'", "f <script", "<i>") if part in page]
    plain = CHARTS[name](tables(5, 3, ("AP", "RR"), "plain"), "RR").to_html(inline=False)
    assert Tags(page).found == Tags(plain).found


@pytest.mark.parametrize("name", CHARTS)
def test_no_other_name_injects_anything(name):
    """Tests, corrections and methods of one's own; a column of the log and its values."""
    odd = "a</script><b>"
    renamed = {
        called: table.with_columns(
            pl.lit(odd).alias(column)
            for column in ("test", "correction", "method")
            if column in table.columns
        )
        for called, table in TINY.items()
    }
    renamed["power"] = TINY["power"].with_columns(pl.col("test", "correction") + odd)
    renamed["orderings"] = TINY["orderings"].with_columns(method=pl.col("method") + odd)
    charts_of = CHARTS | {
        "ordering_chart": lambda t, m: charts.ordering_chart(t["orderings"], highlight=[]),
        "win_rate_chart": lambda t, m: charts.win_rate_chart(t["win_rates"], "AP"),
        "trade_off_chart": lambda t, m: charts.trade_off_chart(
            t["means"].with_columns(pl.lit(odd).alias(odd)), "AP", m, colour=odd
        ),
    }
    text = json.dumps(charts_of[name](renamed, "RR").to_dict(validate=False))
    assert "</" not in text
    shows_such_names = {"mean_chart", "win_rate_chart", "power_curve_chart"}
    assert (json.dumps("<\u200b/script")[1:-1] in text) == (name not in shows_such_names)


def numbers(found):
    """All numbers of a specification, wherever."""
    if isinstance(found, dict):
        found = found.values()
    if isinstance(found, list | tuple | type({}.values())):
        for value in found:
            yield from numbers(value)
    elif isinstance(found, float):
        yield found


@pytest.mark.parametrize("name", CHARTS)
def test_110_runs(name):
    chart = CHARTS[name](tables(110), "RR")
    png(chart, scale=0.2)
    assert all(map(math.isfinite, numbers(chart.to_dict(validate=False))))
