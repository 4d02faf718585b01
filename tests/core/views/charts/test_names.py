"""Long names beside charts: cut, but never so that two rows look the same."""

import json
import re

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe import charts
from lexiframe.core.views.charts.names import MOST, shortened
from tests.small_tables import scores

pytestmark = pytest.mark.slow

START, END = "a model with a name of many words, ", " and with an ending of many words"
LONG = [f"{START}{n}" for n in range(3)] + [f"{n}{END}" for n in range(3)]
LONG += [f"{START}{n}{END}" for n in range(12)]


def test_no_two_names_look_the_same():
    for most in (12, 24, MOST):
        found = shortened([*LONG, "short"], most)
        assert {*found} == {name for name in LONG if len(name) > most}
        assert len({*found.values(), "short"}) == len(found) + 1
        assert max(map(len, found.values())) <= most
    taken = shortened(["x" * 40])["x" * 40]
    assert shortened([taken, "x" * 40])["x" * 40] != taken


def labels(spec):
    """What the axes of names print for each name: the expressions' two lists."""
    found = re.findall(r'"labelExpr": "((?:[^"\\]|\\.)*)"', json.dumps(spec))
    lists = [re.findall(r"\[.*?\](?=, datum|\[)", json.loads(f'"{text}"')) for text in found]
    return [dict(zip(*map(json.loads, both[:2][::1]), strict=True)) for both in lists]


def tables():
    s = scores({name: [n / 20, n / 30, n / 25] for n, name in enumerate(LONG)}, "AP")
    return s, lf.compare(s), lf.order_runs(s, "mean")


def test_axes_print_names_that_differ():
    s, c, o = tables()
    drawn = [
        charts.significance_chart(c),
        charts.critical_difference_chart(c, o),
        charts.rank_distribution_chart(lf.rank_distributions(s, samples=20)),
        charts.win_rate_chart(lf.win_rates(s), "AP"),
    ]
    for chart in drawn:
        found = labels(chart.to_dict(validate=False))
        assert found
        for names in found:
            assert {*names} == {name for name in LONG if len(name) > MOST}
            assert len({*names.values()}) == len(names)


def test_rows_of_pairs_differ():
    s, _, _ = tables()
    chart = charts.equivalence_chart(lf.equivalence(s, 0.01), "AP")
    pairs = pl.DataFrame(chart.data.values).select("pair", "run_a", "run_b")
    assert pairs["pair"].n_unique() == pairs.height == 100
    assert pairs["pair"].str.len_chars().max() <= 2 * 24 + 3


def test_names_at_the_ends_of_orderings_differ():
    _, _, o = tables()
    text = json.dumps(charts.ordering_chart(o).to_dict(validate=False))
    assert '"field": "shown"' in text
    assert "(2)" in text
