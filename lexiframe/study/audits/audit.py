"""How often tests err on one's own data: `audit`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    check_choice,
    memory_use,
    progress,
    resampling,
    sums,
    typed,
    warn,
)
from lexiframe.core.metrics import notation
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.arguments import checked_sizes, pairs_by_measure, some_pairs
from lexiframe.core.significance.bets import Bets, BoundsLike
from lexiframe.core.significance.betting_on_means import betting_at
from lexiframe.core.significance.clusters import (
    clusters_of,
    codes_of,
    group_attributes,
    sums_of,
    t_of_drawn,
)
from lexiframe.core.significance.corrections import (
    CORRECTIONS,
    MAX_T,
    PairedCorrection,
    correct,
    correct_each,
)
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.estimates import outcome_by_t
from lexiframe.core.significance.own_tests import (
    OwnTest,
    check_own_tests,
    name_of_test,
    own_result,
    several,
)
from lexiframe.core.significance.paired_tests import MEANS, Outcome, d_z_outcome
from lexiframe.core.significance.tests import AUTO, DRAWING, TESTS, Test, chosen
from lexiframe.study.audits.drawn_families import Families
from lexiframe.study.audits.drawn_trials import Trials, drawn_trials
from lexiframe.study.audits.schemas import AUDITS
from lexiframe.study.audits.tested_families import compare_families
from lexiframe.typing import RequestsLike

Null = Literal["centred", "exchanged"]
_ALL: Any = tuple(name for name, test in TESTS.items() if not test.needs_bounds)
"""The tests that need nothing to be known of a measure."""


@alone.each_collection
@typed
def audit(
    d: PairsLike,
    /,
    tests: Test | OwnTest | Sequence[Test | OwnTest] = _ALL,
    sizes: int | Sequence[int] = (25, 50, 100),
    *,
    runs: int | Sequence[int] = 2,
    correction: PairedCorrection = "auto",
    alpha: float = 0.05,
    null: Null = "centred",
    trials: int = 10_000,
    inner_trials: int = 1000,
    seed: int = 0,
    bounds: BoundsLike | None = None,
    cluster: str | None = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Measure how often tests reject what is true, and find what differs, on one's own data.

    A test at level alpha should reject a true hypothesis with probability alpha at most, and a
    whole evaluation, which tests all pairs of its runs and corrects for their number, should find
    any difference with this probability at most where there is none. Each trial draws runs (a pair,
    unless there are to be more), makes their means equal, draws requests of theirs with
    replacement, and tests them. The same requests are tested with the differences as they are.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    tests : str, function, or several
        Tests of `compare`, by name, or functions of your own from differences to p-values, as
        described there. ``auto``, the default of `compare`, flips the signs of all pairs together.
        A function is called once for up to 500 trials, with requests ×
        twice as many columns: the trials with equal means, and then the same requests as they are.
    sizes : int, or several
        The numbers of requests that a trial draws, each at least 2.
    runs : int, or several
        The numbers of runs that a trial draws, each at least 2: a trial tests all pairs of them.
    correction : {"auto", "max_t", "holm", "bonferroni", "bh", "none"}
        How the p-values of a trial are corrected for the number of its pairs, as for `compare`:
        ``auto`` is step-down max-t for the test ``auto``, and Holm's correction for others.
    alpha : float
        Significance level of the tests, after the correction.
    null : {"centred", "exchanged"}
        What is true in the trials that yield the error rate. ``centred``: the means are equal, as
        the mean difference of the pair is subtracted from each difference (with ``betting``, whose
        differences have to stay within their bounds, the hypothesis is that mean instead of 0).
        ``exchanged``: the runs are exchangeable, as each drawn request deals out the names of the
        trial's runs at random (it swaps the two runs of a pair, or not); medians and ranks are then
        balanced as well.
    trials : int
        The number of trials for each size.
    inner_trials : int
        The number of trials of the randomization and bootstrap tests within each trial.
    seed : int
        The same seed gives the same table. Tests share the trials, and so do measures that have as
        many runs, pairs and requests.
    bounds
        For ``betting``, as for `compare`.
    cluster : str, optional
        The attribute in ``requests`` that correlated requests share, as for `compare`. A trial then
        draws whole clusters, and ``sizes`` are numbers of clusters; ``t`` and
        ``bootstrap`` are those of clusters. Exchanged are the runs of whole clusters.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, null, n_runs, n_requests``, sorted by it; ``n_requests`` is
        the size: with ``cluster`` that of clusters, which the test names, as
        ``t(cluster='user')``; ``correction`` is none for single pairs. Rates are shares in 0..1.
        Behind each stand its standard error and its Clopper–Pearson interval of 95 %, in columns
        that end in ``_se``, ``_low`` and ``_high`` (``error_se``, ``error_low`` ...):

        ============== =============================================================================
        column         of what
        ============== =============================================================================
        alpha          the level
        error_rate     the share of the ``trials`` trials with any p < alpha, after the correction,
                       in which ``null`` is true
        power          the share of p < alpha with the differences as they are, among the trial's
                       pairs whose means differ, on average over the ``n_differ`` trials with such
        type_iii       the share of results in the wrong direction among a trial's significant ones
                       that ``power`` counts, on average over the ``n_significant`` trials with such
        n_pairs        the number of pairs of runs drawn from
        n              the number of requests drawn from
        ============== =============================================================================

        A result has the wrong direction if the test puts the run ahead that has the worse mean over
        all requests. The sign test puts the run ahead that wins more of the drawn requests,
        Wilcoxon's test that with the greater sum of ranks, any other test that with the better
        mean. ``power`` is null if all pairs drawn have equal means, and ``type_iii`` if nothing is
        significant. Where a trial has several pairs, the intervals of ``power`` and ``type_iii``
        are wider than need be, as shares of several pairs vary less than a yes or no.

    Raises
    ------
    LexiframeError
        For an unknown test or correction, an alpha outside 0..1, sizes and runs that are no whole
        numbers from 2; when trials or inner_trials is no positive integer, seed no integer from 0,
        or no pair of runs shares two requests; when inner_trials is so small that no p-value can be
        below alpha after the correction; and for functions and p-values that `compare` refuses.
        With ``cluster``, for another test than t and bootstrap, and for a request without a
        cluster. With more than two runs, when there are fewer, when two of them have no preference,
        or when fewer than two requests have all of them.

    Warns
    -----
    LexiframeWarning
        When pairs are left out because they share one request only; with more than two runs, when
        requests are left out because some run lacks them.

    Notes
    -----
    An interval says how sure a rate is if these requests and pairs are all there are. It does not
    say how another collection would come out: the same requests are drawn again and again, pairs
    have runs in common, and a request drawn twice makes a tie of two differences, which new
    requests would rarely make. Where runs tie, centred differences are not 0, and all have the same
    sign. A pair of runs that are the same in all requests is never significant (p = 1), and lowers
    the error rates; in an evaluation of several runs it makes the correction stricter than need be.

    Bootstrap and randomization draw anew for every 500 trials. The default, 1000 inner trials, is
    one tenth of that of `compare`. At alpha = 0.05 it allows p < alpha in 50 of 1001 cases; 999
    would allow 49 of 1000.

    Urbano, Lima & Hanjalic, "Statistical Significance Testing in Information Retrieval: An
    Empirical Analysis of Type I, Type II and Type III Errors", SIGIR 2019,
    doi:10.1145/3331184.3331259, draw from models that are fitted to runs, so that no request comes
    twice. Clopper & Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    Four wins by 1 and a loss by 4 have the mean 0. The t-test, which asks about means, keeps its
    level over 50 such requests, while the sign test, which asks about wins, rejects nearly
    always:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4", "q5"], "run_a": "a", "run_b": "b",
    ...                   "measure": "mine", "preference": [1.0, 1.0, 1.0, 1.0, -4.0]})
    >>> audits = lf.audit(d, ["t", "sign"], 50, trials=1000)
    >>> audits.select("test", pl.col("error_rate", "error_low", "error_high").round(3)).rows()
    [('sign', 0.996, 0.99, 0.999), ('t', 0.059, 0.045, 0.075)]

    How often does an evaluation of ten runs over twelve requests find a difference by lexiprecision
    where there is none? The t-test does so far too often, as differences of a run that wins nearly
    all requests have hardly any deviation; the default test does not:

    >>> folder = lf.bundled("digits")
    >>> d = lf.preferences(lf.positions(folder / "runs", folder / "qrels.parquet"), "LP")
    >>> audits = lf.audit(d, ["t", "auto"], 12, runs=10, null="exchanged", trials=500)
    >>> audits.select("test", "correction", pl.col("error_rate", "error_se").round(3)).rows()
    [('auto', 'max_t', 0.018, 0.006), ('t', 'holm', 0.242, 0.019)]
    """
    asked = several(tests)
    if cluster is not None:
        asked = list(dict.fromkeys("t" if test == AUTO else test for test in asked))
    several_of: dict[str, Any] = {"sizes": sizes, "runs": runs}
    numbers, families = (
        checked_sizes("audit", [given] if np.ndim(given) == 0 else given, name).tolist()
        for name, given in several_of.items()
    )
    _check_audit(asked, correction, alpha, null, trials, inner_trials, seed)
    arrays.refuse_weights("audit", d)
    clusters = clusters_of("audit", d, requests, cluster, asked)
    options = Options(
        "two-sided", alpha, inner_trials, seed, clusters=clusters, effect_intervals=False
    )
    said: dict[str, object] = {} if cluster is None else {"cluster": cluster}
    names = [notation.write(name_of_test(test), None, said, None) for test in asked]
    of_group = partial(
        _audited, tests=asked, names=names, numbers=numbers, families=families,
        correction=correction, null=null, trials=trials, options=options, bounds=bounds,
    )  # fmt: skip
    return grouping.group_tables(of_group, d, group_attributes(requests, by, cluster), by)


