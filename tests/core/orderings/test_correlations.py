"""Coefficients between orderings: published examples, SciPy, and what is not defined."""

import string
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.core.orderings.test_agreement import orderings
from tests.oracle import kendall_tau_b, spearman
from tests.small_tables import scores

METHODS = ["kendall", "tau_ap", "tau_ap_symmetric", "rbo", "spearman"]


def correlations(x, y, method, **options):
    """From values, the greatest first: x against y, and y against x where it is another."""
    ranks = {
        name: dict(zip(string.ascii_letters, stats.rankdata(-np.array(values)), strict=False))
        for name, values in (("x", x), ("y", y))
    }
    table = lf.rank_correlations(orderings(**ranks), method, **options)
    assert table["method"].n_unique() == 1
    return {(a, b): r for a, b, r in table.select(*table.columns[1:4]).iter_rows()}


# The test data of the R package ircor by the authors of τ_AP,b.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.8333),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2504, 0.2880),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.6971, -0.668),
    ),
]


@pytest.mark.parametrize("x, y, expected", IRCOR)
def test_tau_ap_is_ircors(x, y, expected):
    assert correlations(x, y, "tau_ap")["x", "y"] == pytest.approx(expected[0], abs=5e-5)
    both = correlations(x, y, "tau_ap_symmetric")
    assert both == {("x", "y"): pytest.approx(expected[1], abs=5e-5)}


@pytest.mark.parametrize(
    "n, expected", [(0, 0.7321), (1, 0.297), (2, -0.7047)], ids=["set 1", "set 2", "set 3"]
)
def test_tau_ap_with_ties_is_ircors(n, expected):
    """The same, rounded to one decimal: τ_AP,b is the mean of both directions."""
    x, y = (np.round(values, 1) for values in IRCOR[n][:2])
    one_way = correlations(x, y, "tau_ap")
    assert np.mean([*one_way.values()]) == pytest.approx(expected, abs=5e-5)
    both = correlations(x, y, "tau_ap_symmetric")
    assert both == {("x", "y"): pytest.approx(expected, abs=5e-5)}


def test_tau_ap_of_ircors_front_page():
    x = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
    y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
    assert correlations(x, y, "tau_ap")["x", "y"] == pytest.approx(0.7491182, abs=5e-8)
    x, y = (np.round(np.array(values) * 5) / 5 for values in (x, y))
    assert correlations(x, y, "kendall")["x", "y"] == pytest.approx(0.75)
    found = correlations(x, y, "tau_ap_symmetric")["x", "y"]
    assert found == pytest.approx(0.6269841, abs=5e-8)


@pytest.mark.parametrize(
    "other, p, expected",
    [
        ("jtnxyzovchmfldbksguqewari", 0.9, 0.256365),
        ("jtnxyzovchmfldbksguqewari", 0.99, 0.868989),
        ("agmtrsyhfidnjobwzkxvucqel", 0.1, 0.948245),
        ("agmtrsyhfidnjobwzkxvucqel", 0.5, 0.696746),
        ("agmtrsyhfidnjobwzkxvucqel", 0.9, 0.548749),
        ("achudyxfktsrzwbgqjenolivm", 0.8, 0.640118),
        ("erqalcnuhjvoxgiybskzdtmwf", 0.9, 0.408634),
    ],
)
def test_rbo_is_that_of_webbers_program(other, p, expected):
    """What his program gives for permutations of the alphabet, but for a letter."""
    ranks = {
        "x": {letter: n for n, letter in enumerate(sorted(other), 1)},
        "y": {letter: n for n, letter in enumerate(other, 1)},
    }
    row = lf.rank_correlations(orderings(**ranks), "rbo", p=p).row(0, named=True)
    assert row["correlation"] == pytest.approx(expected, abs=2e-6)
    assert row["method"] == ("rbo" if p == 0.9 else f"rbo(p={p})")


def test_rbo_with_ties():
    """A_1 = 2·1/(2 + 1), A_2 = 2·2/(2 + 2), A_3 = 1."""
    found = correlations([1, 1, 0], [2, 1, 0], "rbo", p=0.5)["x", "y"]
    assert found == pytest.approx(0.5 * 2 / 3 + 0.25 + 0.125 + 0.125)


def test_tau_ap_has_both_directions():
    """b, a, c against the truth a, b, c: 0 of 1 above a, 2 of 2 above c; with a tie of a and b
    only c has runs above it."""
    assert correlations([3, 2, 1], [2, 3, 1], "tau_ap") == {("x", "y"): 0, ("y", "x"): 0}
    tied = correlations([3, 2, 1], [2, 2, 1], "tau_ap")
    assert tied == {("x", "y"): 1, ("y", "x"): 0}
    o = orderings(z={"a": 1, "b": 2}, x={"a": 1, "b": 2}, y={"a": 2, "b": 1})
    rows = lf.rank_correlations(o, "tau_ap").select("ordering_a", "ordering_b").rows()
    assert rows == [("x", "y"), ("x", "z"), ("y", "x"), ("y", "z"), ("z", "x"), ("z", "y")]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("highest", [4, 100])
