"""The bootstrap test: requests drawn at random, whose t are compared; also with a margin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiframe.base import progress, resampling
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.paired_tests import (
    ROWS,
    Answers,
    Outcome,
    PairedTest,
    answers,
    p_of_t,
    standardised,
    t_beyond,
    with_d_z,
)
from lexiframe.significance.tests.t import t_answers

_CELLS = 2**20
"""The number of cells (pairs × trials) at once: an array of them takes 8 MB."""


def bootstrap_test(d: Differences, options: Options) -> Outcome:
    """Bootstrap test: t of samples of the centred differences, p = (1 + count) / (1 + trials)."""
    _, t = standardised(d)
    centred = d.values - d.mean
    squares, rounding = centred**2, d.mean_rounding
    spread = np.where(d.deviation > 0, d.deviation, np.inf)
    rounding_of_t = (
        (np.sqrt(d.n) + np.abs(np.nan_to_num(t, posinf=0, neginf=0))) * rounding / spread
    )
    drawn = resampling.drawn_requests(d.n, options.trials, options.seed)
    count = np.zeros(len(d.mean), np.int64)
    for first in progress(range(0, len(drawn), ROWS), -(-len(drawn) // ROWS), "bootstrap"):
        counts = drawn[first : first + ROWS]
        drawn_t = t_of_samples(counts @ centred / d.n, counts @ squares / d.n, rounding, d.n)
        count += options.extreme(drawn_t, t, rounding_of_t).sum(axis=0)
    p_value = np.where(d.deviation > 0, (1 + count) / (1 + len(drawn)), p_of_t(t, d.n, options))
    least_p = np.where(d.deviation > 0, 1 / (1 + len(drawn)), 0.0)
    return with_d_z(d, options, t, p_value, least_p)


def t_of_samples(
    means: np.ndarray, squares: np.ndarray, rounding: np.ndarray, n: int
) -> np.ndarray:
    """Return t of samples of n requests, from their means and their means of squares.

    ``means`` no greater than ``rounding`` become 0.
    """
    means[np.abs(means) <= rounding] = 0.0
    # The squared standard error, from the variance · n/(n − 1) / n of the sample.
    variance = np.maximum(squares - means**2, 0.0) / max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means / np.sqrt(variance)
    # A sample without variance has an infinite t, or 0 if its mean is 0.
    return np.asarray(np.nan_to_num(t, posinf=np.inf, neginf=-np.inf))


def bootstrap_answers(d: Differences, margin: np.ndarray, options: Options) -> Answers:
    """Percentile-t bootstrap: t of samples of the centred differences, for all limits the same."""
    drawn = np.ascontiguousarray(resampling.drawn_requests(d.n, options.trials, options.seed).T)
    of_t = t_answers(d, margin, options)  # what is left where all differences are equal
    parts = [
        _bootstrap_block(_of_pairs(d, pairs), margin[pairs], drawn, options)
        for pairs in _blocks(len(margin), options.trials, "bootstrap")
    ]
    found = _joined(parts)
    varies = d.deviation > 0
    return Answers(*(np.where(varies, a, b) for a, b in zip(found, of_t, strict=True)))


def _bootstrap_block(
    d: Differences, margin: np.ndarray, drawn: np.ndarray, options: Options
) -> Answers:
    n, rounding = d.n, d.mean_rounding[:, None]
    spread = np.where(d.deviation > 0, d.deviation, np.inf)
    error = spread / np.sqrt(n)
    centred = (d.values - d.mean).T
    t = t_of_samples(centred @ drawn / n, centred**2 @ drawn / n, rounding, n)

    def observed(limit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = t_beyond(d, limit)[:, None]
        size = np.abs(np.nan_to_num(found, posinf=0, neginf=0))
        return found, (np.sqrt(n) + size) * rounding / spread[:, None]

    def above(limit: np.ndarray) -> np.ndarray:
        found, rough = observed(limit)
        return _p_of_count(t >= found - rough)

    def below(limit: np.ndarray) -> np.ndarray:
        found, rough = observed(limit)
        return _p_of_count(t <= found + rough)

    found, rough = observed(0.0 * margin)
    better = _p_of_count(np.abs(t) >= np.abs(found) - rough)
    least_t, greatest_t = _inner(t, t, options.alpha)
    with np.errstate(invalid="ignore"):
        ends = d.mean - greatest_t * error, d.mean - least_t * error
    return answers(margin, ends, above, below, better, np.full(len(margin), 1 / (1 + t.shape[1])))


def _blocks(pairs: int, trials: int, label: str) -> Iterator[slice]:
    """Yield the pairs that are computed at once, in a bounded memory."""
    at_once = max(_CELLS // trials, 1)
    starts = range(0, pairs, at_once)
    return progress((slice(k, k + at_once) for k in starts), len(starts), label)


def _of_pairs(d: Differences, pairs: slice) -> Differences:
    rounding = d.rounding if d.rounding.size == 1 else d.rounding[:, pairs]
    return Differences(d.values[:, pairs], rounding)


def _joined(parts: list[Answers]) -> Answers:
    return Answers(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _p_of_count(is_extreme: np.ndarray) -> np.ndarray:
    """Return p = (1 + count) / (1 + trials) of each pair, from pairs × trials."""
    return np.asarray((1 + is_extreme.sum(axis=1)) / (1 + is_extreme.shape[1]))


def _inner(low: np.ndarray, high: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return for each pair the least number that `_p_of_count` does not reject, and the greatest.

    ``low`` and ``high`` are pairs × trials. If no count rejects, the numbers are infinite.
    """
    trials = low.shape[1]
    rejects = int(np.searchsorted((1 + np.arange(trials + 1)) / (1 + trials), alpha))
    if rejects == 0:
        return np.full(len(low), -np.inf), np.full(len(high), np.inf)
    place = rejects - 1
    return (
        np.partition(low, place, axis=1)[:, place],
        np.partition(high, trials - rejects, axis=1)[:, trials - rejects],
    )


BOOTSTRAP = PairedTest(
    "bootstrap", "paired bootstrap test", bootstrap_test, draws=True, shifted=bootstrap_answers
)
