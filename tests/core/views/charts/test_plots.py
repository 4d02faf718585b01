"""`e.plot` draws the tables of its evaluation."""

import builtins
import re
from contextlib import suppress

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
from lexiframe.core.views.plots import CHARTS_OF
from tests.core.views.charts.pictures import layers, rendered

pytestmark = pytest.mark.slow

FOLDER = lf.bundled("example")
BEST, SECOND = "pixels_euclidean", "pca8_euclidean"


def evaluated(**options):
    """The bundled example, by a preference and a metric."""
    return lf.evaluate(FOLDER / "runs", FOLDER / "qrels.txt", ["LR", "AP"], **options)


E = evaluated()
QUERIES = E.scores["query_id"].unique().sort()
KINDS = pl.DataFrame({"query_id": QUERIES, "kind": ["odd", "odd", "even", "even", "even"]})
GROUPED = evaluated(requests=KINDS, by="kind")


def test_its_text_lists_what_there_is():
    methods, _, functions = repr(E.plot).partition("\nFunctions")
    names = [line.split()[0] for line in methods.splitlines()[1:]]
    assert names == ["means", "win_rates", "orderings", "pair", "request"]
    assert all(callable(getattr(E.plot, name)) for name in names)
    assert dir(E.plot) == sorted(names)
    said = dict(line.split(maxsplit=1) for line in functions.splitlines()[1:])
    assert {table: tuple(of.split(", ")) for table, of in said.items()} == CHARTS_OF


def test_charts_without_a_network(tmp_path):
    """As the text of `Plots` says: pictures in a notebook, and a page that loads nothing."""
    import altair

    chart = E.plot.means()
    for renderer, form in (("svg", "image/svg+xml"), ("png", "image/png")):
        with altair.renderers.enable(renderer):
            bundle = chart._repr_mimebundle_()
        shown = bundle[0] if isinstance(bundle, tuple) else bundle
        assert form in shown
        assert "text/html" not in shown
        assert "cdn." not in str(shown)
    chart.save(tmp_path / "means.html", inline=True)
    page = (tmp_path / "means.html").read_text()
    assert "pca8_euclidean" in page
    assert not re.search(r"""(src|href)=["']https?:|import\(["']https?:""", page)
    assert 'src="https://cdn' in chart.to_html()  # else none of this needs saying


OTHERS = {
    "trade_off_chart": ("LR", "AP"),
    "win_rate_chart": ("LR",),
    "significance_chart": ("AP",),
    "critical_difference_chart": (E.means, "AP"),
    "difference_chart": ("LR",),
}
"""What the charts take after the table; the others take nothing."""


@pytest.mark.parametrize(
    "table, chart", [(table, chart) for table, of in CHARTS_OF.items() for chart in of]
)
def test_every_chart_that_it_names_draws_that_table(table, chart):
    draw = getattr(lf.views.charts, chart)
    assert rendered(draw(getattr(E, table), *OTHERS.get(chart, ())))


def test_no_chart_is_missing_from_its_text():
    named = {chart for of in CHARTS_OF.values() for chart in of}
    found = []
    for table in E.tables():
        for chart in {name for name in dir(lf.views.charts) if name.endswith("_chart")} - named:
            with suppress(lf.LexiframeError, TypeError):
                getattr(lf.views.charts, chart)(getattr(E, table))
                found.append((table, chart))
    assert found == []


def test_charts_have_the_numbers_of_the_tables():
    means = pl.DataFrame(E.plot.means("AP").data.values).select("run", "mean").sort("run")
    assert means.equals(E.means.filter(measure="AP").select("run", "mean").sort("run"))
    cells = {(r["run"], r["against"]): r["share"] for r in E.plot.wins("LR").data.values}
    pairs = E.win_rates.filter(measure="LR")
    assert [cells[a, b] for a, b in pairs.select("run_a", "run_b").rows()] == pytest.approx(
        pairs.select((pl.col("wins") + pl.col("ties") / 2) / pl.col("n")).to_series().to_list()
    )
    rows = pl.DataFrame(E.plot.orderings("LR").data.values)
    assert dict(rows.select("run", "rank").rows()) == dict(
        E.orderings.filter(measure="LR").select("run", "rank").rows()
    )
    drawn = pl.DataFrame(E.plot.pair(BEST, SECOND, "AP").data.values)
    table = E.pair(BEST, SECOND, "AP")
    assert drawn["query_id"].to_list() == table["query_id"].to_list()
    assert drawn["preference"].to_list() == table["preference"].to_list()


