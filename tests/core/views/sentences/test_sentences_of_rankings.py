"""What is said of overlaps, of contrasting requests and of documents to judge."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

RUNS = {
    "X": {"q": {"a": 3, "b": 2, "c": 1}, "r": {"a": 1}},
    "Y": {"q": {"a": 3, "b": 2}, "r": {"z": 1}},
    "Z": {"q": {"z": 1}},
}
KINDS = {"requests": pl.DataFrame({"query_id": ["q", "r"], "kind": ["x", "y"]}), "by": "kind"}


def said(table):
    return lf.verdict(table)["sentence"].to_list()


def test_contrasting():
    c = lf.contrasting(RUNS, "X", "Y", depth=2, qrels={"r": {"a": 1, "z": 0}})
    assert said(c) == [
        (
            "In request r, the first 1 document of X and Y have 0 in common; RBO(p=0.9) is 0.0000. "
            "Relevant among these: 1 of X, 0 of Y."
        ),
        (
            "In request q, the first 2 documents of X and Y have 2 in common; RBO(p=0.9) is "
            "1.0000. Relevant among these: 0 of X, 0 of Y."
        ),
    ]
    v = lf.verdict(lf.contrasting(RUNS, "X", "Y", "tau", n=1, depth=2, **KINDS))
    assert v["sentence"][1] == (
        "In request r for kind = y, the first 1 document of X and Y have 0 in common; tau has no "
        "value."
    )


def test_unjudged():
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    assert said(lf.unjudged(RUNS, judged)) == [
        (
            "4 documents in the tops of the runs are not judged; the first 2 of the table have "
            "half of the weight of all, the first 4 nine tenths."
        )
    ]
    v = lf.verdict(lf.unjudged(RUNS, judged, **KINDS))
    assert v.row(1) == (
        "y",
        (
            "1 document in the tops of the runs is not judged for kind = y; the first 1 of the "
            "table have half of the weight of all, the first 1 nine tenths."
        ),
    )
    everything = {"q": dict.fromkeys("abcz", 0), "r": dict.fromkeys("az", 0)}
    assert said(lf.unjudged(RUNS, everything)) == [
        "All documents in the tops of the runs are judged."
    ]
