"""Whether tests keep their promise on one's own data: `audit`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, check_choice, resampling, schemas, typed, warn
from lexiframe.metrics import notation
from lexiframe.pairwise import By, Pairs, PairsLike, grouping
from lexiframe.significance.arguments import checked_sizes, pairs_by_measure, some_pairs
from lexiframe.significance.audits.drawn_clusters import ClusterTrials, drawn_cluster_trials
from lexiframe.significance.audits.drawn_trials import Trials, drawn_trials
from lexiframe.significance.bets import Bets, BoundsLike
from lexiframe.significance.clusters import clusters_of, of_groups
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.estimates import Estimates
from lexiframe.significance.own_tests import (
    OwnTest,
    check_own_tests,
    name_of_test,
    own_result,
    several,
)
from lexiframe.significance.paired_tests import MEANS, Outcome, with_d_z
from lexiframe.significance.tests import DRAWING, TESTS, Test, betting_at
from lexiframe.typing import RequestsLike

Null = Literal["centred", "exchanged"]
_ALL: tuple[Test, ...] = ("t", "sign", "wilcoxon", "randomization", "bootstrap")
"""Those that need nothing to be known of a measure."""


@typed
def audit(
    d: PairsLike,
    /,
    tests: Test | OwnTest | Sequence[Test | OwnTest] = _ALL,
    sizes: int | Sequence[int] = (25, 50, 100),
    *,
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

    A test at level alpha promises to reject a true hypothesis with probability alpha at most. Each
    trial draws a pair of runs, makes their means equal, draws requests of theirs with replacement,
    and tests them. The same requests are tested with the differences as they are.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    tests : str, function, or several
        Tests of `compare`, by name, or functions of your own from differences to p-values, as
        described there. A function is called once for up to 500 trials, with requests × twice as
        many columns: the trials with equal means, and then the same requests as they are.
    sizes : int, or several
        The numbers of requests that a trial draws, each at least 2.
    alpha : float
        Significance level of the tests.
    null : {"centred", "exchanged"}
        What is true in the trials that yield the error rate. ``centred``: the means are equal, as
        the mean difference of the pair is subtracted from each difference (with ``betting``, whose
        differences have to stay within their bounds, the hypothesis is that mean instead of 0).
        ``exchanged``: the runs
        are exchangeable, as they are swapped, or not, in each drawn request at random; medians and
        ranks are then balanced as well.
    trials : int
        The number of trials for each size.
    inner_trials : int
        The number of trials of the randomisation and bootstrap tests within each trial.
    seed : int
        The same seed gives the same table. Tests share the trials, and so do measures that have as
        many pairs and requests.
    bounds
        For ``betting``, as for `compare`.
    cluster : str, optional
        The attribute in ``requests`` that requests which hang together share, as for `compare`. A
        trial then draws whole clusters, and ``sizes`` are numbers of clusters; ``t`` and
        ``bootstrap`` are those of clusters. Exchanged are the runs of whole clusters.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, null, n_requests``, sorted by it; ``n_requests`` is the size: with
        ``cluster`` that of clusters, which the test names, as ``t(cluster='user')``. Rates are
        shares in 0..1, and each has a Clopper–Pearson interval of 95 % in the columns behind it
        that end in ``_low`` and ``_high``:

        ============== =============================================================================
        column         of what
        ============== =============================================================================
        alpha          the level
        error_rate     the share of p < alpha in ``trials`` trials in which ``null`` is true
        power          the share of p < alpha with the differences as they are, in the ``n_differ``
                       trials whose pair has different means
        type_iii       the share of results in the wrong direction among the ``n_significant``
                       significant ones that ``power`` counts
        n_pairs        the number of pairs of runs drawn from
        n              the number of requests drawn from
        ============== =============================================================================

        A result has the wrong direction if the test puts the run ahead that has the worse mean over
        all requests. The sign test puts the run ahead that wins more of the drawn requests,
        Wilcoxon's test that with the greater sum of ranks, any other test that with the better
        mean. ``power`` is null if all pairs drawn have equal means, and ``type_iii`` if nothing is
        significant.

    Raises
    ------
    LexiframeError
        For an unknown test, an alpha outside 0..1, sizes that are no whole numbers from 2; when
        trials or inner_trials is no positive integer, seed no integer from 0, or no pair of runs
        shares two requests; when inner_trials is so small that no p-value can be below alpha; and
        for functions and p-values that `compare` refuses. With ``cluster``, for another test than
        t and bootstrap, and for a request without a cluster.

    Warns
    -----
    LexiframeWarning
        When pairs are left out because they share one request only.

    Notes
    -----
    An interval says how sure a rate is if these requests and pairs are all there are. It does not
    say how another collection would come out: the same requests are drawn again and again, pairs
    have runs in common, and a request drawn twice makes a tie of two differences, which new
    requests would rarely make. Where runs tie, centred differences are not 0, and all have the same
    sign. A pair of runs that are the same in all requests is never significant (p = 1), and lowers
    the error rates. The rates are those of single tests, without a correction.

    Bootstrap and randomisation draw anew for every 500 trials. The default, 1000 inner trials, is
    one tenth of that of `compare`. At alpha = 0.05 it allows p < alpha in 50 of 1001 cases; 999
    would allow 49 of 1000.

    Urbano, Lima & Hanjalic, "Statistical Significance Testing in Information Retrieval: An
    Empirical Analysis of Type I, Type II and Type III Errors", SIGIR 2019,
    doi:10.1145/3331184.3331259, draw from models that are fitted to runs, so that no request comes
    twice. Clopper & Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    Four wins by 1 and a loss by 4 have the mean 0. The t-test, which asks about means, keeps its
    promise over 50 such requests, while the sign test, which asks about wins, rejects nearly
    always:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4", "q5"], "run_a": "a", "run_b": "b",
    ...                   "measure": "mine", "preference": [1.0, 1.0, 1.0, 1.0, -4.0]})
    >>> audits = lf.audit(d, ["t", "sign"], 50, trials=1000)
    >>> audits.select("test", pl.col("error_rate", "error_low", "error_high").round(3)).rows()
    [('sign', 0.996, 0.99, 0.999), ('t', 0.059, 0.045, 0.075)]
    """
    chosen = several(tests)
    _check(chosen, alpha, null, trials, inner_trials, seed)
    each: Any = [sizes] if np.ndim(sizes) == 0 else sizes
    numbers = checked_sizes("audit", each).tolist()
    clusters = clusters_of("audit", d, requests, cluster, chosen)
    options = Options("two-sided", alpha, inner_trials, seed, clusters=clusters)
    said: dict[str, object] = {} if cluster is None else {"cluster": cluster}
    names = [notation.write(name_of_test(test), None, said, None) for test in chosen]
    of_group = partial(
        _audited, tests=chosen, names=names, numbers=numbers, null=null, trials=trials,
        options=options, bounds=bounds,
    )  # fmt: skip
    return grouping.in_groups(of_group, d, of_groups(requests, by, cluster), by)


