"""Large scores lose nothing: constants and powers of two change no tie, no rank and no p-value.

Scores lie on a grid of 1/10, which is not exact in binary, or of 1/8, which is. A constant of its
own is added to all scores of each request, as other units and other zeros of a measure would do.
"""

import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.small_tables import RULES

TESTS = ["t", "sign", "wilcoxon", "randomization", "bootstrap"]
RUNS = "abcdefghi"

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]


def table(values, measure="mine"):
    """A scores table from requests × runs."""
    values = np.asarray(values, float)
    runs, requests = (np.arange(n) for n in values.T.shape)
    return pl.DataFrame(
        {
            "run": [RUNS[run] for run in runs for _ in requests],
            "query_id": [f"q{n:02}" for _ in runs for n in requests],
            "measure": measure,
            "value": values.T.ravel(),
        }
    )


@st.composite
def grids(draw, *, max_requests=8):
    """Scores on a grid, requests × runs, and the same with other zeros and in another unit."""
    shape = (draw(st.integers(2, max_requests)), draw(st.integers(2, 4)))
    steps = st.integers(0, draw(st.sampled_from([2, 5, 10])))
    size = shape[0] * shape[1]
    whole = np.reshape(draw(st.lists(steps, min_size=size, max_size=size)), shape)
    grid = whole / draw(st.sampled_from([10, 8]))
    constants = st.sampled_from([0, 1, 1000, 10**6]) | st.floats(0, 1e6)
    added = draw(st.lists(constants, min_size=shape[0], max_size=shape[0]))
    factor = 2.0 ** draw(st.sampled_from([-10, 0, 3, 30]))
    return table(grid), table((grid + np.reshape(added, (-1, 1))) * factor)


def ranks(d, method, **options):
    return dict(lf.order_runs(d, method, **options).sort("run").select("run", "rank").iter_rows())


@pytest.mark.parametrize("method", RULES)
@given(grids())
def test_ranks(method, tables):
    plain, large = tables
    assert ranks(large, method) == ranks(plain, method)


@given(grids(), st.sampled_from([*RULES]))
def test_ranks_of_drawn_requests(tables, method):
    plain, large = (lf.rank_distributions(s, method, samples=20) for s in tables)
    assert large.equals(plain)


@given(grids())
def test_ties(tables):
    plain, large = tables
    assert lf.tie_rates(large).equals(lf.tie_rates(plain))
    counts = ["run_a", "run_b", "n", "wins", "losses", "ties"]
    assert lf.win_rates(large).select(counts).equals(lf.win_rates(plain).select(counts))
    assert lf.majority_cycles(large).equals(lf.majority_cycles(plain))
    rates = ["swap_rate", "tie_rate"]
    of_halves = (lf.swap_rates(s, splits=20).select(rates) for s in tables)
    assert next(of_halves).equals(next(of_halves))


@pytest.mark.parametrize("test", TESTS)
@given(tables=grids(), side=st.sampled_from(["two-sided", "greater"]))
def test_p_values(test, tables, side):
    plain, large = (
        lf.compare(s, test, "none", alternative=side, trials=150)["p_value"].to_list()
        for s in tables
    )
    assert large == (pytest.approx(plain, rel=1e-6) if test == "t" else plain)


def test_rank_tests_of_more_requests_than_are_gone_through():
    """Scores on a grid of 0.1, plus 10^6: SciPy's p of the exact differences."""
    from scipy import stats

    rng = np.random.default_rng(3)
    whole = rng.integers(0, 6, (40, 3))
    for s in (table(whole / 10), table(whole / 10 + 1e6)):
        c = lf.compare(s, "wilcoxon", "none")
        expected = [stats.wilcoxon(whole[:, a] - whole[:, b]).pvalue for a, b in [(0, 1), (0, 2)]]
        assert c["p_value"].to_list()[:2] == pytest.approx(expected)


@pytest.mark.parametrize("on", ["values", "win_rate", "preference"])
@given(tables=grids(max_requests=4))
def test_randomized_hsd(on, tables):
    plain, large = (lf.tukey_hsd(s, on=on, trials=30)["p_value"].to_list() for s in tables)
    assert large == plain


@pytest.mark.parametrize("on", ["values", "win_rate"])
@settings(max_examples=10)  # the studentised range is slow
@given(tables=grids(max_requests=4))
def test_parametric_hsd(on, tables):
    plain, large = (lf.tukey_hsd(s, "parametric", on=on)["p_value"].to_list() for s in tables)
    # A score of 10⁶ is rounded by 6e-11, a difference of two on a grid of 0.1 by 1.2e-9 of it. The
    # statistic is a ratio of such sums; p falls at most as its power df, and df is 9 at most here.
    assert large == pytest.approx(plain, rel=1e-7, abs=1e-9)


# --- Copies ---------------------------------------------------------------------------------------

UNITS = st.sampled_from([1.0, 1e3, 1e6, 1e9, 1e15, 2.0**30, 1e-3])


def with_copy(s):
    """The table, and the first run again under a name that sorts last."""
    return pl.concat([s, s.filter(run="a").with_columns(run=pl.lit("z"))])


