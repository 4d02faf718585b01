"""How stable orderings are under other requests: `rank_distributions`, `order_probabilities`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import coded, memory_use, resampling, schemas, sums, typed
from lexiframe.core.orderings.chosen_rule import ChosenRule, Votes
from lexiframe.core.orderings.in_samples import laid_out, resampled
from lexiframe.core.orderings.missing_requests import Missing, settle
from lexiframe.core.orderings.ordered import Ordered
from lexiframe.core.orderings.rules import AnyMethod
from lexiframe.core.pairwise import By, PairsLike, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike


@alone.each_collection
@typed
@grouping.takes_groups
def rank_distributions(
    d: PairsLike,
    /,
    method: AnyMethod = "mean",
    *,
    samples: int = 1000,
    seed: int = 0,
    votes: Votes = "win_rate",
    iterations: int | None = None,
    teleport: float | None = None,
    missing: Missing | None = None,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Estimate how probable each rank of a run is, by a bootstrap over the requests.

    Parameters
    ----------
    d
        The table of `scores`, or of `preferences`.
    method, votes, iterations, teleport, missing
        As for `order_runs`.
    samples : int
        The number of bootstrap samples. Each draws as many requests as there are, with replacement;
        all measures share the samples. A request that lacks values of a measure does not count for
        it. With ``missing="own"`` a run comes last in a sample that has none of its requests.
    seed : int
        The same seed gives the same samples.
    weights, strata, shares
        As for `compare`: requests are drawn alike, and count by weight in the order of each sample.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, method, run, rank``, sorted by it: the ranks, from 1, that the run has in at
        least one sample; runs of equal value share the mean of their ranks. ``probability`` is the
        share of the samples in which the run has this rank, in 0..1; it sums to 1 for each run.

    Raises
    ------
    LexiframeError
        As `order_runs`; when samples is not a whole number from 1, or seed not one from 0; for
        infinite values; and, before the work, for more samples of runs than memory holds.

    Notes
    -----
    Probabilities describe the samples; ranks that hold 95 % of them are no confidence interval. Of
    50 requests they held the true rank of .86 of ten runs, and of .81 of 40, whose means were .01
    standard errors apart, and all ranks at once in .25 and .00 (one standard error apart: .99 of
    the runs, all at once in .96 and .92; 200 simulations each). `leaderboard` has ranks that hold.

    By ``leximin`` samples flatter the first run, as a warning says: a few of the worst requests
    decide, which resamples repeat or lack.

    Hall & Miller, "Using the bootstrap to quantify the authority of an empirical ranking", Annals
    of Statistics 2009, doi:10.1214/09-AOS699.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> s = pl.DataFrame({"run": ["a", "a", "b", "b"], "query_id": ["1", "2"] * 2,
    ...                   "measure": "AP", "value": [0.5, 0.75, 0.25, 0.5]})
    >>> lf.rank_distributions(s).select("run", "rank", "probability").rows()
    [('a', 1.0, 1.0), ('b', 2.0, 1.0)]
    """
    rule = ChosenRule(method, votes, iterations, teleport, missing)
    d, changed = settle(d, missing)
    found = resampled("rank_distributions", d, rule, samples, seed)
    tables = [_rank_distribution(rule.name_of(o.measure, changed), o) for o in found]
    return _concat(schemas.RANK_DISTRIBUTIONS, tables)


