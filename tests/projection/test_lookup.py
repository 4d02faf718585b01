"""Equal hashes are only candidates: documents are told apart by their ids, and by their queries."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.projection import coded_rows as rows
from lexiframe.projection import judgments as judged

RUNS = pl.DataFrame(
    {
        "run": "x",
        "query_id": ["q1"] * 4 + ["q2"] * 2 + ["q3"],
        "doc_id": ["ab", "a", "bc", "b", "a", "ab", "b"],
        "score": [4.0, 3.0, 2.0, 1.0, 2.0, 1.0, 1.0],
    }
)
QRELS = pl.DataFrame({"query_id": ["q1", "q1", "q3"], "doc_id": ["a", "b", "c"], "relevance": 1.0})


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("unjudged", ["keep", "remove"])
def test_documents_of_one_hash(monkeypatch, unjudged):
    """By their first letters, whatever the query: unjudged ones have the hashes of judged ones."""

    def first_letters(doc_id, _query):
        letters = doc_id.str.slice(0, 1).to_list()
        return np.array([ord(letter) for letter in letters], np.uint64)

    expected = lf.positions(RUNS, QRELS, unjudged=unjudged)
    found = [2, 4, None] if unjudged == "keep" else [1, 2, None]
    assert expected["position"].to_list() == found
    for module in (rows, judged):
        monkeypatch.setattr(module, "hash_keys", first_letters)
    assert lf.positions(RUNS, QRELS, unjudged=unjudged).equals(expected)
    assert lf.coverage(RUNS, QRELS)["duplicates"].item() == 0
