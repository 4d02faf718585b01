"""The worst share of a run's values: its mean, how sure that is, and who is in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lexiframe.core.base import resampling, sums

_NEARLY = 1e-9
"""By how much a number of requests may be rounded."""
_ALIKE = 1e-5
"""The share of two variances below which the variance of a difference is added up by itself."""
_NUMBERS = 2**21
"""The differences of pairs that are in memory at once."""


@dataclass(frozen=True)
class Tails:
    """Values of runs, larger ones better: requests × runs, NaN where a run has none.

    ``weighing`` has the weights of the requests, if they do not count alike.
    """

    values: np.ndarray
    weighing: sums.Weighing | None = None

    def part(self, rows: np.ndarray, runs: np.ndarray) -> Tails:
        """Return the values of some runs for some requests, given by their places, or of all."""
        if (len(rows), len(runs)) == self.values.shape:
            return self
        weighing = None if self.weighing is None else self.weighing.some(rows)
        return Tails(self.values[np.ix_(rows, runs)], weighing)

    @cached_property
    def n(self) -> np.ndarray:
        """The number of requests of each run."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @cached_property
    def weight(self) -> np.ndarray:
        """The weights with the mean 1 over a run's requests: requests × runs, 0 without a value."""
        w = np.ones(len(self.values)) if self.weighing is None else self.weighing.weight
        known = np.where(np.isnan(self.values), 0.0, w[:, None])
        for stratum in self.strata:  # whose requests share its weight
            known[stratum] /= np.maximum((known[stratum] > 0).sum(axis=0), 1)
        total = known.sum(axis=0)
        return np.asarray(known * (self.n / np.where(total > 0, total, 1.0)))

    @property
    def strata(self) -> list[np.ndarray]:
        """The requests of each stratum; nothing without strata."""
        of = None if self.weighing is None else self.weighing.stratum
        return [] if of is None else [np.flatnonzero(of == name) for name in np.unique(of)]

    def _centred(self, psi: np.ndarray, mean: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return w (ψ − mean), by the mean of each stratum if there are strata; 0 without a value.

        A stratum's deviations are √(n_h/(n_h − 1) · (n − 1)/n) times as large; of one request they
        are not known: NaN.
        """
        centred = w * (psi - mean)
        is_known = ~np.isnan(self.values)
        n = is_known.sum(axis=0)
        for stratum in self.strata:
            some, known = psi[stratum], is_known[stratum].sum(axis=0)
            of = sums.ratio(np.where(is_known[stratum], some, 0.0).sum(axis=0), known)
            rest = np.where(known > 1, known - 1.0, np.nan)
            more = np.sqrt(known / rest * (n - 1) / np.maximum(n, 1))
            centred[stratum] = w[stratum] * (some - of) * more
        return np.where(is_known, centred, 0.0)

    @cached_property
    def n_effective(self) -> np.ndarray:
        """(Σw)²/Σw² of each run: n where all weights are equal."""
        return np.asarray(self.n**2 / np.maximum((self.weight**2).sum(axis=0), 1e-300))

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(self.values, axis=0, kind="stable")

    @cached_property
    def sorted(self) -> np.ndarray:
        """The values of each run from the worst, missing ones last."""
        return np.take_along_axis(self.values, self._order, axis=0)

    @cached_property
    def _reached(self) -> np.ndarray:
        return np.cumsum(np.take_along_axis(self.weight, self._order, axis=0), axis=0)

    @cached_property
    def _drawn(self) -> dict[tuple[float, ...], np.ndarray]:
        """The quantiles that were drawn, by shares, samples and seed: several tables need them."""
        return {}

    @property
    def means(self) -> np.ndarray:
        """The weighted mean of each run."""
        return sums.ratio(np.nansum(self.weight * self.values, axis=0), self.n)

    def _at(self, place: np.ndarray) -> np.ndarray:
        """Return the value of each run at a place from the worst, which is 0."""
        place = np.minimum(place, self.n - 1)
        return np.asarray(np.take_along_axis(self.sorted, place[None], axis=0)[0])

    def first_beyond(self, share: float) -> np.ndarray:
        """ζ: the value of the first request that is not counted in full."""
        return self._at((self._reached <= share * self.n + _NEARLY).sum(axis=0))

    def psi(self, share: float) -> np.ndarray:
        """ψ = ζ − max(0, ζ − x)/β, whose mean is the mean of the worst share.

        Values that equal ζ but for rounding have no deficit.
        """
        zeta = self.first_beyond(share)
        deficit = np.maximum(zeta - self.values, 0.0)
        deficit[deficit <= sums.TIE * np.maximum(1.0, np.abs(zeta))] = 0.0
        return np.where(share * self.n > 1 - _NEARLY, zeta - deficit / share, np.nan)

    def estimates(self, share: float) -> sums.Estimates:
        """Return W with the error of its linear part, and βn − 1 degrees of freedom."""
        psi, w, target = self.psi(share), self.weight, share * self.n
        # The mean of ψ, without its rounding: exactly 0 where all of the share is 0.
        sorted_weight = np.diff(self._reached, axis=0, prepend=0.0)
        counted = np.clip(target - (self._reached - sorted_weight), 0.0, sorted_weight)
        total = np.nansum(counted * self.sorted, axis=0)
        mean = np.where(target > 1 - _NEARLY, total / np.maximum(target, _NEARLY), np.nan)
        squares = (self._centred(psi, mean, w) ** 2).sum(axis=0)
        requests = share * self.n_effective
        return _estimates(
            mean, squares, np.fmax.reduce(np.abs(psi)), self.n, requests, requests - 1
        )

    def counted(self, share: float) -> np.ndarray:
        """Return how much each request counts, in 0..1; ties at ζ share the rest evenly."""
        zeta, target = self.first_beyond(share), share * self.n
        gap = self.values - zeta
        are_tied = np.abs(gap) <= sums.TIE * np.maximum(1.0, np.abs(zeta))
        below = (gap < 0) & ~are_tied
        rest = target - (self.weight * below).sum(axis=0)
        shared = sums.ratio(rest, (self.weight * are_tied).sum(axis=0))
        enough = target > 1 - _NEARLY
        return np.where(enough, below + are_tied * np.where(shared > _NEARLY, shared, 0.0), 0.0)

    def quantiles(self, share: float, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x_(⌈βn⌉) of each run, and the order statistics that are its limits.

        The lower one is the greatest l with P(Bin(n, β) < l) ≤ α/2, the upper one the least u with
        P(Bin(n, β) ≥ u) ≤ α/2. Where there is none, and with unequal weights, it is NaN.
        """
        from scipy.special import bdtr, bdtrc

        point = self._at((self._reached < share * self.n - _NEARLY).sum(axis=0))
        ends = {
            n: ((bdtr(k, n, share) <= alpha / 2).sum() - 1, (bdtrc(k, n, share) > alpha / 2).sum())
            for n, k in ((int(n), np.arange(n + 1.0)) for n in np.unique(self.n))
        }
        low, high = np.array([ends[n] for n in self.n.tolist()]).T
        are_equal = np.isclose(self.n_effective, self.n, rtol=_NEARLY)
        is_one = share * self.n > 1 - _NEARLY
        has_ends = is_one & are_equal & (share < 1)
        return (
            np.where(is_one, point, np.nan),
            np.where(has_ends & (low >= 0), self._at(np.maximum(low, 0)), np.nan),
            np.where(has_ends & (high < self.n), self._at(high), np.nan),
        )

    def pairs(self, share: float, a: np.ndarray, b: np.ndarray) -> sums.Estimates:
        """Return W_a − W_b by ψ_a − ψ_b, of runs that have all requests.

        t has the least of n − 1 and 2βn − 2 degrees of freedom.
        """
        psi, w = self.psi(share).T, self.weight[:, 0]
        n, requests, size = len(w), share * self.n_effective[0], np.abs(psi).max(initial=0.0)
        means = psi @ w / n
        centred = self._centred(psi.T, means, w[:, None]).T
        product = centred @ centred.T
        whole = product[a, a] + product[b, b]
        squares = whole - 2 * product[a, b]
        # The product loses the digits of runs that are nearly alike.
        alike, step = np.flatnonzero(squares < _ALIKE * whole), max(1, _NUMBERS // n)
        for some in (alike[start : start + step] for start in range(0, len(alike), step)):
            d = centred[a[some]] - centred[b[some]]
            squares[some] = np.einsum("ij,ij->i", d, d)
        freedom = np.full(len(a), min(requests / share - 1, 2 * requests - 2))
        mean = sums.difference(means[a], means[b])
        return _estimates(mean, squares, size, n, requests, freedom)

    def drawn_quantiles(self, shares: Sequence[float], samples: int, seed: int) -> np.ndarray:
        """Return x_(⌈βn⌉) of each run in joint samples of the requests: shares × runs × samples.

        All runs have all requests.
        """
        if (key := (*shares, samples, seed)) in self._drawn:
            return self._drawn[key]
        n, n_runs = self.values.shape
        found, first = np.empty((len(shares), n_runs, samples)), 0
        far = max(shares) * n
        head = min(n, math.ceil(far + 8 * math.sqrt(far) + 8))  # hardly a sample needs more
        for drawn in resampling.drawn_blocks(n, samples, seed):
            weight = np.ascontiguousarray((drawn * self.weight[:, 0]).T)
            total = weight.sum(axis=0)
            for run, order in enumerate(self._order.T):
                reached = np.cumsum(weight[order[:head]], axis=0)
                if (reached[-1] < max(shares) * total).any():
                    reached = np.cumsum(weight[order], axis=0)
                for of_share, share in zip(found, shares, strict=True):
                    place = (reached < share * total - _NEARLY * total / n).sum(axis=0)
                    of_share[run, first : first + len(drawn)] = self.sorted[place, run]
            first += len(drawn)
        self._drawn[key] = found
        return found


def _estimates(
    mean: np.ndarray, squares: np.ndarray, size: Any, n: Any, requests: Any, df: np.ndarray
) -> sums.Estimates:
    """Return means with their errors; 0 where fewer than two requests count, or nothing varies.

    ``squares`` are Σ w² (ψ − mean)², ``size`` is the largest |ψ|, ``requests`` are βn.
    """
    rough = sums.TIE * np.maximum(1.0, size)
    known = (np.asarray(requests) > 2 - _NEARLY) & (squares > n * rough**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(known, np.sqrt(squares / (n * (n - 1.0))), 0.0)
    return sums.Estimates(mean, error, df, rounding=rough)
