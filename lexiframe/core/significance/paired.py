"""Paired tests between runs over requests: `compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, check_choice, progress, schemas, sums, typed
from lexiframe.core.base.feature import Replication
from lexiframe.core.io import doubts
from lexiframe.core.metrics import notation
from lexiframe.core.pairwise import By, PairCube, Pairs, arrays, facts, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.bets import Bets, BoundsLike, Order, group_by_level
from lexiframe.core.significance.clusters import clustered, clusters_of, group_attributes
from lexiframe.core.significance.corrections import (
    MAX_T,
    Family,
    PairedCorrection,
    check_corrected,
    corrected,
    families_of,
)
from lexiframe.core.significance.differences import (
    Alternative,
    Options,
    compared,
    cube_of,
    measure_tables,
    n_comparisons,
    rows_of_pairs,
)
from lexiframe.core.significance.intervals import (
    Interval,
    interval_by_t,
    interval_of_kind,
    t_interval,
)
from lexiframe.core.significance.joint_flips import Family as JointFamily
from lexiframe.core.significance.joint_flips import Flip, Joint, flipped, flipped_together
from lexiframe.core.significance.own_tests import (
    OwnTest,
    check_own_tests,
    name_of_test,
    own_result,
    several,
)
from lexiframe.core.significance.paired_tests import Outcome, d_z_outcome
from lexiframe.core.significance.replicates.designs import Replicates, Seeds, average_replicates
from lexiframe.core.significance.tests import AUTO, OF_SUMS, TESTS, Test, chosen
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike


@alone.each_collection
@typed
def compare(
    d: arrays.PairsOrReplicates,
    /,
    test: Test | OwnTest | Sequence[Test | OwnTest] = "auto",
    correction: PairedCorrection | Sequence[PairedCorrection] = "auto",
    *,
    family: Family = "measure",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    baseline: str | None = None,
    intervals: Literal["auto", "t", "bca"] = "auto",
    sign_ties: Literal["drop", "split"] = "drop",
    trials: int = 10_000,
    seed: int = 0,
    bounds: BoundsLike | None = None,
    order: Order = "random",
    n_planned: int | None = None,
    cluster: str | None = None,
    replicates: Replicates | None = None,
    seeds: Seeds = "unrelated",
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Test, for every pair of runs, whether they differ over the requests.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    test : {"auto", "t", "sign", "wilcoxon", "randomization", "bootstrap", "betting"}, or function
        One test, or several (but ``auto`` alone). ``auto`` is ``randomization``, with another
        correction than ``max_t`` it is ``t`` (see the notes). ``t`` is Student's paired t-test;
        ``sign`` the test of wins against losses, which the papers use for preferences that are
        signs; ``wilcoxon`` the signed-rank test; ``randomization`` flips the signs of the
        differences; ``bootstrap`` draws requests and compares t; ``betting`` takes one request
        after the other, and keeps its level for any number of requests and any distribution of a
        measure that has bounds.
        A function of your own is called once for each measure (and group) with the differences:
        requests × pairs, NaN where a pair lacks a request. It returns the p-values of the pairs; or
        their statistics and p-values; or a result of SciPy that has both. Its ``__name__`` is the
        name of the test.
    correction : {"auto", "max_t", "holm", "bonferroni", "bh", "none"}, or several
        How p-values are corrected for the number of comparisons. ``auto`` is ``max_t`` with the
        test ``auto`` and ``holm`` with one that is named. Holm's and Bonferroni's corrections and
        ``max_t``, for ``randomization`` alone, bound the probability of any false rejection, and
        ``max_t`` finds most; ``bh`` (Benjamini and Hochberg) bounds the share of false rejections.
    family : {"measure", "all"}
        The comparisons to correct over: the pairs of one measure (in one group of requests), or
        those of all measures (and groups). Each test has its own family.
    alpha : float
        Significance level of the tests; the confidence intervals have level 1 − alpha.
    alternative : {"two-sided", "greater", "less"}
        ``greater`` asks whether run_a is better than run_b, ``less`` whether it is worse. The names
        of two runs decide which of them is run_a, so one-sided tests make sense for a single pair,
        or with a baseline: then they ask whether the other run is better (worse).
    baseline : str, optional
        Compare the other runs with this run only, which is ``run_b`` of every pair: a positive
        difference says that the other run is better. The family is then smaller.
    intervals : {"auto", "t", "bca"}
        How the interval of the mean difference is computed: by what the measure can give (see the
        notes), from the t distribution, or by the bias-corrected and accelerated bootstrap.
    sign_ties : {"drop", "split"}
        Whether the sign test leaves out ties, or gives half of them to each run (of an odd number
        one is left out).
    trials : int
        Number of trials of the randomization and bootstrap tests and of ``intervals="bca"``. With
        the test ``auto`` 10,000 become fewer, at least 1,000, for families of so many pairs that
        pairs × requests × trials would exceed 5·10¹⁰.
    seed : int
        Seed of these trials; the same seed gives the same table.
    bounds : mapping of str to pair of float, optional
        For ``betting`` and its intervals, the least and the greatest value of measures of your own.
        An evaluation knows those that its measures have.
    order : {"random", "given"}
        For ``betting``, whether the requests are drawn in an order of their own, by the seed, or
        come as the table gives them, so that one may look at the result after each of them.
    n_planned : int, optional
        With ``order="given"``, how many requests there will be in the end.
    cluster : str, optional
        The attribute in ``requests`` (or column of the table) that correlated requests share: the
        session, the user, the topic of variants. ``t`` then has a standard error by clusters and as
        many degrees of freedom as there are clusters, less one, and ``bootstrap`` draws clusters.
    replicates : {"run", "request", "cell", "both"}, optional
        For a table of scores with the column ``replicate``, what its replicates are, as for
        `lexiframe.significance.variance_components`. ``run`` and ``both``: the comparison is about
        algorithms, which would be trained anew, not about trained models; ``t`` alone is offered.
        ``request`` and ``cell``: the means over replicates are compared.
    seeds : {"unrelated", "paired"}
        With ``replicates="run"``, whether replicates of one name share a seed.
    weights : dict or str, optional
        A weight from 0 for each request, or the column of ``requests`` with them, such as traffic;
        only ratios count. Requests that were drawn by traffic, as lines of a log, take none.
    strata, shares
        In place of weights, the column of ``requests`` with strata, and ``{stratum: its part}``.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The tests are done within each group, whose attributes are the first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, run_a, run_b``, sorted by it, with run_a < run_b unless
        run_b is the baseline. ``test`` and ``correction`` name what was done, never ``auto``, and
        ``test`` shows options that are not the default: ``t(alternative='greater')``. ``n`` is the
        number of requests. ``mean_difference`` (positive: run_a is better) has the interval
        ``ci_low, ci_high``, and ``effect_size`` has ``effect_low, effect_high``; intervals are
        those of the single comparison, not corrected for the family. ``p_value`` is corrected to
        ``p_adjusted``, and ``reject`` says whether p_adjusted < alpha. Two runs whose scores share
        no request are not comparable: n is 0, all other numbers and reject are null, and no family
        counts them. With ``betting`` the column ``level`` has the level for which the test was
        made, and with weights ``n_effective`` is n* of the notes.
        ``least_p`` is the least p-value that the test could have given: had one run won every
        request that is not a tie, by differences of the same sizes (of ``t`` a bound of it). It is
        null where that is not known: of functions, clusters and replicates of runs. With ``max_t``
        ``least_p_adjusted`` is the same after the correction.
        The effect size and ``statistic`` are:

        ========================== ===================================== =========================
        test                       effect size                           statistic
        ========================== ===================================== =========================
        t, bootstrap               d_z = mean / sd of the differences    t, n − 1 degrees
        randomization              d_z                                   mean difference
        sign                       win odds, (wins + ties/2) /           wins
                                   (losses + ties/2)
        wilcoxon                   rank-biserial correlation, −1..1      SciPy's
        betting                    d_z                                   1/p
        a function                 d_z                                   the function's, or null
        ========================== ===================================== =========================

        With ``cluster`` the statistic is t = mean / error by clusters, and d_z has no interval.

    Raises
    ------
    LexiframeError
        For an unknown test, correction, family, attribute or baseline, an alpha outside 0..1,
        infinite values, or when no two runs share a request; for requests without a cluster, and
        clusters with a test that does not know them; for replicates without a design, with another
        test than ``t`` for the designs "run" and "both", with gaps, or of which a run has one
        alone. With ``betting`` for a measure without known bounds, values outside of them, and more
        requests than planned. For requests without a weight, weights below 0, strata of one
        request, and weights with other tests than t, randomization and bootstrap. For a function
        without a name or with that of another test, with an alternative, and for p-values outside
        0..1, or not one for each pair.

    Notes
    -----
    By default all measures have one test: joint sign flips with step-down max-t, whose hypothesis
    is that two runs could be exchanged in each request. If so, an evaluation finds any difference
    by a measure (in a group) with a probability of alpha at most, up to .06 as measured, for every
    measure and number of requests; by six measures together .13 to .17. The price: runs with equal
    means whose differences have another shape (one scores half of the requests high and half low,
    the other all alike) are told apart by .20, .12 and .08 at 10, 25 and 50 requests, where
    t has .18, .09 and .06; ``test="bootstrap"`` asks about means alone. Five requests decide
    nothing: 2^(1 − 5) is above .05. Where more than 1,000 requests, clusters or replicates are
    compared, or 1,000 flips of all pairs would take minutes, t with Holm's correction takes
    their place, as the columns say. `audit` counts how often a whole evaluation errs.

    An interval is that of a single mean, and holds its level in any order and under any names of
    the requests; the test is one of all pairs. So an interval may lack 0 without a rejection, or
    have it with one. Where a measure gives −1, 0 and 1 alone (LR, LP, Success) it is that of Bonett
    & Price (JEBS 2012, doi:10.3102/1076998611411915): with p = (wins + 1)/(n + 2) and
    q = (losses + 1)/(n + 2), p − q ± z·√((p + q − (p − q)²)/(n + 2)). Of other measures with bounds
    it is Student's of the differences, and of the least and the greatest one that the measure
    allows: of the differences alone it holds too few means where most are alike and few far away,
    as those of RR and AP of hard requests. Without bounds, or where
    scores are beyond them (in percent, say), it is Student's, and none where all differences are
    equal.

    Equal differences have no t: p is 2^(1 − n), which is what sign flips allow, and 1 when all are
    0; d_z and t are null or infinite. Everywhere two numbers count as equal when they differ by no
    more than rounding: by 1e-12, or 1e-12 of the scores where these exceed 1 (of the preferences,
    where the scores are not known). With one request p is 1 (one-sided tests that need no standard
    deviation: at least 0.5), and there are no intervals. A one-sided interval has one end; the
    other is infinite, or the least or greatest value that the effect size can have.

    t is that of `scipy.stats.ttest_rel`, the sign test is `scipy.stats.binomtest`, and Wilcoxon's
    test is `scipy.stats.wilcoxon` of the differences, after sizes that differ by rounding alone are
    made equal, so that they tie. Randomization and bootstrap: p = (1 + count) / (1 + trials). When
    there are at most ``trials`` ways to choose signs, the randomization test takes all of them, and
    p is exact. The bootstrap draws from the centred differences and compares t, as in Sakai, SIGIR
    2006, doi:10.1145/1148170.1148261. Smucker, Allan & Carterette, CIKM 2007,
    doi:10.1145/1321440.1321528, compare these tests. The intervals of d_z come from the noncentral
    t distribution.

    ``max_t`` flips the signs of all pairs of a family together:
    in a request all differences get the same sign. T = |Σ d| / √Σ d² of each pair (0 where all d
    are 0; a pair that lacks a request has d = 0 there). Pairs fall by T; p_adjusted of each is the
    share of the choices of signs by which the greatest T of it and of the pairs behind it reaches
    its own, and at least that of the pair before it (step-down max-t: Westfall & Young, 1993;
    Romano & Wolf, JASA 2005, doi:10.1198/016214504000000539). All 2^(n − 1) choices are taken if
    they are at most ``trials`` (2^n one-sided), else ``trials`` are drawn, from the seed and the
    ids of the requests.

    ``betting`` is a sequential test: it starts with an imaginary capital of 1 and bets on each
    difference what the ones before it suggest; if the mean is 0, the capital reaches 1/p with a
    probability of p at most (Ville's inequality), whatever the distribution (Waudby-Smith & Ramdas,
    JRSS B 2024, doi:10.1093/jrsssb/qkad009; Voráček & Orabona, NeurIPS 2025, arXiv:2505.22422). Its
    interval has the means that this test does not reject. It is made for one level, ℓ = alpha,
    divided by the number of comparisons with Holm's and Bonferroni's corrections: p is valid at
    every level, and sharp at this one. A seed, a test or a number of requests that is chosen by its
    result voids this.

    Requests of one cluster are no independent evidence: with clusters, the squared error of the
    mean is G / (G − 1) · Σ_g (Σ_{q in g} (x_q − mean))² / n² (Liang & Zeger, Biometrika 1986,
    doi:10.1093/biomet/73.1.13), with G clusters g.

    With ``replicates="run"`` and seeds unrelated, the squared error of the mean difference is
    s²_q(d̄)/n_q + Σ over both runs of s²_k(x̄)/n_k − MS_e/(n_q n_k), with paired seeds (or "both")
    (MS_q + MS_k − MS_e)/(n_q n_k); the degrees of freedom are Satterthwaite's (Biometrics Bulletin
    1946, doi:10.2307/3002019). A test over requests of the means over seeds takes the seeds for
    fixed, and errs the more, the more a run varies by its seed.

    With weights w, W = Σw, the mean is x̄ = Σwx/W, its error squared
    (n − 1)/n · Σ (w(x − x̄)/(W − w))² (of the jackknife, HC3: MacKinnon & White, J. of Econometrics
    1985, doi:10.1016/0304-4076(85)90158-7); t has n* − 1 degrees, n* = W²/Σw², and flips compare
    |Σwd|/√Σw²d². Below n* = 2 there is no t. With strata of the shares P they are ΣPx̄ and ΣP²s²/n,
    the degrees Welch's and Satterthwaite's. Of 10 to 100 requests t covered .94 to .99, and flips
    erred in .04 to .06; survey packages' error with n − 1 degrees covered as few as .14, with
    n* − 1 .82, and statsmodels' DescrStatsW, whose weights are counts, 0 to .12.

    Too few trials or requests make rejection impossible. With randomization and bootstrap, Holm's
    and Bonferroni's corrections over m comparisons need ``trials`` above m / alpha − 1. With n
    requests and no ties, p is at least 2^(1 − n) (one-sided 2^−n) by the sign and Wilcoxon tests
    and by all choices of signs. A warning says how many are needed.

    t and bootstrap ask whether the mean difference is 0, the sign test whether wins are as frequent
    as losses, Wilcoxon's test whether the differences are symmetric around 0 (by ranks), and
    randomization whether the runs could be exchanged in each request. Where differences are skewed,
    the sign and Wilcoxon tests reject equal means more often than alpha; `audit` counts it.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, 0.25, 0.75, 0.5]})
    >>> lf.compare(d).select("test", "n", "mean_difference", "p_value", "reject").rows()
    [('randomization', 4, 0.5, 0.125, False)]
    >>> lf.compare(d, ["t", "sign"]).select("test", pl.col("p_value").round(4)).rows()
    [('sign', 0.125), ('t', 0.0163)]
    >>> c = lf.compare(d, "t", weights={"q1": 4, "q2": 2, "q3": 1, "q4": 1})
    >>> c.select(pl.col("n_effective", "mean_difference", "p_value").round(4)).row(0)
    (2.9091, 0.4688, 0.029)
    >>> from scipy import stats
    >>> def with_pratts_zeros(d):
    ...     return stats.wilcoxon(d, zero_method="pratt", nan_policy="omit")
    >>> lf.compare(d, with_pratts_zeros).select("test", "statistic", "p_value").rows()
    [('with_pratts_zeros', 0.0, 0.125)]
    """
    check_inference(several(test), several(correction), family, alpha, alternative, trials, seed)
    by_t = cluster is not None or replicates is not None
    tests, corrections = chosen.settled("compare", several(test), several(correction), by_t=by_t)
    parts: list[Any] = group_by_level(corrections) if "betting" in tests else [corrections]
    if MAX_T in corrections and len(corrections) > 1:
        parts = [[MAX_T], [c for c in corrections if c != MAX_T]]
    if len(parts) > 1:  # each has bets, or p-values, of its own
        again = partial(
            compare, d, test, family=family, alpha=alpha, alternative=alternative, seed=seed,
            baseline=baseline, intervals=intervals, sign_ties=sign_ties, trials=trials,
            bounds=bounds, order=order, n_planned=n_planned, cluster=cluster,
            replicates=replicates, seeds=seeds, weights=weights, strata=strata, shares=shares,
            requests=requests, by=by,
        )  # fmt: skip
        found = pl.concat([again(correction=part) for part in parts], how="diagonal")
        return schemas.COMPARISONS.arranged(found, found.columns[: found.columns.index("measure")])
    check_choice("compare", intervals, (AUTO, *INTERVALS), "intervals")
    check_choice("compare", sign_ties, ("drop", "split"), "sign_ties")
    check_choice("compare", seeds, get_args(Seeds), "seeds")
    given = (weights, strata, shares)
    d = average_replicates("compare", d, replicates, tests)
    if arrays.has_weights(d, given):
        from lexiframe.core.significance.weighed_tests import weigh_tested

        d = weigh_tested(
            "compare", d, tests, given, requests, cluster=cluster, replicates=replicates
        )
    facts.warn_of_hints(d)
    doubts.warn_of_zeros(d)
    clusters = clusters_of("compare", d, requests, cluster, tests)
    requests = group_attributes(requests, by, cluster, *given)
    options = Options(alternative, alpha, trials, seed, sign_ties, clusters=clusters)
    is_shared = family == "all" and "betting" in tests
    if "betting" in tests or bounds is not None:
        bets = Bets.check("compare", d, bounds, order, n_planned)
        total = n_comparisons(d, baseline, requests, by) if is_shared else None
        options = replace(options, bets=bets.share_in_family(total, corrections))
    test_group = partial(
        _group_rows, tests=tests, options=options, baseline=baseline, intervals=intervals
    )
    if corrections == [MAX_T]:
        joint: Flip = partial(flipped, options=options, is_default=AUTO in several(test))
        if family == "all":
            families = list[JointFamily | None]()
            measure_tables(partial(_add_families, families, baseline), d, requests, by)
            joint = flipped_together(families, joint)
        test_group = partial(test_group, joint=joint)
    if replicates in ("run", "both"):
        algorithm_rows = features.needed(Replication, "compare").algorithm_rows
        test_group = partial(
            algorithm_rows, seeds=seeds, replicates=replicates, options=options,
            baseline=baseline, columns=_UNCORRECTED,
        )  # fmt: skip
        table = grouping.group_tables(test_group, d, requests, by)
    else:
        table = measure_tables(test_group, d, requests, by)
    groups = table.columns[: table.width - len(_UNCORRECTED)]
    if not (table["n"] > 0).any():
        raise LexiframeError(
            "compare: expected preferences between runs, or scores of two runs for the same "
            "requests, found none"
        )
    if AUTO not in several(test) or not isinstance(d, PairCube | arrays.Reduced):
        from lexiframe.core.significance.too_few_requests import warn_of_few_requests

        number = families_of(table, groups, family)  # the verdict of an evaluation says it
        warn_of_few_requests("compare", table, number, corrections, options)
    # A test that cannot say how small its p may be gives 0.
    table = table.with_columns(least_p=pl.when(pl.col("least_p") > 0).then("least_p"))
    by_p, found = table, table.clear()
    if corrections == [MAX_T]:  # where t takes the place of sign flips, its p is corrected
        is_joint = pl.col("test").str.starts_with(tests[0])
        by_p, found, corrections = table.filter(~is_joint), table.filter(is_joint), ["holm"]
    by_p = corrected(
        by_p, families_of(by_p, groups, family), corrections, {"p_value": "p_adjusted"}
    )
    table = pl.concat([found.with_columns(correction=pl.lit(MAX_T)).select(by_p.columns), by_p])
    table = table if found.height else table.drop("least_p_adjusted")
    table = table if "betting" in tests else table.drop("level")
    if not table["n_effective"].count():
        table = table.drop("n_effective")
    return schemas.COMPARISONS.arranged(
        table.with_columns(reject=pl.col("p_adjusted") < alpha), groups
    )


