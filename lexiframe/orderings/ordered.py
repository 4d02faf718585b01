"""Orderings of the runs: over all requests, from exact sums, and in weighted samples of requests.

A method orders the runs by means over the requests, or from the leads of pairs: how many requests
prefer run a to run b, minus those that prefer b. Each row of weights is a sample: a bootstrap
sample has the number of times that it drew each request. What depends on a single request (points,
votes, signs) is computed once; the samples are then products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, memory_use, progress, resampling, sums, to_polars
from lexiframe.orderings.gaps import n_lacking, refuse_lacking
from lexiframe.orderings.kemeny import kemeny
from lexiframe.orderings.markov import mc4
from lexiframe.orderings.rule import Rule
from lexiframe.pairwise import PairCube, Pairs, arrays

AnyPairs = Pairs | arrays.PairSums
AnyScores = arrays.Scores | arrays.RunSums
Table = arrays.ScoreCube | arrays.ScoreSums | PairCube | arrays.Reduced
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


def table_for(d: Any, method: str) -> Table:
    """Turn scores or preferences into what the method needs; sums stay as they are."""
    if isinstance(d, Table):
        return d
    d = to_polars(d)  # once: a stream can be read only once
    return arrays.score_cube(d) if method == "mean" and arrays.is_scores(d) else arrays.pair_cube(d)


def laid_out(d: Any, method: str) -> arrays.ScoreCube | PairCube:
    """Turn scores or preferences into the array that the method needs; raise for sums."""
    table = table_for(d, method)
    return table if isinstance(table, arrays.ScoreCube) else arrays.pair_cube(table)


# --- Over all requests --------------------------------------------------------------------------


def order_whole(table: Table, rule: Rule, *, refuse: bool = True) -> Iterator[Ordered]:
    """Order the runs under each measure over all requests, as one sample.

    Where runs lack requests, the order is refused as `refuse_lacking` says; or, without
    ``refuse``, the values have no ranks.
    """
    for measure, of_measure in table:
        if refuse:
            refuse_lacking(measure, of_measure, rule.missing)
        found = Ordered(measure, of_measure.runs, *_of_sums(measure, of_measure, rule))
        if not refuse and rule.missing is None and n_lacking(of_measure).any():
            found = replace(found, ranks=np.full_like(found.ranks, np.nan))
        yield found


def _of_sums(measure: str, table: Any, rule: Rule) -> ValuesAndRanks:
    if isinstance(table, AnyScores):
        return _by_mean(table.scores, -1 if table.smaller_is_better else 1)
    refuse_gaps(measure, table)
    if rule.method in _MEANS:
        return _by_mean(table.preferred if rule.method == "mean" else table.borda)
    d = table.differences
    lead = d.wins - d.losses if _votes(rule) == "preference" else table.ballots
    return _FROM_LEADS[rule.method](table, lead[None], d.n[None], rule)


def _by_mean(moments: sums.Moments, sign: int = 1) -> ValuesAndRanks:
    mean, errors = moments.mean[None], moments.mean_rounding[None]
    return mean, ranks_of(sign * mean, errors)


# --- In samples of the requests -----------------------------------------------------------------


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


BLOCK = 50
"""The number of samples handled at once: with 100 runs a block of pairs takes 2 MB."""
_BYTES_OF_RANK = 48
"""The memory that a run takes in a sample, while its value and rank are computed and counted."""


def _from_weights(measure: str, table: arrays.Scores | Pairs, rule: Rule) -> FromWeights:
    refuse_lacking(measure, table, rule.missing)
    if isinstance(table, arrays.Scores):
        known = ~np.isnan(table.values)
        errors = np.where(known, sums.rounding(table.values), 0.0)
        return _means(
            np.where(known, table.values, 0.0), errors, known, -1 if table.smaller_is_better else 1
        )
    refuse_gaps(measure, table)
    if rule.method in _MEANS:
        values, errors = _MEANS[rule.method](table)
        return _means(values, errors[:, None], np.ones((len(values), 1)))
    votes, from_leads = table.votes(_votes(rule)), _FROM_LEADS[rule.method]
    known = (~np.isnan(table.values)).astype(np.float64)
    return lambda weights: from_leads(table, weights @ votes, weights @ known, rule)


def _means(values: np.ndarray, errors: np.ndarray, known: np.ndarray, sign: int = 1) -> FromWeights:
    """Return the function of weights for means over the requests where values are known."""

    def mean(weights: np.ndarray) -> ValuesAndRanks:
        n = weights @ known
        value = sums.ratio(weighted_sums(weights, values), n)
        return value, ranks_of(sign * value, sums.ratio(weights @ errors, n))

    return mean


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


# --- The methods --------------------------------------------------------------------------------


def _votes(rule: Rule) -> str:
    """Return what decides which run of a pair a request votes for."""
    return rule.votes if rule.method in ("mc4", "kemeny") else "preference"


_MEANS: dict[str, Callable[[Pairs], tuple[np.ndarray, np.ndarray]]] = {
    "mean": lambda pairs: (pairs.means, pairs.request_rounding),
    # points are multiples of 1/2
    "borda": lambda pairs: (pairs.points, np.full(len(pairs.queries), sums.TIE)),
}
"""The methods by means over requests: the values of each request, requests × runs, and the error
that those of a request may have."""


def _win_rate(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray, _: Rule) -> ValuesAndRanks:
    """Mean over the other runs of the share won; ties count half, as do pairs never compared."""
    shares = np.nan_to_num(sums.ratio(lead, n))
    value = 0.5 + _by_run(pairs, shares) / 2 / (len(pairs.runs) - 1)
    return value, ranks_of(value)


def _copeland(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray, _: Rule) -> ValuesAndRanks:
    """Pairs of runs won by a majority of requests, minus pairs lost: −(S − 1) to S − 1."""
    value = _by_run(pairs, np.sign(lead))
    return value, ranks_of(value)


def _mc4(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray, rule: Rule) -> ValuesAndRanks:
    how: dict[str, Any] = {"iterations": rule.iterations, "teleport": rule.teleport}
    chains = [mc4(pairs.square(of_sample), **how) for of_sample in lead]
    layers, shares = (np.stack(parts) for parts in zip(*chains, strict=True))
    # Shares may be tiny and still differ: compare their logarithms, that is, their ratios.
    places = sums.tie_groups(np.log(np.maximum(shares, _TINY)))
    # Layers come first: there are fewer places than runs.
    return layers + shares, sums.mid_ranks(layers * len(pairs.runs) - places)


def _kemeny(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray, _: Rule) -> ValuesAndRanks:
    value = np.stack([kemeny(pairs.square(of_sample)) for of_sample in lead])
    return value.astype(np.float64), ranks_of(value)


_TINY = np.finfo(np.float64).tiny
_LAST = -1e300  # below all values; −∞ would make differences NaN
_FROM_LEADS = {"win_rate": _win_rate, "copeland": _copeland, "mc4": _mc4, "kemeny": _kemeny}
"""The methods that take the leads of pairs, samples × pairs, and the requests of each pair."""


def ranks_of(values: np.ndarray, errors: np.ndarray | float = sums.TIE) -> np.ndarray:
    """Rank the values; runs without a value (NaN) come last."""
    return sums.mid_ranks(np.where(np.isnan(values), _LAST, values), np.nan_to_num(errors))


def _by_run(pairs: AnyPairs, of_pairs: np.ndarray) -> np.ndarray:
    """Sum numbers of the pairs by run, + as run a and − as run b: samples × runs."""
    return np.stack([pairs.square(of_sample).sum(axis=1) for of_sample in of_pairs])


def refuse_gaps(measure: str, pairs: AnyPairs) -> None:
    """Raise when two runs share no request."""
    gaps = np.flatnonzero(pairs.differences.n == 0)
    if len(gaps):
        a, b = pairs.runs[int(pairs.a[gaps[0]])], pairs.runs[int(pairs.b[gaps[0]])]
        raise LexiframeError(
            f"order_runs: {measure} lacks preferences between {len(gaps)} pairs of runs "
            f"({a!r} and {b!r} first); compute the preferences of all pairs"
        )
