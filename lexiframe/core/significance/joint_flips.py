"""Joint sign flips: the p-values of all pairs of a family, from the same signs of the requests.

The differences of all pairs in a request get the same sign, so that the greatest statistic of a
family is drawn with the dependence that its pairs have. Drawn signs are hashes of the requests'
ids, which depend neither on the order of the requests nor on how many are looked at together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import hashing, in_threads, sums
from lexiframe.core.pairwise import Pairs, arrays
from lexiframe.core.significance.differences import Options, weighed_differences

TRIALS = 10_000
"""The flips of the default test, unless others are asked for."""
MOST_REQUESTS = 1000
"""The most requests that the default test flips: t and sign flips find as much in more."""
MOST_WORK = 5 * 10**10
"""The products of a sign and a difference beyond which the default test has fewer flips."""
FEWEST = 1000
"""The fewest flips that it has."""
TOO_MUCH_WORK = 2 * 10**11
"""The products beyond which even so few are not made, and t takes their place."""
_PAIRS, _GROUP = 256, 16
"""The pairs whose statistics are in the cache at once, and how many of them are a group, within and
between which running maxima are taken."""
_REQUESTS, _SIGNS = 256, 64
"""The requests and choices of signs of one product with a group: so few terms are multiplied in one
thread, as threads that wait for one another at each product take many times as long."""
_CHOICES, _FEW = 512, 64
"""The choices of signs beside each other where the sums of pairs come from the sums of runs, and
the most requests of which this takes no less time than products with the differences."""
_SIGNS_OF_BYTES = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
"""The signs that the bits of each byte stand for."""


def n_trials(n: int, n_pairs: int, trials: int) -> int | None:
    """Return how many flips of n requests the default test makes; None if t takes their place.

    ``trials`` that the user chose are made, however long they take.

    Examples
    --------
    >>> n_trials(50, 45, 10_000), n_trials(50, 499_500, 10_000), n_trials(1001, 45, 10_000)
    (10000, 2002, None)
    """
    if n > most_requests(n_pairs):
        return None
    usual = max(MOST_WORK // max(n * n_pairs, 1), FEWEST)
    return min(trials, usual) if trials == TRIALS else trials


def most_requests(n_pairs: int) -> int:
    """Return the most requests whose signs the default test flips for so many pairs."""
    return min(TOO_MUCH_WORK // FEWEST // max(n_pairs, 1), MOST_REQUESTS)


class Joint(NamedTuple):
    """The results of sign flips for each pair of a family.

    ``p_value`` is that of the pair alone, ``p_adjusted`` that of the step-down maxima. The others
    are the least that these could have been, had one run won every request that is no tie.
    """

    p_value: np.ndarray
    p_adjusted: np.ndarray
    least_p: np.ndarray
    least_p_adjusted: np.ndarray


@dataclass(frozen=True)
class Signs:
    """The signs of requests: all choices if they are at most ``trials``, else so many drawn ones.

    Of ``opposites`` only one is among all choices: those whose first sign is 1.

    Examples
    --------
    >>> signs = Signs(pl.Series(["q1", "q2", "q3"]), trials=10, seed=0)
    >>> len(signs), signs.block(0, 4, slice(None)).tolist()
    (4, [[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
    """

    queries: pl.Series
    trials: int
    seed: int
    opposites: bool = True

    @property
    def are_all(self) -> bool:
        """Whether all choices are taken, so that p is exact."""
        return self._free <= 40 and 2**self._free <= self.trials  # 2^n of many has many digits

    @property
    def _free(self) -> int:
        """The number of signs that can be chosen."""
        return max(len(self.queries) - self.opposites, 0)

    def __len__(self) -> int:
        """Return the number of choices."""
        return 2**self._free if self.are_all else self.trials

    @cached_property
    def _state(self) -> np.ndarray:
        """A number for each request, from its id and the seed."""
        return hashing.mixed(hashing.hashes_of(self.queries) + np.uint64(self.seed))

    def block(self, first: int, last: int, some: slice) -> np.ndarray:
        """Return signs of some requests: requests × choices; ``first`` is a multiple of 64."""
        if self.are_all:
            place = np.arange(len(self.queries))[some, None]
            return np.asarray(1.0 - 2.0 * ((np.arange(first, last) << self.opposites >> place) & 1))
        words = hashing.mixed(np.arange(first // 64, -(-last // 64), dtype=np.uint64))
        hashed = hashing.mixed(self._state[some, None] + words).astype("<u8")
        signs = _SIGNS_OF_BYTES.take(hashed.view(np.uint8), axis=0)
        return signs.reshape(len(hashed), -1)[:, : last - first]


class Family(NamedTuple):
    """The differences of the pairs that are tested together: requests × pairs, NaN without one.

    ``rounding`` has the rounding error of each, or is 1 × 1.
    """

    queries: pl.Series
    values: np.ndarray
    rounding: np.ndarray

    @classmethod
    def known_pairs(cls, pairs: Pairs | None) -> Family | None:
        """Return the pairs and requests with a value; None if single requests are not known.

        Differences are multiplied by the weights of their requests: T = |Σ w d| / √Σ w² d².
        """
        if pairs is None:
            return None
        query, pair = ~np.isnan(pairs.values).all(axis=1), pairs.n > 0
        is_complete = query.all() and pair.all()
        values = pairs.values if is_complete else pairs.values[query][:, pair]
        rounding = pairs.rounding
        rounding = rounding if rounding.size == 1 else rounding[query][:, pair]
        weighing = None if pairs.weighing is None else pairs.weighing.some(query)
        return cls(
            pairs.queries.filter(pl.Series(query)), *weighed_differences(values, rounding, weighing)
        )

    @classmethod
    def stacked(cls, parts: Sequence[Family]) -> Family:
        """Return the pairs of several measures, or groups of requests, as one family."""
        queries = pl.concat([part.queries for part in parts]).unique().sort()
        shape = len(queries), sum(part.values.shape[1] for part in parts)
        values, rounding, first = np.full(shape, np.nan), np.zeros(shape), 0
        for part in parts:
            row = queries.search_sorted(part.queries).to_numpy()
            last = first + part.values.shape[1]
            values[row, first:last], rounding[row, first:last] = part.values, part.rounding
            first = last
        return cls(queries, values, rounding)


Flip = Callable[[Family | None], "Joint | None"]
"""From a family, None if its single requests are not known, to p; None if t takes its place."""


def flipped(family: Family | None, options: Options, *, is_default: bool) -> Joint | None:
    """Flip the signs of a family, ``trials`` times; the default test fewer if they take long."""
    if family is None:
        return None
    arrays.check_finite("compare", family.values)
    trials: int | None = options.trials
    if is_default:
        n, n_pairs = family.values.shape
        trials = n_trials(n, n_pairs, options.trials)
    return None if trials is None else max_t(*family, replace(options, trials=trials))


def flipped_together(parts: Sequence[Family | None], flip: Flip) -> Flip:
    """Flip the signs of several measures, or groups of requests, as one family.

    The returned function, called once for each of them in their order, returns its part.
    """
    known = [part for part in parts if part is not None]
    joint = flip(Family.stacked(known)) if known and len(known) == len(parts) else None
    if joint is None:
        return lambda _: None
    ends = np.cumsum([part.values.shape[1] for part in known])[:-1]
    each = zip(*(np.split(of, ends) for of in joint), strict=True)
    return lambda _: Joint(*next(each))


def max_t(
    queries: pl.Series,
    values: np.ndarray,
    rounding: np.ndarray,
    options: Options,
    size: int | None = None,
) -> Joint:
    """Flip the signs of all differences of a request together: step-down max-t.

    T = |Σ d| / √Σ d² of each pair, 0 where all d are 0 (Σ d with a one-sided alternative). The
    pairs fall by T; each is compared with the greatest T* of itself and of the pairs behind it.
    ``values`` is requests × pairs; NaN, where a pair lacks a request, counts as 0. ``rounding`` has
    the error of each difference, or is 1 × 1; ``size`` pairs side by side are a family (None: all).

    Examples
    --------
    >>> values = np.array([[0.5, 0.5], [0.25, -0.25], [0.75, 0.0], [0.5, 0.25]])
    >>> of_ids = pl.Series(["q1", "q2", "q3", "q4"])
    >>> found = max_t(of_ids, values, np.full((1, 1), 1e-12), Options("two-sided", 0.05, 100))
    >>> found.p_value.tolist(), found.p_adjusted.tolist()
    ([0.125, 0.75], [0.125, 0.75])
    """
    is_two_sided = options.alternative == "two-sided"
    # Of a million pairs each copy has gigabytes: there are two at a time, pairs × requests at last.
    unit = np.where((values > rounding) | (values < -rounding), values, 0.0).T
    decides = unit.any(axis=0)  # the sign of a request where all tie changes nothing
    queries, unit = queries.filter(pl.Series(decides)), np.ascontiguousarray(unit[:, decides])
    signs = Signs(queries, options.trials, options.seed, opposites=is_two_sided)
    scores = None
    if size is None and unit.shape[1] > _FEW:
        from lexiframe.core.significance.flipped_runs import scores_of

        scores = scores_of(unit, (rounding if rounding.size == 1 else rounding[decides]).T)
    scale = np.sqrt(np.einsum("pq,pq->p", unit, unit))
    np.divide(unit, scale[:, None], out=unit, where=scale[:, None] > 0)
    if options.alternative == "less":
        np.subtract(0.0, unit, out=unit)
    t, most = unit.sum(axis=1), np.linalg.norm(unit, 1, axis=1)
    t = np.abs(t) if is_two_sided else t
    errors = np.broadcast_to(rounding, values.shape).sum(axis=0)
    rough = sums.TIE * np.maximum(np.abs(t), 1.0)
    rough += np.divide(errors, scale, out=np.zeros_like(scale), where=scale > 0)
    families = -1, len(t) if size is None else size
    rise = np.argsort(t.reshape(families), axis=1, kind="stable")
    order = (rise + np.arange(0, len(t), families[1])[:, None]).ravel()
    limit = (t - rough)[order]
    alone = np.minimum((1 + is_two_sided) * 0.5 ** np.count_nonzero(unit, axis=1), 1.0)
    in_group = size or _GROUP
    place = np.resize(order, (-(-len(order) // in_group), in_group))
    if scores is None:
        terms, pairs = unit[place], []
    else:
        factor = np.full_like(scale, -1.0 if options.alternative == "less" else 1.0)
        np.divide(factor, scale, out=factor, where=scale > 0)
        runs = np.resize(np.arange(len(scores)), (-(-len(scores) // _GROUP), _GROUP))
        a, b = np.triu_indices(len(scores), 1)
        terms, pairs = scores[runs], [of[place] for of in (a, b, factor[:, None])]
    count, beyond, greatest = _counted(signs, terms, pairs, limit, size, is_two_sided)
    # What is observed is one of all choices, but none of those that are drawn.
    n = len(signs)
    observed, total = (0, n) if signs.are_all else (1, n + 1)
    p, adjusted = np.empty_like(t), np.empty_like(t)
    p[order] = (observed + count) / total
    falling = (observed + beyond.reshape(families))[:, ::-1]
    adjusted[order] = np.maximum.accumulate(falling, axis=1)[:, ::-1].ravel() / total
    reach = n - np.searchsorted(np.sort(greatest), most - sums.TIE * np.maximum(most, 1.0))
    least_adjusted = (observed + reach) / total
    # Of drawn signs the share of those that are all alike is that of all choices, but for luck.
    least = (observed + np.floor(n * alone + sums.TIE)) / total
    least = np.minimum(least, np.minimum(p, least_adjusted))
    return Joint(p, adjusted, least, least_adjusted)


def _multiply(terms: np.ndarray, signs_of: Callable[[int], np.ndarray], out: np.ndarray) -> None:
    """Fill groups × rows × choices with the sums of terms, groups × rows × requests."""
    width = _SIGNS * max(1, _REQUESTS // max(terms.shape[2], _SIGNS))
    for first in range(0, out.shape[2], width):
        some = slice(first, first + width)
        np.matmul(terms[:, :, :_REQUESTS], signs_of(0)[:, some], out=out[:, :, some])
        for start in range(_REQUESTS, terms.shape[2], _REQUESTS):
            more = terms[:, :, start : start + _REQUESTS]
            out[:, :, some] += more @ signs_of(start)[:, some]


def _counted(
    signs: Signs,
    terms: np.ndarray,
    pairs: Sequence[np.ndarray],
    limit: np.ndarray,
    size: int | None,
    is_two_sided: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how often the statistics of pairs, and their running maxima, reach the limits.

    The pairs of a family rise by their statistics; pairs behind them fill groups up. ``terms``,
    groups × rows × requests, are differences of pairs; or scores of runs, and ``pairs`` has the
    first run of each pair, the second, and a factor of the difference of their sums. The third
    array has the greatest statistic of the last family by each choice of signs.
    """
    n_pairs, in_group = len(limit), size or _GROUP
    limits = np.concatenate([limit, np.full(-n_pairs % in_group, np.inf)])
    limits = limits.reshape(-1, in_group, 1)

    def of_block(first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        last = min(first + _CHOICES, len(signs))

        @lru_cache(_PAIRS)
        def signs_of(start: int) -> np.ndarray:
            return signs.block(first, last, slice(start, start + _REQUESTS))

        if pairs:
            of_runs = np.empty((*terms.shape[:2], last - first))
            _multiply(terms, signs_of, of_runs)
            of_runs = of_runs.reshape(-1, last - first)

        def fill(some: slice, out: np.ndarray) -> None:
            if pairs:
                a, b, factor = (of[some] for of in pairs)
                np.take(of_runs, a, axis=0, out=out, mode="clip")  # otherwise there is a copy
                out -= of_runs[b]
                out *= factor
            else:
                _multiply(terms[some], signs_of, out)

        return _counted_of_block(fill, last - first, limits, size is None, is_two_sided)

    count, beyond = np.zeros((2, *limits.shape[:2]), np.int64)
    greatest = list[np.ndarray]()
    work = len(signs) * limits.size * terms.shape[2]  # little takes longer in threads
    starts = range(0, len(signs), _CHOICES)
    for some, of_maxima, maxima in in_threads(of_block, starts, "sign flips", work // 1000):
        count += some
        beyond += of_maxima
        greatest.append(maxima[(n_pairs - 1) % in_group])
    return count.ravel()[:n_pairs], beyond.ravel()[:n_pairs], np.concatenate(greatest)


def _counted_of_block(
    fill: Callable[[slice, np.ndarray], None],
    n_signs: int,
    limit: np.ndarray,
    is_one: bool,
    is_two_sided: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the counts of some choices of signs, and the running maxima of the last group.

    ``fill`` gives the sums of some groups of pairs; groups are families, or parts of one family.
    """
    count, beyond = np.zeros((2, *limit.shape[:2]), np.int64)
    in_group = limit.shape[1]
    n_groups = min(max(_PAIRS // in_group, 1), len(limit))
    found = np.empty((n_groups, in_group, n_signs))
    running = np.full((1, n_signs), -np.inf)
    for first in range(0, len(limit), n_groups):
        some = slice(first, first + n_groups)
        drawn = found[: len(limit[some])]
        fill(some, drawn)
        if is_two_sided:
            np.abs(drawn, out=drawn)
        count[some] = _true_in_rows(drawn >= limit[some])
        if is_one and some.stop < len(limit):  # most limits are below the maxima of all choices
            after = np.maximum(running, drawn.max(axis=(0, 1)))
            are_all = running.min() >= limit[some].max()
            if are_all or after.max() < limit[some].min():
                beyond[some], running = n_signs * are_all, after
                continue
        # Running maxima within all groups at once, and then between groups, take least time.
        for k in range(1, in_group):
            np.maximum(drawn[:, k], drawn[:, k - 1], out=drawn[:, k])
        for group in drawn if is_one else ():
            np.maximum(group, running, out=group)
            running = group[-1:]
        beyond[some] = _true_in_rows(drawn >= limit[some])
        running = running.copy()
    return count, beyond, drawn[-1]


def _true_in_rows(flags: np.ndarray) -> np.ndarray:
    """Count the true values along the last axis."""
    bits = np.bitwise_count(np.packbits(flags, axis=-1))
    return np.asarray(bits.sum(axis=-1, dtype=np.int64))
