"""What follows from the judgments alone: kept for those who rank one run after the other."""

from dataclasses import replace

from lexiframe.core.projection import Policies, judgments

QRELS = {"q": {"a": 1, "b": 0}, "r": {"c": 2}}


def test_it_is_made_once_where_it_is_kept_and_each_time_elsewhere():
    made = []
    judged = judgments.judged_items(QRELS, Policies())
    for one in (judged, replace(judged, kept={})):
        found = [one.once("rows", lambda: made.append(None) or len(made)) for _ in range(2)]
        assert found == ([1, 2] if one is judged else [3, 3])
    assert judged.kept is None
