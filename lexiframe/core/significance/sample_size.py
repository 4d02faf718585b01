"""How many requests a test needs: `required_requests`, `power_curve`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, resampling, schemas, typed
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.arguments import checked_sizes, pairs_by_measure
from lexiframe.core.significance.clusters import group_attributes
from lexiframe.core.significance.differences import cube_of
from lexiframe.core.significance.flips_power import flips_power, flips_size
from lexiframe.core.significance.margin_power import QUESTIONS, question_power, question_size, room
from lexiframe.core.significance.margins import Margin, Margins, margins_of, mean_score
from lexiframe.core.significance.paired import compare
from lexiframe.core.significance.simulated_power import Simulation
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike

How = Literal["auto", "t", "simulation"]


@dataclass(frozen=True)
class _Asked:
    """The level of a test, and how its power is computed; ``called`` is the public function.

    Without a margin the test is that of sign flips, unless ``how`` is t; with one it is t.
    """

    called: str
    alpha: float
    how: How
    comparisons: int
    samples: int
    seed: int
    with_margin: bool = False

    def __post_init__(self) -> None:
        resampling.check_share(self.called, "alpha", self.alpha)
        resampling.check_draws(self.called, "samples", self.samples, self.seed)
        resampling.check_draws(self.called, "comparisons", self.comparisons, self.seed)
        check_choice(self.called, self.how, get_args(How), "how")

    @property
    def way(self) -> str:
        """The way that ``how`` names, or that it leaves open."""
        return self.how if self.how != "auto" else "t" if self.with_margin else "flips"

    @property
    def level(self) -> float:
        """The level of a single comparison."""
        return self.alpha / self.comparisons

    def weighed(self, d: Any, requests: Any = None, given: Sequence[Any] = ()) -> Any:
        """Return pairs with the weights ``given``, or their own; raise for the simulation."""
        if self.how == "simulation":
            raise LexiframeError("how='simulation' has no weights; take 'auto' or 't'")
        return arrays.weigh(d, requests, *given)

    def power(
        self, pairs: Pairs, question: str, margin: float, sizes: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the probability of a yes, pairs × sizes; by default with each pair's requests."""
        if self.how == "simulation":
            return self._simulation(question, margin).power(pairs, sizes)
        n = pairs.n[:, None] if sizes is None else sizes
        mean, deviation = (of_pair[:, None] for of_pair in _normal(pairs, question))
        counted = n * _effective_share(pairs)[:, None] if pairs.differences.has_weights else n
        by_t = question_power(question, mean, deviation, margin, counted, self.level)
        return flips_power(pairs, by_t, n, self.level) if self.way == "flips" else by_t

    def size(self, pairs: Pairs, question: str, margin: float, power: float) -> np.ndarray:
        """Return how many requests make a yes as probable as ``power``; 0 if none are known to."""
        if self.how == "simulation":
            required = self._simulation(question, margin).size(pairs, power)
        else:
            normal = _normal(pairs, question)
            share = _effective_share(pairs) if pairs.differences.has_weights else 1
            required = question_size(question, *normal, margin, power, self.level, share)
            if self.way == "flips":
                required = flips_size(pairs, required, power, self.level)
        above = room(question, pairs.differences.mean, margin)
        has_spread = pairs.differences.has_spread
        return np.where(has_spread & (above > pairs.mean_rounding), required, 0)

    def _simulation(self, question: str, margin: float) -> Simulation:
        above, has_margin = partial(room, question, margin=margin), question != "better"
        # The simulated test has two sides, the questions about a margin have one.
        level, flips = 2 * self.alpha if has_margin else self.alpha, not self.with_margin
        draws = self.samples, self.seed
        return Simulation(level, *draws, above, has_margin, flips, self.comparisons)


