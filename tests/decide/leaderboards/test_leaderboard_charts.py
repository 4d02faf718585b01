"""The charts of leaderboards show the numbers of their tables, a window of the runs at a time."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.decide.leaderboards.charts import (
    WINDOW,
    cell_chart,
    collection_chart,
    rank_interval_chart,
    smallest_set_chart,
)
from tests.core.views.charts.drawn import png, rows, titles
from tests.core.views.charts.made_tables import ALIKE, CELLS, RANKING, SMALLEST

pytestmark = pytest.mark.slow

CHARTS = {
    "rank_interval_chart": lambda: rank_interval_chart(RANKING),
    "cell_chart": lambda: cell_chart(CELLS, RANKING),
    "smallest_set_chart": lambda: smallest_set_chart(SMALLEST),
    "collection_chart": lambda: collection_chart(ALIKE),
}


@pytest.mark.parametrize("name", CHARTS)
def test_it_is_drawn(name):
    png(CHARTS[name]())


def test_z_scores_are_those_within_each_collection_and_gaps_are_empty():
    shown = rows(cell_chart(CELLS, RANKING)).sort("collection", "run")
    assert shown["collection"].to_list() == ["law", "law", "news", "news", "news"]
    assert shown["z"].round(6).to_list() == [0.0, 0.0, 1.0, 0.0, -1.0]  # all are equal in law
    part = cell_chart(CELLS, RANKING, start=3)
    assert part.to_dict()["encoding"]["x"]["scale"]["domain"] == ["law", "news"]
    assert rows(part)["run"].to_list() == ["c"]


def test_names_cannot_leave_their_chart():
    """A run and a collection called like the end of a script stay names."""
    bad = "</script><script>alert(1)//"
    renamed = RANKING.with_columns(run=pl.col("run").replace("a", bad))
    cells = CELLS.with_columns(
        run=pl.col("run").replace("a", bad), collection=pl.col("collection").replace("news", bad)
    )
    alike = ALIKE.with_columns(collection_b=pl.col("collection_b").replace("news", bad))
    for chart in (
        rank_interval_chart(renamed), cell_chart(cells, renamed), collection_chart(alike),
        smallest_set_chart(SMALLEST.with_columns(collection=pl.lit(bad))),
    ):  # fmt: skip
        assert "</script><script>alert" not in chart.to_json(validate=False)


def test_lines_are_those_of_the_table():
    layers = rank_interval_chart(RANKING).to_dict(validate=False)["layer"]
    ends = [(layer["encoding"]["x"]["field"], layer["encoding"].get("x2")) for layer in layers]
    assert [end[0] for end in ends] == ["rank_low", "rank_low_each", "rank"]
    assert [end[1]["field"] for end in ends[:2]] == ["rank_high", "rank_high_each"]
    assert titles(rank_interval_chart(RANKING))[0] == "Ranks 1 to 3 and the ranks that are possible"


def test_large_leaderboards_are_drawn_in_windows():
    """324 runs in 41 collections, with gaps: 40 runs at once, all collections."""
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(324, 41)) + np.linspace(0, 2, 324)[:, None]
    cells[rng.random(cells.shape) < 0.2] = np.nan
    columns = {f"collection {c:02}": cells[:, c] for c in range(41)}
    x = pl.DataFrame({"model": [f"a long name of model {n}" for n in range(324)], **columns})
    x = x.with_columns(pl.selectors.float().fill_nan(None))
    with pytest.warns(lf.LexiframeWarning, match="cells without a value are gaps"):
        board = lf.leaderboard(x, "borda", "votes", samples=20)
    for chart in (board.plot.ranks(start=200), board.plot.cells(start=200)):
        png(chart, scale=0.3)
        assert rows(chart)["run"].n_unique() == WINDOW
    assert len(board.plot.cells(start=320).to_dict()["encoding"]["x"]["scale"]["domain"]) == 41
    png(board.plot.correlations(), scale=0.3)
