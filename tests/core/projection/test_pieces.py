"""Runs that are ranked in pieces: the tables are those of the whole runs."""

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
