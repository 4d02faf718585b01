"""Whether the difference of two runs differs between groups of requests: `compare_groups`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, progress, schemas, sums, typed
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays
from lexiframe.core.projection import alone
from lexiframe.core.significance.corrections import (
    Correction,
    Family,
    check_corrected,
    corrected,
    families_of,
)
from lexiframe.core.significance.differences import (
    Differences,
    Options,
    alike,
    cube_of,
    differences_of,
    rows_of_pairs,
)
from lexiframe.core.significance.own_tests import several
from lexiframe.core.significance.too_few_requests import warn_of_small_groups
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike

GroupTest = Literal["welch", "permutation"]


@alone.each_collection
@typed
def compare_groups(
    d: PairsLike,
    /,
    test: GroupTest | Sequence[GroupTest] = "permutation",
    correction: Correction | Sequence[Correction] = "holm",
    *,
    family: Family = "measure",
    alpha: float = 0.05,
    baseline: str | None = None,
    trials: int | None = None,
    seed: int = 0,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Test, for every pair of runs, whether their difference differs between groups of requests.

    That one run is significantly better in one group and not in another does not show that the
    groups differ. This test (of the interaction of runs and groups) asks for that.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken; or an `Evaluation`,
        for all of its measures.
    test : {"permutation", "welch"}, or both
        ``permutation``: the requests are dealt out at random to two groups of the same sizes, and
        Welch's t is compared. ``welch``: Welch's t-test between the differences of two groups,
        whose variances may differ.
    correction : {"holm", "bonferroni", "bh", "none"}, or several
        How p-values are corrected for the number of comparisons, as in `compare`.
    family : {"measure", "all"}
        The comparisons to correct over: those of all pairs of runs and of groups by one measure, or
        by all measures.
    alpha : float
        Significance level of the tests; the intervals have level 1 − alpha.
    baseline : str, optional
        Compare the other runs with this run only, which is ``run_b`` of every pair. Default: the
        baseline of an evaluation, if it has one; else all pairs are compared.
    trials : int, optional
        Number of random pairs of groups of the permutation test. If there are no more pairs of
        groups than that, each of them is taken once, and p is exact. Default: 10,000, or 2 / alpha
        for each comparison of the family if these are more, so that the corrected p can be below
        alpha; but 10,000 where that many would take too long.
    seed : int
        The same seed gives the same random groups.
    weights, strata, shares
        The weights of requests, as for `compare`; they are divided within the groups.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        the groups. Without ``requests``, ``d`` has the attributes as columns; an evaluation has
        those that it was given, and all of these form the groups if ``by`` names none.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, run_a, run_b, group_a, group_b``, sorted by it, with
        group_a < group_b, and run_a < run_b unless run_b is the baseline. A group is called by the
        value of its attribute as text (``short``), by those of several attributes (``length =
        short, kind = image``), or, without a value, ``no length``.

        ``mean_difference_a`` and ``mean_difference_b`` are the mean differences of the runs
        (positive: run_a is better) over the ``n_a`` and ``n_b`` requests of the groups.
        ``interaction`` is the first minus the second, with the interval ``ci_low, ci_high`` (by
        Welch's t, of the single comparison); ``statistic`` is Welch's t. ``p_value`` is corrected
        to ``p_adjusted``, and ``reject`` says whether p_adjusted < alpha. ``reverses`` says whether
        the run that is better in one group is worse in the other.

    Raises
    ------
    LexiframeError
        For an unknown test, correction, family, attribute or baseline, an alpha outside 0..1,
        infinite values; without ``by``; for fewer than two groups, and when a request is in several
        groups; and when no two runs have requests in two groups.

    Notes
    -----
    Welch's test is `scipy.stats.ttest_ind` with ``equal_var=False``, on the differences. Equal
    differences within both groups have no t: p is 1 when the groups' means are equal and else 0.
    With one request in a group p is 1, and there is no interval.

    The permutation test draws whole requests, so its p-values hold for any distribution if the
    groups do not differ at all, while Welch's t finds differences between groups that have few
    requests and few values: with one relevant item at rank 1 or deep, ten equal runs and 3 + 3
    requests, RR "differs" between the groups for some pair in .29 of 400 simulations, after Holm's
    correction at .05 (permutation: .00; 5 + 15 requests: .10 and .05). As it compares t, its
    p-values hold for many requests also when only the variances differ; with few, one pair of runs
    whose differences vary more in the smaller group errs in .09 to .16 (5 + 15 requests; Welch .06
    and .03) (Janssen, "Studentized permutation tests for non-i.i.d. hypotheses and the
    generalized Behrens-Fisher problem", Statistics & Probability Letters 1997,
    doi:10.1016/S0167-7152(97)00043-6). p = (1 + count) / (1 + trials), two-sided.

    By weights, Welch's t has the errors and degrees of freedom of `compare` in each group. The
    permutation test deals requests out with their weights, and compares t with the linearised
    errors √(n/(n − 1) Σ w²(x − x̄)²)/W.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": [*"123456"], "run_a": "a", "run_b": "b", "measure": "AP",
    ...                   "preference": [0.5, 0.25, 0.75, -0.5, -0.25, -0.75]})
    >>> kinds = pl.DataFrame({"query_id": [*"123456"], "kind": ["long"] * 3 + ["short"] * 3})
    >>> c = lf.compare_groups(d, ["welch", "permutation"], requests=kinds, by="kind")
    >>> c.select("test", "interaction", pl.col("p_value").round(4), "reverses").rows()
    [('permutation', 1.0, 0.1, True), ('welch', 1.0, 0.008, True)]

    An evaluation by groups has them:

    >>> folder = lf.bundled("digits")
    >>> by_loop = {"requests": folder / "queries.parquet", "by": "loop"}
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.parquet", "AP", **by_loop)
    >>> lf.compare_groups(e).equals(lf.compare_groups(e.scores, **by_loop))
    True
    """
    tests, corrections = several(test), several(correction)
    for name in tests:
        check_choice(_CALLED, name, get_args(GroupTest), "test")
    options = Options("two-sided", alpha, _TRIALS if trials is None else trials, seed)
    check_corrected(_CALLED, tests, corrections, family, options)
    arrays.refuse_no_groups(_CALLED, d, requests)
    if any(of is not None for of in (weights, strata, shares)):
        d = arrays.weigh(d, requests, weights, strata, shares)
    groups = arrays.named_groups(_CALLED, d, requests, by)
    cube = cube_of(d, baseline)
    arrays.check_finite(_CALLED, cube.values)
    if trials is None:
        n_families = len(cube.measures) if family == "all" else 1
        enough = math.ceil(2 / alpha * n_families * len(cube.a) * math.comb(len(groups), 2))
        trials = max(_TRIALS, enough) if enough * len(cube.a) <= _MOST else _TRIALS
    compute = {
        "welch": partial(TwoGroups.welch, alpha=alpha),
        "permutation": partial(TwoGroups.permutation, alpha=alpha, trials=trials, seed=seed),
    }
    frames = [
        _test_rows(measure, pairs, two, {name: compute[name] for name in tests})
        for measure, pairs in progress(cube, len(cube.measures), _CALLED)
        for two in combinations(groups, 2)
    ]
    table = pl.concat([pl.DataFrame(schema=_UNCORRECTED), *frames])
    if not table.height:
        raise LexiframeError(
            f"{_CALLED}: expected preferences between runs, or scores of two runs for the same "
            "requests, in two groups, found none"
        )
    number = families_of(table, [], family)
    warn_of_small_groups(_CALLED, table, number, corrections, alpha)
    table = corrected(table, number, corrections, {"p_value": "p_adjusted"})
    return schemas.GROUP_COMPARISONS.arranged(
        table.with_columns(reject=pl.col("p_adjusted") < alpha)
    )


