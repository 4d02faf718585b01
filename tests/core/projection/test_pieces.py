"""Runs that are ranked in pieces: the tables are those of the whole runs."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.projection import pieces

RUNS = {"r": {"q1": {"x": 2, "y": 1}, "q2": {"a": 2, "y": 1}, "q3": {"b": 2, "x": 1}}}
QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"c": 1, "b": 2}, "q4": {"a": 1}}


@pytest.mark.filterwarnings("ignore:rankings missing")
def test_pieces_are_joined(monkeypatch):
    """A piece without a judged document does not make the whole run be ranked again."""
    whole, ranked = lf.positions(RUNS, QRELS), []
    coverage = lf.coverage(RUNS, QRELS)
    rank = pieces.rank_judged

    def counted(part, **options):
        ranked.append(part.rows.height)
        return rank(part, **options)

    monkeypatch.setattr(pieces, "ROWS", 2)
    monkeypatch.setattr(pieces, "rank_judged", counted)
    assert lf.positions(RUNS, QRELS).equals(whole)
    assert ranked == [2, 2, 2]
    assert lf.coverage(RUNS, QRELS).equals(coverage)
    assert coverage["missing"].to_list() == [1]


@pytest.mark.filterwarnings("ignore:rankings missing")
@pytest.mark.parametrize("options", [{}, {"ties": "expected"}, {"ties": "expected", "depth": 1}])
def test_pieces_without_rows_change_nothing(monkeypatch, options):
    """Rows that do not stand by request are divided by hash, and most of these pieces are empty."""
    scattered = pl.DataFrame(
        {
            "query_id": ["q1", "q2"] * 4,
            "doc_id": ["x", "a", "y", "b", "a", "c", "z", "x"],
            "score": [1.0, 2.0, 3.0, 2.0, 1.0, 1.0, 0.5, 2.0],
        }
    )
    whole = lf.positions({"r": scattered}, QRELS, **options)
    for n_pieces in range(2, 9):
        monkeypatch.setattr(pieces, "ROWS", -(-len(scattered) // n_pieces))
        assert lf.positions({"r": scattered}, QRELS, **options).equals(whole)
