"""Preferences as arrays, of all requests or of some at a time, without making a long table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import in_threads, progress
from lexiframe.core.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.core.pairwise.compared_runs import comparison_of
from lexiframe.core.pairwise.custom import MatrixPreference
from lexiframe.core.pairwise.kernels import Comparison
from lexiframe.core.pairwise.preference import Measure
from lexiframe.core.projection import NoRelevant

_LEAST, _MOST = 2**22, 2**24
"""Preferences of a cube, unless asked otherwise: 32 MB, and 128 MB with many pairs.

With cubes of half the size, threads wait longer for Python's lock, a twentieth of the CPU.
"""
_ROW_GROUP = 2**20
"""The preferences that are written together, of which a cube has two groups."""
_TOGETHER, _FEWEST = 32, 4
"""The requests of a cube, unless it has too many preferences then; and if it has, at least so many,
as sums of a single request take ten times as long, for each request, as those of four."""


def itself(cube: PairCube) -> PairCube:
    """Return a cube unchanged."""
    return cube


def preference_cubes(
    p: pl.DataFrame,
    asked: Sequence[Measure],
    values: ScoreCube | None,
    no_relevant: NoRelevant = "drop",
    *,
    baseline: str | Collection[str] | None = None,
    most: int | None = None,
    in_order: bool = False,
    label: str = "",
    then: Callable[[PairCube], Any] = itself,
) -> Iterator[Any]:
    """Yield the preferences of some requests after the other, so that few are in memory at once.

    A cube has all runs, measures and pairs for some requests, sorted by name, at most ``most``
    cells (measures × requests × pairs; by default few, see `_LEAST`) but at least
    one request. ``in_order``: the requests of a cube come before the requests of the next one.
    ``then`` maps each cube, in the thread that made it. A measure that is NaN for all requests, as
    none has an item of its ``rel``, is no error; fewer than two runs are.
    """
    comparison = comparison_of(p, asked, values, no_relevant, baseline)
    cells_of_request = max(len(comparison.chosen) * len(comparison.measures), 1)
    if in_order and most is None:  # they are written: row groups of a million, see `pairs`
        most = 2 * max(_ROW_GROUP // cells_of_request, 1) * cells_of_request
    elif most is None:
        few = max(_MOST, _FEWEST * cells_of_request)
        most = min(max(_TOGETHER * cells_of_request, _LEAST), few)
    n_requests = max(most // cells_of_request, 1)
    pack = _order_groups if in_order else _packed
    packs = [*pack(comparison.groups(n_requests), n_requests)]
    if len(packs) == 1:
        yield then(_cube(comparison, packs[0], label))
    elif most > _LEAST or any(isinstance(m, MatrixPreference) for m in comparison.measures):
        for groups in progress(packs, len(packs), label) if label else packs:
            yield then(_cube(comparison, groups))
    else:
        yield from in_threads(
            lambda groups: then(_cube(comparison, groups, in_turn=True)), packs, label
        )


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


def _order_groups(groups: list[np.ndarray], n_requests: int) -> Iterator[list[np.ndarray]]:
    """Divide groups so that requests with successive numbers are together, ``n_requests`` each."""
    number = np.concatenate([np.empty(0, np.int64), *groups])
    group = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    order = np.lexsort((number, group, number // n_requests))
    number, group = number[order], group[order]
    is_other = (np.diff(number // n_requests) != 0) | (np.diff(group) != 0)
    parts = np.split(number, np.flatnonzero(is_other) + 1) if len(number) else []
    for _, some in groupby(parts, lambda part: part[0] // n_requests):
        yield [*some]


def _cube(
    comparison: Comparison, groups: list[np.ndarray], label: str = "", *, in_turn: bool = False
) -> PairCube:
    """Compute the preferences of the requests of some groups."""
    requests, n_measures = comparison.requests, len(comparison.measures)
    numbers = np.sort(np.concatenate([np.empty(0, np.int64), *groups]))
    by_measure = np.empty((n_measures, len(numbers), len(comparison.chosen)))
    comparison.preferences(np.moveaxis(by_measure, 0, 2), groups, label, in_turn=in_turn)
    names = pl.Series([str(measure) for measure in comparison.measures], dtype=pl.String)
    a, b = (run[comparison.chosen] for run in np.triu_indices(len(requests.runs), k=1))
    queries = requests.queries.gather(pl.Series(numbers))
    scores = ScoreCube.none(queries, requests.runs)
    return PairCube(names, queries, requests.runs, a, b, by_measure, scores)
