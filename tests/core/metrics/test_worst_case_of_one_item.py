"""The worst case over users of a request with one relevant item is that of the only user."""

import lexiframe as lf


def test_the_worst_case_of_one_item_is_its_value():
    runs = {"x": {"q": {"b": 2.0, "a": 1.0}}, "y": {"q": {"b": 1.0}}, "z": {"q": {"a": 1.0}}}
    s = lf.scores(lf.positions(runs, {"q": {"a": 1}}), ["WC(AP)", "AP"])
    assert s.filter(measure="WC(AP)")["value"].to_list() == [0.5, 0.0, 1.0]
    assert s.filter(measure="AP")["value"].to_list() == [0.5, 0.0, 1.0]
