"""Whether other requests would lead to the same conclusions: `swap_rates`, `swap_curve`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, resampling, schemas, sums, typed
from lexiframe.core.pairwise import By, Pairs, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.arguments import pairs_by_measure
from lexiframe.typing import RequestsLike

_MOST_BINS = 10_000

AT_ONCE = 2**20
"""The number of cells (splits × pairs of runs) handled at once: an array of them takes 8 MB."""


@alone.each_collection
@typed
@grouping.takes_groups
def swap_rates(
    d: PairsLike,
    /,
    *,
    splits: int = 1000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute how often two halves of the requests prefer opposite runs of a pair.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    splits : int
        How often the requests are split at random into two disjoint halves.
    seed : int
        The same seed gives the same halves, for all measures that have the same requests.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure``, sorted by it. ``n_pairs`` counts the pairs of runs, ``splits`` the splits,
        and ``half`` the requests in a half. ``swap_rate`` is the share of pairs × splits in which
        the mean preferences of the two halves have opposite signs, and ``tie_rate`` the share in
        which one of the means is a tie (no more than rounding: 1e-12, or 1e-12 of the scores where
        these exceed 1); both are in 0..1. ``swap_rate_sd`` is the standard deviation of the swap
        rate over the splits, null for one split.

    Raises
    ------
    LexiframeError
        For fewer than two requests; when splits is no positive integer, or seed no integer from 0.

    Notes
    -----
    A half has ⌊n / 2⌋ of n requests. Where a pair lacks requests, its means are over those that it
    has; if it has none in a half, it does not count in that split. A rate is null when no pair ever
    counts. Voorhees & Buckley, "The effect of topic set size on retrieval experiment error",
    SIGIR 2002, doi:10.1145/564376.564432.

    Examples
    --------
    Of the three ways to split four requests into halves, one makes the halves disagree:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, 0.5, -0.25, -0.125]})
    >>> lf.swap_rates(d, splits=1000).select("half", pl.col("swap_rate").round(2)).rows()
    [(2, 0.33)]
    """
    rows = []
    for measure, pairs in _split_pairs("swap_rates", d, splits, seed):
        counts = np.concatenate([_swaps(both) for _, both in _half_means(pairs, splits, seed)])
        swaps, ties, n = counts.sum(axis=0)
        by_split = counts[counts[:, 2] > 0]
        sd = np.std(by_split[:, 0] / by_split[:, 2], ddof=1) if len(by_split) > 1 else None
        rates = (swaps / n, ties / n) if n else (None, None)
        half = len(pairs.queries) // 2
        rows.append((measure, len(pairs.a), splits, half, *rates, sd))
    return pl.DataFrame(rows, schema=schemas.SWAP_RATES.columns, orient="row")


