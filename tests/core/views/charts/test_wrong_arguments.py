"""Charts of wrong arguments and of tables with gaps: a sentence, no error of other libraries."""

import inspect
import random
from functools import cache

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe import charts
from tests.core.views.charts.evaluation_charts import CHARTS
from tests.core.views.charts.tiny_tables import TINY
from tests.fuzz.calls import outcome, wrong_values


@cache
def valid_calls():
    """The arguments of a valid call of each chart."""
    found = {}
    with pytest.MonkeyPatch.context() as m:
        for name in CHARTS:
            chart = getattr(charts, name)

            def note(*given, _chart=chart, _name=name, **named):
                found[_name] = inspect.signature(_chart).bind(*given, **named).arguments
                return _chart(*given, **named)

            m.setattr(charts, name, note)
            CHARTS[name](TINY, "RR")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
def test_wrong_arguments_are_errors_with_a_sentence(name):
    chart, valid = getattr(charts, name), valid_calls()[name]
    parameters = inspect.signature(chart).parameters
    values = wrong_values(random.Random(0))
    found = {
        f"{wrong}={value!r:.40}: {problem}"
        for wrong in parameters
        for value in [*values, (x for x in [TINY["means"]])]
        if (problem := outcome(chart, {**valid, wrong: value}))
    }
    assert not found


def gaps(table):
    """Tables without rows, without a column, and with a column of nulls."""
    yield table.head(0)
    for name in table.columns:
        yield table.drop(name)
        yield table.with_columns(pl.lit(None, table.schema[name]).alias(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
def test_tables_with_gaps_are_drawn_or_are_errors_with_a_sentence(name):
    chart, valid = getattr(charts, name), valid_calls()[name]
    tables = {wrong: value for wrong, value in valid.items() if isinstance(value, pl.DataFrame)}
    found = {
        f"{wrong}: {problem}"
        for wrong, table in tables.items()
        for odd in [*gaps(table), *TINY.values()]
        if (problem := outcome(chart, {**valid, wrong: odd}))
    }
    assert not found


def test_what_is_missing_is_said():
    d = TINY["comparisons"]
    with pytest.raises(TypeError, match="difference_chart: expected reference to be text, found N"):
        charts.difference_chart(d, reference=None)
    with pytest.raises(
        lf.LexiframeError, match="expected at least one measure, found none; name one, or leave"
    ):
        charts.ordering_chart(TINY["orderings"], measures=[])
    with pytest.raises(TypeError, match="expected a frame that exports Arrow"):
        charts.ordering_chart(x for x in [TINY["orderings"]])
    with pytest.raises(TypeError, match="expected an order of names, found 1 among them"):
        charts.significance_chart(TINY["comparisons"], "AP", order=[1, 2])
    means = TINY["means"].with_columns(n=pl.lit(None, pl.Int64))
    with pytest.raises(
        lf.LexiframeError, match=r"in each row to draw, found \d+ rows without it; leave"
    ):
        charts.mean_chart(means)
