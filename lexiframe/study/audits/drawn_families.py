"""The runs that a trial of an audit compares, drawn at random: a pair, or all pairs of several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiframe.core.pairwise import Pairs

_AT_ONCE = 500
"""The number of trials tested at once; fewer of many requests or pairs."""
_CELLS = 2**22
"""The number of drawn differences that the trials at once may have."""


@dataclass(frozen=True)
class Families:
    """The families of pairs that a trial may compare: a pair of runs, or all pairs of ``n_runs``.

    ``number``, runs × runs, is the place of the pair of two runs among the pairs. Two runs need
    have no preference over a third; more of them need one for any two.
    """

    n_runs: int
    n_pairs: int
    number: np.ndarray

    @classmethod
    def number_pairs(cls, pairs: Pairs, n_runs: int) -> Families:
        """Return the families of some pairs of runs."""
        number = np.zeros((len(pairs.runs), len(pairs.runs)), np.int64)
        number[pairs.a, pairs.b] = number[pairs.b, pairs.a] = np.arange(len(pairs.a))
        return cls(n_runs, len(pairs.a), number)

    @property
    def size(self) -> int:
        """The number of pairs that a trial compares."""
        return self.n_runs * (self.n_runs - 1) // 2

    def trials_at_once(self, n_drawn: int) -> int:
        """Return how many trials, each of ``n_drawn`` requests or clusters, are tested at once."""
        return max(1, min(_AT_ONCE, _CELLS // (n_drawn * self.size)))

    def rng(self, seed: int, n_drawn: int, block: int) -> np.random.Generator:
        """Return random numbers of a block of trials, different for each block, size and family."""
        key = (n_drawn, block) if self.n_runs == 2 else (n_drawn, block, self.n_runs)
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    def drawn(self, rng: np.random.Generator, trials: int) -> DrawnFamilies:
        """Draw the runs of each trial; families of two runs are drawn from the existing pairs."""
        if self.n_runs == 2:
            pair = rng.integers(0, self.n_pairs, trials)[:, None]
            return DrawnFamilies(self, pair, np.empty((trials, 0), np.int64))
        order = rng.random((trials, len(self.number))).argsort(axis=1)
        runs = np.sort(order[:, : self.n_runs], axis=1)
        a, b = np.triu_indices(self.n_runs, k=1)
        return DrawnFamilies(self, self.number[runs[:, a], runs[:, b]], runs)


@dataclass(frozen=True)
class DrawnFamilies:
    """The comparisons of each trial: ``pair``, trials × pairs of a trial; ``runs``, trials × runs.

    The runs of a trial are in the order of their names. A trial of a single pair needs none.
    """

    of: Families
    pair: np.ndarray
    runs: np.ndarray

    def cells(self, rows: np.ndarray) -> Cells:
        """Return the cells of each trial's pairs in the rows (rows × trials) that it has drawn."""
        return Cells(rows[:, :, None], self.pair, np.ones(1))

    def exchanged(self, rng: np.random.Generator, rows: np.ndarray) -> Cells:
        """Return the same after each row has dealt out the names of the trial's runs anew."""
        if self.of.n_runs == 2:
            sign = 1.0 - 2.0 * rng.integers(0, 2, rows.shape)
            return Cells(rows[:, :, None], self.pair, sign[:, :, None])
        dealt = rng.random((*rows.shape, self.of.n_runs)).argsort(axis=2)
        run = np.take_along_axis(self.runs[None], dealt, axis=2)
        i, j = np.triu_indices(self.of.n_runs, k=1)
        a, b = run[:, :, i], run[:, :, j]
        return Cells(rows[:, :, None], self.of.number[a, b], np.where(a < b, 1.0, -1.0))


@dataclass(frozen=True)
class Cells:
    """Where in an array, requests × pairs, the differences of trials are: rows × trials × pairs.

    ``sign`` is −1 where the two runs of the pair have changed places.
    """

    row: np.ndarray
    pair: np.ndarray
    sign: np.ndarray

    def look_up(self, of_pairs: np.ndarray) -> np.ndarray:
        """Look numbers up: rows × (trials · pairs), the pairs of a trial side by side."""
        return np.asarray(of_pairs[self.row, self.pair].reshape(len(self.row), -1))

    def differences(self, of_pairs: np.ndarray) -> np.ndarray:
        """Look differences up, with the sign that the places of the two runs give them."""
        return np.asarray((of_pairs[self.row, self.pair] * self.sign).reshape(len(self.row), -1))
