"""The gain of each swap against evaluating the list in which two documents have changed places."""

from itertools import combinations

import polars as pl
import pytest

import lexiframe as lf

GRADES = {"q": {"a": 2, "b": 1, "c": 1, "d": 3, "e": 0, "z": 1}, "r": {"a": 1, "f": -1}}
LISTS = {
    "x": {"q": ["e", "a", "u", "c", "b", "d"], "r": ["b", "a", "f"]},
    "y": {"q": ["d", "u", "b", "v", "z", "a", "w"], "r": []},
}
MEASURES = [
    *("RPP", "dcgRPP", "RPP(rel=2)", "RPP@3", "LR", "LP", "rrLP", "LR(rel=2)"),
    *("AP", "nDCG", "nDCG(dcg='exp-log2')@4", "RR", "R@3", "Rprec", "RBP", "ERR", "AP(rel=2)"),
    *("TSE(AP)", "WC(AP)", "ISL", "ASL(n=50)", "F1@3"),
]


def as_run(documents):
    return {doc_id: float(len(documents) - n) for n, doc_id in enumerate(documents)}


def each_swap(depth):
    """The preference of every swapped list over the given one, each a request of its own."""
    runs, qrels, keys = {"0": {}, "1": {}} | {run: {} for run in LISTS}, {}, {}
    for (run, lists), query in ((of, query) for of in LISTS.items() for query in GRADES):
        given, grades = lists[query], GRADES[query]
        relevance = [max(grades.get(doc_id, 0), 0) for doc_id in given]
        for a, b in combinations(range(min(len(given), depth)), 2):
            if relevance[a] == relevance[b]:
                continue
            swapped, swap = [*given], f"{run}{query}{a}{b}"
            swapped[a], swapped[b] = given[b], given[a]
            qrels[swap], keys[swap] = grades, (query, run, given[a], given[b], a + 1, b + 1)
            pooled = {name: LISTS[name][query] for name in LISTS}
            for name, list_ in {"0": swapped, "1": given, **pooled}.items():
                runs[name][swap] = as_run(list_)
    d = lf.preferences(lf.positions(runs, qrels, pool=True), MEASURES)
    rows = d.filter(run_a="0", run_b="1").select("query_id", "measure", "preference").rows()
    return {(*keys[swap], measure): value for swap, measure, value in rows}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("depth", [2, 4, 100])
def test_gains_are_the_preferences_of_lists_that_are_evaluated_anew(depth):
    runs = {run: {q: as_run(list_) for q, list_ in lists.items()} for run, lists in LISTS.items()}
    g = lf.swap_gains(runs, GRADES, MEASURES, depth=depth)
    assert g.equals(g.sort("query_id", "run", "measure", "position_a", "position_b"))
    found = {row[:-1]: row[-1] for row in g.rows()}
    expected = each_swap(depth)
    assert found.keys() == expected.keys()
    assert {*found.values()} > {0.0}
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-12), key


def test_many_swaps_are_those_of_few():
    """Of real rankings, in several blocks, as one ranking alone."""
    folder = lf.bundled("example")
    p = pl.DataFrame(lf.read_qrels(folder / "qrels.txt"))
    whole = lf.swap_gains(folder / "runs", p, ["RPP", "AP"])
    one, query = whole.row(0)[1], whole.row(0)[0]
    runs = pl.DataFrame(lf.read_runs(folder / "runs")).filter(run=one, query_id=query)
    alone = lf.swap_gains(runs, p.filter(query_id=query), ["RPP", "AP"])
    assert alone.equals(whole.filter(run=one, query_id=query))


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_lists_of_one_document_and_requests_that_nobody_answers():
    qrels = {"a": {"x": 1}, "q": {"x": 1, "y": 1}, "z": {"x": 1}}
    assert lf.swap_gains({"r": {"q": {"x": 1}}}, qrels, ["AP", "LR", "ERR"]).is_empty()
    g = lf.swap_gains({"r": {"q": {"u": 2, "x": 1}}}, qrels, "ERR")
    assert g.select("query_id", "doc_a", "doc_b").rows() == [("q", "u", "x")]


@pytest.mark.parametrize("measure", ["bpref", "strec@3", "ST-RPP"])
def test_measures_of_more_than_relevant_items_are_refused(measure):
    with pytest.raises(lf.LexiframeError, match="swap_gains: expected measures of relevant items"):
        lf.swap_gains({"a": {"q": {"x": 1}}}, {"q": {"x": 1}}, measure)