@alone.each_collection
@typed
@grouping.takes_groups
def swap_curve(
    d: PairsLike,
    /,
    *,
    splits: int = 1000,
    seed: int = 0,
    bins: int = 20,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute swap rates by size of difference, to see how large a stable difference must be.

    The splits are those of `swap_rates`, binned by the size of the difference in the first half.

    Parameters
    ----------
    d, splits, seed, requests, by
        As for `swap_rates`.
    bins : int
        The number of bins, all of the same width.

    Returns
    -------
    polars.DataFrame
        Key ``measure, difference_low``, sorted by it. The bins go from 0 to the largest
        |mean difference| of any pair of runs in a first half, in the measure's unit, each from
        ``difference_low`` up to but not including ``difference_high``, which the last includes.
        ``n`` counts the pairs × splits whose first half lies in the bin. ``swap_rate``, in 0..1, is
        the share of these whose second half prefers the other run; null in an empty bin. If all
        differences are ties, there is one bin, from 0 to 0.

    Raises
    ------
    LexiframeError
        For fewer than two requests; when splits or bins is no positive integer, or seed no integer
        from 0.

    Notes
    -----
    `swap_rates` defines a swap. Voorhees & Buckley, "The effect of topic set size on retrieval
    experiment error", SIGIR 2002, doi:10.1145/564376.564432, use bins of width 0.01 instead.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [1.0, 1.0, -0.25]})
    >>> lf.swap_curve(d, splits=600, bins=2).with_columns(pl.col("swap_rate").round(2)).rows()
    [('RPP', 0.0, 0.5, 205, 1.0), ('RPP', 0.5, 1.0, 395, 0.48)]
    """
    resampling.check_draws("swap_curve", "bins", bins, seed)
    if bins > _MOST_BINS:
        raise LexiframeError(f"swap_curve: expected at most {_MOST_BINS:,} bins, found {bins:,}")
    frames = []
    for measure, pairs in _split_pairs("swap_curve", d, splits, seed):
        # The splits are drawn twice: the bins need the largest difference, and all halves at once
        # might not fit into memory.
        sizes = (size for size, _ in _half_means(pairs, splits, seed))
        largest = max(np.fmax.reduce(size, axis=None, initial=0.0) for size in sizes)
        rounding = pairs.mean_rounding
        edges = np.linspace(0.0, largest, bins + 1) if largest > 0 else np.zeros(2)
        counts = [_binned(*half, edges, rounding) for half in _half_means(pairs, splits, seed)]
        swaps, n = np.sum(counts, axis=0)
        frames.append(_curve(measure, edges, swaps, n))
    return pl.concat(frames)


def _split_pairs(called: str, d: Any, splits: int, seed: int) -> list[tuple[str, Pairs]]:
    resampling.check_draws(called, "splits", splits, seed)
    arrays.refuse_weights(called, d)
    measured = pairs_by_measure(called, d)
    for measure, pairs in measured:
        if len(pairs.queries) < 2:
            raise LexiframeError(
                f"{called}: expected two or more requests, to split them into halves, found "
                f"{len(pairs.queries)} for {measure}"
            )
    return measured


def _half_means(pairs: Pairs, splits: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the sizes of mean preferences in first halves, and their agreement with second ones.

    Both are splits × pairs, in blocks of splits. The agreement is 1 where both halves prefer one
    run, −1 where they swap, 0 where one ties, and NaN if a half has no request of the pair.
    """
    n = len(pairs.queries)
    known = ~np.isnan(pairs.values)
    values, known = np.nan_to_num(pairs.values), known.astype(np.float64)
    rounding = pairs.mean_rounding
    block = max(1, AT_ONCE // max(len(pairs.a), n))
    blocks = resampling.halves(n, splits, seed, block=block)
    for first, second in progress(blocks, -(-splits // block), "splitting the requests"):
        a, b = (_means_by_half(half, values, known, rounding) for half in (first, second))
        yield np.abs(a), np.sign(a) * np.sign(b)


def _means_by_half(
    half: np.ndarray, values: np.ndarray, known: np.ndarray, rounding: np.ndarray
) -> np.ndarray:
    means = sums.ratio(half @ values, half @ known)
    means[np.abs(means) <= rounding] = 0.0
    return means


def _swaps(both: np.ndarray) -> np.ndarray:
    """Count in each split the pairs that swap, the pairs with a tie, and all pairs."""
    counted = [both < 0, both == 0, ~np.isnan(both)]
    return np.stack([cells.sum(axis=1) for cells in counted], axis=1)


def _binned(
    size: np.ndarray, both: np.ndarray, edges: np.ndarray, rounding: np.ndarray
) -> np.ndarray:
    """Count in each bin of sizes the pairs that swap, and all pairs."""
    counted = ~np.isnan(both)
    n_bins = len(edges) - 1
    # A difference that equals a bin's lower edge up to rounding belongs to that bin.
    place = np.searchsorted(edges, (size + rounding)[counted], side="right") - 1
    place = np.minimum(place, n_bins - 1)  # the last bin includes its upper edge
    swaps = np.bincount(place[both[counted] < 0], minlength=n_bins)
    return np.stack([swaps, np.bincount(place, minlength=n_bins)])


def _curve(measure: str, edges: np.ndarray, swaps: np.ndarray, n: np.ndarray) -> pl.DataFrame:
    table = pl.DataFrame({"difference_low": edges[:-1], "difference_high": edges[1:], "n": n})
    rate = pl.when(pl.col("n") > 0).then(pl.Series(swaps) / pl.col("n"))
    return table.with_columns(measure=pl.lit(measure), swap_rate=rate).select(
        *schemas.SWAP_CURVE.columns
    )