def test_the_matrix_is_in_the_order_of_the_measure():
    assert E.plot.wins().title.text == "Share of requests won by LR"
    for measure in ("LR", "AP"):
        runs = E.orderings.filter(measure=measure).sort("rank", "run")["run"].to_list()
        assert E.plot.wins(measure).to_dict()["layer"][0]["encoding"]["y"]["sort"] == runs


def test_measures_are_in_the_order_asked_for():
    assert E.plot.means().to_dict()["facet"]["sort"] == ["LR", "AP"]


def test_a_pair_is_drawn_by_all_measures_unless_told():
    assert len(E.plot.pair(BEST, SECOND).to_dict()["concat"]) == 2
    assert E.plot.pair(SECOND, BEST, "AP").title.text == f"Differences in AP: {SECOND} − {BEST}"


def test_a_request_shows_both_rankings_in_the_order_asked_for():
    chart = E.plot.request("q0078", BEST, SECOND)
    marks = layers(chart, "point")[0]["rows"]
    of_best = [row["place"] for row in marks if row["run"] == BEST]
    levels = E.explain("q0078", BEST, SECOND, ["LR"]).filter(pl.col("threshold") == 1)
    assert of_best == levels["position_a"].to_list()
    assert chart.title.subtitle[0].startswith(f"LP prefers {SECOND}")


@pytest.mark.parametrize(
    "draw",
    [
        lambda plot: plot.means(), lambda plot: plot.wins("LR"), lambda plot: plot.orderings(),
        lambda plot: plot.pair(BEST, SECOND), lambda plot: plot.request("q0078", BEST, SECOND),
    ],
    ids=["means", "wins", "orderings", "pair", "request"],
)  # fmt: skip
def test_all_are_drawn(draw):
    rendered(draw(E.plot))


def test_a_group_of_requests_is_chosen():
    of_odd = GROUPED.means.filter(kind="odd", measure="AP").select("run", "mean").sort("run")
    rows = pl.DataFrame(GROUPED.plot.means("AP", group={"kind": "odd"}).data.values)
    assert rows.select("run", "mean").sort("run").equals(of_odd)
    won = GROUPED.plot.wins("AP", group={"kind": "odd"}).data.values
    assert {
        row["wins"] + row["losses"] + row["ties"] for row in won if row["wins"] is not None
    } == {2}
    assert GROUPED.plot.orderings("LR", group={"kind": "even"}).data.values
    assert len(GROUPED.plot.pair(BEST, SECOND, "AP").data.values) == 5


def test_a_wrong_group_is_an_error_that_shows_one():
    for group in (None, {}, {"kind": "none"}, {"type": "odd"}):
        with pytest.raises(
            lf.LexiframeError,
            match=r"one of the 2 groups of requests, such as group={'kind': 'even'}, found",
        ):
            GROUPED.plot.means(group=group)
    with pytest.raises(lf.LexiframeError, match=r"plot: expected no group, found {'kind': 'odd'}"):
        E.plot.wins(group={"kind": "odd"})


def test_unknown_names_are_errors():
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'LP'"):
        E.plot.wins("LP")
    with pytest.raises(lf.UnknownNameError, match="unknown run 'pca9'"):
        E.plot.pair(BEST, "pca9")


def test_scores_of_other_tools_are_drawn_but_have_no_rankings():
    e = lf.evaluate_scores(E.scores.select("run", "query_id", "measure", "value"))
    assert rendered(e.plot.means())
    assert rendered(e.plot.pair(BEST, SECOND))
    with pytest.raises(lf.LexiframeError, match="computed from scores"):
        e.plot.request("q0078", BEST, SECOND)


def test_without_the_extra_it_is_named(monkeypatch):
    real = builtins.__import__

    def without_altair(name, *rest):
        if name == "altair":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_altair)
    assert "means" in repr(E.plot)
    for draw in (
        E.plot.means,
        E.plot.wins,
        E.plot.orderings,
        lambda: E.plot.pair(BEST, SECOND),
        lambda: E.plot.request("q0078", BEST, SECOND),
    ):
        with pytest.raises(lf.LexiframeError, match=r"pip install 'lexiframe\[viz\]'"):
            draw()


def test_completion_offers_each_chart_once():
    assert dir(E.plot) == ["means", "orderings", "pair", "request", "win_rates"]
    assert E.plot.wins("LR").to_dict() == E.plot.win_rates("LR").to_dict()
