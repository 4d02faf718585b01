"""Practical equivalence: differences between runs below a margin, `equivalence`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, schemas, to_polars, typed
from lexiframe.core.io import column_forms
from lexiframe.core.pairwise import By, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.bets import Bets, BoundsLike, Order, group_by_level
from lexiframe.core.significance.clusters import clusters_of, group_attributes
from lexiframe.core.significance.corrections import (
    Correction,
    Family,
    check_corrected,
    corrected,
    families_of,
)
from lexiframe.core.significance.differences import (
    Options,
    compared,
    cube_of,
    n_comparisons,
    rows_of_pairs,
)
from lexiframe.core.significance.margins import Margin, Margins, margins_of, mean_score
from lexiframe.core.significance.own_tests import several
from lexiframe.core.significance.replicates.designs import Replicates, Seeds, average_replicates
from lexiframe.core.significance.tests import OF_SUMS, SHIFTED, ShiftedTest, check_shifted
from lexiframe.core.significance.too_few_requests import warn_of_few_requests
from lexiframe.core.significance.weighed_tests import weigh_tested
from lexiframe.decide.gates.gate_evidence import add_directions
from lexiframe.decide.gates.schemas import EQUIVALENCES
from lexiframe.study.replicates import algorithm_answers, mean_of_replicates
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike


@alone.each_collection
@typed
def equivalence(
    s_or_d: arrays.PairsOrReplicates,
    /,
    margin: Margin,
    test: ShiftedTest | Sequence[ShiftedTest] = "t",
    correction: Correction | Sequence[Correction] = "holm",
    *,
    family: Family = "measure",
    alpha: float = 0.05,
    baseline: str | None = None,
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
    smaller_is_better: str | Sequence[str] = (),
    larger_is_better: str | Sequence[str] = (),
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Test, for every pair of runs, which is not worse than the other by more than a margin.

    Parameters
    ----------
    s_or_d
        The table of `scores`, whose differences are taken, or of `preferences`.
    margin : float, str or mapping
        The mean difference up to which two runs count as equally good, above 0 and in the unit of
        the measure: a number for all measures, or one for each, ``{"AP": 0.01, "RPP": 0.05}``. With
        a baseline it may be a share of the size of the baseline's mean score, ``"2%"``; this needs
        a table of scores.
    test : {"t", "bootstrap", "betting"}, or several
        The paired test that the questions are asked with, see the notes.
    correction, family
        As in `compare`. Each question has its own family.
    alpha : float
        Significance level, below 0.5. The confidence intervals have level 1 − 2 · alpha.
    baseline : str, optional
        Compare the other runs with this run only, which is ``run_b`` of every pair.
    smaller_is_better, larger_is_better : str or sequence of str
        Measures of scores of which smaller, or larger, values are better, where neither their
        names nor a column ``smaller_is_better`` say it.
    trials, seed
        Number of trials of the bootstrap, and the seed of these, and of the order of bets.
    bounds, order, n_planned
        For ``betting``, as for `compare`.
    cluster
        The attribute that correlated requests share, as for `compare`.
    replicates, seeds
        What the column ``replicate`` of scores names, as for `compare`.
    weights, strata, shares
        The weights of requests, as for `compare`; for ``t`` and ``bootstrap``.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The tests are done within each group, whose attributes are the first columns. A
        margin in % is then a share of the baseline's mean within the group.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, run_a, run_b``, sorted by it, with run_a < run_b unless
        run_b is the baseline. ``n`` is the number of requests. ``mean_difference`` (positive: run_a
        is better) has the interval ``ci_low, ci_high`` of level 1 − 2 · alpha, that of the single
        comparison, which belongs to the test: a one-sided test at alpha rejects what is outside of
        it. ``margin`` is δ in the unit of the measure. The p-values are those of these questions;
        each has a column ``_adjusted``, corrected for the family:

        ======================== ================================================ ===============
        column                   what it asks                                     rejects
        ======================== ================================================ ===============
        p_not_worse_a            is run_a not worse than run_b, by δ or more?     mean ≤ −δ
        p_not_worse_b            is run_b not worse than run_a?                   mean ≥ δ
        p_equivalent             are they equivalent: both not worse?             |mean| ≥ δ
        p_better                 is one of them better (two-sided)?               mean = 0
        p_better_by_margin_a     is run_a better by more than δ?                  mean ≤ δ
        p_better_by_margin_b     is run_b better by more than δ?                  mean ≥ −δ
        ======================== ================================================ ===============

        ``conclusion`` is the first of these that has a corrected p below alpha: ``equivalent``,
        ``a better`` or ``b better``, ``a not worse`` or ``b not worse``; else ``undecided``.
        ``trivial`` marks runs that are equivalent although they differ significantly: the
        difference is real, and smaller than what matters. With ``betting`` the table has the column
        ``level`` too, the level for which it was made.

    Raises
    ------
    LexiframeError
        For a margin that is not above 0, lacks a measure of the table or names another, or is a
        share where no baseline or no scores are known; for an unknown test, correction, family,
        attribute or baseline, an alpha that is not between 0 and 0.5, infinite values, or when no
        two runs share a request; with ``betting`` as `compare`.

    Notes
    -----
    Two runs are equivalent when two one-sided tests reject that the mean difference is at most −δ
    and that it is at least δ; p_equivalent is the larger p of both (Schuirmann, Journal of
    Pharmacokinetics and Biopharmaceutics 1987, doi:10.1007/BF01068419). "Undecided" says that the
    requests are too few to tell: `required_requests` says how many it takes.

    ``t``: t = (mean − limit) / (sd / √n), with n − 1 degrees of freedom; p_equivalent is that of
    `statsmodels.stats.weightstats.ttost_paired`. ``bootstrap``: the distribution of t is that of
    samples of the centred differences (the percentile-t interval); p = (1 + count) / (1 + trials),
    and samples are drawn as `compare` draws them. p_better is the p_value of `compare`, unless all
    differences are equal. Randomization is not offered: changing signs at random tests whether the
    differences are symmetric around the limit, and 20 equal differences would pass.

    With the true difference on the margin, "not worse" and "equivalent" come out at most alpha of
    the time for normal differences, for differences of skewed scores and for discrete ones. Where
    the differences themselves are skewed, t exceeds it on one side, and the bootstrap hardly does:
    of exponential differences of 100 requests, at 5 %, t errs in 7 to 8 % of samples, and the
    bootstrap in 5 to 6 %. Fewer requests make this worse.

    ``betting`` needs no assumption about the differences but their bounds. Its price is power: of
    normal differences with a standard deviation of 0.15 and a mean of 0, with a margin of 0.02, it
    finds "not worse" in 200 requests with a probability of about .36, and t with .60. Where most
    differences are 0 it is the test that holds what it says.

    By weights of requests t and the bootstrap are those of `compare`, and a margin in % is a share
    of the baseline's mean by weights.

    With t and the bootstrap, where all differences are equal (up to 1e-12 · max(1, size)) nothing
    is known of how much others would vary: every p is 1, and there is no interval. The same holds
    with one request. The ends of
    an interval are infinite where too few trials make rejection impossible.

    The names of two runs decide which of them is run_a, so that, of all pairs, Holm's and Benjamini
    and Hochberg's corrections of one-sided questions depend on them. With a baseline they do not.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.02, -0.01, 0.03, 0.0]})
    >>> e = lf.equivalence(d, margin=0.05)
    >>> e.select("mean_difference", "ci_low", "ci_high", "p_equivalent", "conclusion").rows()
    [(0.01, -0.011..., 0.031..., 0.011..., 'equivalent')]
    >>> lf.equivalence(d, margin=0.02)["conclusion"].item()
    'a not worse'
    """
    tests, corrections = several(test), several(correction)
    for name in tests:
        check_shifted("equivalence", name)
    s_or_d = average_replicates("equivalence", s_or_d, replicates, tests)
    given = (weights, strata, shares)
    if arrays.has_weights(s_or_d, given):
        s_or_d = weigh_tested("equivalence", s_or_d, tests, given, requests, cluster=cluster,
                              replicates=replicates, offered=("t", "bootstrap"))  # fmt: skip
    clusters = clusters_of("equivalence", s_or_d, requests, cluster, tests)
    options = Options("greater", alpha, trials, seed, clusters=clusters)
    check_corrected("equivalence", tests, corrections, family, options)
    if "betting" in tests:
        if len(parts := group_by_level(corrections)) > 1:  # each has bets of its own
            again = partial(
                equivalence, s_or_d, margin, test, family=family, alpha=alpha, baseline=baseline,
                trials=trials, seed=seed, bounds=bounds, order=order, n_planned=n_planned,
                cluster=cluster, replicates=replicates, seeds=seeds,
                smaller_is_better=smaller_is_better, larger_is_better=larger_is_better,
                requests=requests, by=by,
            )  # fmt: skip
            found = pl.concat([again(correction=part) for part in parts])
            return found.sort(found.columns[: found.columns.index("run_b") + 1])
        bets = Bets.check("equivalence", s_or_d, bounds, order, n_planned)
        total = n_comparisons(s_or_d, baseline, requests, by) if family == "all" else None
        options = replace(options, bets=bets.share_in_family(total, corrections))
    grouping.refuse_taken(
        grouping.names_of(group_attributes(requests, by, cluster, *given), by), EQUIVALENCES.columns
    )
    s_or_d = _directed(s_or_d, several(smaller_is_better), several(larger_is_better))
    margins = margins_of("equivalence", margin, baseline, alpha)
    of_group = partial(
        uncorrected, tests=tests, options=options, baseline=baseline, margins=margins
    )
    requests = group_attributes(requests, by, cluster, *given)
    if replicates in ("run", "both"):
        of_group = partial(
            compare_algorithms, options=options, baseline=baseline, margins=margins,
            replicates=replicates, seeds=seeds,
        )  # fmt: skip
    table = grouping.group_tables(of_group, s_or_d, requests, by)
    groups = table.columns[: table.width - len(UNCORRECTED)]
    if not table.height:
        raise LexiframeError(
            "equivalence: expected preferences between runs, or scores of two runs for the same "
            "requests, found none"
        )
    margins.refuse_unknown(table["measure"])
    number = families_of(table, groups, family)
    warn_of_few_requests("equivalence", table, number, corrections, options)
    names = {f"p_{kind}": f"p_{kind}_adjusted" for kind in _KINDS}
    table = corrected(table, number, corrections, names)
    table = table.with_columns(
        conclusion=_conclusion(alpha), trivial=_below("equivalent", alpha) & _below("better", alpha)
    )
    if not table["n_effective"].count():
        table = table.drop("n_effective")
    return EQUIVALENCES.arranged(table if "betting" in tests else table.drop("level"), groups)


