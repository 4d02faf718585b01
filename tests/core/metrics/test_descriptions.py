"""Collections in numbers, by loops and as papers print them."""

import json
from statistics import mean, stdev

import polars as pl
import pytest

import lexiframe as lf

RUNS = {"a": {"q": {"x": 3, "u": 2, "v": 1}, "r": {"y": 1}}, "b": {"q": {"v": 1}}}
QRELS = {"q": {"x": 2, "w": 1}, "r": {"y": 1, "z": 0}}


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_numbers_by_hand():
    """The ranking that b lacks has no document; with grade 2 one request is left."""
    found = lf.describe(RUNS, QRELS)
    depths, relevant = [3, 1, 1, 0], [2, 1]
    numbers = (mean(depths), stdev(depths), mean(relevant), stdev(relevant))
    assert found.row(0) == (2, 2, 4, *map(pytest.approx, numbers), [0.0, 1.0, 2.0])
    assert found.dtypes == [*[pl.Int64] * 3, *[pl.Float64] * 4, pl.List(pl.Float64)]
    both = lf.describe({"y": (RUNS, QRELS), "x": (RUNS, QRELS)}, rel={"x": 2})
    assert both.drop("collection").row(0) == found.row(0)
    assert both.row(1)[:5] == ("x", 1, 2, 2, 2.0)
    assert both["relevant_sd"].to_list() == [pytest.approx(stdev(relevant)), None]


def test_least_grades_of_collections_that_are_not_there():
    with pytest.raises(
        lf.LexiframeError, match=r"a rel for names of collections, found 'z'; .* \['y'\]"
    ):
        lf.describe({"y": (RUNS, QRELS)}, rel={"z": 2})
    with pytest.raises(
        lf.LexiframeError, match=r"expected a rel for names of collections, .* \[\]"
    ):
        lf.describe(RUNS, QRELS, rel={"z": 2})


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_tables_of_the_papers(shared):
    """Of deep-pass (2019) 892.51 retrieved items, as printed."""
    of = shared / "conformance" / "collections"
    facts = json.loads((of / "facts.json").read_text(encoding="utf-8"))
    folders = {name: shared / "data" / name for name in facts["collections"]}
    data = {name: (of / "runs", of / "qrels.trec") for name, of in folders.items()}
    found = lf.describe(data, rel=facts["rel"]).sort("collection")
    expected = pl.read_parquet(of / "facts.parquet").sort("collection")
    same = ["collection", "requests", "runs", "rankings"]
    assert found.select(same).equals(expected.select(same))
    for here, there in (("depth", "depth"), ("relevant", "relevant_per_request")):
        assert found[here].to_list() == pytest.approx(expected[there].to_list(), abs=1e-9)
    printed = found.filter(collection="trec_dl_2019_passage")
    assert round(printed["depth"].item(), 2) == 892.51
