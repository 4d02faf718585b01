"""The bootstrap test: requests drawn at random, whose t are compared; also with a margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from lexiframe.core.base import progress, resampling, sums
from lexiframe.core.significance.clusters import clustered, drawn_clustered_t
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.estimates import answers_by_t, outcome_by_t
from lexiframe.core.significance.paired_tests import (
    Answers,
    Outcome,
    answers,
    d_z_outcome,
    p_of_t,
    standardised,
)
from lexiframe.core.significance.tests.t import t_answers

_CELLS = 2**20
"""The number of cells (pairs × trials) at once: an array of them takes 8 MB."""
_DRAWN = 2**24
"""The number of cells whose t are kept: for more pairs the requests are drawn again."""


def bootstrap_test(d: Differences, options: Options) -> Outcome:
    """Bootstrap test: t of samples of the centred differences, p = (1 + count) / (1 + trials)."""
    if options.clusters is not None:
        return _clustered_bootstrap(d, options)
    _, t = standardised(d)
    observed, t_of = t if not d.has_weights else d.mean / _linearised(d), _samples_function(d)
    count, alone = np.zeros(len(d.mean), np.int64), np.zeros(d.n, np.int64)
    for counts in _draw_requests(d, options):
        alone += (counts == d.n).sum(axis=0)
        rough = _rounding_of_t(observed, d)
        count += options.extreme(t_of(counts), observed, rough).sum(axis=0)
    of_t = p_of_t(t, d.n, options, d.df)
    p_value = np.where(d.deviation > 0, (1 + count) / (1 + options.trials), of_t)
    return d_z_outcome(d, options, t, p_value, np.minimum(p_value, _least_p(d, alone, options)))


def _samples_function(d: Differences) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from the numbers of times that samples have each request to their t.

    By weights the error of t is linearised, √(Q/(Q − 1) Σ w²(y − ȳ)²)/W, as W differs by sample.
    """
    centred, rounding = d.values - d.mean, d.mean_rounding
    if not d.has_weights:
        squares = centred**2
        return lambda counts: t_of_samples(
            counts @ centred / d.n, counts @ squares / d.n, rounding, d.n
        )
    w = d.weighing.factors[:, None]  # type: ignore[union-attr]
    terms = [w * centred, w**2 * centred**2, w**2 * centred]

    def t_by_weight(counts: np.ndarray) -> np.ndarray:
        total, of_squares = counts @ w, counts @ w**2
        mean, squares, products = (counts @ term for term in terms)
        mean /= total
        mean[np.abs(mean) <= rounding] = 0.0
        around = np.maximum(squares - 2 * mean * products + mean**2 * of_squares, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean * total / np.sqrt(around * (d.n / max(d.n - 1, 1)))
        return np.asarray(np.nan_to_num(t, posinf=np.inf, neginf=-np.inf))

    return t_by_weight


def _linearised(d: Differences) -> np.ndarray:
    """Return the error of the differences that samples by weights have; NaN if it is not known."""
    w = d.weighing.factors[:, None]  # type: ignore[union-attr]
    around = (w**2 * (d.values - d.mean) ** 2).sum(axis=0) * (d.n / max(d.n - 1, 1))
    return np.where(d.deviation > 0, np.sqrt(around) / d.n, np.nan)


def _least_p(d: Differences, alone: np.ndarray, options: Options) -> np.ndarray:
    """Return a p that the test does not fall below, whichever run wins each request.

    ``alone`` counts the samples that have each request alone. Such samples have an infinite t,
    unless that request has the mean difference; at least two requests have another one, on either
    side of it. If all sizes are equal, so may be the differences, and p counts all signs.
    """
    n_extreme = np.sort(alone)[: 2 if options.alternative == "two-sided" else 1].sum()
    sizes = np.abs(d.weighed[0])
    are_equal = sizes.max(axis=0) - sizes.min(axis=0) <= d.rounding.max(axis=0)
    by_signs = options.least_p(np.array(0.5**d.n))
    return np.where(are_equal, by_signs, (1 + n_extreme) / (1 + options.trials))


def _clustered_bootstrap(d: Differences, options: Options) -> Outcome:
    """Do the same with clusters of requests, which are drawn whole."""
    e = clustered(d, options)
    t, drawn = e.beyond(0.0), drawn_clustered_t(d, options).T
    count = options.extreme(drawn, t, _rounding_of_t(t, d)).sum(axis=0)
    p_value = np.where(np.isnan(t), 1.0, (1 + count) / (1 + len(drawn)))
    least_p = np.full(len(t), 1 / (1 + len(drawn)))
    found = outcome_by_t(e, standardised(d)[0], options)
    return found._replace(p_value=p_value, least_p=least_p)


def _rounding_of_t(t: np.ndarray, d: Differences) -> np.ndarray:
    """Return the rounding error that t of each pair may have."""
    size = np.abs(np.nan_to_num(t, posinf=0, neginf=0))
    spread = np.where(d.deviation > 0, d.deviation, np.inf)
    return np.asarray((np.sqrt(d.n_effective) + size) * d.mean_rounding / spread)


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
    if options.clusters is not None:
        e, t = clustered(d, options), drawn_clustered_t(d, options)
        of_samples = _answers_of(d, margin, t, e.error, e.beyond, options)
        none, known = answers_by_t(e, margin, options), e.error > 0
        return Answers(*(np.where(known, a, b) for a, b in zip(of_samples, none, strict=True)))
    of_t = t_answers(d, margin, options)  # what is left where all differences are equal
    drawn_at_once, at_once = (max(cells // options.trials, 1) for cells in (_DRAWN, _CELLS))
    parts = []
    for first in range(0, len(margin), drawn_at_once):
        last = min(first + drawn_at_once, len(margin))
        of_pairs = _drawn_t(_some(d, slice(first, last)), options)
        for start in range(first, last, at_once):
            pairs = slice(start, min(start + at_once, last))
            drawn = of_pairs[pairs.start - first : pairs.stop - first]
            parts.append(_bootstrap_block(_some(d, pairs), margin[pairs], drawn, options))
    found = (np.concatenate(part) for part in zip(*parts, strict=True))
    varies = d.deviation > 0
    return Answers(*(np.where(varies, a, b) for a, b in zip(found, of_t, strict=True)))


def _some(d: Differences, pairs: slice) -> Differences:
    """Return the differences of some pairs."""
    rounding = d.rounding if d.rounding.size == 1 else d.rounding[:, pairs]
    return Differences(d.values[:, pairs], rounding, weighing=d.weighing)


def _drawn_t(d: Differences, options: Options) -> np.ndarray:
    """Return t of samples of the centred differences: pairs × trials."""
    t_of, t, first = _samples_function(d), np.empty((len(d.mean), options.trials)), 0
    for counts in _draw_requests(d, options):
        t[:, first : first + len(counts)] = t_of(counts).T
        first += len(counts)
    return t


def _draw_requests(d: Differences, options: Options) -> Iterator[np.ndarray]:
    """Yield the drawn requests in blocks of trials, with a progress bar."""
    blocks = resampling.drawn_blocks(d.n, options.trials, options.seed)
    n_blocks = -(-options.trials // resampling.rows_at_once(d.n))
    yield from progress(blocks, n_blocks, "bootstrap")


def _bootstrap_block(
    d: Differences, margin: np.ndarray, t: np.ndarray, options: Options
) -> Answers:
    """Return the answers of some pairs, from t of the samples: pairs × trials."""
    e = sums.Estimates.of_values(d)
    if d.has_weights:
        e = sums.Estimates(d.mean, np.nan_to_num(_linearised(d)), d.df, 1, d.mean_rounding)
    error = np.where(e.deviation > 0, e.deviation, np.inf) / np.sqrt(e.n)
    return _answers_of(d, margin, t, error, e.beyond, options)


def _answers_of(
    d: Differences,
    margin: np.ndarray,
    t: np.ndarray,
    error: np.ndarray,
    beyond: Callable[[np.ndarray], np.ndarray],
    options: Options,
) -> Answers:
    """Compare t beyond each limit with t of the samples, pairs × trials."""

    def observed(limit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = beyond(limit)
        return found[:, None], _rounding_of_t(found, d)[:, None]

    def above(limit: np.ndarray) -> np.ndarray:
        found, rough = observed(limit)
        return _p_of_count(t >= found - rough)

    def below(limit: np.ndarray) -> np.ndarray:
        found, rough = observed(limit)
        return _p_of_count(t <= found + rough)

    found, rough = observed(0.0 * margin)
    better = _p_of_count(np.abs(t) >= np.abs(found) - rough)
    least_t, greatest_t = _inner(t, options.alpha)
    with np.errstate(invalid="ignore"):
        ends = d.mean - greatest_t * error, d.mean - least_t * error
    return answers(margin, ends, above, below, better, np.full(len(margin), 1 / (1 + t.shape[1])))


def _p_of_count(is_extreme: np.ndarray) -> np.ndarray:
    """Return p = (1 + count) / (1 + trials) of each pair, from pairs × trials."""
    return np.asarray((1 + is_extreme.sum(axis=1)) / (1 + is_extreme.shape[1]))


def _inner(t: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return, pairs × trials, the least and greatest t that `_p_of_count` does not reject.

    If no count rejects, they are infinite.
    """
    trials = t.shape[1]
    rejects = int(np.searchsorted((1 + np.arange(trials + 1)) / (1 + trials), alpha))
    if rejects == 0:
        return np.full(len(t), -np.inf), np.full(len(t), np.inf)
    places = rejects - 1, trials - rejects
    least, greatest = (np.partition(t, place, axis=1)[:, place] for place in places)
    return least, greatest
