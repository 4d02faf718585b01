"""Tukey's honestly significant difference between runs: `tukey_hsd`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    check_choice,
    n_and_first,
    resampling,
    schemas,
    sums,
    to_polars,
    typed,
)
from lexiframe.core.pairwise import By, PairCube, Pairs, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.hsd_trials import largest_differences, tolerance
from lexiframe.core.significance.paired import compare
from lexiframe.core.significance.studentized_range import quantile, survival
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike

On = Literal["values", "win_rate", "preference"]


class Tested(NamedTuple):
    """Each pair's statistic and p, and half the width of the intervals, which all pairs share."""

    statistic: np.ndarray
    p_value: np.ndarray
    half: float


@alone.each_collection
@typed
def tukey_hsd(
    d: arrays.PairsByKind,
    /,
    method: Literal["randomized", "parametric"] = "randomized",
    *,
    on: On | None = None,
    trials: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Test, for all pairs of runs at once, whether they differ over the requests.

    Parameters
    ----------
    d
        The table of `preferences` or of `scores`, or an `Evaluation`; every run needs every
        request.
    method : {"randomized", "parametric"}
        ``randomized`` permutes the runs within each request; ``parametric`` uses the studentised
        range, for normal values with the requests as blocks.
    on : {"values", "win_rate", "preference"}, optional
        What is tested. ``values`` are those of metrics (for scores only, and their default).
        ``win_rate`` is each run's mean preference over the other runs, request by request.
        ``preference`` are the preferences themselves, whose rows and columns are permuted together
        within each request (not parametric). The default for preferences is ``preference``, for
        the parametric test ``win_rate``.
    trials : int
        The number of permutations to draw. When there are at most ``trials`` + 1 in all, (S!)^Q for
        S runs and Q requests, all are enumerated, and p is exact.
    seed : int
        Seed of the permutations; the same seed gives the same table, in any number of threads.
    alpha : float
        Significance level of the test; the intervals have level 1 − alpha.
    weights, strata, shares
        The weights of requests, as for `compare`; for ``randomized`` alone.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The test is done within each group, whose attributes are the first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, run_a, run_b``, sorted by it, with the columns of
        `compare`. ``test`` is "hsd_randomized" or "hsd_parametric", and ``correction`` is "tukey".
        ``n`` is the number of requests. ``mean_difference`` (positive: run_a is better) is that of
        what is tested. The intervals ``ci_low, ci_high`` hold for all pairs of the measure
        simultaneously; they are null where nothing could be rejected (too few permutations, or one
        request). ``effect_size`` is Cohen's d_z, mean / standard deviation of the differences, and
        ``effect_low, effect_high`` is the interval for this pair alone. ``statistic`` is
        |mean_difference|, for the parametric test q. ``p_value`` and ``p_adjusted`` are equal,
        because p is already corrected for all pairs of the measure; ``reject`` says whether
        p < alpha.

    Raises
    ------
    LexiframeError
        For an unknown method or ``on``, trials, a seed or an alpha that are out of range, and when
        a run has no value, or an infinite one, for a request; with weights for ``parametric``.

    Notes
    -----
    Randomized: each trial permutes the labels of the runs, independently within each request, and
    keeps the largest |mean difference| over all pairs, by the weights of requests. p = (1 + number
    of trials in which that is at least the pair's) / (1 + trials). Numbers are equal when they
    differ by no more than rounding (1e-12, or 1e-12 of the scores where these exceed 1). Half the
    width of the intervals is the (1 − alpha) quantile of the trials, so an interval excludes 0 if
    p < alpha. Carterette, "Multiple Testing in Statistical Analysis of Systems-Based Information
    Retrieval Experiments", TOIS 2012, doi:10.1145/2094072.2094076.

    Parametric: q = |mean_difference| / √(MSE / Q), where MSE is the mean square of the residuals
    of the model value = request + run, with (S − 1)(Q − 1) degrees of freedom. If all residuals are
    0, p is 1 for a difference of 0 and else 0; with one request p is 1. The HSD of independent
    samples (`scipy.stats.tukey_hsd`, statsmodels' ``pairwise_tukeyhsd``) is wrong here, because it
    would count the differences between requests as noise.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> s = pl.DataFrame({"run": ["a"] * 5 + ["b"] * 5, "query_id": list("12345") * 2,
    ...                   "measure": "AP", "value": [0.5, 0.7, 0.4, 0.9, 0.6] + [0.1] * 5})
    >>> lf.tukey_hsd(s).select("n", "mean_difference", "p_value", "reject").rows()
    [(5, 0.52, 0.0625, False)]
    >>> lf.tukey_hsd(s, "parametric").select("statistic", "p_value", "reject").rows()
    [(8.548..., 0.0037..., True)]
    """
    asked: dict[str, Any] = {"on": on, "trials": trials, "seed": seed, "alpha": alpha}
    if any(of is not None for of in (weights, strata, shares)):
        d = arrays.weigh(d, requests, weights, strata, shares)
        requests = requests if by is not None else None
    test = partial(_group_comparisons, method=method, **asked)
    given: Any = d
    tables = given.tables if isinstance(given, arrays.ByKind) else (given,)
    found = [grouping.group_tables(test, table, requests, by) for table in tables]
    groups = found[0].columns[: -len(schemas.COMPARISONS.columns)]
    return pl.concat(found).sort(*groups, *schemas.COMPARISONS.key)


def _group_comparisons(
    d: Any, method: str, on: str | None, trials: int, seed: int, alpha: float
) -> pl.DataFrame:
    """Compute `tukey_hsd` without groups."""
    d = d if isinstance(d, PairCube) else to_polars(d)
    tests_on = _checked_arguments(d, method, on, trials, seed, alpha)
    frames = []
    for measure, pairs, values in _measure_differences(d, tests_on):
        if values is not None and method == "parametric":
            if pairs.weighing is not None:
                raise LexiframeError(
                    "method='parametric' has no weights; take method='randomized', or "
                    "compare(test='t')"
                )
            tested = _parametric(pairs, values, alpha)
        else:
            of, values = _weighed(pairs, values)
            largest = largest_differences(of, values, trials, seed, f"tukey_hsd, {measure}")
            tested = _randomized(of, largest, alpha)
        frames.append(_replace_t_test(measure, pairs, tested, alpha))
    if not frames:
        raise LexiframeError("tukey_hsd: expected preferences or scores of two runs, found no rows")
    names = {"test": pl.lit(f"hsd_{method}"), "correction": pl.lit("tukey")}
    return schemas.COMPARISONS.arranged(pl.concat(frames).with_columns(**names))


def _checked_arguments(
    d: Any, method: str, on: str | None, trials: int, seed: int, alpha: float
) -> str:
    """Raise for arguments that `tukey_hsd` does not accept; return the tested quantity."""
    check_choice("tukey_hsd", method, ("randomized", "parametric"), "method")
    resampling.check_draws("tukey_hsd", "trials", trials, seed)
    resampling.check_share("tukey_hsd", "alpha", alpha)
    of_scores, parametric = arrays.is_scores(d), method == "parametric"
    known = ["values"] * of_scores + ["win_rate"] + ["preference"] * (not parametric)
    default = "values" if of_scores else "win_rate" if parametric else "preference"
    if on is not None:
        table = "scores" if of_scores else "preferences"
        check_choice(f"tukey_hsd of {table}, method={method!r}", on, known, "on")
    return default if on is None else on


def _measure_differences(d: Any, on: str) -> Iterator[tuple[str, Pairs, np.ndarray | None]]:
    """Yield each measure's differences, and the values that they are differences of, or None."""
    scores = dict(arrays.score_cube(d)) if arrays.is_scores(d) else {}
    for measure, s in scores.items():
        arrays.check_finite("tukey_hsd", s.values)
        _check_complete(measure, s.queries, s.runs, np.isnan(s.values))
    cube = arrays.pair_cube(d)
    arrays.check_finite("tukey_hsd", cube.values)
    for measure, pairs in cube:
        _check_pairs(measure, pairs)
        if on == "win_rate":
            values = pairs.means
            # Their rounding is that of the means. `Pairs` computes rounding from the size of
            # scores, so it is given scores that have this rounding.
            delta = values[:, pairs.a] - values[:, pairs.b]
            rounding = pairs.request_rounding[:, None]
            delta = np.where(np.abs(delta) <= rounding, 0.0, delta)
            largest = np.broadcast_to(rounding / sums.TIE, values.shape)
            yield measure, replace(pairs, values=delta, scores=largest), values
        else:
            yield measure, pairs, scores[measure].values if on == "values" else None


def _check_pairs(measure: str, pairs: Pairs) -> None:
    """Raise when a run, or a pair of runs, has no preference for a request."""
    absent, runs = np.isnan(pairs.values), np.arange(len(pairs.runs))
    belongs = (pairs.a[:, None] == runs) | (pairs.b[:, None] == runs)
    lacks_all = absent.astype(np.float64) @ belongs == len(runs) - 1
    _check_complete(measure, pairs.queries, pairs.runs, lacks_all)
    if absent.any():
        pair = int(np.argmax(absent.any(axis=0)))
        a, b = pairs.runs[int(pairs.a[pair])], pairs.runs[int(pairs.b[pair])]
        raise LexiframeError(
            f"tukey_hsd: expected every pair of runs, found no preference of {measure} between "
            f"{a!r} and {b!r} for {n_and_first(pairs.queries.filter(absent[:, pair]))} requests"
        )


def _check_complete(measure: str, queries: pl.Series, runs: pl.Series, lacks: np.ndarray) -> None:
    """Raise when a run has no value for a request."""
    lacking = np.flatnonzero(lacks.any(axis=0))
    if len(lacking):
        run = int(lacking[0])
        raise LexiframeError(
            f"tukey_hsd: expected {measure} of every run for every request (complete blocks), "
            f"found {n_and_first(runs[lacking])} runs with gaps, of {len(runs)}; {runs[run]!r} "
            f"lacks {n_and_first(queries.filter(lacks[:, run]))} of {len(queries)} requests; leave "
            f"out these runs, or these requests for all runs, or fill in the missing values"
        )


def _replace_t_test(measure: str, pairs: Pairs, tested: Tested, alpha: float) -> pl.DataFrame:
    """Replace the t-test in a table of `compare`, which has the means and effect sizes."""
    table = compare(PairCube.of_measure(measure, pairs), "t", "none", alpha=alpha).with_columns(
        ci_low=pl.col("mean_difference") - tested.half,
        ci_high=pl.col("mean_difference") + tested.half,
        statistic=tested.statistic,
        p_value=tested.p_value,
        p_adjusted=tested.p_value,
        reject=pl.Series(tested.p_value < alpha),
        least_p=pl.lit(None, schemas.FLOAT),
    )
    return table.with_columns(pl.col("ci_low", "ci_high", "statistic").fill_nan(None))


def _weighed(pairs: Pairs, values: np.ndarray | None) -> tuple[Pairs, np.ndarray | None]:
    """Return differences and values times the weights of requests, whose mean is 1."""
    if pairs.weighing is None:
        return pairs, values
    w = pairs.weighing.factors[:, None]
    scores = None if pairs.scores is None else pairs.scores * w
    of = replace(pairs, values=pairs.values * w, scores=scores, weights=None)
    return of, None if values is None else values * w


def _randomized(pairs: Pairs, largest: np.ndarray, alpha: float) -> Tested:
    """p = (1 + #{trials ≥ |d̄|}) / (1 + trials), from the trials in ascending order."""
    difference, n = np.abs(pairs.values.mean(axis=0)), len(largest)
    reached = n - np.searchsorted(largest, difference - tolerance(pairs))
    # A difference is significant when fewer than this many trials reach it.
    rejecting = int(((1 + np.arange(n)) / (1 + n) < alpha).sum())
    half = float(largest[n - rejecting]) if rejecting else np.nan
    half = half if half > 0 else np.nan  # where all runs are the same
    return Tested(difference, (1 + reached) / (1 + n), half)


def _parametric(pairs: Pairs, values: np.ndarray, alpha: float) -> Tested:
    """q = |d̄| / √(MSE / Q)."""
    (n_queries, n_runs), difference = values.shape, np.abs(pairs.values.mean(axis=0))
    df = (n_runs - 1) * (n_queries - 1)
    if not df:  # one request: no residuals to estimate the error from
        return Tested(np.full(len(difference), np.nan), np.ones(len(difference)), np.nan)
    differs = difference > tolerance(pairs)
    residual = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    if np.abs(residual).max() <= pairs.request_rounding.max():
        flips = 0.5 ** (n_queries - 1)  # as for a pair whose differences are all equal
        return Tested(np.where(differs, np.inf, np.nan), np.where(differs, flips, 1.0), np.nan)
    error = np.sqrt((residual**2).sum() / df / n_queries)
    q = np.where(differs, difference, 0.0) / error
    p = sums.above_zero(survival(q, n_runs, df))
    return Tested(q, p, quantile(alpha, n_runs, df) * error)
