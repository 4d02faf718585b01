"""Weights of requests: worked examples, plain loops, what equal and doubled weights leave as it is,
and what has no weights."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import lexiframe as lf
from lexiframe.core.base import resampling, sums
from lexiframe.core.orderings.means import run_means
from lexiframe.core.pairwise import arrays
from lexiframe.core.significance import between_groups, margin_power
from tests.benchmarks import weights as measured

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
RUNS, KINDS = ["a", "b", "c"], ["long", "short"]
TWO = {"baseline": "a", "candidate": "b"}


def drawn(seed, n=7, gaps=0.0, runs=RUNS):
    """Scores in eighths, in 0..1, and the weights, kinds and strata of requests."""
    rng = np.random.default_rng(seed)
    queries = [f"q{i:02}" for i in range(n)]
    cells = [(run, query) for run in runs for query in queries]
    s = pl.DataFrame(cells, ["run", "query_id"], orient="row").with_columns(
        measure=pl.lit("AP"), value=rng.integers(0, 9, len(cells)) / 8
    )
    requests = pl.DataFrame({"query_id": queries}).with_columns(
        traffic=rng.integers(1, 9, n),
        kind=pl.Series([KINDS[i % 2] for i in range(n)]),
        part=pl.Series(["head" if i % 3 else "tail" for i in range(n)]),
    )
    return s.filter(pl.Series(rng.random(s.height) >= gaps)), requests


def replicated(s):
    return pl.concat([s.with_columns(replicate=pl.lit(name)) for name in ("1", "2")])


FUNCTIONS = {
    "compare": lf.compare,
    "t": lambda s, **how: lf.compare(s, "t", **how),
    "bootstrap": lambda s, **how: lf.compare(s, "bootstrap", trials=99, **how),
    "replicates": lambda s, **how: lf.compare(replicated(s), replicates="request", **how),
    "win_rates": lf.win_rates,
    "order_runs": lf.order_runs,
    "mc4": lambda s, **how: lf.order_runs(s, "mc4", **how),
    "borda": lambda s, **how: lf.order_runs(s, "borda", **how),
    "copeland": lambda s, **how: lf.order_runs(s, "copeland", **how),
    "rank_distributions": lambda s, **how: lf.rank_distributions(s, samples=50, **how),
    "groups": lambda s, **how: lf.compare_groups(s, ["welch", "permutation"], by="kind", **how),
    "equivalence": lambda s, **how: lf.equivalence(s, 0.1, ["t", "bootstrap"], trials=99, **how),
    "gate": lambda s, **how: lf.gate(
        s, "20%", baseline="a", candidate="b", missing="drop", test="t", **how
    ),
    "worst": lambda s, **how: lf.worst_served(s, 0.4, **how).values,
    "worst pairs": lambda s, **how: lf.worst_served(s, 0.4, **how).comparisons,
    "risk": lambda s, **how: lf.risk(s, "a", **how),
    "required": lf.required_requests,
    "with margin": lambda s, **how: lf.required_requests(s, margin=0.3, **how),
    "power_curve": lambda s, **how: lf.power_curve(s, [4, 30], **how),
    "means": lambda s, **how: lf.evaluate_scores(s, **how).means,
    "tests": lambda s, **how: lf.evaluate_scores(s, **how).comparisons,
}
FUNCTIONS["tukey"] = lambda s, **how: lf.tukey_hsd(s, trials=99, **how)
GAPPED = "compare", "t", "bootstrap", "win_rates", "groups", "equivalence", "worst", "required"
QUICK = "compare", "replicates", "rank_distributions", "groups", "equivalence", "worst pairs"
ALL = pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FUNCTIONS],
)


def asked(name, seed=1):
    """A function, and scores and requests for it."""
    gaps = 0.15 if name in GAPPED else 0.0
    function = FUNCTIONS[name]
    s, requests = drawn(seed, 12, gaps)

    def called(s=s, **how):
        named = {"requests": requests} if how or name == "groups" else {}
        return function(s, **named, **how)

    return called, s, requests


@ALL
def test_equal_weights_are_none_and_doubled_ones_the_same_to_the_bit(name):
    function, s, requests = asked(name)
    plain = function()
    weights = dict(requests.select("query_id", "traffic").rows())
    assert_frame_equal(function(weights=dict.fromkeys(weights, 3)), plain, check_exact=True)
    once = function(weights="traffic")
    assert_frame_equal(
        function(weights={q: 2 * w for q, w in weights.items()}), once, check_exact=True
    )
    assert not once.equals(plain)
    rows = s.join(requests.select("query_id", request_weight="traffic"), on="query_id")
    assert_frame_equal(function(rows), once, rel_tol=1e-9, abs_tol=1e-12)


@ALL
def test_a_request_of_weight_0_is_left_out(name):
    function, s, requests = asked(name)
    weights = dict(requests.select("query_id", "traffic").rows())
    left = s.filter(pl.col("query_id") != "q03")
    without = function(weights=weights | {"q03": 0})
    assert_frame_equal(without, function(left, weights="traffic"), rel_tol=1e-9, abs_tol=1e-12)
    own = {"strata": "part", "shares": {"head": 3, "tail": 1}}
    strata = function(**own)
    doubled = function(strata="part", shares={"head": 6, "tail": 2})
    assert_frame_equal(strata, doubled, check_exact=True)


@pytest.mark.parametrize("name", ["compare", "win_rates", "order_runs", "required", "equivalence"])
def test_groups_have_the_weights_of_their_requests(name):
    function, s, requests = asked(name)
    whole = function(weights="traffic", by="kind")
    for kind in KINDS:
        ids = requests.filter(kind=kind)["query_id"]
        part = function(s.filter(pl.col("query_id").is_in(ids.implode())), weights="traffic")
        assert_frame_equal(whole.filter(kind=kind).drop("kind"), part, rel_tol=1e-9, abs_tol=1e-12)


def pair(*values, measure="mine"):
    return pl.DataFrame({"query_id": [*"1234"], "run_a": "a", "run_b": "b", "measure": measure,
                         "preference": values})  # fmt: skip


W = dict(zip("1234", (4, 2, 1, 1), strict=True))


def test_the_worked_examples():
    t = lf.compare(pair(0.5, -0.5, 1.0, 0.0), "t", "none", weights=W).row(0, named=True)
    names = "n_effective", "mean_difference", "ci_low", "ci_high", "n"
    assert [round(t[name], 4) for name in names] == [2.9091, 0.25, -1.1981, 1.6981, 4]
    assert t["mean_difference"] / t["statistic"] == pytest.approx(0.321429, abs=1e-6)
    assert t["effect_size"] == pytest.approx(0.25 / (0.321429 * math.sqrt(2.9091)), abs=1e-5)
    flips = lf.compare(pair(0.5, -0.5, 1.0, 0.0), "randomization", weights=W)
    assert flips.select("p_value", "least_p").row(0) == (0.75, 0.25)
    signs = lf.compare(pair(1.0, -1.0, 1.0, 0.0, measure="LP"), weights=W)
    assert signs.select(pl.col("ci_low", "ci_high").round(4)).row(0) == (-0.6060, 1.0)
    parts = pl.DataFrame({"query_id": [*"1234"], "part": ["x", "x", "y", "y"]})
    how = {"strata": "part", "shares": {"x": 3, "y": 1}, "requests": parts}
    found = lf.compare(pair(0.5, -0.5, 1.0, 0.0), "t", "none", **how).row(0, named=True)
    # se² = (¾)² · ½/2 + (¼)² · ½/2, and the degrees of freedom of Welch and Satterthwaite
    half = stats.t.ppf(0.975, 1.2195122) * math.sqrt(0.140625 + 0.015625)
    assert found["mean_difference"] == 0.125
    assert found["ci_high"] - 0.125 == pytest.approx(half, rel=1e-6)


# --- Plain loops --------------------------------------------------------------------------------


def by_weight(x, w):
    """The mean, its error and n*."""
    total, n = sum(w), len(x)
    mean = sum(b * a for a, b in zip(x, w, strict=True)) / total
    around = sum((b * (a - mean) / (total - b)) ** 2 for a, b in zip(x, w, strict=True))
    return mean, math.sqrt((n - 1) / n * around), total**2 / sum(b * b for b in w)


def by_stratum(x, shares, parts):
    """The mean, its error and the degrees of freedom."""
    mean, terms = 0.0, []
    whole = sum({part: shares[part] for part in parts}.values())
    for name in {*parts}:
        own = [a for a, part in zip(x, parts, strict=True) if part == name]
        p, m = shares[name] / whole, sum(own) / len(own)
        mean += p * m
        terms.append((p**2 * sum((a - m) ** 2 for a in own) / (len(own) - 1) / len(own), len(own)))
    variance = sum(v for v, _ in terms)
    return mean, math.sqrt(variance), variance**2 / sum(v**2 / (n - 1) for v, n in terms)


def flipped(x, w):
    """The share of choices of signs whose |Σ w d| is as great."""
    terms = [a * b for a, b in zip(x, w, strict=True)]
    drawn = [abs(sum(map(math.prod, zip(terms, signs, strict=True))))
             for signs in itertools.product((1, -1), repeat=len(terms))]  # fmt: skip
    return sum(one >= abs(sum(terms)) - 1e-9 for one in drawn) / len(drawn)


def differences(s, requests, a, b):
    """The differences of two runs over the requests that both have, and these requests."""
    wide = s.pivot("run", index="query_id", values="value").join(requests, on="query_id")
    wide = wide.select("query_id", "traffic", "kind", "part", x=pl.col(a) - pl.col(b))
    return wide.drop_nulls("x").sort("query_id")


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), 2])
def test_tests_of_pairs_are_those_of_loops(seed):
    s, requests = drawn(seed, 9, 0.2)
    how = {"weights": "traffic", "requests": requests}
    t = lf.compare(s, "t", "none", intervals="t", **how)
    signs = lf.compare(s, "randomization", "none", **how)
    wins = lf.win_rates(s, **how)
    for row, p, won in zip(*(x.iter_rows(named=True) for x in (t, signs, wins)), strict=True):
        d = differences(s, requests, row["run_a"], row["run_b"])
        x, w = d["x"].to_list(), d["traffic"].to_list()
        mean, error, n = by_weight(x, w)
        half = stats.t.ppf(0.975, n - 1) * error
        assert row["n_effective"] == pytest.approx(n, rel=1e-12)
        ends = [row[name] for name in ("mean_difference", "ci_low", "ci_high")]
        assert ends == pytest.approx([mean, mean - half, mean + half], rel=1e-12, abs=1e-14)
        assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(mean / error), n - 1), rel=1e-9)
        assert p["p_value"] == pytest.approx(flipped(x, w), abs=1e-12)
        share = sum(b for a, b in zip(x, w, strict=True) if a > 0) / sum(w)
        assert won["win_share"] == pytest.approx(share, abs=1e-12)
        assert won["wins"] == sum(a > 0 for a in x)
        ties = sum(b for a, b in zip(x, w, strict=True) if a == 0) / sum(w)
        assert won["win_rate"] == pytest.approx(share + ties / 2, abs=1e-12)


def test_strata_are_those_of_loops():
    s, requests = drawn(3, 12, 0.1)
    shares = {"head": 0.7, "tail": 0.3}
    found = lf.compare(s, "t", "none", intervals="t", strata="part", shares=shares,
                       requests=requests)  # fmt: skip
    for row in found.iter_rows(named=True):
        d = differences(s, requests, row["run_a"], row["run_b"])
        mean, error, df = by_stratum(d["x"].to_list(), shares, d["part"].to_list())
        half = stats.t.ppf(0.975, df) * error
        ends = [row[name] for name in ("mean_difference", "ci_low", "ci_high")]
        assert ends == pytest.approx([mean, mean - half, mean + half], rel=1e-12)


def test_flips_in_strata_weigh_a_request_by_the_share_of_its_stratum():
    s, requests = drawn(3, 9, runs=["a", "b"])
    shares = {"head": 0.7, "tail": 0.3}
    how = {"strata": "part", "shares": shares, "requests": requests}
    p = lf.compare(s, "randomization", "none", **how)["p_value"].item()
    d = differences(s, requests, "a", "b")
    parts = d["part"].to_list()
    w = [shares[part] / parts.count(part) for part in parts]
    assert p == pytest.approx(flipped(d["x"].to_list(), w), abs=1e-12)


def test_means_with_bounds_have_two_more_values_and_hits_shares_of_the_weight():
    """0 and 1 of the weight W/n* each; Clopper and Pearson with n*, also of less than one hit."""
    x, w = [0.5, 0.25, 0.75, 0.5], [4, 2, 1, 1]
    n = by_weight(x, w)[2]
    mean, error, of_both = by_weight([*x, 0, 1], [*w, 8 / n, 8 / n])
    half = stats.t.ppf(0.975, of_both - 1) * error
    k = n / 8
    low, high = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
    wanted = {"AP": (mean - half, mean + half), "P@1": (low, high)}
    for measure, values in {"AP": x, "P@1": [0, 0, 0, 1]}.items():
        columns = {"run": "a", "query_id": [*"1234"], "measure": measure, "value": values}
        found = run_means(
            arrays.weigh(pl.DataFrame(columns, schema_overrides={"value": pl.Float64}), None, W)
        )
        assert found.select("ci_low", "ci_high").row(0) == pytest.approx(wanted[measure])


def linearised(x, w):
    """The mean and its linearised error."""
    n, mean = len(x), sum(map(math.prod, zip(x, w, strict=True))) / sum(w)
    squares = sum((b * (a - mean)) ** 2 for a, b in zip(x, w, strict=True))
    return mean, math.sqrt(n / (n - 1) * squares) / sum(w)


def welch(x, w, chosen):
    """|t| of two parts, with linearised errors."""
    each = [
        linearised(
            [a for n, a in enumerate(x) if (n in chosen) is side],
            [a for n, a in enumerate(w) if (n in chosen) is side],
        )
        for side in (True, False)
    ]
    return abs(each[0][0] - each[1][0]) / math.hypot(each[0][1], each[1][1])


def test_groups_are_compared_as_loops_do():
    """The errors of both groups, and all 55 other ways to deal eight requests to them."""
    s, requests = drawn(4, 8)
    how = {"weights": "traffic", "requests": requests, "by": "part"}
    found = lf.compare_groups(s, ["welch", "permutation"], "none", **how)
    for row in found.filter(test="welch").iter_rows(named=True):
        d = differences(s, requests, row["run_a"], row["run_b"])
        x, w = d["x"].to_list(), d["traffic"].to_list()
        own = [n for n, part in enumerate(d["part"]) if part == "head"]
        each = [by_weight([x[n] for n in some], [w[n] for n in some])
                for some in (own, [n for n in range(8) if n not in own])]  # fmt: skip
        of_each = [(error**2, n) for _, error, n in each]
        variance = sum(v for v, _ in of_each)
        df = variance**2 / sum(v**2 / (n - 1) for v, n in of_each)
        t = (each[0][0] - each[1][0]) / math.sqrt(variance)
        assert row["interaction"] == pytest.approx(each[0][0] - each[1][0], abs=1e-12)
        assert row["statistic"] == pytest.approx(t, rel=1e-10)
        assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9)
        observed = welch(x, w, own)
        dealt = [welch(x, w, chosen) for chosen in itertools.combinations(range(8), 5)]
        p = sum(one >= observed - 1e-9 for one in dealt) / len(dealt)
        drawn_p = found.filter(test="permutation", run_a=row["run_a"], run_b=row["run_b"])
        assert drawn_p["p_value"].item() == pytest.approx(p, abs=1e-12)


def test_weights_of_1_deal_requests_out_as_welch_does():
    rng = np.random.default_rng(0)
    values, split = rng.normal(size=(9, 3)), (rng.random((20, 9)).argsort(axis=1) < 4) * 1.0
    values -= values.mean(axis=0)
    plain = between_groups._Together(values, values**2, np.full(3, 1e-12), (4, 5))
    weighed = replace(plain, weight=np.ones(9))
    np.testing.assert_allclose(weighed.sizes_of_t(split), plain.sizes_of_t(split))


def test_a_heavy_request_decides_orders_but_no_agreement_of_signs():
    """Run a wins request 1, which is two thirds of the weight; b wins the other two."""
    of = {"AP": (0.3, -0.2, -0.2), "RR": (-0.1, -0.2, -0.2)}
    s = pl.DataFrame(
        [(run, q, m, 0.5 + d * (run == "a")) for m, delta in of.items()
         for q, d in zip("123", delta, strict=True) for run in "ab"],
        ["run", "query_id", "measure", "value"], orient="row",
    )  # fmt: skip
    weights = {"1": 4, "2": 1, "3": 1}
    ap = s.filter(measure="AP")
    for method in ("win_rate", "mean", "borda", "copeland", "mc4"):
        assert lf.order_runs(ap, method)["run"][0] == "b"
        assert lf.order_runs(ap, method, weights=weights)["run"][0] == "a"
    rows = arrays.weigh(s, None, weights)
    assert lf.sign_agreement(rows)["system_agreement"].to_list() == [1.0, 1.0]


def test_a_gate_by_weight():
    """A margin in % is a share of the weighed mean, and as many requests decide as n* tells."""
    s, requests = drawn(12, 12, runs=["a", "b"])
    how = {"weights": "traffic", "requests": requests}
    mean = lf.evaluate_scores(s, **how).means.filter(run="a")["mean"].item()
    g = lf.gate(s, "10%", **TWO, **how).row(0, named=True)
    assert (g["margin"], g["test"]) == (pytest.approx(0.1 * mean, rel=1e-12), "t")
    asked = lf.required_requests(s, margin=g["margin"], how="t", **how)
    not_worse = asked.filter(question="b not worse")["required"].item()
    assert (g["outcome"], g["required"]) == ("undecided", not_worse)
    assert f"by weights n* = {g['n_effective']:.3g}" in g["why"]
    said = " ".join(str(lf.gate(s, "10%", **TWO, **how)).split())
    assert said.partition("Differences,")[0].count(", by weights n* = ") == 1
    t = lf.compare(s, "t", "none", **how).row(0, named=True)
    room = np.array([g["margin"] / (t["mean_difference"] / t["statistic"])])
    passes = margin_power.tost_power(room, room + np.inf, np.array([g["n_effective"] - 1]), 0.05)
    assert f"in about {100 * passes[0]:.0f} % of cases" in g["why"]
    signs = pair(1.0, -1.0, 1.0, 1.0, measure="LP")
    by_t, flips = (lf.power_curve(signs, [20], how=of, weights=W) for of in ("t", "auto"))
    assert flips.equals(by_t)


def test_the_honest_difference_permutes_runs_within_weighed_requests():
    s, requests = drawn(5, 4)
    found = lf.tukey_hsd(s, weights="traffic", requests=requests)
    rows = s.pivot("run", index="query_id", values="value").select(RUNS).rows()
    w = requests["traffic"].to_list()
    w = [one / sum(w) for one in w]
    observed = [sum(b * row[k] for b, row in zip(w, rows, strict=True)) for k in range(3)]
    largest = []
    for orders in itertools.product(itertools.permutations(range(3)), repeat=4):
        means = [sum(b * row[order[k]] for b, row, order in zip(w, rows, orders, strict=True))
                 for k in range(3)]  # fmt: skip
        largest.append(max(means) - min(means))
    pairs = [abs(observed[0] - observed[1]), abs(observed[0] - observed[2])]
    wanted = [sum(one >= size - 1e-9 for one in largest) / len(largest) for size in pairs]
    assert found["p_value"].to_list()[:2] == pytest.approx(wanted, abs=1e-12)


def test_t_of_bootstrap_samples_is_linearised():
    """p counts samples of requests, drawn alike; with a margin their quantiles are the limits."""
    s, requests = drawn(6, 8)
    how = {"trials": 200, "weights": "traffic", "requests": requests}
    samples = np.concatenate([*resampling.drawn_blocks(8, 200, 0)]).astype(int)
    limits = lf.equivalence(s, 0.5, "bootstrap", alpha=0.1, **how).select("ci_low", "ci_high")
    tests = lf.compare(s, "bootstrap", "none", **how)
    for row, ends in zip(tests.iter_rows(named=True), limits.rows(), strict=True):
        d = differences(s, requests, row["run_a"], row["run_b"])
        x, w = d["x"].to_numpy(), d["traffic"].to_list()
        mean, error = linearised(x, w)
        of_samples = []
        for sample in samples:
            some = np.repeat(np.arange(8), sample)
            of, own = linearised([x[n] - mean for n in some], [w[n] for n in some])
            of_samples.append(of / own if own else math.copysign(math.inf, of))
        count = sum(abs(t) >= abs(mean / error) - 1e-9 for t in of_samples)
        assert row["p_value"] == pytest.approx((1 + count) / 201, abs=1e-12)
        rising = sorted(of_samples)  # (1 + count)/201 is below .1 up to a count of 19
        assert ends == pytest.approx((mean - rising[180] * error, mean - rising[19] * error))


def test_bca_intervals_are_those_of_scipy_with_pairs_of_values_and_weights():
    s, requests = drawn(6, 15, runs=["a", "b"])
    found = lf.compare(s, "t", "none", intervals="bca", trials=200, weights="traffic",
                       requests=requests)  # fmt: skip
    d = differences(s, requests, "a", "b")
    ends = stats.bootstrap(
        (d["x"].to_numpy(), d["traffic"].to_numpy()),
        lambda x, w, axis: (w * x).sum(axis=axis) / w.sum(axis=axis),
        paired=True, n_resamples=200, method="BCa", random_state=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    assert found.select("ci_low", "ci_high").row(0) == pytest.approx((ends.low, ends.high))


def test_the_bootstrap_with_a_margin_is_the_test_where_the_margin_is_nothing():
    """Twice the weighed mean is exactly 0: the limits are those of t of the samples."""
    d = pair(1.0, -1.0, -1.0, -1.0)
    e = lf.equivalence(d, 2.5, "bootstrap", weights=W, trials=999)
    test = lf.compare(d, "bootstrap", "none", weights=W, trials=999)
    assert e["mean_difference"].item() == 0 == test["statistic"].item()
    assert e["p_better"].item() == test["p_value"].item() == 1


def test_power_has_the_effective_number_of_requests():
    s, requests = drawn(7, 20, runs=["a", "b"])
    how = {"weights": "traffic", "requests": requests}
    row = lf.compare(s, "t", "none", **how).row(0, named=True)
    share = row["n_effective"] / 20

    def power(n):
        df, shift = n * share - 1, row["effect_size"] * math.sqrt(n * share)
        limit = stats.t.isf(0.025, df)
        return stats.nct.sf(limit, df, shift) + stats.nct.cdf(-limit, df, shift)

    found = lf.power_curve(s, [20, 60], how="t", **how)["power"]
    assert found.to_list() == pytest.approx([power(20), power(60)], rel=1e-9)
    least = lf.required_requests(s, how="t", **how)["required"].item()
    assert power(least - 1) < 0.8 <= power(least)


def test_the_worst_share_by_weight_and_in_strata():
    """W, and its error around the means of strata, as loops add them up."""
    x = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8]
    s = pl.DataFrame({"run": "a", "query_id": [*"123456"], "measure": "AP", "value": x})
    parts = ["u", "v", "u", "v", "u", "u"]
    log = pl.DataFrame({"query_id": [*"123456"], "part": parts})
    how = {"strata": "part", "shares": {"u": 3, "v": 3}, "requests": log}
    found = lf.worst_served(s, 1.0, **how).values.row(0, named=True)
    mean, error, _ = by_stratum(x, {"u": 1, "v": 1}, parts)
    n = 1 / (4 * (1 / 8) ** 2 + 2 * (1 / 4) ** 2)
    half = stats.t.ppf(0.975, n - 1) * error
    ends = [found[name] for name in ("value", "ci_low", "ci_high")]
    assert ends == pytest.approx([mean, mean - half, mean + half], rel=1e-10)
    worst = lf.worst_served(s, 0.5, **how).values["value"].item()
    # weights 1/8, 1/4, 1/8 …: half of the weight is that of the first three
    assert worst == pytest.approx((0.1 / 8 + 0.2 / 4 + 0.3 / 8) / 0.5)


def test_risk_by_weight():
    """URisk, TRisk, the limits of large losses and GeoRisk with its jackknife, by loops."""
    x = {"a": [0.5, 0.5, 0.2, 0.9], "b": [0.4, 0.6, 0.5, 0.9], "c": [0.1, 0.3, 0.2, 0.4]}
    s = pl.DataFrame(
        [(run, q, "AP", v) for run, of in x.items() for q, v in zip("1234", of, strict=True)],
        ["run", "query_id", "measure", "value"], orient="row",
    )  # fmt: skip
    w = [4, 2, 1, 1]
    found = lf.risk(s, "b", margin=0.2, weights=W).filter(run="a").row(0, named=True)
    delta = [p - q for p, q in zip(x["a"], x["b"], strict=True)]
    u = [d * (2 if d < 0 else 1) for d in delta]
    mean, error, n = by_weight(u, w)
    assert found["urisk"] == pytest.approx(mean)
    assert found["trisk"] == pytest.approx(mean / error)
    assert found["mean_difference"] == pytest.approx(by_weight(delta, w)[0])
    assert (found["wins"], found["losses"], found["large_losses"]) == (1, 2, 1)
    k = n / 8  # the share of the request with the large loss is 1/8
    low, high = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
    assert [found["large_low"], found["large_high"]] == pytest.approx([low, high])

    def georisk(rows):
        total = sum(w[i] for i in rows)
        own = sum(w[i] * x["a"][i] for i in rows)
        every = sum(w[i] * of[i] for i in rows for of in x.values())
        z = 0.0
        for i in rows:
            e = own * sum(of[i] for of in x.values()) / every
            one = (x["a"][i] - e) / math.sqrt(e)
            z += w[i] * one * (2 if one < 0 else 1)
        return math.sqrt(own / total * stats.norm.cdf(z / total))

    value = georisk(range(4))
    left = [georisk([i for i in range(4) if i != out]) for out in range(4)]
    error = math.sqrt(3 / 4 * sum((one - value) ** 2 for one in left))
    half = stats.t.ppf(0.975, n - 1) * error
    ends = [found[name] for name in ("georisk", "georisk_low", "georisk_high")]
    assert ends == pytest.approx([value, value - half, value + half])


# --- What has no weights ------------------------------------------------------------------------

WEIGHED, LOG = (of if n else of.join(drawn(8, 12)[1].select("query_id", request_weight="traffic"),
                                     on="query_id")
                for n, of in enumerate(drawn(8, 12)))  # fmt: skip
PLAIN = WEIGHED.drop("request_weight")
BY_LOG = {"weights": "traffic", "requests": LOG}
ONE = LOG.with_columns(part=pl.Series([None, *["head"] * 11]))
significance, EXAMPLE = lf.significance, lf.bundled("example")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: lf.order_runs(WEIGHED, "leximin"), "has no weights; take another method"),
        (lambda: lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", order="leximin", **BY_LOG),
         "method='leximin' has no weights; take another method"),
        (lambda: lf.leximin(WEIGHED), "leximin has no weights; worst_served compares the worst"),
        (lambda: lf.tukey_hsd(WEIGHED, "parametric"), "method='parametric' has no weights; take"),
        (lambda: lf.swap_rates(WEIGHED), "swap_rates has no weights; evaluate without them, or"),
        (lambda: lf.swap_curve(WEIGHED), "swap_curve has no weights"),
        (lambda: lf.audit(WEIGHED), "audit has no weights"),
        (lambda: lf.aggregates(WEIGHED), "aggregates has no weights"),
        (lambda: significance.anova(WEIGHED), "anova has no weights"),
        (lambda: lf.leaderboard(WEIGHED.with_columns(collection=pl.lit("c"))),
         "leaderboard of single requests has no weights; its weights= are those of collections"),
        (lambda: significance.prediction_powered(WEIGHED, PLAIN), "prediction_powered has no w"),
        (lambda: significance.how_many_judgments(PLAIN, WEIGHED, 0.1), "how_many_judgments has n"),
        (lambda: significance.variance_components(replicated(WEIGHED), "run"),
         "variance_components has no weights"),
        (lambda: significance.generalisability(replicated(WEIGHED), "run"), "has no weights"),
        (lambda: significance.confidence_sequence(WEIGHED, **TWO, n_planned=50),
         "confidence_sequence has no weights; compare"),
        (lambda: significance.gate_curve(WEIGHED, 0.1, **TWO), "gate_curve has no weights"),
        (lambda: lf.gate(WEIGHED, 0.1, **TWO, test="bootstrap"), "has no weights; take 't'"),
        (lambda: lf.gate(WEIGHED, 0.1, **TWO, order="given", n_planned=50),
         "test='betting' has no weights; take 't'"),
        (lambda: lf.gate(WEIGHED, 0.1, **TWO, model=PLAIN), "gate: model= has no weights; leave"),
        (lambda: lf.equivalence(WEIGHED, 0.1, "betting"), "take 't' or 'bootstrap'"),
        (lambda: lf.compare(PLAIN, cluster="kind", test="t", **BY_LOG),
         "compare: cluster= has no weights; leave one of them out"),
        (lambda: lf.compare(replicated(PLAIN), "t", replicates="both", **BY_LOG),
         "compare: replicates='both' has no weights; replicates='request' or 'cell'"),
        (lambda: lf.gate(replicated(WEIGHED), 0.1, **TWO, replicates="run"),
         "gate: replicates='run' has no weights"),
        (lambda: lf.required_requests(PLAIN, how="simulation", **BY_LOG),
         "how='simulation' has no weights; take 'auto' or 't'"),
        (lambda: lf.worst_served(WEIGHED.with_columns(user=pl.lit("u")), unit="user"),
         "expected unit= or weights=, found both"),
        (lambda: lf.compare(PLAIN, shares={"head": 1}), "shares without strata: name the column"),
        (lambda: lf.compare(PLAIN, strata="part", shares={"head": 1}, requests=ONE),
         "strata: 1 request without 'part', for example 'q00'"),
        (lambda: lf.compare(PLAIN, strata="part", shares={"head": 1, "tail": -1}, requests=LOG),
         "'tail' has the share -1; expected a number of 0 or more"),
        (lambda: lf.compare(PLAIN, strata="part", shares={"head": 0, "tail": 0}, requests=LOG),
         "strata: all shares are 0"),
        (lambda: lf.compare(PLAIN, weights="traffic"), "weights: expected attributes of requests"),
    ],
)  # fmt: skip
def test_what_has_no_weights_says_so(call, words):
    with pytest.raises(lf.LexiframeError, match=re.escape(words)):
        call()


@pytest.mark.parametrize(
    "function",
    [lf.tie_rates, lf.sign_agreement, lambda s: lf.sign_agreement(s, samples=20)],
)
def test_what_is_not_weighed(function):
    """The sign of the mean of two runs differs by weight, and system_agreement is not of it."""
    both = [s.vstack(s.with_columns(measure=pl.lit("RR"), value=1 - pl.col("value") ** 2))
            for s in (PLAIN, WEIGHED.select(*PLAIN.columns, "request_weight"))]  # fmt: skip
    assert_frame_equal(*map(function, both), check_exact=True)


def test_heavy_requests_and_small_strata_are_warned_of():
    with pytest.warns(lf.LexiframeWarning, match="weights: .1. has 67 % of the weight"):
        found = lf.compare(pair(0.5, -0.5, 1.0, 0.0), "t", "none", weights=W | {"1": 8})
    assert found["ci_low"].item() is not None
    parts = pl.DataFrame({"query_id": [*"1234"], "part": ["x", "x", "y", "y"]})
    with pytest.warns(lf.LexiframeWarning, match="strata: 'x' has n = 2; its variance is"):
        lf.win_rates(pair(1.0, 0, 1, 1), strata="part", shares={"x": 1, "y": 1}, requests=parts)
    for intervals in ("t", "bca"):  # n* is 1.01
        few = lf.compare(pair(0.5, -0.5, 1.0, 0.0), "t", "none", intervals=intervals,
                         weights=W | {"1": 800})  # fmt: skip
        assert few.select("ci_low", "statistic", "p_value").row(0) == (None, None, 1.0)


def test_turned_differences_are_those_of_the_other_run():
    """An evaluation keeps sums of pairs by name; a baseline may be either run of them."""
    rng = np.random.default_rng(0)
    values, columns = rng.normal(size=(9, 4)), np.array([True, False, True, True])
    w, parts = rng.integers(1, 9, 9) * 1.0, np.repeat([0, 1, 1], 3)
    for weighing in (sums.Weighing(w), sums.Weighing(1.0 + parts, parts)):
        of, other = (sums.add_up(v, np.full((1, 1), 1e-12), weighing)
                     for v in (values, np.where(columns, -values, values)))  # fmt: skip
        turned = of.turned(columns)
        for name in ("mean", "deviation", "won", "lost", "wins", "losses", "n_effective", "df"):
            np.testing.assert_allclose(getattr(turned, name), getattr(other, name), rtol=1e-12)
        ends = (x.add_bounds(-3, 3).ends(0.025) for x in (turned, other))
        np.testing.assert_allclose(*ends, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("family", measured.WEIGHTS)
@pytest.mark.parametrize("n", [10, 50])
def test_intervals_and_flips_hold_what_they_promise(family, n):
    """Within SPEC's ranges, but for three standard errors of 1,000 trials."""
    for name, found in measured.cell(family, n, 1000).items():
        low, high = measured.RANGES[name]
        room = 3 * math.sqrt(0.05 * 0.95 / 1000)
        assert low - room <= found <= high + room, name


def test_means_over_strata_hold_what_they_promise():
    low, high = measured.RANGES["strata"]
    room = 3 * math.sqrt(0.05 * 0.95 / 2000)
    for sizes in ((5, 5, 5), (20, 20, 10)):
        assert low - room <= measured.strata(sizes, 2000) <= high + room