def _normal(pairs: Pairs, question: str) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations; without a margin, a mean that is a tie is 0."""
    mean = pairs.differences.mean
    is_tie = (question == "better") & (np.abs(mean) <= pairs.mean_rounding)
    return np.where(is_tie, 0.0, mean), pairs.differences.deviation


def _effective_share(pairs: Pairs) -> np.ndarray:
    """Return n*/n of each pair, which further requests of like weights have, too."""
    return np.asarray(pairs.differences.n_effective / np.maximum(pairs.n, 1))


@alone.each_collection
@typed
def required_requests(
    d: PairsLike,
    /,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    how: How = "auto",
    comparisons: int = 1,
    margin: Margin | None = None,
    baseline: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Estimate how many requests a paired test needs to find the difference of two runs.

    The test is that of `compare`, sign flips. With a margin, it is the t-test of `equivalence`, and
    the number is estimated for each of its questions.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    power : float
        The probability, between 0 and 1, with which the two-sided test has to find the difference.
    alpha : float
        Significance level of the test.
    how : {"auto", "t", "simulation"}
        ``auto`` is a formula for sign flips, or with a margin ``t``: a formula for the t-test of
        normal differences with the observed mean and standard deviation. ``simulation`` draws
        requests with replacement from the observed ones, tests them, and assumes nothing.
    comparisons : int
        Over how many pairs the test is corrected. The formulas divide alpha by it, as Bonferroni
        does. So does the simulation, unless just so many pairs have the same requests: then these
        are tested together by sign flips with step-down max-t, as `compare` does, which takes fewer
        requests.
    margin : float, str or mapping, optional
        The margin of `equivalence`: ask also whether the runs are equivalent and not worse.
    baseline : str, optional
        Compare the other runs with this run only, which is ``run_b`` of every pair.
    samples : int
        For the simulation: the number of samples drawn for each number of requests.
    seed : int
        For the simulation: the same seed gives the same samples.
    weights, strata, shares
        The weights of requests, as for `compare`; not for the simulation.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, run_a, run_b, how``, sorted by it. ``how`` is ``flips``, ``t`` or
        ``simulation``. ``n`` is the number of requests that the
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
        baseline, a margin that `equivalence` refuses, when comparisons or samples is no positive
        integer, or seed no integer from 0; with weights for the simulation.

    Notes
    -----
    ``required`` is null when there is no difference (a |mean| no greater than rounding, as in
    `compare`), when the pair has only one request, and when more requests would be needed than are
    tried: 10^9, or by simulation 100,000. Equal differences need as many requests as make 2^(1−n)
    less than alpha, and decide no question with a margin. ``power_at_n`` is null with one request,
    and 0 between runs that are the same for every request.

    The formula for sign flips is exact where all differences are −c, 0 or c: wins among the
    requests that are no ties are binomial, and the sign test rejects or does not. Its power does
    not always rise with n; ``required`` is the least n. Other differences have the power of t, and
    none where 2^(1−n) is not below alpha; of normal differences sign flips need at most one request
    more than that (measured for d_z from .8 to 4, alpha from .001 to .05). Above 1,000 requests
    the test is t, as in `compare`.

    With ``how="t"`` the power for n requests is P(|T| > t_{1−α/2, n−1}), where T is noncentral t
    with n − 1 degrees of freedom and noncentrality d_z √n. ``required`` is the least n that reaches
    ``power``; it equals `statsmodels.stats.power.TTestPower` rounded up (Cohen, "Statistical Power
    Analysis for the Behavioral Sciences", 1988, doi:10.4324/9780203771587). By simulation the power
    is the share of samples whose test rejects; the sizes tried rise by 1 and later by 7 %, so
    ``required`` is about 7 % too large at most. All results rest on the observed difference, which
    is an estimate itself.

    By weights of requests, t has n* in place of n (``n_effective``), and sign flips the power of t;
    n*/n of further requests is taken to be that of the observed ones: with weights of 4, 2, 1 and 1
    (n* = 2.91) about 4/2.91 times as many are required.

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
    [(4, 0.547..., 29, 0.0)]
    >>> lf.required_requests(d, margin=0.5).select("question", "required").rows()
    [('a not worse', 5), ('b not worse', 23), ('better', 29), ('equivalent', 23)]
    """
    resampling.check_share("required_requests", "power", power)
    margins = None if margin is None else margins_of("required_requests", margin, baseline, alpha)
    draws = comparisons, samples, seed
    asked = _Asked("required_requests", alpha, how, *draws, with_margin=margins is not None)
    given = weights, strata, shares
    if arrays.has_weights(d, given):
        d, requests = asked.weighed(d, requests, given), group_attributes(requests, by, *given)
    of_group = partial(_required_rows, asked=asked, power=power, baseline=baseline, margins=margins)
    table = grouping.group_tables(of_group, d, requests, by)
    if margins is not None:
        margins.refuse_unknown(table["measure"])
    return table


def _required_rows(
    d: Any, *, asked: _Asked, power: float, baseline: str | None, margins: Margins | None
) -> pl.DataFrame:
    """Return a row for each measure, pair and question; without a margin there is one question."""
    frames = []
    cube = cube_of(d, baseline)
    for measure, pairs in pairs_by_measure("required_requests", cube, unshared=True):
        c = compare(cube.select_measures([measure]), "t", "none", alpha=asked.alpha)
        margin = margins and margins.size(measure, mean_score(cube, baseline, measure))
        for question in ("better",) if margin is None else QUESTIONS:
            required = asked.size(pairs, question, margin or 0.0, power)
            is_known = pl.Series(pairs.differences.has_spread)
            power_at_n = asked.power(pairs, question, margin or 0.0)[:, 0]
            frames.append(
                c.with_columns(
                    how=pl.lit(asked.way),
                    required=pl.Series(required).replace(0, None),
                    power_at_n=pl.when(is_known).then(pl.Series(power_at_n)),
                    question=pl.lit(question),
                    margin=pl.lit(margin, pl.Float64),
                )
            )
    schema = schemas.REQUIRED_REQUESTS if margins is None else schemas.REQUIRED_BY_QUESTION
    return schema.arranged(pl.concat(frames, how="diagonal"))


@alone.each_collection
@typed
@grouping.takes_groups
def power_curve(
    d: PairsLike,
    /,
    sizes: Sequence[int],
    *,
    alpha: float = 0.05,
    how: How = "auto",
    comparisons: int = 1,
    samples: int = 1000,
    seed: int = 0,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute the power of the paired test between every two runs for numbers of requests.

    Parameters
    ----------
    d, alpha, how, comparisons, samples, seed, weights, strata, shares, requests, by
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
        comparisons or samples no positive integer, or seed no integer from 0.

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
    asked = _Asked("power_curve", alpha, how, comparisons, samples, seed)
    d = asked.weighed(d) if arrays.has_weights(d) else d
    cube, frames = cube_of(d, None), []
    for measure, pairs in pairs_by_measure("power_curve", cube, unshared=True):
        c = compare(cube.select_measures([measure]), "t", "none", alpha=alpha)
        power = asked.power(pairs, "better", 0.0, chosen)
        is_known = pl.Series(np.repeat(pairs.differences.has_spread, len(chosen)))
        frames.append(
            c[np.repeat(np.arange(c.height), len(chosen))].with_columns(
                n_requests=np.tile(chosen, c.height),
                power=pl.when(is_known).then(pl.Series(power.ravel())),
            )
        )
    return pl.concat(frame.select(*schemas.POWER_CURVE.columns) for frame in frames)
