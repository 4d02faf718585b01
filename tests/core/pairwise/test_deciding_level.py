"""The recall level that decides a lexicographic preference, counted by a plain loop."""

from itertools import permutations

import polars as pl
import pytest

import lexiframe as lf

POSITIONS = {
    "q1": {"a": [1, 4, 7], "b": [1, 5, 7], "c": [2, 5, 7], "d": [1, 4, None]},
    "q2": {"a": [3], "b": [2], "c": [3], "d": [None]},
    "q3": {"a": [1, 2, 3, 4], "b": [1, 2, 3, 9], "c": [1, 2, 8, 9], "d": [None] * 4},
}
"""By request and run, the positions of the relevant items, best first."""


def evaluated():
    """Rankings of these positions, with documents that are not relevant between them."""
    runs, qrels = [], []
    for query, rankings in POSITIONS.items():
        qrels += [(query, f"r{n}", 1) for n in range(len(rankings["a"]))]
        for run, positions in rankings.items():
            at = {position: n for n, position in enumerate(positions) if position}
            for rank in range(1, 11):
                doc = f"r{at[rank]}" if rank in at else f"x{rank}"
                runs.append((run, query, doc, -rank))
    columns = ["run", "query_id", "doc_id", "score"]
    judged = pl.DataFrame(qrels, orient="row", schema=["query_id", "doc_id", "relevance"])
    return lf.positions(pl.DataFrame(runs, orient="row", schema=columns), judged)


def by_loop(last):
    expected = {}
    for query, rankings in POSITIONS.items():
        for (run_a, a), (run_b, b) in permutations(rankings.items(), 2):
            level = None
            for n, (x, y) in enumerate(zip(a, b, strict=True), start=1):
                if x != y and (last or level is None):
                    level = n
            expected[query, run_a, run_b] = level
    return expected


@pytest.mark.parametrize("measure, last", [("LR", True), ("LP", False), ("rrLR", True)])
def test_the_level_that_decides_by_a_loop(measure, last):
    found = lf.preferences(evaluated(), measure, deciding_level=True)
    expected = by_loop(last)
    rows = found.select("query_id", "run_a", "run_b", "deciding_level").rows()
    assert len(rows) == 3 * 6
    assert {row[:3]: row[3] for row in rows} == {row[:3]: expected[row[:3]] for row in rows}
    assert set(expected.values()) >= {None, 1, 2, 3}


def test_of_one_pair_it_is_the_same_level():
    both = evaluated().filter(pl.col("run").is_in(["a", "b"]))
    found = lf.preferences(both, ["LR", "LP"], deciding_level=True).sort("measure", "query_id")
    assert found["deciding_level"].to_list() == [2, 1, 4, 2, 1, 4]


def test_within_a_cutoff_the_last_level_is_the_last_that_both_may_have():
    found = lf.preferences(evaluated(), "LR@6", deciding_level=True)
    rows = found.select("query_id", "run_a", "run_b", "deciding_level").rows()
    level = {row[:3]: row[3] for row in rows}
    assert level["q1", "a", "b"] == 2  # 7 is beyond 6 for both
    assert level["q1", "a", "d"] is None  # and so 7 is as good as none
    assert level["q3", "b", "c"] == 3