def _audited(
    d: Any, tests: list[Any], names: list[str], numbers: list[int], null: str, trials: int,
    options: Options, bounds: BoundsLike | None,
) -> pl.DataFrame:  # fmt: skip
    rows = []
    for measure, known in pairs_by_measure("audit", d):
        pairs = _with_two_requests(measure, known)
        for size in numbers:
            drawn: Iterable[Any]
            if options.clusters is None:
                drawn = drawn_trials(pairs, null, size, trials, options.seed)
            else:
                asked = (options.clusters, null, size, trials, options.seed)
                drawn = drawn_cluster_trials(pairs, *asked)
            how = options
            if "betting" in tests:
                bets = Bets.of("audit", d, bounds, "random", None)
                how = replace(options, bets=bets.of_measure(measure, pairs, options.alpha))
            counts = sum(_counts(pairs, of_block, tests, how) for of_block in drawn)
            same = {"measure": measure, "null": null, "n_requests": size, "alpha": options.alpha}
            same |= {"trials": trials, "n_pairs": len(pairs.a), "n": len(pairs.queries)}
            rows += [
                same | dict(zip(_COUNTED, [name, *of_test], strict=True))
                for name, of_test in zip(names, np.asarray(counts).tolist(), strict=True)
            ]
    return schemas.AUDITS.arranged(_with_rates(pl.DataFrame(rows)))


