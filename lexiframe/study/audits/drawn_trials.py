"""Trials of an audit: runs, and requests of theirs, drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lexiframe.core.base import memory_use, progress
from lexiframe.core.pairwise import Pairs
from lexiframe.core.significance.differences import Differences
from lexiframe.study.audits.drawn_families import Families
from lexiframe.study.audits.tested_families import some_columns

_BYTES = 100
"""For each drawn difference: its request, itself twice, and what the tests make of them."""


@dataclass(frozen=True)
class Trials:
    """Some trials, each with the pairs of some runs and a sample of their requests.

    Attributes
    ----------
    pair
        The pairs of each trial, as indices into those drawn from: trials × pairs of a trial.
    better
        Which run of each pair is better over all requests: 1 for run a, −1 for run b, 0 for
        neither.
    drawn
        The differences of all pairs of the trials, requests × (2 · trials · pairs): first all where
        no run is better, then all as they are, for the same pairs and requests.
    means
        The mean of each of these pairs that was subtracted; None if none was.
    seed
        The seed of tests that draw at random themselves. It is another one for other trials, so
        that the chance of one drawing is not in all of them.
    """

    pair: np.ndarray
    better: np.ndarray
    drawn: Differences
    seed: int
    means: np.ndarray | None

    @property
    def kept(self) -> Differences:
        """The drawn differences, whose means are not made equal."""
        n = self.drawn.values.shape[1]
        return some_columns(self.drawn, np.arange(n // 2, n))


def drawn_trials(
    pairs: Pairs, families: Families, null: str, size: int, trials: int, seed: int
) -> Iterator[Trials]:
    """Draw ``size`` requests with replacement from the pairs of a random family, ``trials`` times.

    Means are made equal by subtracting each pair's mean (``null="centred"``), or by dealing out the
    names of the runs anew in each drawn request, at random (``"exchanged"``). Trials depend on the
    seed, the size, the number of runs in a family, and the numbers of pairs and requests: measures
    with equal ones share them.
    """
    pool = _Pool.centre(pairs, families)
    at_once = families.trials_at_once(size)
    memory_use.refuse_more_than_available(
        at_once * size * families.size * _BYTES,
        f"trials of {size:,} requests",
        "take fewer requests (sizes)",
    )
    starts = range(0, trials, at_once)
    for number, start in enumerate(progress(starts, len(starts), f"audit, {size} requests")):
        rng = families.rng(seed, size, number)
        yield pool.drawn(rng, null, size, min(at_once, trials - start))


@dataclass(frozen=True)
class _Pool:
    """The pairs and requests to draw from.

    ``requests``, requests × pairs, lists for each pair the requests that it has, and then those
    that it lacks.
    """

    pairs: Pairs
    families: Families
    centred: np.ndarray
    better: np.ndarray
    requests: np.ndarray
    means: np.ndarray

    @classmethod
    def centre(cls, pairs: Pairs, families: Families) -> _Pool:
        mean = pairs.differences.mean
        better = np.where(np.abs(mean) <= pairs.mean_rounding, 0, np.sign(mean))
        centred = pairs.values - mean
        # What differs from the mean by rounding alone is neither a win nor a loss.
        centred[np.abs(centred) <= pairs.rounding] = 0.0
        requests = np.argsort(np.isnan(pairs.values), axis=0, kind="stable")
        return cls(pairs, families, centred, better, requests, mean)

    def drawn(self, rng: np.random.Generator, null: str, size: int, trials: int) -> Trials:
        seed = int(rng.integers(2**32))
        n, rounding = self.pairs.n, self.pairs.rounding
        family = self.families.drawn(rng, trials)
        first = family.pair[:, 0]  # all pairs of a family have the same requests
        request = self.requests[rng.integers(0, n[first], (size, trials)), first]
        drawn = family.cells(request)
        if null == "centred":
            exchanged, equal = drawn, drawn.look_up(self.centred)
        else:
            exchanged = family.exchanged(rng, request)
            equal = exchanged.differences(self.pairs.values)
        if rounding.size > 1:
            rounding = np.concatenate(
                [exchanged.look_up(rounding), drawn.look_up(rounding)], axis=1
            )
        both = np.concatenate([equal, drawn.look_up(self.pairs.values)], axis=1)
        means = self.means[family.pair].ravel() if null == "centred" else None
        better = self.better[family.pair]
        return Trials(family.pair, better, Differences(both, rounding), seed, means)