def _directed(given: Any, smaller: Sequence[str], larger: Sequence[str]) -> Any:
    """Return scores with the direction of each measure; preferences have theirs."""
    if not column_forms.is_frame(given):
        return given
    table = to_polars(given)
    if "preference" in table.columns or "measure" not in table.columns:
        return given
    return add_directions(table, smaller, larger, is_asked=False)


_KINDS = (
    "not_worse_a",
    "not_worse_b",
    "equivalent",
    "better",
    "better_by_margin_a",
    "better_by_margin_b",
)
"""The questions, each of which has p and its correction."""
_CORRECTED = ("correction", "conclusion", "trivial")
UNCORRECTED = {
    name: dtype
    for name, dtype in EQUIVALENCES.columns.items()
    if name not in _CORRECTED and not name.endswith("_adjusted")
}
UNCORRECTED |= {"least_p": schemas.FLOAT}


def compare_algorithms(
    s: Any, options: Options, baseline: str | None, margins: Margins, replicates: Any, seeds: Seeds
) -> pl.DataFrame:
    """Return a row for each measure and pair of algorithms, without the corrections."""
    cube = cube_of(mean_of_replicates("equivalence", s), baseline)
    sizes = {name: margins.size(name, mean_score(cube, baseline, name)) for name in cube.measures}
    return algorithm_answers(
        s, sizes, seeds=seeds, replicates=replicates, options=options, baseline=baseline,
        columns=UNCORRECTED,
    )  # fmt: skip


