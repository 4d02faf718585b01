"""The tables of a leaderboard that have collections in their rows, as functions on frames."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.base import resampling, typed
from lexiframe.collection.leaderboards.asked import Rules, board_of, check_missing
from lexiframe.collection.leaderboards.board import Group
from lexiframe.collection.leaderboards.board_tables import BoardTables, ranked_and_how
from lexiframe.collection.leaderboards.collection_tables import (
    correlations_table,
    parts_table,
    smallest_set_table,
    weights_table,
)
from lexiframe.collection.leaderboards.ranked import Over
from lexiframe.collection.leaderboards.settled import (
    Missing,
    Settled,
    Weights,
    settle,
    weighted,
)
from lexiframe.typing import ScoresLike


def _settled(
    x: ScoresLike,
    missing: Missing,
    weights: Weights,
    group: Group,
    measure: str | None,
    smaller_is_better: Sequence[str],
) -> Settled:
    check_missing(missing)
    return settle(board_of(x, weights, group, measure, smaller_is_better), missing, weights, [])


@typed
def collection_weights(
    x: ScoresLike,
    /,
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
) -> pl.DataFrame:
    """Return what each collection weighs, and how far it decides the means of runs.

    Parameters
    ----------
    x, missing, weights, group, measure, smaller_is_better
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``collection``: its ``group``; its ``weight`` w (sum 1); its ``share`` in the variance
        of the means over runs (sum 1, may be negative; null when all means are equal); ``n_runs``
        that have it.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Notes
    -----
    The share is w_c Cov_r(x_rc, x̄_r)/Var_r(x̄_r), over the runs that have all collections.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b"], "news": [0.75, 0.5], "law": [1.0, 0.25]})
    >>> lf.collection.collection_weights(x).select("collection", "weight", "share").rows()
    [('law', 0.5, 0.75), ('news', 0.5, 0.25)]
    """
    return weights_table(_settled(x, missing, weights, group, measure, smaller_is_better))


@typed
def leave_one_out(
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
) -> pl.DataFrame:
    """Return what the order of runs would be without each collection.

    Parameters
    ----------
    x, rule, missing, weights, group, over, measure, smaller_is_better
        As in `leaderboard`. The weights of the other collections are divided by their sum again.

    Returns
    -------
    polars.DataFrame
        Key ``rule, collection``: ``tau``, Kendall's τ-b with the whole order (−1 to 1; null when an
        order ties all runs); the ``run`` that moves most, from ``rank`` to ``rank_without``; the
        ``first`` runs; whether the first change (``first_changes``). All are null where
        ``adjust`` has no order, because some runs share no collections without this one.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b"], "news": [0.7, 0.5], "law": [0.5, 0.6]})
    >>> lf.collection.leave_one_out(x).select("collection", "first", "first_changes").rows()
    [('law', ['a'], False), ('news', ['b'], True)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better
    return BoardTables(*ranked_and_how(*which)).leave_one_out


@typed
def correlations(
    x: ScoresLike,
    /,
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
) -> pl.DataFrame:
    """Return how far the orders of runs in every two collections agree.

    Parameters
    ----------
    x, missing, weights, group, measure, smaller_is_better
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``collection_a, collection_b``: ``tau``, Kendall's τ-b over the ``n`` runs that have
        both (−1 to 1; null for fewer than two runs, or when all are equal in one).

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b", "c"], "news": [1, 2, 3], "law": [1, 3, 2]})
    >>> lf.collection.correlations(x)["tau"].round(3).to_list()
    [0.333]
    """
    return correlations_table(_settled(x, missing, weights, group, measure, smaller_is_better))


@typed
def rule_correlations(
    x: ScoresLike,
    /,
    rule: Rules = ("mean", "borda"),
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    over: Over = "collections",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
) -> pl.DataFrame:
    """Return how far the orders of runs by every two rules agree.

    Parameters
    ----------
    x, rule, missing, weights, group, over, measure, smaller_is_better
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``rule_a, rule_b``: ``tau``, Kendall's τ-b (−1 to 1); the ``run`` that moves most, from
        ``rank_a`` to ``rank_b``.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b", "c"], "news": [9, 2, 1], "law": [2, 3, 1],
    ...                   "sport": [2, 3, 1]})
    >>> lf.collection.rule_correlations(x, ["mean", "borda"]).rows()
    [('borda', 'mean', 0.3333333333333333, 'a', 2, 1)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better
    return BoardTables(*ranked_and_how(*which)).rule_correlations


@typed
def smallest_set(
    x: ScoresLike,
    /,
    missing: Missing = "complete",
    *,
    weights: Weights = None,
    group: Group = None,
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    seed: int = 0,
) -> pl.DataFrame:
    """Return how few collections give nearly the order of the means over all.

    Parameters
    ----------
    x, missing, weights, group, measure, smaller_is_better
        As in `leaderboard`.
    seed : int
        For the splits of the runs, and the random sets.

    Returns
    -------
    polars.DataFrame
        Key ``n_collections``, up to 12: ``collection`` is added as that many-th; ``tau`` of the
        order by so many with the order by all (τ-b, −1 to 1), chosen on half of the runs and
        measured on the others: the mean of 20 splits, with ``tau_sd``; beside it ``random``, the
        mean of 200 random sets, with their 5 and 95 % (``random_low, random_high``). Empty with
        fewer than two collections or four runs.

    Raises
    ------
    LexiframeError
        As `leaderboard`.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b", "c", "d"], "news": [1, 2, 3, 4],
    ...                   "law": [2, 3, 4, 5], "sport": [1.2, 1.3, 1.0, 1.1]})
    >>> lf.collection.smallest_set(x).select("n_collections", "collection").rows()
    [(1, 'law'), (2, 'news'), (3, 'sport')]
    """
    resampling.check_draws("leaderboard", "samples", 1, seed)
    settled = _settled(x, missing, weights, group, measure, smaller_is_better)
    return smallest_set_table(settled, seed)


@typed
def components(
    x: ScoresLike, /, *, weights: Weights = None, group: Group = None, measure: str | None = None
) -> pl.DataFrame:
    """Return the parts of a leaderboard that share nothing, on boards too that are refused.

    Parameters
    ----------
    x, weights, group, measure
        As in `leaderboard`.

    Returns
    -------
    polars.DataFrame
        Key ``part, kind, name``: the number of the part from 1, ``run`` or ``collection``, and its
        name. Runs of two parts have no collection in common.

    Raises
    ------
    LexiframeError
        For a table without collections, and bad weights or groups.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"run": ["a", "b"], "collection": ["news", "law"], "value": [0.7, 0.5]})
    >>> lf.collection.components(x).rows()
    [(1, 'collection', 'news'), (1, 'run', 'a'), (2, 'collection', 'law'), (2, 'run', 'b')]
    """
    board = board_of(x, weights, group, measure, ())
    return parts_table(weighted(board, weights)[0])
