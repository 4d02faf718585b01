"""Metrics that order the rankings of a request as lexirecall and lexiprecision do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.metrics.catalogues.papers import LEXIPRECISION, LEXIRECALL
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.metric_parameters import Number
from lexiframe.core.metrics.rankings import Rankings
from lexiframe.core.projection import matrices

Direction = Literal["precision", "recall"]


@dataclass(frozen=True, eq=False, repr=False)
class LexicographicMetric(Metric):
    """A metric that orders the rankings of a request as a lexicographic preference does.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    numbers : callable
        From positions, m × runs × requests, and the parameters, to a number for each run and
        request: runs × requests. With the parameter n, omitted items have their pessimistic places
        in a corpus of n items.
    """

    numbers: Callable[..., np.ndarray]

    kind: ClassVar[str] = "lexicographic"

    @property
    def cuts_off(self) -> bool:  # type: ignore[override]
        """Ranks can be cut off, but not a weighted sum, which needs the positions of all items."""
        return "n" not in self.parameters

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return the numbers of each request's rankings."""
        from lexiframe.core.projection import impute

        known = self.values
        if "n" in known and known["n"] is None:
            raise LexiframeError(f"{self.name} needs its n: write {self.name}(n=1000)")
        p = rankings.rows
        if self.cutoff is not None:
            p = p.with_columns(pl.when(pl.col("position") <= self.cutoff).then("position"))
        requests = matrices.requests_of(impute(p, known["n"]) if "n" in known else p)
        by_run = np.zeros((len(requests.runs), len(requests)))
        for group in requests.groups(_REQUESTS):
            positions = requests.block(group).positions
            if len(positions):
                by_run[:, group] = self.numbers(positions, **known)
                self._refuse_merged(by_run[:, group], positions, requests, group)
        return by_run.ravel()  # the rankings stand in the order of run and request as well

    def _refuse_merged(
        self,
        numbers: np.ndarray,
        positions: np.ndarray,
        requests: matrices.Requests,
        group: np.ndarray,
    ) -> None:
        """Raise if two different rankings get tied values."""
        if "n" not in self.parameters:
            return
        order, differs_at = sort_rankings(positions[::-1])
        ordered = np.take_along_axis(numbers, order, axis=0)
        is_tie = sums.difference(ordered[:-1], ordered[1:]) == 0
        place, request = np.nonzero((differs_at < len(positions)) & is_tie)
        if len(request):
            first = int(request.argmin())
            k = int(request[first])
            a, b = (requests.runs[int(order[place[first] + side, k])] for side in (0, 1))
            raise LexiframeError(
                f"{self}: expected different values for different rankings, but in float64 those "
                f"of {a!r} and {b!r} for query {requests.queries[int(group[k])]!r} tie: they "
                "differ by 1e-12 or less; use the ranks of the rankings, "
                f"{self.name.removesuffix('.metric')}.rank"
            )


_REQUESTS = 2000
"""Requests in a block, so that its arrays take a few megabytes."""


