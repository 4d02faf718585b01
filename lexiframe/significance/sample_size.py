"""How many requests a test needs: `required_requests`, `power_curve`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.base import check_choice, resampling, schemas, typed
from lexiframe.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.significance.arguments import checked_sizes, pairs_by_measure
from lexiframe.significance.margin_power import QUESTIONS, question_power, question_size, room
from lexiframe.significance.margins import Margin, Margins, margins_of, mean_score
from lexiframe.significance.noncentral_t import least_size, t_power
from lexiframe.significance.paired import compare
from lexiframe.significance.simulated_power import simulated_power, simulated_size
from lexiframe.typing import RequestsLike

How = Literal["t", "simulation"]


@typed
def required_requests(
    d: PairsLike,
    /,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    how: How = "t",
    margin: Margin | None = None,
    baseline: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Estimate how many requests a paired t-test needs to find the difference of two runs.

    With a margin, estimate it for each question of `equivalence` as well.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    power : float
        The probability, between 0 and 1, with which the two-sided test has to find the difference.
    alpha : float
        Significance level of the test, not corrected for many pairs: for Bonferroni's correction
        give alpha divided by the number of pairs.
    how : {"t", "simulation"}
        ``t`` assumes normal differences with the observed mean and standard deviation;
        ``simulation`` draws requests with replacement from the observed ones, and assumes nothing.
    margin : float, str or mapping, optional
        The margin of `equivalence`: ask also whether the runs are equivalent and not worse.
    baseline : str, optional
        Compare the other runs with this run only, which is ``run_b`` of every pair.
    samples : int
        For the simulation: the number of samples drawn for each number of requests.
    seed : int
        For the simulation: the same seed gives the same samples.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run_a, run_b, how``, sorted by it. ``n`` is the number of requests that the
        pair has; ``mean_difference`` and ``effect_size`` (Cohen's d_z: mean / standard deviation of
        the differences) are as in `compare`. ``required`` is the number of requests needed, at
        least 2, and ``power_at_n`` the power with n requests, in 0..1.

        With a margin the key is ``measure, run_a, run_b, how, question``, and there is ``margin``,
        in the unit of the measure. ``question`` is ``a not worse``, ``b not worse``, ``better`` (in
        either direction) or ``equivalent``; ``required`` and ``power_at_n`` are those of a yes.

    Raises
    ------
    LexiframeError
        For a power or alpha not between 0 and 1 (with a margin, 0.5), an unknown ``how`` or
        baseline, a margin that `equivalence` refuses, when samples is no positive integer, or seed
        no integer from 0.

    Notes
    -----
    ``required`` is null when there is no difference (a |mean| no greater than rounding, as in
    `compare`), when the pair has only one request, and when more requests would be needed than are
    tried: 10^9, or by simulation 100,000. Equal differences need two requests,
    and decide no question with a margin. ``power_at_n`` is
    null with one request, and 0 between runs that are the same for every request.

    With ``how="t"`` the power for n requests is P(|T| > t_{1−α/2, n−1}), where T is noncentral t
    with n − 1 degrees of freedom and noncentrality d_z √n. ``required`` is the least n that reaches
    ``power``; it equals `statsmodels.stats.power.TTestPower` rounded up (Cohen, "Statistical Power
    Analysis for the Behavioral Sciences", 1988, doi:10.4324/9780203771587). By simulation the power
    is the share of samples whose t-test rejects; the sizes tried rise by 1 and later by 7 %, so
    ``required`` is at most 7 % too large. All results rest on the observed difference, which is an
    estimate itself.

    With a margin δ, run a is not worse with the probability P(T > t_{1−α, n−1}), where T has the
    noncentrality (mean + δ) √n / sd. Both one-sided tests of equivalence reject with a probability
    that is integrated over the standard deviation (Phillips, Journal of Pharmacokinetics and
    Biopharmaceutics 1990, doi:10.1007/BF01063556). ``required`` is null where the observed mean
    difference is not on the side of the limit where the answer may be yes: no number of requests
    shows that runs are equivalent which differ by the margin or more.

    Sakai, "Topic set size design", Information Retrieval Journal 2016,
    doi:10.1007/s10791-015-9273-z.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, -0.25, 0.75, 0.0]})
    >>> lf.required_requests(d).select("n", "effect_size", "required", "power_at_n").rows()
    [(4, 0.547..., 29, 0.123...)]
    >>> lf.required_requests(d, margin=0.5).select("question", "required").rows()
    [('a not worse', 5), ('b not worse', 23), ('better', 29), ('equivalent', 23)]
    """
    resampling.check_share("required_requests", "power", power)
    margins = None if margin is None else margins_of("required_requests", margin, baseline, alpha)
    options: dict[str, Any] = {
        "power": power,
        "alpha": alpha,
        "how": how,
        "samples": samples,
        "seed": seed,
    }
    of_group = partial(
        _required if margins is None else partial(_required_by_question, margins=margins),
        baseline=baseline,
        **options,
    )
    table = grouping.in_groups(of_group, d, requests, by)
    if margins is not None:
        margins.refuse_unknown(table["measure"])
    return table


def _required(
    d: Any, *, baseline: str | None, power: float, alpha: float, how: str, samples: int, seed: int
) -> pl.DataFrame:
    frames = []
    for c, pairs, _ in _compared("required_requests", d, alpha, how, samples, seed, baseline):
        effect, n = _effect(c, pairs), c["n"].to_numpy()
        if how == "t":
            required, power_at_n = least_size(effect, power, alpha), t_power(effect, n, alpha)
        else:
            required = simulated_size(pairs, power, alpha, samples, seed)
            power_at_n = simulated_power(pairs, None, alpha, samples, seed)[:, 0]
        found = (np.abs(c["mean_difference"].to_numpy()) > pairs.mean_rounding) & (required > 0)
        frames.append(_answered(c, how, found, required, power_at_n))
    return pl.concat(frames).select(*schemas.REQUIRED_REQUESTS.columns)


