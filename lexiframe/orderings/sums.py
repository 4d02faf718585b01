"""The sums over requests that orderings need, computed from preferences or kept in `Reduced`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.base import sums
from lexiframe.orderings.wins import mean_preferences, sums_by_run
from lexiframe.pairwise import PairCube, Pairs, arrays

_TIE = np.full((1, 1), sums.TIE)


def preferred(d: Pairs | arrays.PairSums) -> sums.Moments:
    """Return the moments over requests of each run's mean preference over the other runs."""
    if isinstance(d, arrays.PairSums):
        return d.preferred
    return sums.Moments.of(mean_preferences(d), d.request_rounding[:, None])


def points(d: Pairs | arrays.PairSums) -> sums.Moments:
    """Return the moments over requests of each run's points by Borda's rule."""
    if isinstance(d, arrays.PairSums):
        return d.points
    return _points(_places(d))


def shares(d: Pairs | arrays.PairSums) -> sums.Moments:
    """Return the moments over requests of the share of other runs that each is preferred to."""
    return d.shares if isinstance(d, arrays.PairSums) else sums.Moments.of(request_shares(d), _TIE)


def ballots(d: Pairs | arrays.PairSums, votes: str) -> np.ndarray:
    """Return, for each pair, how many requests rank run a over run b, less those of b over a."""
    if votes == "preference":
        return np.asarray(d.differences.wins - d.differences.losses)
    if isinstance(d, arrays.PairSums):
        return d.ballots
    return np.asarray(request_ballots(d, votes).sum(axis=0))


def request_ballots(pairs: Pairs, votes: str) -> np.ndarray:
    """Return 1 where a request ranks run a over run b, −1 where below, else 0: requests × pairs."""
    if votes == "preference":
        return np.asarray(np.sign(np.nan_to_num(pairs.values)))
    return _ballots(pairs, _places(pairs))


def _places(pairs: Pairs) -> np.ndarray:
    """Return the place of each run in each request by its win rate: requests × runs, 0 is best."""
    return sums.tie_groups(mean_preferences(pairs), pairs.request_rounding[:, None])


def _ballots(pairs: Pairs, places: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(places[:, pairs.b] - places[:, pairs.a]), np.float64)


def _points(places: np.ndarray) -> sums.Moments:
    """Return the moments of Borda's points: the number of runs below, ties half."""
    return sums.Moments.of(places.shape[1] - sums.mid_ranks(-places), _TIE)


def request_shares(pairs: Pairs) -> np.ndarray:
    """Return (wins + ties/2) / comparisons: requests × runs, NaN without a comparison."""
    known = ~np.isnan(pairs.values)
    lead = sums_by_run(pairs, np.sign(np.where(known, pairs.values, 0)).astype(np.int8), -1)
    n = sums_by_run(pairs, known.astype(np.int8), 1)
    none = np.full(n.shape, np.nan)
    return np.asarray(np.divide(n + lead, 2 * n, out=none, where=n > 0))


def reduced(cube: PairCube | None, s: arrays.ScoreCube | None, runs: pl.Series) -> arrays.Reduced:
    """Sum up the preferences and the scores of some requests.

    ``runs`` are all runs, which ``cube`` and ``s`` have too. ``cube`` is None when no runs are
    compared, and ``s`` is None when no measure is a metric.
    """
    pairs = {} if cube is None else dict(zip(cube.measures, cube.whole(), strict=True))
    scores = {}
    if s is not None:
        parts = zip(s.measures, s.values, s.smaller_is_better, strict=True)
        scores = {
            name: arrays.RunSums(
                s.runs, sums.Moments.of(values, sums.rounding(values)), bool(smaller)
            )
            for name, values, smaller in parts
        }
    return arrays.Reduced(
        runs,
        {measure: _sums(of_measure) for measure, of_measure in pairs.items()},
        scores,
        agreeing(cube.values) if cube is not None else np.zeros((0, 0), np.int64),
    )


def _sums(pairs: Pairs) -> arrays.PairSums:
    """Sum up one measure; requests without any preference count in no sum."""
    known = pairs.of_known_requests()
    means, errors = mean_preferences(known), known.request_rounding[:, None]
    places = sums.tie_groups(means, errors)
    return arrays.PairSums(
        pairs.runs,
        pairs.a,
        pairs.b,
        differences=known.differences,
        ballots=_ballots(known, places).sum(axis=0),
        preferred=sums.Moments.of(means, errors),
        points=_points(places),
        shares=shares(known),
    )


_CELLS = 2**22
"""The number of cells that are counted at once: single floats are exact up to 2^24."""


def agreeing(values: np.ndarray) -> np.ndarray:
    """Count the cells in which two measures have the same sign, not 0: measures × measures.

    ``values`` are measures × requests × pairs, NaN where there is none.

    Examples
    --------
    >>> agreeing(np.array([[[1.0, -2.0]], [[0.5, 0.0]]])).tolist()
    [[2, 1], [1, 1]]
    """
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    counts = np.zeros((len(values), len(values)), np.int64)
    for first in range(0, flat.shape[1], _CELLS):
        for signed in (flat[:, first : first + _CELLS] > 0, flat[:, first : first + _CELLS] < 0):
            single = signed.astype(np.float32)
            counts += (single @ single.T).astype(np.int64)
    return counts
