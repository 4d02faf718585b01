"""p-MRR of FollowIR: how documents move that a changed instruction made not relevant."""

import pytest

import lexiframe as lf

BEFORE = {"a": 4, "b": 3, "c": 2, "d": 1}
LOST = {"q": {"a": 1}}


def moved(before, after, lost=LOST):
    table = lf.p_mrr({"r": {"q-og": before}}, {"r": {"q-changed": after}}, lost)
    return table["value"].to_list()


@pytest.mark.filterwarnings("ignore:no relevant document was retrieved")
@pytest.mark.parametrize(
    "before, after, value",
    [
        (BEFORE, BEFORE, 0.0),
        (BEFORE, {"b": 4, "c": 3, "d": 2, "a": 1}, 0.75),  # from rank 1 to 4: 1 − 1/4
        ({"b": 4, "c": 3, "d": 2, "a": 1}, BEFORE, -0.75),  # MTEB's own test of the measure
        (BEFORE, {"b": 4, "c": 3}, 1 - 1 / 3),  # not retrieved: behind the last one
    ],
)
def test_what_a_document_that_lost_its_relevance_does(before, after, value):
    assert moved(before, after) == [pytest.approx(value, abs=1e-15)]


def test_a_request_has_the_mean_of_its_documents():
    after = {"b": 4, "a": 3, "c": 2, "d": 1}
    assert moved(BEFORE, after, {"q": {"a": 1, "b": 1, "c": 0}}) == [pytest.approx(0.0)]


def test_runs_of_one_side_alone_are_refused():
    with pytest.raises(lf.LexiframeError, match=r"found 1 \('bm25'\) on one side only"):
        lf.p_mrr({"r": {"q": BEFORE}, "bm25": {"q": BEFORE}}, {"r": {"q": BEFORE}}, LOST)


def test_a_request_without_an_answer_is_counted():
    before, after = {"r": {"q": BEFORE, "p": BEFORE}}, {"r": {"q": BEFORE}}
    with pytest.warns(lf.LexiframeWarning) as said:
        table = lf.p_mrr(before, after, LOST | {"p": {"a": 1}})
    assert any("one side does not answer, left out: 1" in str(one.message) for one in said)
    assert table["query_id"].to_list() == ["q"]


def test_its_values_are_compared_like_others():
    before = {name: {str(q): BEFORE for q in range(9)} for name in ("one", "two")}
    after = {
        name: {str(q): {d: BEFORE[d] * (q - shift) for d in BEFORE} for q in range(9)}
        for name, shift in (("one", 3.5), ("two", 6.5))
    }
    values = lf.p_mrr(before, after, {str(q): {"a": 1} for q in range(9)})
    assert lf.evaluate_scores(values).means.height == 2