def _audited(
    d: Any, tests: list[Any], names: list[str], numbers: list[int], families: list[int],
    correction: str, null: str, trials: int, options: Options, bounds: BoundsLike | None,
) -> pl.DataFrame:  # fmt: skip
    rows = []
    settled = [_settled(test, correction, options) for test in tests]
    for measure, known in pairs_by_measure("audit", d):
        drawn_from = {n_runs: _drawn_from(measure, known, n_runs) for n_runs in families}
        _check_inner_trials(settled, max(families), options)
        for n_runs, size in product(families, numbers):
            pairs = drawn_from[n_runs]
            family = Families.number_pairs(pairs, n_runs)
            drawn: Iterable[Any]
            if options.clusters is None:
                drawn = drawn_trials(pairs, family, null, size, trials, options.seed)
            else:
                asked = (options.clusters, null, size, trials, options.seed)
                drawn = drawn_cluster_trials(pairs, family, *asked)
            how = options
            if "betting" in tests:
                bets = Bets.check("audit", d, bounds, "random", None)
                bets = bets.share_in_family(family.size, [settled[tests.index("betting")][1]])
                how = replace(options, bets=bets.bound_measure(measure, pairs, options.alpha))
            counts = sum(_sum_up_trials(pairs, of_block, settled, how) for of_block in drawn)
            same = {"measure": measure, "null": null, "n_requests": size, "alpha": options.alpha}
            same |= {"n_runs": n_runs, "n_pairs": len(pairs.a), "n": len(pairs.queries)}
            each = zip(names, settled, np.asarray(counts).tolist(), strict=True)
            for name, (_, used), of_test in each:
                of = {"test": name, "correction": used if n_runs > 2 else "none"}
                rows.append(same | of | dict(zip(_COUNTED, of_test, strict=True)))
    return AUDITS.arranged(_add_rates(pl.DataFrame(rows, infer_schema_length=None)))