_CALLED = "compare_groups"
_TRIALS, _MOST = 10_000, 2 * 10**9
"""The least number of random pairs of groups, and the most values of t for a measure."""
_CORRECTED = ("correction", "p_adjusted", "reject")
_UNCORRECTED = {k: v for k, v in schemas.GROUP_COMPARISONS.columns.items() if k not in _CORRECTED}
_UNCORRECTED |= {"least_p": schemas.FLOAT}

Group = tuple[str, pl.Series]
Compute = Callable[["TwoGroups"], "Interaction"]


def _test_rows(
    measure: str, pairs: Pairs, two: tuple[Group, Group], tests: dict[str, Compute]
) -> pl.DataFrame:
    """Return a row for each test and each pair of runs that has requests in both groups."""
    (name_a, of_a), (name_b, of_b) = two
    frames = [pl.DataFrame(schema=_UNCORRECTED)]
    for pair, groups in pair_two_groups(pairs, of_a, of_b):
        frames += [
            rows_of_pairs(
                _UNCORRECTED, pairs, pair, measure=measure, test=test, group_a=name_a,
                group_b=name_b, n_a=groups.a.n, n_b=groups.b.n, mean_difference_a=groups.a.mean,
                mean_difference_b=groups.b.mean, reverses=groups.reverses,
                **compute(groups)._asdict(),
            )
            for test, compute in tests.items()
        ]  # fmt: skip
    return pl.concat(frames)