_COUNTED = ("test", "errors", "n_differ", "n_significant", "wrong")


def _check(
    tests: list[Any], alpha: float, null: str, trials: int, inner_trials: int, seed: int
) -> None:
    """Raise for arguments that `audit` does not accept."""
    if not tests:
        raise LexiframeError("audit: expected a test, found none")
    check_own_tests(tests, "two-sided")
    for test in tests:
        if isinstance(test, str):
            check_choice("audit", test, TESTS, "test")
    resampling.check_share("audit", "alpha", alpha)
    check_choice("audit", null, get_args(Null), "null")
    resampling.check_draws("audit", "trials", trials, seed)
    resampling.check_draws("audit", "inner_trials", inner_trials, seed)
    if DRAWING.keys() & {*tests} and 1 / (1 + inner_trials) >= alpha:
        raise LexiframeError(
            f"audit: no p-value of {inner_trials} inner trials can be below {alpha:g}; take "
            f"inner_trials={int(1 / alpha)} or more"
        )


def _with_two_requests(measure: str, pairs: Pairs) -> Pairs:
    """Leave out the pairs with one request, whose differences have no spread."""
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
    return some_pairs(pairs, enough).of_known_requests()


def _counts(
    pairs: Pairs, trials: Trials | ClusterTrials, tests: list[Any], options: Options
) -> np.ndarray:
    """Count the trials of a block for each test: tests × what `_COUNTED` names after the test."""
    differ = trials.better != 0
    rows = []
    for test in tests:
        outcome = _tested(test, pairs, trials, replace(options, seed=trials.seed))
        is_error, is_found = np.split(outcome.p_value < options.alpha, 2)
        is_found &= differ
        ahead = np.split(_ahead(test, trials.drawn, outcome), 2)[1]
        counted = (is_error, differ, is_found, is_found & (ahead == -trials.better))
        rows.append([np.count_nonzero(cells) for cells in counted])
    return np.array(rows)


def _tested(test: Any, pairs: Pairs, trials: Trials | ClusterTrials, options: Options) -> Outcome:
    """Test all trials as `compare` tests pairs."""
    if isinstance(trials, ClusterTrials):
        return trials.tested(test, options)
    drawn = trials.drawn
    if test == "betting" and trials.means is not None:
        kept = replace(drawn, values=np.tile(np.split(drawn.values, 2, axis=1)[1], 2))
        return betting_at(kept, np.concatenate([trials.means, 0 * trials.means]), options)
    if isinstance(test, str):
        return TESTS[test].compute(drawn, options)
    both = some_pairs(pairs, np.tile(trials.pair, 2))
    both = replace(both, values=drawn.values, scores=None)
    return with_d_z(drawn, options, *own_result(test, both, np.arange(len(both.a))))


def _ahead(test: Any, d: Differences | Estimates, outcome: Outcome) -> np.ndarray:
    """Return the sign of what the test compares: positive if it puts run a ahead."""
    compared = TESTS[test].compares if test in TESTS else MEANS
    found = d.mean if compared is MEANS else getattr(outcome, compared.column)
    return np.asarray(np.sign(found - compared.neither))


def _with_rates(counts: pl.DataFrame) -> pl.DataFrame:
    """Add the rates and their intervals."""
    rates = {
        ("error_rate", "error"): ("errors", "trials"),
        ("power", "power"): ("n_significant", "n_differ"),
        ("type_iii", "type_iii"): ("wrong", "n_significant"),
    }
    for (rate, stem), (part, whole) in rates.items():
        low, high = _clopper_pearson(counts[part].to_numpy(), counts[whole].to_numpy())
        added = counts.with_columns(
            (pl.col(part) / pl.col(whole)).alias(rate),
            low.alias(f"{stem}_low"),
            high.alias(f"{stem}_high"),
        )
        names = added.columns[counts.width :]
        counts = added.with_columns(pl.when(pl.col(whole) > 0).then(pl.col(names)))
    return counts


def _clopper_pearson(part: np.ndarray, whole: np.ndarray) -> tuple[pl.Series, pl.Series]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(part, np.maximum(whole, 1), alpha=0.05, method="beta")
    return pl.Series(low), pl.Series(high)
