"""`audit` of whole evaluations: against `compare`, called for one evaluation after the other."""

import warnings

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

RNG = np.random.default_rng(4)
N, RUNS = 15, "abcde"
ALPHA, TRIALS = 0.1, 100
R = len(RUNS)
QUERIES = [f"q{n:03d}" for n in range(N)]
VALUES = np.round(RNG.beta(0.5 + 0.3 * np.arange(R), 2, (N, R)), 2)
DIFFERENCES = np.round(VALUES[:, :, None] - VALUES[:, None], 10)
SIGNS = np.sign(DIFFERENCES)
ANY = np.triu(np.round(RNG.normal(0.2, 0.5, (N, R, R)), 2), 1)
ANY -= ANY.transpose(0, 2, 1)
"""Preferences that are no differences of scores: each pair of runs has its own."""
MOSTLY_SIGNS = np.where(VALUES > 0.9, 0.5, np.round(VALUES + 0.25))
"""Scores of which many samples have 0 and 1 alone."""


def preferences(squares):
    """A table of preferences from antisymmetric matrices, requests × runs × runs."""
    n, n_runs, _ = squares.shape
    a, b = np.triu_indices(n_runs, k=1)
    query, pair = np.indices((n, len(a))).reshape(2, -1)
    names = {"query_id": QUERIES, "run_a": RUNS, "run_b": RUNS}
    codes = {"query_id": query, "run_a": a[pair], "run_b": b[pair]}
    columns = {name: [names[name][k] for k in code] for name, code in codes.items()}
    return pl.DataFrame(columns).with_columns(
        measure=pl.lit("mine"), preference=squares[query, a[pair], b[pair]]
    )


def scores(values):
    """A table of scores from a matrix, requests × runs."""
    query, run = np.indices(values.shape).reshape(2, -1)
    columns = {"run": [RUNS[k] for k in run], "query_id": [QUERIES[k] for k in query]}
    return pl.DataFrame(columns).with_columns(measure=pl.lit("mine"), value=values.ravel())


