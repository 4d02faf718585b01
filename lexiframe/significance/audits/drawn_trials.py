"""Trials of an audit: pairs of runs, and requests of theirs, drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lexiframe.base import memory_use, progress
from lexiframe.pairwise import Pairs
from lexiframe.significance.differences import Differences

_AT_ONCE = 500
"""The number of trials tested at once; fewer of many requests."""
_CELLS = 2**22
"""The number of drawn requests that the trials at once may have."""
_BYTES = 100
"""For each of these: its request, its difference twice, and what the tests make of them."""


@dataclass(frozen=True)
class Trials:
    """Some trials, each with a pair of runs and a sample of its requests.

    Attributes
    ----------
    pair
        The pair of each trial, as an index into those drawn from.
    better
        Which of its runs is better over all requests: 1 for run a, −1 for run b, 0 for neither.
    drawn
        The differences of the trials, requests × 2 trials: first all with equal means, then all as
        they are, for the same pairs and requests.
    means
        The mean of each trial's pair that was subtracted; None if none was.
    seed
        The seed of tests that draw at random themselves. It is another one for other trials, so
        that the chance of one drawing is not in all of them.
    """

    pair: np.ndarray
    better: np.ndarray
    drawn: Differences
    seed: int
    means: np.ndarray | None


def drawn_trials(pairs: Pairs, null: str, size: int, trials: int, seed: int) -> Iterator[Trials]:
    """Draw ``size`` requests with replacement from a random pair, ``trials`` times.

    Means are made equal by subtracting each pair's mean (``null="centred"``), or by swapping the
    two runs of each drawn request or not, at random (``"exchanged"``). Trials depend on the seed,
    the size, and on how many pairs and requests there are: measures with as many share them.
    """
    pool = _Pool.of(pairs)
    at_once = max(1, min(_AT_ONCE, _CELLS // size))
    memory_use.refuse_more_than_available(
        at_once * size * _BYTES, f"trials of {size:,} requests", "take fewer requests (sizes)"
    )
    starts = range(0, trials, at_once)
    for number, start in enumerate(progress(starts, len(starts), f"audit, {size} requests")):
        # Each block has a seed of its own, that of no other size or block.
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size, number)))
        yield pool.drawn(rng, null, size, min(at_once, trials - start))


@dataclass(frozen=True)
class _Pool:
    """What is drawn from.

    ``requests``, requests × pairs, lists for each pair the requests that it has, and then those
    that it lacks.
    """

    pairs: Pairs
    centred: np.ndarray
    better: np.ndarray
    requests: np.ndarray
    means: np.ndarray

    @classmethod
    def of(cls, pairs: Pairs) -> _Pool:
        mean = pairs.differences.mean
        better = np.where(np.abs(mean) <= pairs.mean_rounding, 0, np.sign(mean))
        centred = pairs.values - mean
        # What differs from the mean by rounding alone is neither a win nor a loss.
        centred[np.abs(centred) <= pairs.rounding] = 0.0
        requests = np.argsort(np.isnan(pairs.values), axis=0, kind="stable")
        return cls(pairs, centred, better, requests, mean)

    def drawn(self, rng: np.random.Generator, null: str, size: int, trials: int) -> Trials:
        seed = int(rng.integers(2**32))
        n, rounding = self.pairs.n, self.pairs.rounding
        pair = rng.integers(0, len(n), trials)
        request = self.requests[rng.integers(0, n[pair], (size, trials)), pair]
        kept = self.pairs.values[request, pair]
        if null == "centred":
            equal = self.centred[request, pair]
        else:
            equal = kept * (1.0 - 2.0 * rng.integers(0, 2, (size, trials)))
        rough = rounding if rounding.size == 1 else np.tile(rounding[request, pair], 2)
        both = Differences(np.concatenate([equal, kept], axis=1), rough)
        means = self.means[pair] if null == "centred" else None
        return Trials(pair, self.better[pair], both, seed, means)