def check_inference(
    test: str | OwnTest | Sequence[str | OwnTest],
    correction: str | Sequence[str],
    family: str,
    alpha: float,
    alternative: Alternative,
    trials: int,
    seed: int,
) -> None:
    """Raise for arguments that `compare` does not accept."""
    tests, corrections = several(test), several(correction)
    check_own_tests(tests, alternative)
    for name in tests:
        if isinstance(name, str):
            check_choice("compare", name, (AUTO, *TESTS), "test")
    options = Options(alternative, alpha, trials, seed)
    check_corrected("compare", tests, corrections, family, options, (AUTO, MAX_T))
    chosen.settled("compare", tests, corrections)


_UNCORRECTED = {
    k: v for k, v in schemas.COMPARISONS.columns.items() if k not in ("correction", "reject")
}


def _group_rows(
    d: Any,
    tests: list[Any],
    options: Options,
    baseline: str | None,
    intervals: str,
    joint: Flip | None = None,
) -> pl.DataFrame:
    """Return a row for each measure, test and pair, without the corrections of p-values.

    ``joint`` flips the signs of a measure's preferences together; where it returns None, because
    there are too many, t takes its place.
    """
    of_sums = all(test in OF_SUMS for test in tests) or joint is not None
    cube = cube_of(d, baseline, of_sums=intervals != "bca" and of_sums and options.clusters is None)
    scores = cube.scores if isinstance(cube, arrays.Reduced) else [*cube.scores.measures]
    frames = [pl.DataFrame(schema=_UNCORRECTED)]
    for measure, pairs in progress(cube, len(cube.measures), "compare"):
        is_metric, found = chosen.is_metric(measure, scores), None
        if joint is not None:
            found = joint(JointFamily.known_pairs(cube.single(measure, pairs)))
        how = tests if joint is None or found is not None else ["t"]
        usual = INTERVALS.get(intervals) or _interval_of(measure, cube, pairs, options, is_metric)
        frames += _rows_of_measure(measure, pairs, how, options, intervals, usual, found)
    return pl.concat(frames)


