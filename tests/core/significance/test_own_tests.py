"""Tests of one's own: functions from differences to p-values, given to `compare`."""

import math
from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.small_tables import scores

RNG = np.random.default_rng(5)
RUNS = {
    run: (RNG.random(12) + shift).tolist() for run, shift in zip("abc", (0, 0.1, 0.4), strict=True)
}
GAPS = {**RUNS, "b": [None, None, *RUNS["b"][2:]]}


def my_t(d):
    return stats.ttest_1samp(d, 0, nan_policy="omit")


def p_alone(d):
    return my_t(d).pvalue


def by_hand(d):
    """A tuple, as plain NumPy would return it."""
    n = (~np.isnan(d)).sum(axis=0)
    t = np.nanmean(d, axis=0) / (np.nanstd(d, axis=0, ddof=1) / np.sqrt(n))
    return t, 2 * stats.t.sf(np.abs(t), n - 1)


@pytest.mark.parametrize("runs", [RUNS, GAPS])
@pytest.mark.parametrize("test", [my_t, p_alone, by_hand])
def test_the_t_test_written_as_a_function(test, runs):
    """All columns are those of the built-in test, also where some pairs lack requests.

    How small the p-values of a function may be is not known.
    """
    ours = lf.compare(scores(runs), "t", ["holm", "bh"])
    found = lf.compare(scores(runs), test, ["holm", "bh"])
    assert set(found["test"]) == {test.__name__}
    for name in ours.columns:
        if name == "least_p" or (name == "statistic" and test is p_alone):
            assert found[name].null_count() == found.height
        elif name != "test":
            assert found[name].to_list() == pytest.approx(ours[name].to_list()), name


def test_what_the_function_is_given():
    """Requests × pairs, once for each measure; a request that no pair has is no row."""
    given = []

    def look(d):
        given.append(d.copy())
        d[:] = 9.0  # it may do with the array as it likes
        return np.full(d.shape[1], 0.5)

    s = pl.concat([scores(GAPS, "AP"), scores({"a": [1.0, 0.5], "b": [0.25, None]}, "RR")])
    c = lf.compare(s, [look, "t"])
    ab, ac, bc = (
        np.subtract(*(np.array(GAPS[r], float) for r in pair)) for pair in ("ab", "ac", "bc")
    )
    order = np.argsort([f"q{n}" for n in range(1, 13)])
    np.testing.assert_allclose(given[0], np.stack([ab, ac, bc], axis=1)[order])
    assert given[1].tolist() == [[0.75]]
    assert len(given) == 2
    assert c.filter(test="t").drop("test").height == 4
    alone = lf.compare(s, "t").select("measure", "run_a", "run_b", "mean_difference", "p_value")
    assert c.filter(test="t").select(alone.columns).equals(alone)


def test_it_is_called_in_each_group_and_with_a_baseline():
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 13)], "kind": ["x", "y"] * 6})
    asked = {"requests": kinds, "by": "kind", "baseline": "b", "family": "all"}
    ours, found = (lf.compare(scores(GAPS), test, **asked) for test in ("t", my_t))
    assert found.drop("test")["p_adjusted"].to_list() == pytest.approx(ours["p_adjusted"].to_list())
    assert found.select("kind", "run_a", "run_b").equals(ours.select("kind", "run_a", "run_b"))


@pytest.mark.slow
def test_a_function_in_an_evaluation(tmp_path):
    folder = lf.bundled("example")
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], test=my_t)
    assert e.comparisons["test"].unique().to_list() == ["my_t"]
    assert e.provenance["inference"]["test"] == "my_t"
    assert "(my_t test, holm over" in str(e)
    assert "significantly (my_t, Holm's correction" in lf.verdict(e)["sentence"][0]
    e.write(tmp_path)
    assert "my_t" in e.report(tmp_path / "r.html").read_text()
    from_scores = lf.evaluate_scores(e.scores, test=my_t)
    assert from_scores.comparisons.equals(e.comparisons)
    assert lf.discriminative_power(e.comparisons)["test"].to_list() == ["my_t"]


def signed(d):
    return my_t(d)


def test_a_name_that_begins_like_that_of_another_test():
    """What a verdict reads off win odds it must not read off d_z."""
    s = scores({"a": [0.5, 0.6, 0.8, 0.9], "b": [0.2, 0.5, 0.4, 0.6]}, "AP")
    by_t, by_signed = (lf.evaluate_scores(s, test=test) for test in ("t", signed))
    assert by_signed.comparisons["effect_size"][0] > 0
    assert lf.verdict(by_signed)["not_worse"].equals(lf.verdict(by_t)["not_worse"])
    assert lf.verdict(by_signed)["best"].to_list() == [["a"]]


def test_a_verdict_by_a_function_whose_effect_is_below_one():
    """d_z of 0.5 favours run a; as win odds it would favour run b."""
    values = [0.5 + 0.1 * math.sin(n) for n in range(60)]
    better = [v + 0.05 + 0.1 * math.cos(3 * n) for n, v in enumerate(values)]
    e = lf.evaluate_scores(scores({"a": better, "b": values}, "AP"), test=signed)
    assert 0 < e.comparisons["effect_size"][0] < 1
    assert e.comparisons["reject"].to_list() == [True]
    assert lf.verdict(e)["not_worse"].to_list() == [[]]


