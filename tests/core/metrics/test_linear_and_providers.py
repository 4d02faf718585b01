"""Linear exposure ends at the last item of the corpus; the worst-off provider at any magnitude."""

from math import log2

import polars as pl
import pytest

import lexiframe as lf

RUNS = {"a": {"q": {"x": 4, "u": 3, "v": 2, "y": 1}}, "b": {"q": {"x": 2, "y": 1}}}
P = lf.positions(RUNS, {"q": {"x": 1, "y": 1}})
OWNERS = pl.DataFrame({"doc_id": ["x", "y"], "provider": ["of x", "of y"]})


@pytest.mark.parametrize("name", ["linear(n={})", "TSE(linear(n={}))", "eta(linear(n={}))"])
def test_a_rank_beyond_the_corpus_is_an_error(name):
    message = r"linear\(n=3.* found 1 beyond it, the first 4 of run 'a' for query 'q'; say how many"
    for wrong in (name.format(3), f"WC({name.format(3)})" if "TSE" not in name else "linear(n=3)"):
        with pytest.raises(lf.LexiframeError, match=message):
            lf.scores(P, wrong)
        with pytest.raises(lf.LexiframeError, match=message):
            lf.preferences(P, wrong)
    assert lf.scores(P, name.format(4))["value"].min() >= 0


def test_ranks_that_are_cut_off_are_not_beyond():
    assert lf.scores(P, "linear(n=3)@2")["value"].to_list() == pytest.approx([1 / 3, 1 / 2])


def test_imputed_ranks_end_at_the_last_item():
    p = lf.positions(RUNS, {"q": {"x": 1, "y": 1, "z": 1}})
    assert lf.scores(p, "linear(n=4)")["value"].to_list() == pytest.approx([0.25, 1.25 / 3])
    imputed = lf.impute(p, corpus_size=5)
    assert lf.scores(imputed, "TSE(linear(n=5))")["value"].to_list() == [0, 0]
    with pytest.raises(lf.LexiframeError, match="found 2 beyond it, the first 5 of run 'a'"):
        lf.scores(imputed, "TSE(linear(n=4))")


def test_exposure_of_providers():
    with pytest.raises(lf.LexiframeError, match="found 1 beyond it, the first 4 of run 'a'"):
        lf.provider_exposure(P, OWNERS, "linear(n=3)")
    found = lf.provider_exposure(P, OWNERS, "linear(n=8)")
    assert found["exposure"].to_list() == [0.875, 0.5, 0.875, 0.75]
    assert found["is_worst_off"].to_list() == [False, True, False, True]


def test_exposure_of_an_item_of_a_provider():
    """A provider of two items, one of them far up, is the worst off all the same by their mean."""
    p = lf.positions({"a": {"q": {"x": 4, "y": 3, "z": 1}}}, {"q": {"x": 1, "y": 1, "w": 1}})
    owners = pl.DataFrame({"doc_id": ["x", "w", "y"], "provider": ["u", "u", "v"]})
    found = lf.provider_exposure(p, owners, "nDCG", per_item=True)
    assert found["exposure"].to_list() == pytest.approx([1 / 2, 1 / log2(3)])
    assert found["is_worst_off"].to_list() == [True, False]
    assert lf.provider_exposure(p, owners, "nDCG")["is_worst_off"].to_list() == [False, True]


def test_providers_whose_exposures_differ_by_rounding_are_both_worst_off():
    """1000000.1 + 1000000.2 is not 2000000.3."""
    ranks = {d: -n for n, d in enumerate("abc")}
    p = lf.positions({"run": {"q": ranks}}, {"q": dict.fromkeys("abc", 1)})
    large = lf.RecallLevelMetric(
        "large",
        exposure=lambda p: pl.when(p <= 2).then(1e6 + p / 10).otherwise(2000000.3),
        weight=lambda i, m: 1 + 0 * i,
    )
    owners = pl.DataFrame({"doc_id": [*"abc"], "provider": ["two", "two", "one"]})
    found = lf.provider_exposure(p, owners, large)
    assert found["exposure"].n_unique() == 2
    assert found["is_worst_off"].to_list() == [True, True]