_RATES = {
    "error_rate": ("error", "trials"),
    "power": ("power", "n_differ"),
    "type_iii": ("type_iii", "n_significant"),
}
"""The rates, how the names of their errors and intervals begin, and over how many trials they are
means."""
_COUNTED = [
    name
    for rate, (_, whole) in _RATES.items()
    for name in (whole, rate, f"{rate}_squared")
]  # fmt: skip
"""What is summed up over trials: their number, their shares, and the squares of these."""


def _check_audit(
    tests: list[Any],
    correction: str,
    alpha: float,
    null: str,
    trials: int,
    inner_trials: int,
    seed: int,
) -> None:
    """Raise for arguments that `audit` does not accept."""
    if not tests:
        raise LexiframeError("audit: expected a test, found none")
    check_own_tests(tests, "two-sided")
    for test in tests:
        if isinstance(test, str):
            check_choice("audit", test, (AUTO, *TESTS), "test")
    check_choice("audit", correction, (AUTO, MAX_T, *CORRECTIONS), "correction")
    resampling.check_share("audit", "alpha", alpha)
    check_choice("audit", null, get_args(Null), "null")
    resampling.check_draws("audit", "trials", trials, seed)
    resampling.check_draws("audit", "inner_trials", inner_trials, seed)


def _settled(test: Any, correction: str, options: Options) -> tuple[Any, str]:
    """Return a test and its correction, with the defaults replaced."""
    by_t = options.clusters is not None
    (test,), (correction,) = chosen.settled("audit", [test], [correction], by_t=by_t)
    return test, correction