def sign(d):
    return my_t(d)


class Nameless:
    def __call__(self, d):
        return my_t(d)


LAMBDA = lambda d: my_t(d)  # noqa: E731


@pytest.mark.parametrize(
    "test, message",
    [
        (LAMBDA, r"a test with a name of its own, found <function <lambda>.*\(def my_test\(d\): "),
        (partial(my_t), "expected a test with a name of its own, found functools.partial"),
        (Nameless(), "expected a test with a name of its own, found <"),
        (sign, r"compare: the function sign is called like a test .* write test='sign' for that"),
        ([my_t, partial(my_t)], "expected a test with a name of its own"),
        (["t", "z"], "expected test to be one of 'auto', 't', 'sign'"),
        ([], "compare: expected a test and a correction, found none"),
    ],
)
def test_names(test, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(scores(RUNS), test)
    with pytest.raises(lf.LexiframeError, match=message):
        lf.evaluate_scores(scores(RUNS), test=test)


def test_a_lambda_can_be_given_a_name():
    named = lambda d: my_t(d)  # noqa: E731
    named.__name__ = "mine"
    assert set(lf.compare(scores(RUNS), [named, my_t])["test"]) == {"mine", "my_t"}
    other = lambda d: my_t(d)  # noqa: E731
    other.__name__ = "mine"
    with pytest.raises(lf.LexiframeError, match="two tests are called 'mine'; rename one"):
        lf.compare(scores(RUNS), [named, other])
    assert lf.compare(scores(RUNS), [named, named]).height == 3


def test_the_alternative_is_the_functions_own():
    message = "the function my_t is not told the alternative 'greater'; let it compute one-sided"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(scores(RUNS), ["t", my_t], alternative="greater")


@pytest.mark.parametrize(
    "result, message",
    [
        (lambda d: my_t(d.T), r"expected p-values of 3 pairs, .* shape \(12,\); .* over axis 0"),
        (lambda d: 0.5, "expected p-values of 3 pairs, one for each column .*, found 0.5$"),
        (lambda d: (d, d), r"expected p-values of 3 pairs, .* found an array of the shape \(12, 3"),
        (lambda d: (0.5, [0.5] * 3), r"wrong: expected statistics of 3 pairs, .*, found 0.5$"),
        (lambda d: None, "wrong: expected p-values of 3 pairs, .* found None"),
        (lambda d: ["a"] * 3, r"wrong: expected p-values of 3 pairs, .* found \['a', 'a', 'a'\]"),
        (lambda d: [0.5, 1.5, -1], r"from 0 to 1, found 1.5 for 'a' and 'c' \(2 such pairs in al"),
        (lambda d: [0.5, math.nan, 1], r"found nan for 'a' and 'c' \(1 such pairs in all\)$"),
        (lambda d: [[0.5, 0.5, 0.5]], r"found an array of the shape \(1, 3\)"),
    ],
)
def test_results_that_are_no_p_values(result, message):
    def wrong(d):
        return result(d)

    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(scores(RUNS), wrong)


def test_missing_requests_that_a_function_forgets():
    def forgetful(d):
        return stats.ttest_1samp(d, 0)

    message = (
        r"found nan for 'a' and 'b' \(2 such .*; they lack requests, .* NaN .*nan_policy='omit'"
    )
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(scores(GAPS), forgetful)


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_a_pair_without_a_difference_needs_a_p_value_too():
    s = scores({**RUNS, "d": RUNS["a"]})
    with pytest.raises(lf.LexiframeError, match=r"for 'a' and 'd' \(1 .* are 0: give .* p-value 1"):
        lf.compare(s, my_t)

    def complete(d):
        return np.nan_to_num(my_t(d).pvalue, nan=1.0)

    found, ours = (lf.compare(s, test)["p_value"].to_list() for test in (complete, "t"))
    assert found == pytest.approx(ours)


def test_what_the_function_raises_is_seen():
    def broken(d):
        raise ZeroDivisionError("mine")

    message = (
        r"compare: the test broken raised ZeroDivisionError: mine; it gets differences "
        r"\(requests × pairs\), here 12 × 3, and returns a p-value for each pair: compute "
        "over axis 0"
    )
    with pytest.raises(lf.LexiframeError, match=message) as raised:
        lf.compare(scores(RUNS), broken)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(lf.LexiframeError, match="here 12 × 3, NaN where missing, and returns"):
        lf.compare(scores(GAPS), broken)
    with pytest.raises(lf.LexiframeError, match="the test two_samples raised TypeError: "):
        lf.compare(scores(RUNS), two_samples)


def two_samples(a, b):
    """A test in the form of SciPy's for two samples, which people try first."""
    return stats.ttest_rel(a, b)


def test_an_error_of_lexiframe_in_the_function_stays_as_it_is():
    def refusing(d):
        raise lf.LexiframeError("mine")

    with pytest.raises(lf.LexiframeError, match=r"^mine$"):
        lf.compare(scores(RUNS), refusing)
