"""Orderings of the runs from how many requests prefer each run of a pair to the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lexiframe.base import sums
from lexiframe.orderings.kemeny import kemeny
from lexiframe.orderings.markov import mc4
from lexiframe.orderings.rule import Rule
from lexiframe.pairwise import Pairs, arrays

ValuesAndRanks = tuple[np.ndarray, np.ndarray]
FromLeads = Callable[[Pairs | arrays.PairSums, np.ndarray, np.ndarray, Rule], ValuesAndRanks]
"""A function from pairs, their leads (samples × pairs: the number of requests that prefer run a
minus those that prefer run b), and the number of requests, to values and ranks: samples × runs."""

_TINY = np.finfo(np.float64).tiny
_LAST = -1e300  # below all values; −∞ would make differences NaN


def _win_rate(
    pairs: Pairs | arrays.PairSums, lead: np.ndarray, n: np.ndarray, _: Rule
) -> ValuesAndRanks:
    """Mean over the other runs of the share won; ties count half, as do pairs never compared."""
    shares = np.nan_to_num(sums.ratio(lead, n))
    value = 0.5 + _by_run(pairs, shares) / 2 / (len(pairs.runs) - 1)
    return value, ranks_of(value)


def _copeland(
    pairs: Pairs | arrays.PairSums, lead: np.ndarray, n: np.ndarray, _: Rule
) -> ValuesAndRanks:
    """Pairs of runs won by a majority of requests, minus pairs lost: −(S − 1) to S − 1."""
    value = _by_run(pairs, np.sign(lead))
    return value, ranks_of(value)


def _mc4(
    pairs: Pairs | arrays.PairSums, lead: np.ndarray, n: np.ndarray, rule: Rule
) -> ValuesAndRanks:
    chains = [
        mc4(pairs.square(of_sample), iterations=rule.iterations, teleport=rule.teleport)
        for of_sample in lead
    ]
    layers, shares = (np.stack(parts) for parts in zip(*chains, strict=True))
    # Shares may be tiny and still differ: compare their logarithms, that is, their ratios.
    places = sums.tie_groups(np.log(np.maximum(shares, _TINY)))
    # Layers come first: there are fewer places than runs.
    return layers + shares, sums.mid_ranks(layers * len(pairs.runs) - places)


def _kemeny(
    pairs: Pairs | arrays.PairSums, lead: np.ndarray, n: np.ndarray, _: Rule
) -> ValuesAndRanks:
    value = np.stack([kemeny(pairs.square(of_sample)) for of_sample in lead])
    return value.astype(np.float64), ranks_of(value)


FROM_LEADS: dict[str, FromLeads] = {
    "win_rate": _win_rate,
    "copeland": _copeland,
    "mc4": _mc4,
    "kemeny": _kemeny,
}


def ranks_of(values: np.ndarray, errors: np.ndarray | float = sums.TIE) -> np.ndarray:
    """Rank the values; runs without a value (NaN) come last."""
    return sums.mid_ranks(np.where(np.isnan(values), _LAST, values), np.nan_to_num(errors))


def _by_run(pairs: Pairs | arrays.PairSums, of_pairs: np.ndarray) -> np.ndarray:
    """Sum numbers of the pairs by run, + as run a and − as run b: samples × runs."""
    return np.stack([pairs.square(of_sample).sum(axis=1) for of_sample in of_pairs])
