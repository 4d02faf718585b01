"""Groups by two attributes have a sentence each, by the name of both."""

from itertools import product

import polars as pl

import lexiframe as lf
from lexiframe.core.views.sentences.first import sentences_by_group


def test_each_group_of_two_attributes_has_sentences():
    kinds = [*product("ab", "xy")]
    requests = pl.DataFrame({
        "query_id": [f"q{n}" for n in range(4)],
        "kind": [kind for kind, _ in kinds], "size": [size for _, size in kinds],
    })  # fmt: skip
    qrels = {query: {"d": 1} for query in requests["query_id"]}
    good, bad = ({q: {"d": score, "e": 2.0} for q in qrels} for score in (3.0, 1.0))
    e = lf.evaluate({"good": good, "bad": bad}, qrels, "AP", requests=requests, by=["kind", "size"])
    said = sentences_by_group(e.tables(), e.provenance)
    assert [*said] == [f"kind = {kind}, size = {size}" for kind, size in kinds]
    assert all("good" in " ".join(sentences) for sentences in said.values())