def _check_inner_trials(settled: list[tuple[Any, str]], n_runs: int, options: Options) -> None:
    """Raise when there are too few inner trials for any p-value to be below alpha."""
    n_pairs, least = n_runs * (n_runs - 1) // 2, 1 / (1 + options.trials)
    for test, correction in settled:
        if test not in DRAWING:
            continue
        known = "none" if correction == MAX_T else correction
        adjusted = correct(np.full(n_pairs, least), known).min()
        if adjusted >= options.alpha:
            of_family = f" after the correction for {n_pairs:,} pairs" if n_pairs > 1 else ""
            raise LexiframeError(
                f"audit: no p-value of {options.trials} inner trials can be below "
                f"{options.alpha:g}{of_family}; "
                f"take inner_trials={round(adjusted / least / options.alpha)} or more"
            )


def _drawn_from(measure: str, pairs: Pairs, n_runs: int) -> Pairs:
    """Return the pairs and requests for families of ``n_runs``.

    Pairs with one request, whose differences have no spread, are left out; and where a family has
    several pairs, requests that some of them lack.
    """
    if n_runs > 2:
        return _complete_pairs(measure, pairs, n_runs)
    enough = pairs.n > 1
    if not enough.any():
        raise LexiframeError(
            f"audit: expected two runs that share two requests or more, found none for {measure}"
        )
    if enough.all():
        return pairs
    warn(
        f"audit: {(~enough).sum():,} of {len(enough):,} pairs of runs share one request only for "
        f"{measure}; they are left out"
    )
    return some_pairs(pairs, enough).drop_unknown()


def _complete_pairs(measure: str, pairs: Pairs, n_runs: int) -> Pairs:
    """Return the pairs of all runs, over the requests that each of them has."""
    there = len(pairs.runs)
    if n_runs > there:
        raise LexiframeError(
            f"audit: expected runs to be from 2 to {there}, as so many have {measure}, found "
            f"{n_runs}"
        )
    if len(pairs.a) < there * (there - 1) // 2:
        raise LexiframeError(
            f"audit: expected a preference between any two of the {there} runs for {measure}, "
            f"found those of {len(pairs.a):,} pairs; leave the other runs out, or take runs=2"
        )
    known = ~np.isnan(pairs.values).any(axis=1)
    if known.sum() < 2:
        raise LexiframeError(
            f"audit: expected two requests or more that all {there} runs have for {measure}, found "
            f"{known.sum()}; leave out runs that lack requests, or take runs=2"
        )
    if known.all():
        return pairs
    warn(
        f"audit: {(~known).sum():,} of {len(known):,} requests are not those of all {there} runs "
        f"for {measure}; they are left out, so that each evaluation has whole requests"
    )
    return pairs.some(np.flatnonzero(known), np.arange(there))


