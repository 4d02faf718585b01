"""Orderings of runs over weighted requests, for the table itself and for bootstrap samples.

Each row of weights is a sample: the table itself has weight 1 for each request, a bootstrap sample
the number of times that it drew the request. What depends on a single request (points, votes,
signs) is computed once; the samples are then products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, memory_use, progress, resampling, sums, to_polars
from lexiframe.orderings.from_leads import FROM_LEADS, ranks_of
from lexiframe.orderings.gaps import refuse_lacking
from lexiframe.orderings.positional import borda
from lexiframe.orderings.rule import Rule
from lexiframe.orderings.sums import request_ballots
from lexiframe.orderings.wins import mean_preferences
from lexiframe.pairwise import PairCube, Pairs, arrays

ValuesAndRanks = tuple[np.ndarray, np.ndarray]
FromWeights = Callable[[np.ndarray], ValuesAndRanks]
"""A function from weights (samples × requests) to values and ranks (samples × runs)."""


@dataclass(frozen=True)
class Ordered:
    """The runs' values and mid-ranks under one measure: samples × runs.

    A run that has none of a sample's requests has the value NaN and comes last.
    """

    measure: str
    runs: pl.Series
    values: np.ndarray
    ranks: np.ndarray


def laid_out(d: Any, method: str) -> arrays.ScoreCube | PairCube:
    """Turn a table of scores or preferences into the array that the method needs."""
    if isinstance(d, arrays.ScoreCube):
        return d
    if isinstance(d, PairCube | arrays.Reduced | arrays.ScoreSums):
        return arrays.pair_cube(d)  # which refuses sums
    d = to_polars(d)
    return arrays.score_cube(d) if method == "mean" and arrays.is_scores(d) else arrays.pair_cube(d)


def ordered(
    cube: arrays.ScoreCube | PairCube, weights: np.ndarray, rule: Rule
) -> Iterator[Ordered]:
    """Order the runs under each measure in each sample: ``weights`` is samples × requests."""
    for measure, table in cube:
        place = np.arange(len(table.queries))
        if len(table.queries) < len(cube.queries):
            place = cube.queries.search_sorted(table.queries).to_numpy()
        from_weights = _from_weights(measure, table, rule)
        starts = range(0, len(weights), BLOCK)
        blocks = [
            from_weights(weights[start : start + BLOCK, place])
            for start in progress(starts, len(starts), f"{measure} by {rule.method}")
        ]
        values, ranks = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        yield Ordered(measure, table.runs, values, ranks)


def resampled(function: str, d: Any, rule: Rule, samples: int, seed: int) -> Iterator[Ordered]:
    """Order the runs in bootstrap samples of the requests, which all measures share."""
    resampling.check_draws(function, "samples", samples, seed)
    cube = laid_out(d, rule.method)
    arrays.check_finite(function, cube.values)
    what = f"{function}: the ranks of {len(cube.runs):,} runs in {samples:,} samples"
    needed = len(cube.runs) * samples * _BYTES_OF_RANK
    memory_use.refuse_more_than_available(needed, what, "take fewer samples or fewer runs")
    if len(cube.queries):
        yield from ordered(cube, resampling.drawn_requests(len(cube.queries), samples, seed), rule)


def _from_weights(measure: str, table: arrays.Scores | Pairs, rule: Rule) -> FromWeights:
    refuse_lacking(measure, table, rule.missing)
    if isinstance(table, Pairs):
        refuse_gaps(measure, table)
        return _METHODS[rule.method](table, rule)
    sign = -1 if table.smaller_is_better else 1
    known = ~np.isnan(table.values)
    scores = np.where(known, table.values, 0.0)
    errors = np.where(known, sums.rounding(table.values), 0.0)

    def mean(weights: np.ndarray) -> ValuesAndRanks:
        n = weights @ known
        value = sums.ratio(weighted_sums(weights, scores), n)
        return value, ranks_of(sign * value, sums.ratio(weights @ errors, n))

    return mean


def _mean(pairs: Pairs, rule: Rule) -> FromWeights:
    return _mean_of(mean_preferences(pairs), pairs.request_rounding)


def _borda(pairs: Pairs, rule: Rule) -> FromWeights:
    of_requests = borda(mean_preferences(pairs), pairs.request_rounding[:, None])
    return _mean_of(of_requests, np.full(len(of_requests), sums.TIE))  # points are multiples of 1/2


def _mean_of(request_values: np.ndarray, errors: np.ndarray) -> FromWeights:
    """Return the function of weights for means over requests of values, requests × runs."""

    def mean(weights: np.ndarray) -> ValuesAndRanks:
        n = weights.sum(axis=1)[:, None]
        value = sums.ratio(weighted_sums(weights, request_values), n)
        return value, ranks_of(value, sums.ratio(weights @ errors[:, None], n))

    return mean


def _by_wins(pairs: Pairs, rule: Rule) -> FromWeights:
    """Return the function of weights for methods that take the wins of each pair of runs."""
    known = (~np.isnan(pairs.values)).astype(np.float64)
    wins = request_ballots(pairs, "preference")
    of_leads = FROM_LEADS[rule.method]
    return lambda weights: of_leads(pairs, weights @ wins, weights @ known, rule)


def _by_ballots(pairs: Pairs, rule: Rule) -> FromWeights:
    """Return the function of weights for methods that take the ballots of the requests."""
    votes = request_ballots(pairs, rule.votes)
    of_leads = FROM_LEADS[rule.method]
    return lambda weights: of_leads(pairs, weights @ votes, weights.sum(axis=1), rule)


BLOCK = 50
"""The number of samples handled at once: with 100 runs a block of pairs takes 2 MB."""
_BYTES_OF_RANK = 48
"""The memory that a run takes in a sample, while its value and rank are computed and counted."""
_METHODS: dict[str, Callable[[Pairs, Rule], FromWeights]] = {
    "mean": _mean,
    "win_rate": _by_wins,
    "borda": _borda,
    "copeland": _by_wins,
    "mc4": _by_ballots,
    "kemeny": _by_ballots,
}


def weighted_sums(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return weights @ values such that equal columns have sums equal to the last bit.

    BLAS may add up equal columns in different orders, and then copies of a run would not tie. So
    the product is computed for the distinct columns only.

    Examples
    --------
    >>> weighted_sums(np.array([[1.0, 2.0]]), np.array([[0.1, 0.1], [0.2, 0.2]])).tolist()
    [[0.5, 0.5]]
    """
    number: dict[bytes, int] = {}
    place = [number.setdefault(column.tobytes(), len(number)) for column in values.T]
    distinct = np.unique(place, return_index=True)[1]
    return np.asarray((weights @ values[:, distinct])[:, place])


def refuse_gaps(measure: str, pairs: Pairs | arrays.PairSums) -> None:
    """Raise when two runs share no request."""
    gaps = np.flatnonzero(pairs.differences.n == 0)
    if len(gaps):
        a, b = pairs.runs[int(pairs.a[gaps[0]])], pairs.runs[int(pairs.b[gaps[0]])]
        raise LexiframeError(
            f"order_runs: {measure} lacks preferences between {len(gaps)} pairs of runs "
            f"({a!r} and {b!r} first); compute the preferences of all pairs"
        )