def differences(s):
    """The preferences that a scores table says, with nothing known of the scores."""
    values = {(q, run): value for run, q, value in s.select("run", "query_id", "value").iter_rows()}
    rows = [
        (q, a, b, "mine", values[q, a] - values[q, b])
        for q in s["query_id"].unique().sort()
        for a, b in combinations(s["run"].unique().sort(), 2)
    ]
    columns = ["query_id", "run_a", "run_b", "measure", "preference"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@st.composite
def any_scores(draw):
    """Scores of any size, those of some requests or of some runs much larger than others'."""
    n_requests, n_runs = draw(st.integers(1, 6)), draw(st.integers(2, 9))
    size = n_requests * n_runs
    shares = st.floats(0, 1, width=32) | st.sampled_from([0.0, 1.0, 0.1, 0.3, 1 / 3])
    values = np.reshape(draw(st.lists(shares, min_size=size, max_size=size)), (n_requests, n_runs))
    by_request = draw(st.lists(UNITS, min_size=n_requests, max_size=n_requests))
    by_run = draw(st.just([1.0] * n_runs) | st.lists(UNITS, min_size=n_runs, max_size=n_runs))
    return table(values * np.reshape(by_request, (-1, 1)) * by_run)


@pytest.mark.parametrize("method", RULES)
@pytest.mark.parametrize("from_preferences", [False, True])
@given(s=any_scores())
def test_a_copy_shares_the_rank(method, from_preferences, s):
    d = with_copy(s)
    found = ranks(differences(d) if from_preferences else d, method)
    assert found["a"] == found["z"]


@given(any_scores(), st.sampled_from([*RULES]))
def test_a_copy_shares_the_rank_in_every_sample(s, method):
    d = lf.order_probabilities(with_copy(s), method, samples=20)
    assert d.filter(run_a="a", run_b="z")["p_tie"].item() == 1


@given(any_scores(), st.sampled_from(TESTS))
def test_a_copy_does_not_differ_and_another_run_changes_no_pair(s, test):
    c = lf.compare(with_copy(s), test, "none", trials=100)
    assert c.filter(run_a="a", run_b="z").select("mean_difference", "p_value").row(0) == (0.0, 1.0)
    alone = lf.compare(s.filter(pl.col("run").is_in(["a", "b"])), test, "none", trials=100)
    assert c.filter(run_a="a", run_b="b").equals(alone)


# --- Search lengths -------------------------------------------------------------------------------


@given(st.data())
def test_search_lengths_are_compared_as_fractions(data):
    """Means of 1 to 60 ranks up to 10^9, each rounded once; some of them equal, some nearly."""
    n_requests, n_runs = data.draw(st.integers(2, 6)), data.draw(st.integers(2, 4))
    m = [data.draw(st.integers(1, 60)) for _ in range(n_requests)]
    base = data.draw(st.sampled_from([10, 528_155, 10**6, 10**9]))
    sums = [[base * of_m + data.draw(st.integers(0, 3)) for _ in range(n_runs)] for of_m in m]
    exact = [[Fraction(total, of_m) for total in row] for row, of_m in zip(sums, m, strict=True)]
    s = table([[float(value) for value in row] for row in exact], "ASL(n=2000000000)")
    expected = {
        (a, b): [(row[x] < row[y]) - (row[x] > row[y]) for row in exact]
        for (x, a), (y, b) in combinations(enumerate(RUNS[:n_runs]), 2)
    }
    for a, b, wins, losses in (
        lf.win_rates(s).select("run_a", "run_b", "wins", "losses").iter_rows()
    ):
        assert (wins, losses) == (expected[a, b].count(1), expected[a, b].count(-1))
    d = {
        (f"q{n}", a, b): sign for (a, b), signs in expected.items() for n, sign in enumerate(signs)
    }
    majority = {pair: oracle.majority(d, *pair) for pair in expected}
    copeland = {
        run: sum(sign * ((run == a) - (run == b)) for (a, b), sign in majority.items())
        for run in RUNS[:n_runs]
    }
    assert ranks(s, "copeland") == oracle.mid_ranks(copeland)


@pytest.mark.conformance
@pytest.mark.parametrize(
    "dataset, measure",
    [
        ("trec_robust_2003", "RE(n=528155)"),
        ("clef_ehealth_2014", "RE(n=1000000)"),
        ("clef_ehealth_2014", "ASL(n=1000000)"),
        ("trec_robust_2003", "TSL(n=528155)"),
    ],
)
def test_copies_of_real_runs_share_their_rank(shared, dataset, measure):
    folder = shared / "data" / dataset
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(folder / "runs", folder / "qrels.trec")
    s = lf.scores(p, measure)
    for original in s["run"].unique().sort()[::3]:
        copy = s.filter(run=original).with_columns(run=pl.lit("~copy"))
        both = pl.concat([s, copy])
        chosen = both["run"].unique().sort().to_list()
        few = both.filter(pl.col("run").is_in([*chosen[:5], original, "~copy"]))
        for method in RULES:
            for d in (both if method != "kemeny" else few, differences(few)):
                found = ranks(d, method)
                assert found[original] == found["~copy"], (original, method)


def test_evaluate_knows_how_large_the_scores_are():
    """Rank tests see the ties of its differences, which are as rough as the scores are large."""
    draw = np.random.default_rng(0)
    ranks = {run: draw.integers(1, 12, 40) for run in "ab"}
    runs = {
        run: {f"q{q}": {"d" if n == rank else f"x{n}": -n for n in range(1, 13)}
              for q, rank in enumerate(of_run)}
        for run, of_run in ranks.items()
    }  # fmt: skip
    qrels = {f"q{q}": {"d": 1} for q in range(40)}
    small, large = (
        lf.RecallLevelMetric(f"{c:g}", lambda p, c=c: p / 10 + c, lambda i, m: i == 1)
        for c in (0, 1e6)
    )
    c = lf.evaluate(runs, qrels, [small, large], test="wilcoxon").comparisons
    assert c["p_value"].n_unique() == 1
    assert c["p_value"][0] < 1