def _sum_up_trials(
    pairs: Pairs,
    trials: Trials | ClusterTrials,
    tests: list[tuple[Any, str]],
    options: Options,
) -> np.ndarray:
    """Sum up the trials of a block for each test and its correction: tests × `_COUNTED`."""
    differ = trials.better != 0
    rows = []
    for test, correction in tests:
        p_adjusted, ahead = _p_and_leaders(test, pairs, trials, correction, options)
        is_error, is_found = p_adjusted < options.alpha
        is_found &= differ
        shares = (
            is_error.any(axis=1).astype(float),
            _trial_shares(is_found, differ),
            _trial_shares(is_found & (ahead == -trials.better), is_found),
        )
        rows.append([part for of in shares for part in (len(of), of.sum(), (of**2).sum())])
    return np.array(rows)


def _trial_shares(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return the share of each trial's pairs, over trials in which any pair counts."""
    n = whole.sum(axis=1)
    return np.asarray(part.sum(axis=1)[n > 0] / n[n > 0])


def _p_and_leaders(
    test: Any,
    pairs: Pairs,
    trials: Trials | ClusterTrials,
    correction: str,
    options: Options,
) -> tuple[np.ndarray, np.ndarray]:
    """Return p after the correction, 2 × trials × pairs, and the leading run of uncentred pairs."""
    shape = 2, *trials.pair.shape
    outcome, p = _tested(test, pairs, trials, correction, replace(options, seed=trials.seed))
    return p.reshape(shape), _ahead(test, trials.drawn, outcome).reshape(shape)[1]


def _tested(
    test: Any, pairs: Pairs, trials: Trials | ClusterTrials, correction: str, options: Options
) -> tuple[Outcome, np.ndarray]:
    """Test all trials as `compare` tests pairs; return the outcome and p after the correction."""
    size = trials.pair.shape[1]
    if isinstance(test, str) and test != "betting" and isinstance(trials, Trials):
        return compare_families(test, trials.drawn, size, correction, options)
    outcome = _outcome(test, pairs, trials, options)
    return outcome, correct_each(outcome.p_value.reshape(-1, size), correction)


def _outcome(test: Any, pairs: Pairs, trials: Trials | ClusterTrials, options: Options) -> Outcome:
    """Test all trials by clusters, by betting or by a function of one's own."""
    if isinstance(trials, ClusterTrials):
        return trials.tested(test, options)
    drawn = trials.drawn
    if test == "betting" and trials.means is not None:
        kept = replace(drawn, values=np.tile(trials.kept.values, 2))
        return betting_at(kept, np.concatenate([trials.means, 0 * trials.means]), options)
    if test == "betting":
        return TESTS[test].compute(drawn, options)
    both = some_pairs(pairs, np.tile(trials.pair.ravel(), 2))
    both = replace(both, values=drawn.values, scores=None)
    return d_z_outcome(drawn, options, *own_result(test, both, np.arange(len(both.a))))


def _ahead(test: Any, d: Differences | sums.Estimates, outcome: Outcome) -> np.ndarray:
    """Return the sign of the quantity that the test compares: positive if run a is ahead."""
    compared = TESTS[test].compares if test in TESTS else MEANS
    found = d.mean if compared is MEANS else getattr(outcome, compared.column)
    return np.asarray(np.sign(found - compared.neither))


def _add_rates(totals: pl.DataFrame) -> pl.DataFrame:
    """Turn the sums of shares into means, with their standard errors and intervals."""
    for rate, (stem, whole) in _RATES.items():
        low, high = _clopper_pearson(totals[rate].to_numpy(), totals[whole].to_numpy())
        mean, squares = (pl.col(name) / pl.col(whole) for name in (rate, f"{rate}_squared"))
        error = ((squares - mean**2).clip(0) / pl.col(whole)).sqrt()
        totals = totals.with_columns(
            mean.alias(rate),
            error.alias(f"{stem}_se"),
            low.alias(f"{stem}_low"),
            high.alias(f"{stem}_high"),
        )
        names = [rate, *(f"{stem}_{end}" for end in ("se", "low", "high"))]
        totals = totals.with_columns(pl.when(pl.col(whole) > 0).then(pl.col(names)))
    return totals.with_columns(pl.col([whole for _, whole in _RATES.values()]).cast(pl.Int64))


def _clopper_pearson(part: np.ndarray, whole: np.ndarray) -> tuple[pl.Series, pl.Series]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(part, np.maximum(whole, 1), alpha=0.05, method="beta")
    return pl.Series(low), pl.Series(high)


_BYTES = 100
_ROUNDING = 1e-9
"""What t of a sample may differ from t by, relative to 1 + |t|, and count as equal."""


@dataclass(frozen=True)
class ClusterTrials:
    """Some trials, each with the pairs of some runs and a sample of their clusters.

    ``size`` and ``total`` are how many requests each drawn cluster has, and the sum of their
    differences: clusters × (2 · trials · pairs), first all where no run is better, then all as they
    are. ``pair``,
    ``better`` and ``seed`` are those of `Trials`.
    """

    pair: np.ndarray
    better: np.ndarray
    size: np.ndarray
    total: np.ndarray
    rounding: np.ndarray
    seed: int

    @property
    def drawn(self) -> sums.Estimates:
        """The mean of each trial and its error by clusters."""
        return sums.Estimates.of_ratios(self.size, self.total, self.rounding)

    def tested(self, test: str, options: Options) -> Outcome:
        """Test all trials by Student's t of clusters, or by a bootstrap of clusters."""
        e = self.drawn
        found = outcome_by_t(e, np.full(len(e.mean), np.nan), options)
        if test == "t":
            return found
        rest = self.total - e.mean * self.size
        near = _ROUNDING * (1 + np.abs(np.nan_to_num(found.statistic)))
        count = np.zeros(len(found.statistic), np.int64)
        for drawn in resampling.drawn_blocks(len(rest), options.trials, options.seed):
            t = t_of_drawn(drawn, self.size, rest, self.rounding)
            count += options.extreme(t, found.statistic, near).sum(axis=0)
        p = (1 + count) / (1 + options.trials)
        return found._replace(p_value=np.where(np.isnan(found.statistic), 1.0, p))


def drawn_cluster_trials(
    pairs: Pairs,
    families: Families,
    clusters: pl.DataFrame,
    null: str,
    size: int,
    trials: int,
    seed: int,
) -> Iterator[ClusterTrials]:
    """Draw ``size`` clusters with replacement from the pairs of a random family, ``trials`` times.

    For exchangeable runs, their names are dealt out anew for each whole cluster.
    """
    code = codes_of(pairs.queries, clusters)
    sizes = sums_of((~np.isnan(pairs.values)).astype(float), code)
    totals = sums_of(np.nan_to_num(pairs.values), code)
    mean, rounding = pairs.differences.mean, pairs.mean_rounding
    better = np.where(np.abs(mean) <= rounding, 0, np.sign(mean))
    # The clusters of each pair, and then those that it has no request of.
    places, n = np.argsort(sizes == 0, axis=0, kind="stable"), (sizes > 0).sum(axis=0)
    at_once = families.trials_at_once(size)
    memory_use.refuse_more_than_available(
        at_once * size * families.size * _BYTES,
        f"trials of {size:,} clusters",
        "take fewer clusters (sizes)",
    )
    starts = range(0, trials, at_once)
    for number, start in enumerate(progress(starts, len(starts), f"audit, {size} clusters")):
        rng = families.rng(seed, size, number)
        inner, these = int(rng.integers(2**32)), min(at_once, trials - start)
        family = families.drawn(rng, these)
        first = family.pair[:, 0]  # all pairs of a family have the same clusters
        cluster = places[rng.integers(0, n[first], (size, these)), first]
        drawn = family.cells(cluster)
        of_size, kept = drawn.look_up(sizes), drawn.look_up(totals)
        if null == "centred":
            equal = kept - mean[family.pair].ravel() * of_size
        else:
            equal = family.exchanged(rng, cluster).differences(totals)
        both = np.concatenate([equal, kept], axis=1)
        rough = np.tile(np.broadcast_to(rounding, mean.shape)[family.pair].ravel(), 2)
        yield ClusterTrials(
            family.pair, better[family.pair], np.tile(of_size, 2), both, rough, inner
        )
