"""Preferences as arrays, of all requests or of some at a time, without making a long table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import polars as pl

from lexiframe.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.pairwise.kernels import Comparison
from lexiframe.pairwise.pairs import comparison_of
from lexiframe.pairwise.preference import Measure
from lexiframe.projection import NoRelevant

_LEAST, _MOST = 2**20, 2**24
"""Preferences of a cube, unless asked otherwise, and with many pairs: 8 MB, and 128 MB."""
_TOGETHER = 32
"""The requests of a cube, unless that has too many preferences then."""


def preference_cubes(
    p: pl.DataFrame,
    asked: Sequence[Measure],
    values: ScoreCube | None,
    no_relevant: NoRelevant = "drop",
    *,
    baseline: str | Collection[str] | None = None,
    most: int | None = None,
) -> Iterator[PairCube]:
    """Yield the preferences of some requests after the other, so that few are in memory at once.

    Parameters
    ----------
    p
        Checked positions, by subtopic if the measures are.
    asked, values, no_relevant, baseline
        As for `compare_pairs`.
    most
        The greatest number of cells of a cube: measures × requests × pairs; by default few, so that
        they stay in the cache. A cube has one request at least, whatever its size.

    Yields
    ------
    PairCube
        Of some of the requests, sorted by name, with all runs, and the same measures and pairs.
        Each request is in one of the cubes. A measure that is NaN for all requests, because none
        has an item of its ``rel``, is no error.

    Raises
    ------
    LexiframeError
        For positions of fewer than two runs.
    """
    comparison = comparison_of(p, asked, values, no_relevant, baseline)
    cells_of_request = max(len(comparison.chosen) * len(comparison.measures), 1)
    if most is None:
        most = min(max(_TOGETHER * cells_of_request, _LEAST), _MOST)
    n_requests = max(most // cells_of_request, 1)
    for groups in _packed(comparison.groups(n_requests), n_requests):
        yield _cube(comparison, groups)


def _packed(groups: list[np.ndarray], n_requests: int) -> Iterator[list[np.ndarray]]:
    """Put groups together, in their order, to ``n_requests`` requests or fewer."""
    packed: list[np.ndarray] = []
    room = n_requests
    for group in groups:
        if packed and len(group) > room:
            yield packed
            packed, room = [], n_requests
        packed.append(group)
        room -= len(group)
    yield packed


def _cube(comparison: Comparison, groups: list[np.ndarray]) -> PairCube:
    """Compute the preferences of the requests of some groups."""
    requests, n_measures = comparison.requests, len(comparison.measures)
    numbers = np.sort(np.concatenate([np.empty(0, np.int64), *groups]))
    by_measure = np.empty((n_measures, len(numbers), len(comparison.chosen)))
    comparison.preferences(np.moveaxis(by_measure, 0, 2), groups)
    names = pl.Series([str(measure) for measure in comparison.measures], dtype=pl.String)
    a, b = (run[comparison.chosen] for run in np.triu_indices(len(requests.runs), k=1))
    queries = requests.queries.gather(pl.Series(numbers))
    return PairCube(names, queries, requests.runs, a, b, by_measure)