def _required_by_question(
    d: Any,
    *,
    margins: Margins,
    baseline: str | None,
    power: float,
    alpha: float,
    how: str,
    samples: int,
    seed: int,
) -> pl.DataFrame:
    frames = []
    compared = _compared("required_requests", d, alpha, how, samples, seed, baseline)
    for c, pairs, mean_of_baseline in compared:
        margin = margins.of(c["measure"][0], mean_of_baseline)
        mean, deviation = pairs.differences.mean, pairs.differences.deviation
        n, rounding = c["n"].to_numpy(), pairs.mean_rounding
        for question in QUESTIONS:
            above = partial(room, question, margin=margin)
            if how == "t":
                required = question_size(question, mean, deviation, margin, power, alpha)
                power_at_n = question_power(question, mean, deviation, margin, n, alpha)
            else:
                # The simulated test has two sides, the questions about a margin have one.
                level = alpha if question == "better" else 2 * alpha
                asked: dict[str, Any] = {"room": above, "with_margin": question != "better"}
                required = simulated_size(pairs, power, level, samples, seed, **asked)
                power_at_n = simulated_power(pairs, None, level, samples, seed, **asked)[:, 0]
            found = (n > 1) & (above(mean) > rounding) & (required > 0)
            frames.append(
                _answered(c, how, found, required, power_at_n).with_columns(
                    question=pl.lit(question), margin=pl.lit(margin)
                )
            )
    table = pl.concat(frames).select(*schemas.REQUIRED_BY_QUESTION.columns)
    return table.sort(schemas.REQUIRED_BY_QUESTION.key)


def _answered(
    c: pl.DataFrame, how: str, found: np.ndarray, required: np.ndarray, power_at_n: np.ndarray
) -> pl.DataFrame:
    """Put the numbers of requests into the table; null where they were not found."""
    return c.with_columns(
        how=pl.lit(how),
        required=pl.when(pl.Series(found)).then(pl.Series(required)),
        power_at_n=pl.when(pl.col("n") > 1).then(pl.Series(power_at_n)),
    )


@typed
@grouping.by_groups
def power_curve(
    d: PairsLike,
    /,
    sizes: Sequence[int],
    *,
    alpha: float = 0.05,
    how: How = "t",
    samples: int = 1000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute the power of the paired t-test between every two runs for numbers of requests.

    Parameters
    ----------
    d, alpha, how, samples, seed, requests, by
        As for `required_requests`.
    sizes : sequence of int
        The numbers of requests, each at least 2.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run_a, run_b, n_requests``, sorted by it. ``power``, in 0..1, is the
        probability that the two-sided test finds the difference observed between the runs. It is 0
        for runs that are the same for every request, and null for a pair with one request.

    Raises
    ------
    LexiframeError
        For an alpha not between 0 and 1 or an unknown ``how``; when a size is no integer from 2,
        samples no positive integer, or seed no integer from 0.

    Notes
    -----
    The formulas and their sources are in `required_requests`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, -0.25, 0.75, 0.0]})
    >>> lf.power_curve(d, [10, 29]).select("n_requests", pl.col("power").round(3)).rows()
    [(10, 0.341), (29, 0.812)]
    """
    chosen = checked_sizes("power_curve", sizes)
    frames = []
    for c, pairs, _ in _compared("power_curve", d, alpha, how, samples, seed):
        if how == "t":
            power = t_power(_effect(c, pairs)[:, None], chosen, alpha)
        else:
            power = simulated_power(pairs, chosen, alpha, samples, seed)
        frames.append(
            c[np.repeat(np.arange(c.height), len(chosen))].with_columns(
                n_requests=np.tile(chosen, c.height),
                power=pl.when(pl.col("n") > 1).then(pl.Series(power.ravel())),
            )
        )
    return pl.concat(frames).select(*schemas.POWER_CURVE.columns)


def _compared(
    called: str,
    d: Any,
    alpha: float,
    how: str,
    samples: int,
    seed: int,
    baseline: str | None = None,
) -> Iterator[tuple[pl.DataFrame, Pairs, float | None]]:
    """Check the arguments; yield each measure's t-tests, and the pairs that they compare.

    The last is the mean score of the baseline, if it is known.
    """
    resampling.check_share(called, "alpha", alpha)
    resampling.check_draws(called, "samples", samples, seed)
    check_choice(called, how, get_args(How), "how")
    cube = arrays.pair_cube(d, baseline)
    if baseline is not None:
        cube = cube.against(baseline)
    for measure, pairs in pairs_by_measure(called, cube):
        mean = mean_score(cube, baseline, measure)
        yield compare(cube.of_measures([measure]), "t", "none", alpha=alpha), pairs, mean


def _effect(c: pl.DataFrame, pairs: Pairs) -> np.ndarray:
    """Return d_z: 0 where the mean is a tie, NaN where all differences are 0."""
    mean, effect = c["mean_difference"].to_numpy(), c["effect_size"].to_numpy()
    is_tie = np.where(np.isfinite(effect), 0.0, np.nan)
    return np.where(np.abs(mean) <= pairs.mean_rounding, is_tie, effect)
