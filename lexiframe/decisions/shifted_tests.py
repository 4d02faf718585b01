"""Paired tests of whether the mean difference is above −δ, below δ, and different from 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lexiframe.layouts.moments import Moments
from lexiframe.progress import progress
from lexiframe.resampling import drawn_requests, signs
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.paired_tests import t_of_samples

_CELLS = 2**20
"""The number of cells (pairs × trials) at once: an array of them takes 8 MB."""


class Answers(NamedTuple):
    """The interval of each pair's mean difference, and p of the questions about it.

    The interval has level 1 − 2α, so that a one-sided test at α rejects what is outside of it.
    ``least_p`` is the least p that a one-sided test of the pair could have had.
    """

    ci_low: np.ndarray
    ci_high: np.ndarray
    p_not_worse_a: np.ndarray
    p_not_worse_b: np.ndarray
    p_better: np.ndarray
    p_better_by_margin_a: np.ndarray
    p_better_by_margin_b: np.ndarray
    least_p: np.ndarray


OneSided = Callable[[np.ndarray], np.ndarray]
"""From a limit for each pair to p of the hypothesis that the mean does not pass it."""


def _answers(
    margin: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    above: OneSided,
    below: OneSided,
    better: np.ndarray,
    least_p: np.ndarray,
) -> Answers:
    """Ask whether the mean is above −δ, below δ, above δ and below −δ."""
    return Answers(*ends, above(-margin), below(margin), better, above(margin), below(-margin),
                   least_p)  # fmt: skip


def t_answers(d: Differences | Moments, margin: np.ndarray, options: Options) -> Answers:
    """Student's t: t = (mean − limit) / (sd / √n), n − 1 degrees of freedom."""
    from scipy.special import stdtrit

    n = np.broadcast_to(d.n, margin.shape)
    half = stdtrit(np.maximum(n - 1, 1), 1 - options.alpha) * d.deviation / np.sqrt(n)
    half = np.where(n > 1, half, np.nan)
    return _answers(
        margin,
        (d.mean - half, d.mean + half),
        lambda limit: _p_of_t(_t(d, limit), n),
        lambda limit: _p_of_t(-_t(d, limit), n),
        np.minimum(1.0, 2 * _p_of_t(np.abs(_t(d, 0.0 * margin)), n)),
        np.zeros(len(margin)),
    )


def _t(d: Differences | Moments, limit: np.ndarray) -> np.ndarray:
    """Return t of the mean minus a limit; NaN where nothing is known: see `compare`."""
    above = d.mean - limit
    above = np.where(np.abs(above) <= d.mean_rounding, 0.0, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.asarray(d.n) > 1, above / d.deviation, np.nan) * np.sqrt(d.n))


def _p_of_t(t: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return P(T ≥ t); 1 where the mean equals the limit in each request, or n is 1."""
    from scipy.special import stdtr

    return np.where(np.isnan(t), 1.0, stdtr(np.maximum(n - 1, 1), -t))


def bootstrap_answers(d: Differences, margin: np.ndarray, options: Options) -> Answers:
    """Percentile-t bootstrap: t of samples of the centred differences, for all limits the same."""
    drawn = np.ascontiguousarray(drawn_requests(d.n, options.trials, options.seed).T)
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
        found = _t(d, limit)[:, None]
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
    return _answers(margin, ends, above, below, better, np.full(len(margin), 1 / (1 + t.shape[1])))


def randomization_answers(d: Differences, margin: np.ndarray, options: Options) -> Answers:
    """Randomisation: signs at random of the differences minus the limit.

    Changing the signs of the differences x − c of some requests makes their sum at least as great
    as it is if and only if the mean of x in these requests is at most c. So the means of x in the
    requests whose signs change give p for every limit c, and their quantiles the interval.
    """
    flipped = np.ascontiguousarray((1 - signs(d.n, options.trials, options.seed).T) / 2)
    parts = [
        _randomization_block(_of_pairs(d, pairs), margin[pairs], flipped, options)
        for pairs in _blocks(len(margin), flipped.shape[1], "randomization")
    ]
    found = _joined(parts)
    low, high = (np.where(d.n > 1, end, np.nan) for end in found[:2])
    return found._replace(ci_low=low, ci_high=high)


def _randomization_block(
    d: Differences, margin: np.ndarray, flipped: np.ndarray, options: Options
) -> Answers:
    size = flipped.sum(axis=0)
    rough = np.broadcast_to(d.rounding, d.values.shape).max(axis=0)[:, None]
    sums = d.values.T @ flipped
    with np.errstate(invalid="ignore"):
        means = sums / size
    # Without a change of sign the sum is as great as it is, whatever the limit.
    lower, upper = (np.where(size > 0, means, end) for end in (-np.inf, np.inf))
    drawn, observed = d.mean[:, None] - 2 * sums / d.n, np.abs(d.mean)[:, None]
    better = _p_of_count(np.abs(drawn) >= observed - d.mean_rounding[:, None])
    return _answers(
        margin,
        _inner(lower, upper, options.alpha),
        lambda limit: _p_of_count(lower <= limit[:, None] + rough),
        lambda limit: _p_of_count(upper >= limit[:, None] - rough),
        better,
        np.full(len(margin), 1 / (1 + len(size))),
    )


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


SHIFTED_TESTS: dict[str, Callable[[Any, np.ndarray, Options], Answers]] = {
    "t": t_answers,
    "bootstrap": bootstrap_answers,
    "randomization": randomization_answers,
}
"""The tests by name; ``t`` takes `Moments` as well, the others need each request."""