def _add_families(found: list[JointFamily | None], baseline: str | None, d: Any) -> pl.DataFrame:
    """Add the differences by each measure where single requests are known."""
    cube = cube_of(d, baseline, of_sums=True)
    found += [JointFamily.known_pairs(cube.single(m, pairs)) for m, pairs in cube]
    return pl.DataFrame()


def _rows_of_measure(
    measure: str,
    pairs: Any,
    tests: list[Any],
    options: Options,
    intervals: str,
    usual_of: Callable[[Any, Options], Interval],
    joint: Joint | None,
) -> list[pl.DataFrame]:
    """Return the rows of a measure's pairs by some tests, or by joint sign flips."""
    if "betting" in tests:
        options = replace(options, bets=options.bets.bound_measure(measure, pairs, options.alpha))
    of_sums = all(test in OF_SUMS for test in tests) or joint is not None
    of_sums &= intervals != "bca" and options.clusters is None
    results = {test: _outcome_function(test, pairs, options, joint) for test in tests}
    frames = []
    parts: Any = compared("compare", pairs, of_sums=of_sums)
    for pair, d in parts:
        if options.clusters is not None:
            usual = interval_by_t(clustered(d, options), options)
        else:
            usual = usual_of(d, options)
        for test in tests:
            own = TESTS[test].interval if isinstance(test, str) else None
            low, high = own(d, options) if own else usual
            row = rows_of_pairs(
                _UNCORRECTED, pairs, pair, measure=measure, test=_test_name(test, options), n=d.n,
                n_effective=d.n_effective if d.has_weights else None,
                mean_difference=d.mean, ci_low=low, ci_high=high,
                level=options.bets.level if test == "betting" else None,
                **results[test](pair, d)._asdict(),
            )  # fmt: skip
            frames.append(row)
    none = _not_comparable(pairs)
    for test in tests:
        called = _test_name(test, options)
        frames.append(rows_of_pairs(_UNCORRECTED, pairs, none, measure=measure, test=called, n=0))
    return frames