def test_spearman_is_scipys(seed, highest):
    x, y = np.random.default_rng(seed).integers(0, highest, (2, 9))
    ranks = {
        name: dict(zip("abcdefghi", stats.rankdata(-values), strict=True))
        for name, values in (("x", x), ("y", y))
    }
    row = lf.rank_correlations(orderings(**ranks), "spearman").row(0, named=True)
    theirs = stats.spearmanr(x, y)
    assert row["correlation"] == pytest.approx(theirs.statistic, rel=1e-12)
    assert row["p_value"] == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_and_the_reverse(method):
    same = correlations([4, 3, 3, 1], [4, 3, 3, 1], method)
    assert [*same.values()] == pytest.approx([1.0] * len(same))
    reverse = correlations([3, 2, 1], [1, 2, 3], method)
    rbo = 0.1 * (0.9 * 0.5 + 0.81) + 0.729
    assert [*reverse.values()] == pytest.approx([rbo if method == "rbo" else -1] * len(reverse))
    two = correlations([2, 1], [1, 2], method)
    assert [*two.values()] == pytest.approx([0.9 if method == "rbo" else -1] * len(two))


@pytest.mark.parametrize("method", METHODS)
def test_what_is_not_defined(method):
    """All tied, but for rbo; fewer than two runs."""
    for x, y in ([2, 2, 2], [3, 2, 1]), ([3, 2, 1], [2, 2, 2]), ([1, 1], [1, 1]):
        values = {*correlations(x, y, method).values()}
        assert (None not in values) if method == "rbo" else values == {None}
    assert {*correlations([1], [1], method).values()} == {None}
    apart = lf.rank_correlations(orderings(x={"a": 1, "b": 2}, y={"c": 1}), method)
    assert {*apart["correlation"]} == {*apart["p_value"]} == {None}
    assert {*apart["n"]} == {0}
    assert lf.rank_correlations(orderings(x={"a": 1, "b": 2}), method).is_empty()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": "pearson"}, "expected method to be one of 'kendall', .*, found 'pears"),
        ({"method": "kendall", "p": 0.5}, "p belongs to method='rbo', found method='kendall'"),
        ({"method": "rbo", "p": 1}, "expected p of method='rbo' between 0 and 1, found 1"),
        ({"method": "rbo", "p": 0.0}, "expected p of method='rbo' between 0 and 1, found 0"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(lf.LexiframeError, match=f"^rank_correlations: {message}"):
        lf.rank_correlations(orderings(x={"a": 1}), **options)
    with pytest.raises(lf.LexiframeError, match=f"^bootstrap_correlations: {message}"):
        lf.bootstrap_correlations(TWO, **options)


TWO = pl.concat(
    [
        scores({"a": [0.5, 0.5, 0.9], "b": [0.4, 0.6, 0.1], "c": [0.1, 0.2, 0.3]}, "AP"),
        scores({"a": [1.0, 0.5, 1.0], "b": [0.5, 1.0, 0.2], "c": [1.0, 0.2, 0.1]}, "RR"),
    ]
)


@pytest.mark.parametrize("options", [{"alpha": 0.0}, {"alpha": 1}, {"samples": 0}, {"seed": -1}])
def test_bad_arguments_of_the_bootstrap(options):
    with pytest.raises(lf.LexiframeError, match=r"^bootstrap_correlations: expected (an alpha|.*)"):
        lf.bootstrap_correlations(TWO, **options)
    if "alpha" in options:
        with pytest.raises(lf.LexiframeError, match="expected alpha between 0 and 1, found"):
            lf.bootstrap_correlations(TWO, **options)


def test_intervals_lie_around_the_correlation():
    found = lf.bootstrap_correlations(TWO, samples=300, alpha=0.2)
    assert found.drop("ci_low", "ci_high").equals(lf.rank_correlations(lf.order_runs(TWO, "mean")))
    assert found["ci_low"].item() < found["correlation"].item() == found["ci_high"].item() == 1
    assert found.equals(lf.bootstrap_correlations(TWO, samples=300, alpha=0.2))
    wider = lf.bootstrap_correlations(TWO, samples=300, alpha=0.01)
    assert wider["ci_low"].item() <= found["ci_low"].item()
    assert lf.bootstrap_correlations(TWO.to_arrow().to_reader(), samples=9).height == 1


def test_a_run_that_one_measure_lacks_does_not_count():
    more = pl.concat([TWO, scores({"d": [1.0, 1.0, 1.0]}, "AP")])
    expected = lf.bootstrap_correlations(TWO, samples=50)
    assert lf.bootstrap_correlations(more, samples=50).equals(expected)


def test_intervals_are_of_the_runs_that_both_measures_order():
    """As if the table had these runs alone."""
    rng = np.random.default_rng(4)
    s = pl.DataFrame(
        {
            "run": [f"r{n}" for n in range(7) for _ in range(20)],
            "query_id": [f"q{n}" for n in range(10) for _ in "ab"] * 7,
            "measure": ["AP", "RR"] * 70,
            "value": rng.random(140).round(2),
        }
    )
    lacking = (pl.col("measure") == "RR") & pl.col("run").is_in(["r2", "r5"])
    both = ~pl.col("run").is_in(["r2", "r5"])
    for method in ("kendall", "tau_ap", "tau_ap_symmetric", "rbo", "spearman"):
        found, expected = (
            lf.bootstrap_correlations(s.filter(rows), method, samples=200).select(
                "correlation", "ci_low", "ci_high"
            )
            for rows in (~lacking, both)
        )
        assert np.allclose(found.to_numpy(), expected.to_numpy(), rtol=0, atol=1e-12), method


def test_an_interval_contains_its_correlation():
    """Percentiles need not: many close runs correlate less in nearly all samples."""
    rng = np.random.default_rng(3)
    means = np.linspace(0, 0.05, 40)
    a = means + rng.normal(0, 0.3, (50, 40))
    names = [f"r{n}" for n in range(40)]
    both = [("AP", a), ("RR", a + rng.normal(0, 0.02, a.shape))]
    s = pl.concat([scores(dict(zip(names, x.T.tolist(), strict=True)), m) for m, x in both])
    for method in METHODS:
        for row in lf.bootstrap_correlations(s, method, samples=200).iter_rows(named=True):
            assert row["ci_low"] < row["correlation"] < row["ci_high"] <= 1
            assert (
                row["correlation"] - row["ci_low"]
                == pytest.approx(row["ci_high"] - row["correlation"])
                or row["ci_high"] == 1
            )


@pytest.mark.parametrize("method, loop", [("kendall", kendall_tau_b), ("spearman", spearman)])
def test_p_of_few_runs_is_the_share_of_all_orders(method, loop):
    """With ties as they are: the loop correlates each order of y with x."""
    rng = np.random.default_rng(5)
    for n, highest in [(2, 9), (3, 2), (3, 9), (4, 3), (5, 2), (5, 4), (6, 3), (6, 9)]:
        x, y = (rng.permutation([*range(highest)] * n)[:n] for _ in "xy")
        x[0], y[-1], x[1], y[0] = 0, 0, 1, 1  # none ties all
        ranks = [stats.rankdata(values).tolist() for values in (x, y)]
        of_x, of_y = (dict(enumerate(one)) for one in ranks)
        every = [loop(of_x, dict(enumerate(order))) for order in permutations(ranks[1])]
        as_strong = sum(abs(r) > abs(loop(of_x, of_y)) - 1e-9 for r in every)
        assert p_value(*ranks, method) == pytest.approx(as_strong / len(every), abs=1e-12)


def p_value(x, y, method):
    ranks = {name: dict(enumerate(values)) for name, values in (("x", x), ("y", y))}
    named = {name: {str(run): r for run, r in of.items()} for name, of in ranks.items()}
    return lf.rank_correlations(orderings(**named), method)["p_value"].item()


@pytest.mark.parametrize("method", ["kendall", "spearman"])
def test_p_of_few_runs_worked_by_hand(method):
    """Of 24 orders of four runs four are as far from chance; of [2 1 3 4] eight by ρ and τ."""
    assert p_value([1, 2, 3, 4], [1, 2, 3.5, 3.5], method) == pytest.approx(4 / 24)
    assert p_value([1, 2, 3, 4], [2, 1, 3, 4], method) == pytest.approx(8 / 24)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method, theirs", [("kendall", stats.kendalltau), ("spearman", stats.spearmanr)]
)
def test_p_of_few_runs_is_that_of_scipys_permutations(method, theirs):
    x, y = [1, 2, 3.5, 3.5, 5.5, 5.5], [2, 1, 4, 4, 4, 6]
    exact = stats.permutation_test(
        [y], lambda order: abs(theirs(x, order).statistic), permutation_type="pairings",
        alternative="greater", n_resamples=720,
    )  # fmt: skip
    assert p_value(x, y, method) == pytest.approx(exact.pvalue, abs=1e-12)