@alone.each_collection
@typed
@grouping.takes_groups
def order_probabilities(
    d: PairsLike,
    /,
    method: AnyMethod = "mean",
    *,
    samples: int = 1000,
    seed: int = 0,
    votes: Votes = "win_rate",
    iterations: int | None = None,
    teleport: float | None = None,
    missing: Missing | None = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Estimate how probable it is that one run comes before another, by a bootstrap over requests.

    Parameters
    ----------
    d, method, samples, seed, votes, iterations, teleport, missing, requests, by
        As for `rank_distributions`; the same seed gives the same samples there and here.

    Returns
    -------
    polars.DataFrame
        Key ``measure, method, run_a, run_b`` with run_a < run_b, sorted by it. ``p_a_first``,
        ``p_tie``, ``p_b_first``: the shares of the samples in which run_a has the better rank, both
        have the same, or run_b has the better one, in 0..1; they sum to 1.

    Raises
    ------
    LexiframeError
        As `order_runs`; when samples is not a whole number from 1, or seed not one from 0; for
        infinite values; and, before the work, for more pairs of runs than memory holds.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> s = pl.DataFrame({"run": ["a", "a", "b", "b"], "query_id": ["1", "2"] * 2,
    ...                   "measure": "AP", "value": [0.5, 0.75, 0.5, 0.75]})
    >>> lf.order_probabilities(s).select("p_a_first", "p_tie", "p_b_first").row(0)
    (0.0, 1.0, 0.0)
    """
    rule = ChosenRule(method, votes, iterations, teleport, missing)
    d, changed = settle(d, missing)
    cube = laid_out(d, rule.method)
    _refuse_many_pairs(len(cube.runs), len(cube.measures))
    found = resampled("order_probabilities", cube, rule, samples, seed)
    tables = [_pair_probabilities(rule.name_of(o.measure, changed), o) for o in found]
    return _concat(schemas.ORDER_PROBABILITIES, tables)


def rank_intervals(distributions: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """Return the median rank of each run, and the ranks that bound 1 − alpha of the samples.

    ``low`` and ``high`` are the alpha/2 and 1 − alpha/2 quantiles: the quantile q is the least rank
    up to which at least the share q of the samples lies. Key ``measure, method, run``.
    """
    resampling.check_share("rank_intervals", "alpha", alpha)
    key = ("measure", "method", "run")
    shares = {"low": alpha / 2, "median": 0.5, "high": 1 - alpha / 2}
    up_to = pl.col("probability").cum_sum()
    return (
        distributions.sort(*key, "rank")
        .group_by(*key, maintain_order=True)
        .agg(
            # Sums of shares of samples are rounded; a quantile that they reach is no later.
            pl.col("rank").filter(up_to >= share - sums.TIE).first().alias(name)
            for name, share in shares.items()
        )
    )


_BYTES_OF_PAIR = 150
"""The memory that a row of the table of pairs takes while the table is made."""


def _refuse_many_pairs(n_runs: int, n_measures: int) -> None:
    n_pairs = n_runs * (n_runs - 1) // 2
    what = f"order_probabilities: {n_pairs:,} pairs of {n_runs:,} runs × {n_measures:,} measures"
    needed = n_pairs * n_measures * _BYTES_OF_PAIR
    advice = "give fewer runs or fewer measures; rank_distributions needs no pairs for scores"
    memory_use.refuse_more_than_available(needed, what, advice)


def _rank_distribution(method: str, o: Ordered) -> pl.DataFrame:
    samples, n_runs = o.ranks.shape
    n_ranks = 2 * n_runs + 1  # mid-ranks are multiples of 1/2
    cell = np.arange(n_runs) * n_ranks + np.rint(2 * o.ranks).astype(np.int64)
    had, counts = np.unique(cell, return_counts=True)  # most runs have few of the n_ranks ranks
    run, halves = np.divmod(had, n_ranks)
    columns = {
        "run": coded.decode(o.runs, run),
        "rank": halves / 2,
        "probability": counts / samples,
    }
    return _stability_table(schemas.RANK_DISTRIBUTIONS, o.measure, method, columns)


def _pair_probabilities(method: str, o: Ordered) -> pl.DataFrame:
    a, b = np.triu_indices(len(o.runs), k=1)
    lead = np.zeros((3, len(a)))
    for ranks in o.ranks:
        lead += np.stack([ranks[a] < ranks[b], ranks[a] == ranks[b], ranks[a] > ranks[b]])
    shares = dict(zip(("p_a_first", "p_tie", "p_b_first"), lead / len(o.ranks), strict=True))
    columns = {"run_a": coded.decode(o.runs, a), "run_b": coded.decode(o.runs, b), **shares}
    return _stability_table(schemas.ORDER_PROBABILITIES, o.measure, method, columns)


def _stability_table(
    schema: schemas.TableSchema, measure: str, method: str, columns: dict[str, Any]
) -> pl.DataFrame:
    named = (pl.lit(measure).alias("measure"), pl.lit(method).alias("method"))
    return pl.DataFrame(columns).with_columns(*named).select(*schema.columns)


def _concat(schema: schemas.TableSchema, tables: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=schema.columns), *tables])