def _interval_of(
    measure: str, cube: Any, pairs: Any, options: Options, is_metric: bool
) -> Callable[[Any, Options], Interval]:
    """Return the interval for the possible values of a measure, alike for all its pairs."""
    bets, d = options.bets, pairs.differences
    known = bets.bounds[measure] if measure in bets.bounds else facts.Facts.named(measure)
    of_runs = cube.scores.get(measure) if isinstance(cube, arrays.Reduced) else pairs
    if isinstance(known, facts.Facts) and known.bounds:
        are_signs = known.are_signs and d.are_signs
    elif of_runs is not None and of_runs.scores is not None:  # differences of hits
        s = of_runs.scores
        if isinstance(s, np.ndarray):
            s = sums.Moments.add_up(s, np.full((1, 1), sums.TIE))
        are_signs = s.are_signs and not s.losses.any()
    else:
        are_signs = d.are_signs and bool(d.wins.any() or d.losses.any())
    bound = bets.bound_of(measure, is_metric)
    # Values in percent, say, are beyond the bounds, which then say nothing.
    is_within = max(d.greatest.max(initial=0), -d.least.min(initial=0)) <= bound
    return partial(interval_of_kind, bound=bound if is_within else np.inf, are_signs=are_signs)


def _outcome_function(
    test: str | OwnTest, pairs: Any, options: Options, joint: Joint | None
) -> Callable[[np.ndarray, Any], Outcome]:
    """Return the function from some pairs and their differences to the outcome of a test."""
    known = np.flatnonzero(pairs.n > 0)
    if joint is None:
        if isinstance(test, str):
            return lambda _, d: TESTS[test].compute(d, options)
        found = own_result(test, pairs, known)  # called once, for all pairs
        return lambda pair, d: d_z_outcome(d, options, *found[:, np.searchsorted(known, pair)])

    def joint_outcome(pair: np.ndarray, d: Any) -> Outcome:
        some = np.searchsorted(known, pair)
        p, adjusted, least, least_adjusted = (of[some] for of in joint)
        outcome = d_z_outcome(d, options, d.mean, p, least)
        return outcome._replace(p_adjusted=adjusted, least_p_adjusted=least_adjusted)

    return joint_outcome


def _not_comparable(pairs: Pairs | arrays.PairSums) -> np.ndarray:
    """Return the pairs of runs that share no request, which have rows without numbers.

    Only scores show that both runs have requests; preferences may cover some pairs only.
    """
    if isinstance(pairs, Pairs) and pairs.scores is not None:
        return np.flatnonzero(pairs.n == 0)
    return np.empty(0, np.int64)


def _bca(d: Any, options: Options) -> Interval:
    from lexiframe.core.significance.other_intervals import bca_interval

    return bca_interval(d, options)


INTERVALS: dict[str, Callable[[Any, Options], Interval]] = {
    "t": t_interval,
    "bca": _bca,
}


def _test_name(test: str | OwnTest, options: Options) -> str:
    """Return the name of a test, with the options that are not the default."""
    name, said = name_of_test(test), dict[str, object]()
    if options.alternative != "two-sided":
        said["alternative"] = options.alternative
    if options.clusters is not None:
        said["clusters"] = options.clusters["cluster"].n_unique()
    if name in TESTS and TESTS[name].splits_ties and options.sign_ties != "drop":
        said["ties"] = options.sign_ties
    return notation.write(name, None, said, None)
