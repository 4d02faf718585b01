"""The likely cause when ids of two sides have nothing in common."""

import pytest

from lexiframe.core.base.id_mismatch import likely_cause


@pytest.mark.parametrize(
    "ours, theirs, cause",
    [
        (["151", "152"], ["151001", "151002", "152001"], "one begins with the other ('151' and '1"),
        (["151001", "151002"], ["151"], "one begins with the other ('151001' and '151')"),
        (["1", "2"], ["02", "01"], "leading zeros ('1' and '01')"),
        (["CACM-756"], ["CACM-0756", "CACM-0001"], "leading zeros ('CACM-756' and 'CACM-0756')"),
        (["1", "2"], ["q1", "q2"], "a prefix ('1' and 'q1')"),
        (["topic-1", "topic-10"], ["1", "10"], "a prefix ('topic-1' and '1')"),
        (["q1", "q2"], ["topic-1", "topic-2"], "a prefix ('q1' and 'topic-1')"),
        (["q12"], ["topic-12"], "a prefix ('q12' and 'topic-12')"),
        (["1.0", "2.0"], ["1", "2"], "decimal points of whole numbers ('1.0' and '1')"),
        (["MED-1"], ["med-1"], "upper and lower case ('MED-1' and 'med-1')"),
        (["1", "2"], [" 2", "3"], "white space ('2' and ' 2')"),
        (["301", "302"], ['"301"', '"302"'], "quotes ('301' and '\"301\"')"),
        (["Zu\u0308rich"], ["Z\u00fcrich"], "composed and decomposed letters"),
        (["a%2Fb"], ["a/b"], "letters as in addresses, such as %20 ('a%2Fb' and 'a/b')"),
        (["New York"], ["New_York"], "_ for a blank ('New York' and 'New_York')"),
        (["1"], ["1\u00a0"], "white space ('1' and '1\\xa0')"),
    ],
)
def test_what_differs(ours, theirs, cause):
    assert likely_cause(ours, theirs).startswith(cause)
    swapped = likely_cause(theirs, ours)
    assert swapped.split(" (")[0] == cause.split(" (")[0]


@pytest.mark.parametrize(
    "ours, theirs",
    [
        ([], ["1"]),
        (["1"], []),
        ([""], ["1"]),
        (["a"], ["b"]),
        (["q1"], ["151", "152"]),
        (["1", "2", "3"], ["101", "102"]),  # a third begins alike, by chance
        (["1.5"], ["1.05"]),
        (["FT-1", "LA-2"], ["WSJ-3", "AP-4"]),
    ],
)
def test_nothing_comes_to_mind(ours, theirs):
    assert likely_cause(ours, theirs) == ""


def test_what_else_may_differ_is_looked_for_first():
    more = {"hyphens": lambda name: name.replace("-", "")}
    assert likely_cause(["a-1"], ["A-1", "a1"], more) == "hyphens ('a-1' and 'a1')"
    assert likely_cause(["a-1"], ["A-1"], more) == "upper and lower case ('a-1' and 'A-1')"


def test_neither_the_order_nor_repetition_matters():
    assert likely_cause(["2", "1", "2"], iter(["q2", "q1"])) == "a prefix ('1' and 'q1')"
