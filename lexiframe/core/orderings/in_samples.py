"""Orderings of the runs in weighted samples of requests.

Each row of weights is a sample: a bootstrap sample has the number of times that it drew each
request. A value of each request (points, votes, signs) is computed once; the samples are then
products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from lexiframe.core.base import memory_use, progress, resampling, sums, warn
from lexiframe.core.orderings.chosen_rule import ChosenRule
from lexiframe.core.orderings.missing_requests import refuse_lacking
from lexiframe.core.orderings.ordered import (
    Ordered,
    declared_for,
    order_by_leads,
    order_sign,
    refuse_weights,
    table_for,
)
from lexiframe.core.orderings.ordering_rules import OrderingRule, ValuesAndRanks, ranks_of
from lexiframe.core.orderings.rules import RULES
from lexiframe.core.pairwise import PairCube, arrays

FromWeights = Callable[[np.ndarray], ValuesAndRanks]
"""A function from weights (samples × requests) to values and ranks (samples × runs)."""

BLOCK = 50
"""The number of samples handled at once: with 100 runs a block of pairs takes 2 MB."""


def laid_out(d: Any, method: str) -> arrays.ScoreCube | PairCube:
    """Turn scores or preferences into the array that the method needs; raise for sums."""
    table = table_for(d, method)
    return table if isinstance(table, arrays.ScoreCube) else arrays.pair_cube(table)


def ordered(
    cube: arrays.ScoreCube | PairCube, weights: np.ndarray | resampling.Samples, rule: ChosenRule
) -> Iterator[Ordered]:
    """Order the runs under each measure in each sample: ``weights`` are samples × requests."""
    for measure, table in cube:
        place = np.arange(len(table.queries))
        if len(table.queries) < len(cube.queries):
            place = cube.queries.search_sorted(table.queries).to_numpy()
        from_weights, own = _weights_function(measure, table, rule), np.ones(1)
        if table.weighing is not None:  # a drawn request counts by its weight
            own = table.weighing.factors
        some, n_blocks = _sample_blocks(weights)
        blocks = [
            from_weights(block[:, place] * own)
            for block in progress(some, n_blocks, f"{measure} by {rule.method}")
        ]
        values, ranks, n_unlike = ValuesAndRanks.together(blocks)
        if n_unlike:
            warn(
                f"{n_unlike} of {len(ranks)} samples have no strengths of greatest likelihood; "
                "they were fitted with prior=1"
            )
        yield Ordered(measure, table.runs, values, ranks)


def _sample_blocks(
    weights: np.ndarray | resampling.Samples, rows: int = BLOCK
) -> tuple[Iterable[np.ndarray], int]:
    """Return the samples in blocks, and how many blocks there are."""
    if isinstance(weights, resampling.Samples):
        return weights, len(weights)
    starts = range(0, len(weights), rows)
    return (weights[start : start + rows] for start in starts), len(starts)


def resampled(
    function: str, d: Any, rule: ChosenRule, samples: int, seed: int
) -> Iterator[Ordered]:
    """Order the runs in bootstrap samples of the requests, which all measures share."""
    resampling.check_draws(function, "samples", samples, seed)
    cube = laid_out(d, rule.method)
    arrays.check_finite(function, cube.values)
    if RULES[rule.method].of_samples is not None:
        warn(f"{function}: resamples flatter {rule.method}{_FLATTERED}")
    what = f"{function}: the ranks of {len(cube.runs):,} runs in {samples:,} samples"
    needed = len(cube.runs) * samples * _BYTES_OF_RANK
    memory_use.refuse_more_than_available(needed, what, "take fewer samples or fewer runs")
    if len(cube.queries):
        yield from ordered(
            cube, resampling.Samples(len(cube.queries), samples, seed, rows=BLOCK), rule
        )


_FLATTERED = (
    ": the first of 6 runs over 50 requests stays first in .64 of them, and in .24 of new samples"
)
_BYTES_OF_RANK = 48
"""The memory that a run takes in a sample, while its value and rank are computed and counted."""


def _weights_function(measure: str, table: Any, rule: ChosenRule) -> FromWeights:
    refuse_lacking(measure, table, rule.missing)
    declared = declared_for(measure, table, rule)
    if declared.of_samples is not None:
        refuse_weights(table, declared)
        return partial(declared.of_samples, table)
    if declared.of_units is not None and declared.of_leads is None:
        return _means_function(*declared.of_units(table), order_sign(table))
    votes, known = table.votes(rule.counts), (~np.isnan(table.values)).astype(np.float64)
    return lambda weights: order_by_leads(table, weights @ votes, weights @ known, rule)


def _means_function(values: np.ndarray, errors: np.ndarray, sign: int) -> FromWeights:
    """Return the function of weights for means over the requests where values are known."""
    known = ~np.isnan(values)
    if known.all():
        known, errors = (
            np.ones((len(values), 1)),
            np.broadcast_to(errors, (len(values), errors.shape[1])),
        )
    else:
        values, errors = np.where(known, values, 0.0), np.where(known, errors, 0.0)

    def mean(weights: np.ndarray) -> ValuesAndRanks:
        n = weights @ known
        value = sums.ratio(weighted_sums(weights, values), n)
        return ValuesAndRanks(value, ranks_of(sign * value, sums.ratio(weights @ errors, n)))

    return mean


def ordered_cells(cells: arrays.Cells, weights: np.ndarray, rule: OrderingRule) -> ValuesAndRanks:
    """Order runs by their results in units, in each sample: ``weights`` are samples × units.

    A unit of the weight 1 counts once.
    """
    if rule.of_samples is not None:
        return rule.of_samples(cells, weights)
    if rule.of_units is not None:
        points = rule.of_units(cells)[0]
        return _means_function(points, np.full((1, 1), sums.TIE * sums.largest(points)), 1)(weights)
    of_leads: Any = rule.of_leads
    some, n_blocks = _sample_blocks(weights, max(1, _LEADS // len(cells.runs) ** 2))
    return ValuesAndRanks.together(
        of_leads(cells, *cells.leads(block, of_both=rule.allows_gaps))
        for block in progress(some, n_blocks, f"samples by {rule.name}")
    )


_LEADS = 2**21
"""The number of leads in samples that are in memory at once."""


def weighted_sums(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return weights @ values such that equal columns have sums equal to the last bit.

    BLAS may add up equal columns in different orders, and then copies of a run would not tie. So
    the product is computed for the distinct columns only.
    """
    number: dict[bytes, int] = {}
    place = [number.setdefault(column.tobytes(), len(number)) for column in values.T]
    distinct = np.unique(place, return_index=True)[1]
    return np.asarray((weights @ values[:, distinct])[:, place])