class Interaction(NamedTuple):
    """The results of a test for each pair of runs.

    ``least_p`` is the least p-value that the groups' sizes and the number of trials allow.
    """

    interaction: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    least_p: np.ndarray


_ROUNDING = 1e-9
"""Values of t that differ by this share of them, or less, are equal."""
_NO_VARIANCE = 1e-13
"""The share of the mean square that a variance may have by rounding alone."""
_PAIRS_AT_ONCE = 1000
"""The number of pairs of runs at once: their values of t stay in the processor's cache."""


@dataclass(frozen=True)
class TwoGroups:
    """The differences of the same pairs of runs in two groups of requests."""

    a: Differences
    b: Differences

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of requests in each group."""
        return self.a.n, self.b.n

    @property
    def interaction(self) -> np.ndarray:
        """The mean difference in the first group minus that in the second; 0 if they are equal."""
        difference = self.a.mean - self.b.mean
        return np.where(np.abs(difference) <= self.rough, 0.0, difference)

    @property
    def rough(self) -> np.ndarray:
        """The rounding error that each interaction may have."""
        return np.asarray(self.a.mean_rounding + self.b.mean_rounding)

    @property
    def reverses(self) -> np.ndarray:
        """Whether one run is better in the first group, and the other in the second."""
        signs = (
            np.where(np.abs(d.mean) > d.mean_rounding, np.sign(d.mean), 0) for d in (self.a, self.b)
        )
        return np.asarray(next(signs) * next(signs) < 0)

    def welch(self, alpha: float) -> Interaction:
        """Welch's t-test: t = interaction / √(v_a + v_b), v the squared standard errors.

        One request in a group shows no variance: p is then 1, and t and the interval are NaN. If
        all differences of each group are equal, t is infinite, the interval NaN, and p comes from
        all splits of the requests in two groups.
        """
        from scipy.special import binom

        each = self.a.moments, self.b.moments
        v_a, v_b = (np.where(x.has_spread, x.deviation**2 / x.n_effective, np.nan) for x in each)
        df_a, df_b = (np.maximum(x.df, 1) for x in each)
        error, spread = np.sqrt(v_a + v_b), v_a**2 / df_a + v_b**2 / df_b
        df = (v_a + v_b) ** 2 / np.where(spread > 0, spread, np.nan)
        t = _ratio(self.interaction, error)
        of_splits = min(2 / binom(sum(self.sizes), self.sizes[0]), 1.0)
        e = sums.Estimates(self.interaction, error, df)
        p_value = np.where(np.isinf(t), sums.above_zero(of_splits), e.apart())
        low, high = e.ends(alpha / 2)
        return Interaction(self.interaction, low, high, t, p_value, np.zeros(len(t)))

    def permutation(self, alpha: float, trials: int, seed: int) -> Interaction:
        """Permutation test of Welch's t: p = (1 + count) / (1 + trials), over requests."""
        by_welch = self.welch(alpha)
        if min(self.sizes) < 2:
            return by_welch
        n_a, n = self.a.n, sum(self.sizes)
        parts = self._divide()
        # The observed t is computed like the others, so that equal ones differ by little.
        first = (np.arange(n) < n_a).astype(np.float64)[None]
        least = [part.sizes_of_t(first) * (1 - _ROUNDING) for part in parts]
        counts = [np.ones(len(part.rough)) for part in parts]
        for split in arrays.splits(n_a, n, trials, seed):
            for part, count, observed in zip(parts, counts, least, strict=True):
                count += (part.sizes_of_t(split) >= observed).sum(axis=0)
        count, total = np.concatenate(counts), 1 + arrays.n_splits(n_a, n, trials)
        # Of all splits in halves, each has a twin with the halves swapped, and the same |t|.
        least_count = 2 if arrays.are_all(n_a, n, trials) and 2 * n_a == n else 1
        least_p = np.full(len(count), least_count / total)
        return by_welch._replace(p_value=count / total, least_p=least_p)

    @property
    def _weights(self) -> np.ndarray | None:
        """The weights of the requests of both groups, with the mean 1; None if all are equal."""
        a, b = self.a.weighing, self.b.weighing
        if a is None or b is None:
            return None
        whole = a.joined(b)
        return None if whole.are_equal else whole.factors

    def _divide(self) -> list[_Together]:
        """Return the differences in both groups, for some pairs at a time."""
        values = np.concatenate([self.a.values, self.b.values])
        values = values - values.mean(axis=0)  # else variances of parts lose digits
        weight = self._weights
        starts = range(0, values.shape[1], _PAIRS_AT_ONCE)
        some = [slice(start, start + _PAIRS_AT_ONCE) for start in starts]
        return [
            _Together(values[:, s].copy(), values[:, s] ** 2, self.rough[s], self.sizes, weight)
            for s in some
        ]


