"""Equal hashes are only candidates: documents are told apart by their ids, and by their queries."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.projection import coded_rows as rows
from lexiframe.core.projection import judgments as judged
from lexiframe.core.projection import lookup
from lexiframe.core.projection.lookup import has_repeated

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


@given(st.lists(st.lists(st.integers(0, 1 << 63), max_size=5, unique=True), max_size=9))
def test_hashes_that_are_found_twice(stretches):
    """In small blocks: hashes that are twice in a stretch are found, and none where all differ."""
    hashes = np.array([number for stretch in stretches for number in stretch], np.uint64)
    edges = np.cumsum([0, *map(len, stretches)])
    all_differ = len({*hashes.tolist()}) == len(hashes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "_BLOCK", 4)
        assert not all_differ or not has_repeated(hashes, edges)
        assert has_repeated(hashes, np.array([0, len(hashes)])) == (not all_differ)
        for row in np.flatnonzero(np.diff(edges)).tolist():
            twice = np.append(hashes, hashes[edges[row]])
            assert has_repeated(twice, np.array([0, len(twice)]))
            twin = np.insert(hashes, edges[row], hashes[edges[row]])
            assert has_repeated(twin, edges + (np.arange(len(edges)) > row))
