"""Paired tests between runs over requests: `compare`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.codes import decode
from lexiframe.errors import LexiframeError, unknown_name
from lexiframe.measures.ties import TIE
from lexiframe.preferences.cube import Pairs, pair_cube
from lexiframe.schemas import COMPARISONS
from lexiframe.significance.corrections import check_correction, correct

Test = Literal["t", "sign"]
Correction = Literal["holm", "bonferroni", "none"]


def compare(
    d: Any,
    test: Test = "t",
    correction: Correction = "holm",
    *,
    family: Literal["measure", "all"] = "measure",
    alpha: float = 0.05,
    baseline: str | None = None,
) -> pl.DataFrame:
    """Test, for every pair of runs, whether they differ over the requests.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    test : {"t", "sign"}
        Student's paired t-test, two-sided; or the sign test of wins against losses, two-sided,
        ties left out.
    correction : {"holm", "bonferroni", "none"}
        How p-values are corrected for the number of comparisons.
    family : {"measure", "all"}
        Over which comparisons: the pairs of one measure, or those of all measures.
    alpha : float
        Level of the tests, and of the confidence intervals (1 − alpha).
    baseline : str, optional
        Only compare with this run; the family is then smaller.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, run_a, run_b``, sorted by it. ``n`` requests;
        ``mean_difference`` (positive: run_a is better) and its interval ``ci_low, ci_high`` by the
        t distribution, of this comparison alone, not corrected for the family; ``effect_size``,
        ``statistic``, ``p_value``, ``p_adjusted``, and ``reject``: p_adjusted < alpha. For the
        t-test the effect size is Cohen's d_z (mean over standard deviation of the differences), the
        statistic t with n − 1 degrees of freedom; for the sign test the win odds ((wins + ties/2) /
        (losses + ties/2)) and the number of wins.

    Raises
    ------
    LexiframeError
        For an unknown test, correction, family or baseline, or an alpha outside 0..1.

    Notes
    -----
    Differences that are all the same have no t: p is 1 when they are 0, else 0, and d_z and t are
    null or infinite. With one request, too, p is 1 and nothing is rejected.
    t: `scipy.stats.ttest_1samp`, equal to `scipy.stats.ttest_rel` on scores; sign test:
    `scipy.stats.binom`, equal to `scipy.stats.binomtest`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, 0.25, 0.75, 0.5]})
    >>> lf.compare(d).select("n", "mean_difference", "statistic", "reject").rows()
    [(4, 0.5, 4.898979485566356, True)]
    """
    check_inference(test, correction, family, alpha)
    cube = pair_cube(d)
    if baseline is not None and baseline not in cube.runs:
        raise unknown_name("run", baseline, cube.runs)
    frames = [_of_measure(measure, pairs, baseline, test, alpha) for measure, pairs in cube]
    if not frames:
        raise LexiframeError("compare: expected preferences or scores, found no rows")
    table = pl.concat(frames)
    if family == "all":
        adjusted = correct(table["p_value"].to_numpy(), correction)
    else:
        adjusted = np.concatenate(
            [correct(frame["p_value"].to_numpy(), correction) for frame in frames]
        )
    return table.with_columns(
        correction=pl.lit(correction), p_adjusted=adjusted, reject=pl.Series(adjusted < alpha)
    ).select(*COMPARISONS.columns)


def check_inference(test: str, correction: str, family: str, alpha: float) -> None:
    """Raise for arguments of `compare` that do not exist."""
    if test not in _TESTS:
        raise LexiframeError(
            f"compare: expected test to be one of {', '.join(_TESTS)}, found {test!r}"
        )
    check_correction(correction)
    if family not in ("measure", "all"):
        raise LexiframeError(f"compare: expected family='measure' or 'all', found {family!r}")
    if not 0 < alpha < 1:
        raise LexiframeError(f"compare: expected alpha between 0 and 1, found {alpha}")


def _of_measure(
    measure: str, pairs: Pairs, baseline: str | None, test: Test, alpha: float
) -> pl.DataFrame:
    chosen = pairs.n > 0
    if baseline is not None:
        is_baseline = (pairs.runs == baseline).to_numpy()
        chosen &= is_baseline[pairs.a] | is_baseline[pairs.b]
    values, n = pairs.values[:, chosen], pairs.n[chosen]
    mean = np.nansum(values, axis=0) / n
    spread = np.nansum((values - mean) ** 2, axis=0)
    deviation = np.sqrt(np.divide(spread, n - 1, out=np.full(len(n), np.nan), where=n > 1))
    deviation[_constant(values)] = 0.0
    low, high = _t_interval(mean, deviation, n, alpha)
    effect_size, statistic, p_value = _TESTS[test](values, mean, deviation, n)
    table = pl.DataFrame(
        {
            "measure": pl.repeat(measure, len(n), eager=True),
            "test": pl.repeat(test, len(n), eager=True),
            "run_a": decode(pairs.runs, pairs.a[chosen]),
            "run_b": decode(pairs.runs, pairs.b[chosen]),
            "n": n,
            "mean_difference": mean,
            "ci_low": low,
            "ci_high": high,
            "effect_size": effect_size,
            "statistic": statistic,
            "p_value": p_value,
        }
    )
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _constant(values: np.ndarray) -> np.ndarray:
    """Tell which pairs differ by the same in every request: rounding of the mean is no spread."""
    return np.asarray(np.nanmax(values, axis=0) - np.nanmin(values, axis=0) <= TIE)


def _t_interval(
    mean: np.ndarray, deviation: np.ndarray, n: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    from scipy.stats import t

    half = t.ppf(1 - alpha / 2, np.maximum(n - 1, 1)) * deviation / np.sqrt(n)
    half = np.where(n > 1, half, np.nan)
    return mean - half, mean + half


def _t_test(
    values: np.ndarray, mean: np.ndarray, deviation: np.ndarray, n: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """t = mean / (sd / √n)."""
    from scipy.stats import t

    with np.errstate(divide="ignore", invalid="ignore"):
        effect_size = mean / deviation
    effect_size = np.where(n > 1, effect_size, np.nan)
    statistic = effect_size * np.sqrt(n)
    p_value = 2 * t.sf(np.abs(statistic), np.maximum(n - 1, 1))
    return effect_size, statistic, np.where(np.isnan(statistic), 1.0, p_value)


def _sign_test(
    values: np.ndarray, mean: np.ndarray, deviation: np.ndarray, n: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wins ~ Binomial(wins + losses, 1/2)."""
    from scipy.stats import binom

    wins, losses = (values > 0).sum(axis=0), (values < 0).sum(axis=0)
    ties = n - wins - losses
    with np.errstate(divide="ignore"):
        odds = (wins + ties / 2) / (losses + ties / 2)
    tail = binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
    return odds, wins.astype(np.float64), np.minimum(1.0, 2 * tail)


_TESTS = {"t": _t_test, "sign": _sign_test}
