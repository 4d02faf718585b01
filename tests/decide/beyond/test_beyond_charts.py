"""Charts beyond relevance: the frontier of two measures, and exposure."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe import charts

N, USERS = 400, 80


@pytest.fixture(scope="module")
def e():
    """Good ranks what is relevant, new ranks other items of all, and bad the same few items."""
    rng = np.random.default_rng(1)
    items = lf.read_items(pl.DataFrame({"doc_id": [f"d{i}" for i in range(N)]}))
    qrels = {f"u{u}": {f"d{rng.integers(N // 2)}": 1 for _ in range(3)} for u in range(USERS)}

    def lists(choose):
        return {q: {d: 9.0 - n for n, d in enumerate(choose(of))} for q, of in qrels.items()}

    runs = {
        "good": lists(lambda of: [*of]),
        "new": lists(lambda of: [f"d{d}" for d in rng.permutation(N)[:3]]),
        "bad": lists(lambda of: ["d398", "d399", f"d{rng.integers(9)}"]),
    }
    return lf.evaluate(runs, qrels, ["nDCG@3", "Coverage@3", "Gini@3"], items=items)


@pytest.mark.parametrize("measure", ["Coverage@3", "Gini@3"])
def test_the_frontier_is_told_by_comparisons_of_both(e, measure):
    chart = charts.frontier_chart(e.means, e.comparisons, "nDCG@3", measure, catalogue=e.catalogue)
    found = {row["run"]: row["frontier"] for row in chart.data.values}
    assert found == {
        "bad": "surely not on it", "good": "surely on it", "new": "surely on it",
    }  # fmt: skip
    values = dict(e.catalogue.values.filter(measure=measure).select("run", "value").rows())
    assert {row["run"]: row["mean_y"] for row in chart.data.values} == values


def test_what_has_no_run_is_refused(e):
    means = pl.concat(
        [e.means.filter(run="good"), e.means.filter(run="bad").with_columns(measure=pl.lit("AP"))]
    )
    with pytest.raises(lf.LexiframeError, match="expected a run with both nDCG@3 and AP"):
        charts.frontier_chart(means, e.comparisons, "nDCG@3", "AP")


def test_twice_the_area_above_a_curve_is_gini():
    items = lf.read_items(pl.DataFrame({"doc_id": [f"d{i}" for i in range(N)]}))
    runs = {
        "r": {f"u{u}": {f"d{(u * u) % N}": 1} for u in range(USERS)},
        "none": {f"u{u}": {} for u in range(USERS)},
    }
    curve = lf.collection.exposure_curve(runs, items, 1, exposure="dcg")
    assert curve["run"].unique().to_list() == ["r"]
    area = np.trapezoid(curve["exposure"], curve["items"])
    gini = lf.catalogue(runs, "Gini@1", items).values.filter(run="r")["value"].item()
    assert 1 - 2 * area == pytest.approx(gini)
    with pytest.raises(lf.LexiframeError, match="exposure"):
        lf.collection.exposure_curve(runs, items, 1, exposure="linear")
    with pytest.raises(lf.LexiframeError, match="expected a cutoff from 1, found 0"):
        lf.collection.exposure_curve(runs, items, 0)