@dataclass(frozen=True)
class _Together:
    """The differences of pairs over the requests of two groups; their sum is 0 for each pair.

    ``weight`` are those of the requests, if they are not all equal.
    """

    values: np.ndarray
    squared: np.ndarray
    rough: np.ndarray
    sizes: tuple[int, int]
    weight: np.ndarray | None = None

    def sizes_of_t(self, split: np.ndarray) -> np.ndarray:
        """Return |t| by Welch between the two parts of each split: splits × pairs; 0 for 0/0."""
        if self.weight is not None:
            return self._sizes_by_weight(split, self.weight[:, None])
        (n_a, n_b), total = self.sizes, self.squared.sum(axis=0)
        sums, squares = split @ self.values, split @ self.squared
        variances = [
            (squares / n_a - (sums / n_a) ** 2) / (n_a - 1),
            ((total - squares) / n_b - (sums / n_b) ** 2) / (n_b - 1),
        ]
        none = _NO_VARIANCE * total / (n_a + n_b)
        error = np.sqrt(sum(np.where(v > none, v, 0.0) for v in variances))
        return self._sizes(sums / n_a + sums / n_b, error)

    def _sizes_by_weight(self, split: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return |t| of weighed means, with the linearised error √(n/(n − 1) Σ w²(x − x̄)²)/W."""
        difference, variance = np.zeros((2, len(split), self.values.shape[1]))
        none = _NO_VARIANCE * (w**2 * self.squared).sum(axis=0) / len(w)
        for n, sign, part in zip(self.sizes, (1, -1), (split, 1 - split), strict=True):
            total, of_squares = part @ w, part @ w**2
            mean = part @ (w * self.values) / total
            products, squares = (part @ (w**2 * x) for x in (self.values, self.squared))
            around = squares - 2 * mean * products + mean**2 * of_squares
            variance += np.where(around > n * none, around, 0.0) * (n / (n - 1)) / total**2
            difference += sign * mean
        return self._sizes(difference, np.sqrt(variance))

    def _sizes(self, difference: np.ndarray, error: np.ndarray) -> np.ndarray:
        difference = np.where(np.abs(difference) <= self.rough, 0.0, difference)
        t = np.abs(_ratio(difference, error))
        return np.asarray(np.where(np.isnan(t), 0.0, t))


def _ratio(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return t: infinite without variance, and NaN if there is no difference either."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(difference / error)


def pair_two_groups(
    pairs: Pairs, of_a: pl.Series, of_b: pl.Series
) -> Iterator[tuple[np.ndarray, TwoGroups]]:
    """Yield the pairs of runs that have the same requests, and their differences in two groups."""
    in_a, in_b = (pairs.queries.is_in(of.implode()).to_numpy() for of in (of_a, of_b))
    rows, rounding = np.flatnonzero(in_a | in_b), pairs.rounding
    for pair, known in alike(~np.isnan(pairs.values[rows])):
        requests = rows[known]
        of_each = [requests[is_in[requests]] for is_in in (in_a, in_b)]
        if all(map(len, of_each)):
            a, b = (differences_of(pairs, rounding, each, pair) for each in of_each)
            yield pair, TwoGroups(a, b)
