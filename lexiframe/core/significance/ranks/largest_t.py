"""The step-down test by the largest statistic, studentised anew in every resample.

T = |d|/se. A hypothesis is rejected when T exceeds c, the ⌈(B + 1)(1 − α)⌉-th smallest of B maxima
over the hypotheses that are not yet rejected; then c is found again, until none is rejected: Romano
& Wolf 2005; for ranks: Mogstad, Romano, Shaikh & Wilhelm 2024, doi:10.1093/restud/rdad006.

All pairs together are one family; the pairs of each run are a family as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from lexiframe.core.base import progress, resampling
from lexiframe.core.significance.ranks.pairs import Design

Draws = Literal["flip", "bootstrap"]
FEWEST_FLIPPED = 6
"""Fewer units have too few choices of signs to reject at .05: p is at least 2^(1 − n)."""

_ROUNDING = 1e-9
"""By which share statistics that are equal may differ: those of tied results often are."""
_BLOCK = 250
"""Resamples at once: with 332 runs, a row of pairs stays in the cache of a processor."""

Maxima = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From the pairs (runs × runs) that are open, of all and of each run, to the largest statistics of
each resample: resamples, and runs × resamples."""


def step_down(
    design: Design, draws: Draws, samples: int, seed: int, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return which pairs differ, runs × runs: all at once, and for each run by itself."""
    n_runs = design.points.shape[1]
    if not design.is_free or n_runs < 2:
        return np.zeros((n_runs, n_runs), bool), np.zeros((n_runs, n_runs), bool)
    maxima = {"flip": _flipped, "bootstrap": _bootstrapped}[draws](design, samples, seed)
    t, tested = design.statistics, (design.se > 0) & ~np.eye(n_runs, dtype=bool)
    together, each = np.zeros_like(tested), np.zeros_like(tested)
    # A family without a new rejection is settled, so its maxima are not computed again.
    open_together, open_each = tested, tested.copy()
    while open_together.any() or open_each.any():
        largest, largest_each = maxima(open_together, open_each)
        new = open_together & (t > _critical(largest, alpha))
        new_each = open_each & (t > _critical(largest_each, alpha)[:, None])
        together, each = together | new, each | new_each
        open_together = open_together & ~new & new.any()
        open_each = open_each & ~new_each & new_each.any(axis=1, keepdims=True)
    return together, each


def _critical(largest: np.ndarray, alpha: float) -> np.ndarray:
    """Return the ⌈(B + 1)(1 − α)⌉-th smallest of the B maxima; infinite when B is too small.

    It is slightly larger, so that a statistic equal but for rounding is not rejected.
    """
    n = largest.shape[-1]
    place = int(np.ceil((n + 1) * (1 - alpha) - 1e-9))
    if place > n:
        return np.full(largest.shape[:-1], np.inf)
    return np.asarray(np.partition(largest, place - 1, axis=-1)[..., place - 1] * (1 + _ROUNDING))


# --- Signs ----------------------------------------------------------------------------------------


def _flipped(design: Design, samples: int, seed: int) -> Maxima:
    """Multiply whole units by random signs: Σ d² stays, so se needs the means alone.

    se² = Σ_s f_s (Σ d² − n_s m_s²), with m_s the flipped mean of a stratum.
    """
    means, of_strata = [], []
    for flipped in resampling.flips(len(design.points), samples, seed):
        signs = 1.0 - 2.0 * flipped
        means.append((design.weights[:, None] * design.centred).T @ signs.T)  # runs × resamples
        of_strata.append(_means_in_strata(design, design.centred, signs))
    mean = np.concatenate(means, axis=1)
    in_strata = [
        (factor * n, np.concatenate(parts, axis=1))
        for factor, n, *parts in zip(design.factors, design.sizes, *of_strata, strict=True)
    ]
    per_unit = np.sqrt(design.factors[design.stratum])[:, None] * design.centred
    whole = _sums_of_squares(per_unit)
    is_plain = len(in_strata) == 1 and np.ptp(design.weights) == 0

    def maxima(all_open: np.ndarray, each_open: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if is_plain:
            found = _largest_shares(mean, whole, all_open, each_open)
            factor, n = design.factors[0], design.sizes[0]
            return tuple(_t_from_share(share, factor * n) for share in found)  # type: ignore[return-value]
        return _largest(mean, whole, in_strata, all_open, each_open)

    return maxima


def _means_in_strata(design: Design, points: np.ndarray, drawn: np.ndarray) -> list[np.ndarray]:
    """Return the mean of the points in each stratum, runs × resamples, as resamples × units say."""
    inside = [design.stratum == s for s in range(len(design.sizes))]
    return [
        points[own].T @ drawn[:, own].T / n for own, n in zip(inside, design.sizes, strict=True)
    ]


def _sums_of_squares(points: np.ndarray) -> np.ndarray:
    """Σ d² of all pairs."""
    gram = points.T @ points
    own = np.diag(gram)
    return np.asarray(np.maximum(own[:, None] + own - 2 * gram, 0.0))


def _t_from_share(share: np.ndarray, factor: float) -> np.ndarray:
    """T from r = m²/(f Σ d²): T² = r/(1 − n f r), which grows with r, so the maximum is the same.

    r = 1/(n f) means that the flipped differences do not vary: T is infinite.
    """
    left = 1 - factor * share
    return np.where(left > _NONE, np.sqrt(share / np.where(left > _NONE, left, 1.0)), np.inf)


_NONE = 1e-12


def _largest_shares(
    mean: np.ndarray, whole: np.ndarray, all_open: np.ndarray, each_open: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest r of each resample over open pairs: one stratum, equal weights."""
    scale = np.where(whole > 0, 1 / np.sqrt(np.where(whole > 0, whole, 1.0)), 0.0)

    def of_row(i: int, others: np.ndarray, block: slice) -> np.ndarray:
        row = mean[others, block] - mean[i, block]
        row *= scale[i, others][:, None]
        return np.asarray(np.square(row, out=row))

    return _largest_by_rows(of_row, all_open, each_open, mean.shape[1])


def _largest(
    mean: np.ndarray,
    whole: np.ndarray,
    in_strata: list[tuple[float, np.ndarray]],
    all_open: np.ndarray,
    each_open: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    def of_row(i: int, others: np.ndarray, block: slice) -> np.ndarray:
        left = np.repeat(whole[i, others][:, None], mean[0, block].size, axis=1)
        for factor, means in in_strata:
            left -= factor * (means[others, block] - means[i, block]) ** 2
        row = np.square(mean[others, block] - mean[i, block])
        is_none = left <= _NONE * whole[i, others][:, None]
        return np.where(is_none, np.where(row > 0, np.inf, 0.0), row / np.where(is_none, 1.0, left))

    found = _largest_by_rows(of_row, all_open, each_open, mean.shape[1])
    return np.sqrt(found[0]), np.sqrt(found[1])


def _largest_by_rows(
    of_row: Callable[[int, np.ndarray, slice], np.ndarray],
    all_open: np.ndarray,
    each_open: np.ndarray,
    samples: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest numbers over open pairs; each pair is computed once, a row at a time."""
    n_runs = len(all_open)
    each_of_any = each_open | each_open.T
    largest, each = np.zeros(samples), np.zeros((n_runs, samples))
    for start in progress(range(0, samples, _BLOCK), -(-samples // _BLOCK), "max-t"):
        block = slice(start, min(start + _BLOCK, samples))
        for i in range(n_runs - 1):
            later = np.arange(i + 1, n_runs)
            others = later[all_open[i, later] | each_of_any[i, later]]
            if not len(others):
                continue
            row = of_row(i, others, block)
            _raise(largest[block], row, all_open[i, others])
            _raise(each[i, block], row, each_open[i, others])
            theirs = each_open[others, i]
            if theirs.any():
                chosen = others if theirs.all() else others[theirs]
                part = row if theirs.all() else row[theirs]
                each[chosen, block] = np.maximum(each[chosen, block], part)
    return largest, each


def _raise(largest: np.ndarray, row: np.ndarray, is_open: np.ndarray) -> None:
    """Raise the largest numbers to the numbers of the open pairs in a row, pairs × resamples."""
    if is_open.any():
        part = row if is_open.all() else row[is_open]
        np.maximum(largest, part.max(axis=0), out=largest)


# --- Draws with replacement -----------------------------------------------------------------------


def _bootstrapped(design: Design, samples: int, seed: int) -> Maxima:
    """Draw units of each stratum with replacement, and centre at the observed differences.

    se² = Σ_s f_s (Σ k (d − d̄_s)² − n_s m_s²), with k the count of a unit among the drawn ones and
    m_s the drawn mean of d − d̄_s.
    """
    about = design.centred.copy()
    for s in range(len(design.sizes)):
        inside = design.stratum == s
        about[inside] -= about[inside].mean(axis=0)
    # Counts are small: kept as bytes or two, they take little memory for every step of the test.
    small, means, of_strata, kept = np.min_scalar_type(design.sizes.max()), [], [], []
    for drawn in resampling.drawn_in_strata(design.stratum, samples, seed):
        weighted = drawn * design.weights
        means.append((weighted @ design.centred / weighted.sum(axis=1, keepdims=True)).T)
        of_strata.append(_means_in_strata(design, about, drawn))
        kept.append(drawn.astype(small))
    mean, counts = np.concatenate(means, axis=1), np.concatenate(kept)
    factor = design.factors[design.stratum]
    in_strata = [
        (factor_of * n, np.concatenate(parts, axis=1))
        for factor_of, n, *parts in zip(design.factors, design.sizes, *of_strata, strict=True)
    ]

    def of_row(i: int, others: np.ndarray, block: slice) -> np.ndarray:
        d = about[:, others] - about[:, i, None]
        squares = (d * d * factor[:, None]).T @ counts[block].T.astype(np.float64)
        left = squares.copy()
        for f, means in in_strata:
            left -= f * (means[others, block] - means[i, block]) ** 2
        moved = mean[others, block] - mean[i, block] - design.differences[others, i, None]
        # Two runs that differ in a few units alone do not vary in a resample without these: that
        # decides nothing, and must not count as an infinite statistic.
        is_none = left <= _NONE * squares
        return np.where(is_none, 0.0, moved**2 / np.where(is_none, 1.0, left))

    def maxima(all_open: np.ndarray, each_open: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        largest, each = _largest_by_rows(of_row, all_open, each_open, samples)
        return np.sqrt(largest), np.sqrt(each)

    return maxima