def sort_rankings(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort the rankings of each request, best first, and find where each differs from the next.

    ``positions`` is m × runs × requests, and the level that is compared first is in front. Returns
    the sorted runs, runs × requests, and for each run but the last the first level at which it
    differs from the next one, or m if it is equal: (runs − 1) × requests.

    Examples
    --------
    >>> order, differs_at = sort_rankings(np.array([[[1], [2], [1]], [[9], [3], [4]]]))
    >>> order.ravel().tolist(), differs_at.ravel().tolist()
    ([2, 0, 1], [1, 0])
    """
    order, _ = _sorted(positions)
    return order, _first_differences(positions, order)


_CELLS = 1 << 20
"""Positions that are compared at once, so that the arrays of many levels stay small."""


def _first_differences(positions: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the first level at which each sorted ranking differs from the next, or m."""
    m = len(positions)
    found = np.full((len(order) - 1, order.shape[1]), m, np.min_scalar_type(m))
    step = max(1, _CELLS // max(order.size, 1))
    for first in range(0, m, step):
        ordered = _reorder_runs(positions[first : first + step], order)
        differs = ordered[:, 1:] != ordered[:, :-1]
        here = np.where(differs.any(axis=0), first + differs.argmax(axis=0), m)
        np.minimum(found, here, out=found, casting="unsafe")
        if (found < m).all():
            break
    return found


def _reorder_runs(positions: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return positions, levels × runs × requests, with the runs in another order."""
    if order.shape[1] == 1:
        return positions[:, order[:, 0]]
    return np.take_along_axis(positions, order[None], axis=1)


def places(positions: np.ndarray) -> np.ndarray:
    """Return each run's place in the order of `sort_rankings`, 0 for the best: runs × requests.

    Equal rankings share a place.
    """
    order, steps = _sorted(positions)
    place = np.empty_like(steps)
    np.put_along_axis(place, order, steps, axis=0)
    return place


def _sorted(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the runs in order and, in this order, their places: both runs × requests.

    Several levels are packed into one 64-bit integer and compared at once. The place that a run has
    by the levels before them forms the leading digits of that integer.
    """
    m, n_runs, n_requests = positions.shape
    if n_requests == 1 and m:
        order = _order_of_request(positions[:, :, 0])[:, None]
        differs = _first_differences(positions, order) < m
        return order, np.concatenate([np.zeros((1, 1), np.int64), np.cumsum(differs, axis=0)])
    order = np.repeat(np.arange(n_runs)[:, None], n_requests, axis=1)
    steps = np.zeros_like(order)
    place = steps
    numbers, base = _pack_positions(positions)
    # int64 holds numbers below 2^63; one bit is left free because the logarithm is rounded
    n_levels = max(1, int(math.log(2**62 / max(n_runs, 1), base)))
    for first in range(0, m, n_levels):
        key = place
        for level in numbers[first : first + n_levels]:
            key = key * base + level
        order = np.ascontiguousarray(np.argsort(np.ascontiguousarray(key.T), axis=1).T)
        ordered = np.take_along_axis(key, order, axis=0)
        np.cumsum(ordered[1:] != ordered[:-1], axis=0, out=steps[1:])
        if first + n_levels >= m or (steps[-1] == n_runs - 1).all():
            break  # all levels are compared, or no two rankings of a request are equal so far
        place = np.empty_like(steps)
        np.put_along_axis(place, order, steps, axis=0)
    return order, steps


_FEW = 16
"""Up to so many levels `numpy.lexsort` is the fastest; its time and memory grow with the levels."""


def _order_of_request(positions: np.ndarray) -> np.ndarray:
    """Return the runs in order, from the positions of one request: m × runs."""
    if len(positions) <= _FEW:
        return np.lexsort(positions[::-1])
    # positions are not negative, so that their bytes, the greatest first, have the same order
    by_run = np.ascontiguousarray(positions.T.astype(positions.dtype.newbyteorder(">")))
    rows = by_run.view(np.dtype((np.void, by_run.itemsize * len(positions))))
    return rows[:, 0].argsort(kind="stable")


def _pack_positions(positions: np.ndarray) -> tuple[np.ndarray, int]:
    """Return positions as small numbers in the same order, and the base to pack them with.

    An item that was not retrieved has the greatest integer; it becomes one more than the last rank.
    """
    is_found = positions < np.iinfo(positions.dtype).max
    behind_all = int(positions.max(initial=0, where=is_found)) + 1
    if behind_all > 2**31:
        values, number = np.unique(positions, return_inverse=True)
        return number.reshape(positions.shape), len(values) + 1
    return np.minimum(positions, behind_all), behind_all + 1


def rank_by_precision(positions: np.ndarray) -> np.ndarray:
    """Rank the rankings by their first levels; 1 is the worst, and equal rankings share a rank."""
    place = places(positions)
    return np.asarray(place.max(axis=0) - place + 1)


def rank_by_recall(positions: np.ndarray) -> np.ndarray:
    """Rank the rankings by their last levels; 1 is the worst, and equal rankings share a rank."""
    return rank_by_precision(positions[::-1])


def leximin_weights(m: int, n: int) -> tuple[list[int], int]:
    """Return Yager's weights of the recall levels: numerators w_1 to w_m, and their denominator.

    With Δ = 1/d, d = n + 1: w_1 = (d + 1)/(d + 1)^m and w_i = d (d + 1)^(i − 1)/(d + 1)^m.

    Examples
    --------
    >>> leximin_weights(m=3, n=9)
    ([11, 110, 1210], 1331)
    """
    d = n + 1
    return [d + 1, *(d * (d + 1) ** (i - 1) for i in range(2, m + 1))], (d + 1) ** m


def leximin(positions: np.ndarray, n: int) -> np.ndarray:
    """Compute −Σ w_i p_i in whole numbers, so that it is rounded once, to float64."""
    weights, denominator = leximin_weights(len(positions), n)
    sums = np.tensordot(np.array(weights, object), positions.astype(object), 1)
    return np.asarray(-(sums / denominator).astype(np.float64))


def rank_metric(name: str, direction: Direction, rel: float | None = None) -> LexicographicMetric:
    """Return the metric ``name.rank``, the rank of a ranking within its request."""
    by_recall = direction == "recall"
    return LexicographicMetric(
        f"{name}.rank",
        rank_by_recall if by_recall else rank_by_precision,
        rel=rel,
        formula="rank of p among the rankings of the request, 1 for the worst",
        source=f"{LEXIRECALL}, eq. 11" if by_recall else f"{LEXIPRECISION}, eq. 3",
        bounds="1 to the number of distinct rankings",
    )


def leximin_metric(name: str, rel: float | None = None) -> LexicographicMetric:
    """Return the metric ``name.metric`` (metric lexirecall), which needs its parameter n."""
    return LexicographicMetric(
        f"{name}.metric",
        leximin,
        parameters={"n": Number(least=1, whole=True)},
        rel=rel,
        formula="−Σ_i w_i p_i, w_i = d (d+1)^(i−1−m), w_1 = (d+1)^(1−m), d = n + 1",
        source=f"{LEXIRECALL}, eq. 12, after Yager, EJOR 1997, doi:10.1016/S0377-2217(96)00217-2",
        bounds="−n to −1",
    )
