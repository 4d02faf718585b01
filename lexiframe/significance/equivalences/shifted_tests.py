"""Paired tests of whether the mean difference is above −δ, below δ, and different from 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lexiframe.base.errors import LexiframeError, check_choice
from lexiframe.base.progress_bars import progress
from lexiframe.base.resampling import drawn_requests
from lexiframe.base.sums.moments import Moments
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
    half = np.where((n > 1) & (d.deviation > 0), half, np.nan)
    return _answers(
        margin,
        (d.mean - half, d.mean + half),
        lambda limit: _p_of_t(_t(d, limit), n),
        lambda limit: _p_of_t(-_t(d, limit), n),
        np.minimum(1.0, 2 * _p_of_t(np.abs(_t(d, 0.0 * margin)), n)),
        np.zeros(len(margin)),
    )


def _t(d: Differences | Moments, limit: np.ndarray) -> np.ndarray:
    """Return t of the mean minus a limit; NaN where nothing is known.

    That is so with one request and where all differences are equal, whose deviation is exactly 0:
    two requests with the same difference would otherwise be above any limit for certain.
    """
    above = d.mean - limit
    above = np.where(np.abs(above) <= d.mean_rounding, 0.0, above)
    varies = (np.asarray(d.n) > 1) & (d.deviation > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(varies, above / d.deviation, np.nan) * np.sqrt(d.n))


def _p_of_t(t: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return P(T ≥ t); 1 where t is not known."""
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
}
"""The tests by name; ``t`` takes `Moments` as well, the others need each request."""


def check_test(called: str, name: str) -> None:
    """Raise for a test that is not offered with a margin, and say why it is not.

    Examples
    --------
    >>> check_test("gate", "t")
    """
    if name == "randomization":
        raise LexiframeError(
            f"{called}: expected test to be 't' or 'bootstrap', found 'randomization'; with a "
            "margin it would test whether the differences are symmetric about the margin, not "
            "whether their mean is beyond it, and equal differences would pass"
        )
    check_choice(called, name, SHIFTED_TESTS, "test")