def uncorrected(
    s_or_d: Any, tests: list[str], options: Options, baseline: str | None, margins: Margins
) -> pl.DataFrame:
    """Return a row for each measure, test and pair, without the corrections."""
    of_sums = options.clusters is None and all(test in OF_SUMS for test in tests)
    cube, how = cube_of(s_or_d, baseline, of_sums=of_sums), options
    frames = [pl.DataFrame(schema=UNCORRECTED)]
    for measure, pairs in progress(cube, len(cube.measures), "equivalence"):
        margin = margins.size(measure, mean_score(cube, baseline, measure))
        if "betting" in tests:
            how = replace(options, bets=options.bets.bound_measure(measure, pairs, options.alpha))
        for pair, d in compared("equivalence", pairs, of_sums=of_sums):
            for test in tests:
                found = SHIFTED[test](d, np.full(len(pair), margin), how)
                p_equivalent = np.maximum(found.p_not_worse_a, found.p_not_worse_b)
                rows = rows_of_pairs(
                    UNCORRECTED, pairs, pair, measure=measure, test=test, margin=margin, n=d.n,
                    n_effective=d.n_effective if d.has_weights else None,
                    mean_difference=d.mean, p_equivalent=p_equivalent,
                    level=how.bets.level if test == "betting" else None, **found._asdict(),
                )  # fmt: skip
                frames.append(rows)
    return pl.concat(frames)


def _below(kind: str, alpha: float) -> pl.Expr:
    return pl.col(f"p_{kind}_adjusted") < alpha


def _conclusion(alpha: float) -> pl.Expr:
    """Return the first of the conclusions that its test supports."""
    ahead, better = pl.col("mean_difference") > 0, _below("better", alpha)
    not_worse = {run: _below(f"not_worse_{run}", alpha) for run in "ab"}
    # Corrected apart from one another, both may be not worse and the pair not equivalent: then the
    # run that is ahead is named.
    behind = (pl.col("mean_difference") < 0) & not_worse["b"]
    supported = {
        "equivalent": _below("equivalent", alpha),
        "a better": better & ahead,
        "b better": better,
        "a not worse": not_worse["a"] & ~behind,
        "b not worse": not_worse["b"],
    }
    conclusions = [pl.when(is_so).then(pl.lit(name)) for name, is_so in supported.items()]
    return pl.coalesce(*conclusions, pl.lit("undecided"))
