"""Which pairs to ask about next: against all others, against chance, and the formula itself."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import lexiframe as lf
from lexiframe.core.orderings.likeliest.fitting import fit
from lexiframe.decide.votes.strengths.judged import judged_of
from lexiframe.decide.votes.strengths.next_pairs import _choose_pairs
from tests.benchmarks.strengths import learned

VOTES = pl.read_csv(lf.bundled("votes") / "votes.csv").filter(pl.col("query_id") < "q0500")


def expected_variance(beta, before, after):
    """Σ E[q (1 − q)] over the pairs: strengths later are normal with covariance before − after."""
    total = 0.0
    grid = (np.arange(4000) + 0.5) / 4000
    for i in range(len(beta)):
        for j in range(i):
            d = np.eye(len(beta))[i] - np.eye(len(beta))[j]
            s, v = d @ before @ d, d @ after @ d
            later = beta[i] - beta[j] + np.sqrt(max(s - v, 0)) * norm.ppf(grid)
            q = norm.cdf(later / np.sqrt(v))
            total += (q * (1 - q)).mean()
    return total


def asked(beta, covariance, i, j):
    """The covariance after one more judgment: the inverse of the information with it."""
    d = np.eye(len(beta))[i] - np.eye(len(beta))[j]
    p = 1 / (1 + np.exp(beta[j] - beta[i]))
    return np.linalg.pinv(np.linalg.pinv(covariance) + p * (1 - p) * np.outer(d, d))


def start(runs=6):
    few = sorted({*VOTES["left"]})[:runs]
    table = VOTES.filter(pl.col("left").is_in(few), pl.col("right").is_in(few))
    judged = judged_of(lf.read_preferences(table))
    fitted = fit(judged.counts(), prior=1.0)
    return fitted.beta, fitted.bread[: len(fitted.beta), : len(fitted.beta)]


def test_the_expected_variance_is_the_mean_over_all_answers():
    beta, before = start()
    chosen, variances = _choose_pairs(beta, before, 4)
    covariance = before
    assert variances[0] == pytest.approx(expected_variance(beta, before, before), abs=1e-6)
    for (i, j), variance in zip(chosen, variances[1:], strict=True):
        covariance = asked(beta, covariance, i, j)
        assert variance == pytest.approx(expected_variance(beta, before, covariance), abs=1e-5)


def test_no_other_pair_lowers_the_expected_variance_much_more():
    beta, before = start()
    (chosen,), variances = _choose_pairs(beta, before, 1)
    others = {
        (j, i): variances[0] - expected_variance(beta, before, asked(beta, before, i, j))
        for i in range(len(beta))
        for j in range(i)
    }
    fall = others[tuple(chosen)]
    assert fall == pytest.approx(variances[0] - variances[1], abs=1e-5)
    assert fall > 0.98 * max(others.values())
    assert fall > 2 * np.median([*others.values()])


def test_the_table_says_what_is_known_of_each_pair():
    v = lf.read_preferences(VOTES)
    found = lf.next_pairs(v, 30, runs=["new"])
    assert found["place"].to_list() == [*range(1, 31)]
    assert (found["run_a"] < found["run_b"]).all()
    assert (found["fall"] > 0).all()
    assert (found["variance"][:-1] - found["variance"][1:]).to_list() == pytest.approx(
        found["fall"][1:].to_list()
    )
    pairs = lf.bradley_terry(v, prior=1).pairs.select("run_a", "run_b", n="n_judgments")
    joined = found.join(pairs, on=["run_a", "run_b"], how="left")
    assert (joined["n_judgments"] == joined["n"].fill_null(0)).all()
    with_new = found.filter((pl.col("run_a") == "new") | (pl.col("run_b") == "new"))
    assert with_new.height > 15  # nothing is known of it
    assert with_new["n_judgments"].sum() == 0
    known = lf.next_pairs(v, 1, prior=0).row(0, named=True)
    p = lf.bradley_terry(v).pairs.filter(run_a=known["run_a"], run_b=known["run_b"])
    assert known["p_a_wins"] == pytest.approx(p["p_a_wins"][0])


@pytest.mark.slow
def test_chosen_pairs_tell_the_order_sooner_than_chance():
    """30 simulations of 20 runs and 5 × 40 judgments; the mean gain is about .04 ± .01."""
    found = {
        how: [learned(how, np.random.default_rng(n)) for n in range(30)]
        for how in ("next_pairs", "random")
    }
    gain = (np.array(found["next_pairs"]) - np.array(found["random"]))[:, 1:].mean(axis=1)
    assert gain.mean() > 0.02
    assert gain.mean() > 2.5 * gain.std() / np.sqrt(len(gain))


def test_wrong_arguments_are_refused():
    v = VOTES.select("query_id", run_a="left", run_b="right", winner=pl.lit("a"))
    with pytest.raises(lf.LexiframeError, match="next_pairs: expected n to be a whole number"):
        lf.next_pairs(v, 0)
    with pytest.raises(lf.LexiframeError, match="expected n up to 10,000, found 10,001"):
        lf.next_pairs(v, 10_001)
    with pytest.raises(lf.LexiframeError, match="next_pairs: expected prior to be a number of"):
        lf.next_pairs(v, prior=-1)
    with pytest.raises(lf.LexiframeError, match=r"names of runs in runs, found ''"):
        lf.next_pairs(v, runs=[""])
    alone = v.head(1)
    with pytest.raises(lf.LexiframeError, match="ask about them first, or give prior=1"):
        lf.next_pairs(alone, prior=0)
