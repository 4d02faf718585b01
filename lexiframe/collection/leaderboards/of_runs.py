"""The tables of a leaderboard that have runs in their rows, as functions on frames."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.base import typed
from lexiframe.collection.leaderboards.asked import Rules, board_of, check_missing
from lexiframe.collection.leaderboards.board import Group
from lexiframe.collection.leaderboards.board_tables import BoardTables, ranked_and_how
from lexiframe.collection.leaderboards.rank_tables import RankTest
from lexiframe.collection.leaderboards.ranked import Over
from lexiframe.collection.leaderboards.settled import Missing, Weights, gaps_table, weighted
from lexiframe.typing import ScoresLike


@typed
def ranking(
    x: ScoresLike,
    /,
    rule: Rules = "mean",
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    over: Over = "collections",
    test: RankTest = "holm",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """Rank runs over several collections, with the ranks that are possible.

    Parameters
    ----------
    x, rule, missing, weights, group, over, test, measure, smaller_is_better, alpha, samples, seed
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``rule, run``, sorted by rule and rank: ``value`` with the interval ``ci_low, ci_high``
        of the run's own value; ``rank`` = 1 + the number of better runs; ``rank_low, rank_high``,
        the ranks that are possible for all runs at once; ``rank_low_each, rank_high_each``, those
        for each run by itself; ``n_collections`` that the run has; whether it is ``incomplete``.
        Intervals are null where they are unknown.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Notes
    -----
    The ranks possible for one of S runs are 1 + the number of runs that are significantly better,
    to S − the number of those that are worse. Mogstad, Romano, Shaikh & Wilhelm, Review of Economic
    Studies 2024, doi:10.1093/restud/rdad006.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b", "c"], "news": [0.7, 0.5, 0.4],
    ...                   "law": [0.8, 0.6, 0.5], "sport": [0.6, 0.5, 0.3]})
    >>> lf.collection.ranking(x, "borda").select("run", "value", "rank").rows()
    [('a', 2.0, 1), ('b', 1.0, 2), ('c', 0.0, 3)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better
    return BoardTables(*ranked_and_how(*which, test, alpha, samples, seed)).ranking


@typed
def comparisons(
    x: ScoresLike,
    /,
    rule: Rules = "mean",
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    over: Over = "collections",
    test: RankTest = "holm",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare all pairs of runs over several collections.

    Parameters
    ----------
    x, rule, missing, weights, group, over, test, measure, smaller_is_better, alpha, samples, seed
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``rule, test, correction, run_a, run_b``: ``mean_difference`` of the values, in the unit
        of the rule, with its interval ``ci_low, ci_high``, by ``n`` units and ``df`` degrees of
        freedom; ``statistic`` and ``p_value`` of Student's t; ``p_adjusted`` by Holm's correction
        (null for the step-down tests); ``reject`` for all pairs at once. Rules that are no means of
        points (copeland, mc4, kemeny, functions) have no rows.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Notes
    -----
    d ± t(df) · se, with se and df as in `leaderboard`. Romano & Wolf, JASA 2005,
    doi:10.1198/016214504000000539.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b"], "news": [0.75, 0.5], "law": [1.0, 0.5],
    ...                   "sport": [0.75, 0.25]})
    >>> c = lf.collection.comparisons(x)
    >>> c.select(pl.col("mean_difference", "p_value").round(4), "reject").rows()
    [(0.4167, 0.0377, True)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better
    return BoardTables(*ranked_and_how(*which, test, alpha, samples, seed)).comparisons


@typed
def neighbours(
    x: ScoresLike,
    /,
    rule: Rules = "mean",
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    over: Over = "collections",
    test: RankTest = "holm",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare runs that are next to each other in the order.

    Parameters
    ----------
    x, rule, missing, weights, group, over, test, measure, smaller_is_better, alpha, samples, seed
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``rule, place``: ``run_a`` has the place, ``run_b`` the next one. ``value_difference``
        of the rule; ``mean_difference`` with its interval ``ci_low, ci_high`` and a ``p_value``
        that is not corrected; ``reject``, that of all pairs at once; ``share_in_order``, the share
        of resamples of the units that keep the order of the two (0 to 1, ties half).

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b", "c"], "news": [0.7, 0.5, 0.4],
    ...                   "law": [0.8, 0.6, 0.5], "sport": [0.6, 0.5, 0.3]})
    >>> lf.collection.neighbours(x).select("run_a", "run_b", "reject").rows()
    [('a', 'b', False), ('b', 'c', False)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better
    return BoardTables(*ranked_and_how(*which, test, alpha, samples, seed)).neighbours


@typed
def rank_percentiles(
    x: ScoresLike,
    /,
    rule: Rules = "mean",
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    over: Over = "collections",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """Return percentiles of the ranks of runs in resamples, which are no confidence intervals.

    Parameters
    ----------
    x, rule, missing, weights, group, over, measure, smaller_is_better, alpha, samples, seed
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``rule, run``: the ``rank``; ``percentile_low, percentile_high``, the central 1 − alpha
        of the ranks in resamples of the units; ``share_first``, the share of resamples in which the
        run is first (0 to 1). Near ties the percentiles hold the true rank of .75 to .84 of the
        runs, and of none all at once.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Notes
    -----
    Hall & Miller, Annals of Statistics 2009, doi:10.1214/09-AOS699.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b"], "news": [0.7, 0.5], "law": [0.8, 0.6]})
    >>> lf.collection.rank_percentiles(x).select("run", "share_first").rows()
    [('a', 1.0), ('b', 0.0)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better
    return BoardTables(*ranked_and_how(*which, "holm", alpha, samples, seed)).rank_percentiles


@typed
def gaps(
    x: ScoresLike,
    /,
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    measure: str | None = None,
) -> pl.DataFrame:
    """Name the results that runs lack, on boards too that `leaderboard` refuses.

    Parameters
    ----------
    x, missing, weights, group, measure
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``run, collection``: a row for each result that is missing, with the ``n_collections``
        of the run, the ``n_runs`` of the collection, and ``how`` ``missing`` deals with it.

    Raises
    ------
    LexiframeError
        For a table without collections, and bad weights or groups.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"run": ["a", "a", "b"], "collection": ["news", "law", "news"],
    ...                   "value": [0.7, 0.8, 0.5]})
    >>> lf.collection.gaps(x).rows()
    [('b', 'law', 1, 1, 'run left out')]
    """
    check_missing(missing)
    board = board_of(x, weights, group, measure, ())
    return gaps_table(weighted(board, weights)[0], missing)