def drawn(null, size, n_runs, trials, seed):
    """Draw what `audit` draws: its inner seed, and each trial's runs, requests and dealt names."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size, 0, n_runs)))
    inner = int(rng.integers(2**32))
    runs = np.sort(rng.random((trials, R)).argsort(axis=1)[:, :n_runs], axis=1)
    request = rng.integers(0, N, (size, trials))
    dealt = np.tile(np.arange(n_runs), (size, trials, 1))
    if null == "exchanged":
        dealt = rng.random((size, trials, n_runs)).argsort(axis=2)
    return inner, zip(runs, request.T, dealt.transpose(1, 0, 2), strict=True)


def compared(values, request, run, **how):
    """Compare the runs of one trial, which differ by request; return rejections and directions."""
    row = request[:, None]
    if values.ndim == 2:
        table = scores(values[row, run])
    else:
        table = preferences(values[row[:, :, None], run[:, :, None], run[:, None]])
    c = lf.compare(table, alpha=ALPHA, trials=TRIALS, **how)
    return c["reject"].to_numpy(), np.sign(c["mean_difference"].to_numpy())


def by_compare(values, null, size, n_runs, trials, seed, **how):
    """Evaluate one trial after the other; return the shares that `audit` averages."""
    mean = values.mean(axis=0)
    mean = mean[:, None] - mean if values.ndim == 2 else mean
    equal = np.round(values - values.mean(axis=0), 10) if null == "centred" else values
    inner, each = drawn(null, size, n_runs, trials, seed)
    errors, found, wrong = [], [], []
    a, b = np.triu_indices(n_runs, k=1)
    for runs, request, dealt in each:
        is_error, _ = compared(equal, request, runs[dealt], seed=inner, **how)
        errors.append(is_error.any())
        is_found, ahead = compared(values, request, np.tile(runs, (size, 1)), seed=inner, **how)
        better = np.sign(np.round(mean, 10)[runs[a], runs[b]])
        is_found &= better != 0
        if (better != 0).any():
            found.append(is_found.sum() / (better != 0).sum())
        if is_found.any():
            wrong.append((ahead != better)[is_found].mean())
    return {"error": errors, "power": found, "type_iii": wrong}


CASES = [  # of 7 requests all 64 choices of signs are taken
    ("t", "holm", "exchanged", 4, 7, VALUES),
    ("t", "none", "centred", 3, 7, VALUES),
    ("sign", "holm", "exchanged", 5, 15, SIGNS),
    ("t", "bh", "exchanged", 4, 5, ANY),
    ("randomization", "bonferroni", "centred", 3, 7, ANY),
    ("randomization", "holm", "exchanged", 4, 7, ANY),
    ("wilcoxon", "none", "exchanged", 3, 7, ANY),
    ("auto", "auto", "exchanged", 5, 7, SIGNS),
    ("auto", "auto", "exchanged", 4, 7, ANY),
    ("auto", "none", "exchanged", 3, 6, MOSTLY_SIGNS),
]


@pytest.mark.slow
@pytest.mark.parametrize("test, correction, null, n_runs, size, values", CASES)
def test_rates_are_those_of_compare_called_for_each_evaluation(
    test, correction, null, n_runs, size, values
):
    d = scores(values) if values.ndim == 2 else preferences(values)
    same = {"null": null, "correction": correction, "trials": 25, "seed": 7}
    found = lf.audit(d, test, size, runs=n_runs, inner_trials=TRIALS, alpha=ALPHA, **same)
    row = found.row(0, named=True)
    shares = by_compare(values, size=size, n_runs=n_runs, test=test, **same)
    for name, of in shares.items():
        assert row["error_rate" if name == "error" else name] == pytest.approx(np.mean(of))
        assert row[f"{name}_se"] == pytest.approx(np.std(of) / len(of) ** 0.5)
    assert [row["trials"], row["n_differ"], row["n_significant"]] == [*map(len, shares.values())]


# --- What is drawn, and from what -----------------------------------------------------------------


def test_requests_that_some_run_lacks_are_left_out():
    s = scores(VALUES).filter((pl.col("run") != "b") | (pl.col("query_id") > "q002"))
    with pytest.warns(lf.LexiframeWarning, match="audit: 3 of 15 requests are not those of all 5"):
        found = lf.audit(s, "t", 7, runs=3, trials=30)
    whole = scores(VALUES[3:])
    assert found.equals(lf.audit(whole, "t", 7, runs=3, trials=30))
    with warnings.catch_warnings():  # each pair has its own
        warnings.simplefilter("error")
        assert lf.audit(s, "t", 7, trials=30)["n"].item() == 15


@pytest.mark.parametrize(
    "d, options, message",
    [
        (scores(VALUES), {"runs": 6}, "audit: expected runs to be from 2 to 5, as so many have mi"),
        (scores(VALUES), {"runs": [3, 1]}, "audit: expected runs to be whole numbers from 2 to"),
        (scores(VALUES), {"correction": "x"}, "audit: expected correction to be one of 'auto', "),
        (
            preferences(ANY).filter(pl.col("run_a") == "a"),
            {"runs": 3},
            "expected a preference between any two of the 5 runs for mine, found those of 4 pairs",
        ),
        (
            scores(VALUES).filter((pl.col("run") != "b") | (pl.col("query_id") < "q001")),
            {"runs": 3},
            "audit: expected two requests or more that all 5 runs have for mine, found 1; leave ou",
        ),
        (
            scores(VALUES),
            {"tests": "bootstrap", "runs": [2, 5], "inner_trials": 199},
            "inner trials can be below 0.05 after the correction for 10 pairs; take inner_trials=2",
        ),
    ],
)
def test_what_is_refused(d, options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.audit(d, **({"tests": "t", "sizes": 7, "trials": 9} | options))
