"""Preferences and their chances in expectation over tied orders: `preference`, `chances`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import sums
from lexiframe.core.metrics import Metric, RecallLevelMetric, exposures, weights
from lexiframe.core.pairwise.lexicographic import LexicographicPreference
from lexiframe.core.pairwise.preference import Measure, Preference
from lexiframe.core.pairwise.recall_paired import LevelPreference
from lexiframe.core.pairwise.tied.rank_chances import RankChances, share_ahead
from lexiframe.core.pairwise.tied.reading import CELLS, Decided, Reading, read_down, read_up
from lexiframe.core.projection import blocks, tied_orders

_ONE_LEVEL: tuple[Any, ...] = (weights.first, weights.only, weights.last)
"""Weights by which the rank of one item gives the value."""
_OF_COUNTS: tuple[Any, ...] = (
    weights.uniform, weights.per_rank, weights.harmonic, weights.one,
    weights.per_rank_that_can_be_relevant,
)  # fmt: skip
"""Weights by which all levels count alike."""


def preference(
    measure: Preference, block: blocks.Block, delta: np.ndarray, known: dict[int, np.ndarray]
) -> np.ndarray:
    """Return Δ in expectation: pairs × requests; ``delta`` has it for one order.

    It stays where no relevant item of either run shares its score with another document.
    """
    asked = _tied_pairs(block)
    if not asked.any():
        return delta
    if isinstance(measure, LevelPreference):
        found = _level_preference(measure, block, np.asarray(asked.any(axis=0)), known)
    elif isinstance(measure, LexicographicPreference):
        found, *_ = _lexicographic(measure, block, asked)
    else:
        raise tied_orders.no_closed_form(measure)
    found = np.where(np.abs(found) <= sums.TIE, 0.0, found)
    return np.where(asked, found, delta)


def chances(measure: Measure, block: blocks.Block, delta: np.ndarray) -> np.ndarray | None:
    """Return P(a is better), P(both are equal) and P(b is better): 3 × pairs × requests.

    None for a measure without a closed form. ``delta`` is the preference, by one order for pairs
    that are not tied.
    """
    asked = _tied_pairs(block)
    if isinstance(measure, LexicographicPreference):
        found = _lexicographic(measure, block, asked)[1:]
    elif not isinstance(measure, Metric) or type(measure) is not RecallLevelMetric:
        return None
    elif measure.weight in _ONE_LEVEL:
        found = _rank_comparisons(measure, block, asked)
    elif measure.weight in _OF_COUNTS and _last_rank(measure, 1) is not None:
        found = _count_comparisons(measure, block, asked)
    else:
        return None
    of_one_order = delta > 0, delta == 0, delta < 0
    return np.stack([np.where(asked, of, one) for of, one in zip(found, of_one_order, strict=True)])


def _tied_pairs(block: blocks.Block) -> np.ndarray:
    """Return which pairs have a run with a tied relevant item: pairs × requests."""
    of_runs = np.any([part.tied.are_tied for part in block.lists], axis=0)
    a, b = block.pairs
    return np.asarray(of_runs[a] | of_runs[b])


def _whole(block: blocks.Block) -> tied_orders.TiedItems:
    items: tied_orders.TiedItems = block.tied
    return items


def _counted(
    block: blocks.Block, population: blocks.Population, cutoff: int | None
) -> tied_orders.TiedItems:
    """Return the items of a population that can be found down to the cut-off."""
    least = population.least
    counted = None if least is None else block.relevance >= least
    return _whole(block).counted(counted, cutoff)


# --- Recall-paired preferences ------------------------------------------------------------------


def _level_preference(
    measure: LevelPreference, block: Any, are_tied: np.ndarray, known: dict[int, np.ndarray]
) -> np.ndarray:
    """Return Σ_λ p(λ) Σ_i p(i | λ) (P(p_i < p′_i) − P(p_i > p′_i)) of the tied requests.

    The chances of all levels are columns of one product of matrices, runs × runs.
    """
    a, b = block.pairs
    delta = np.zeros((len(a), len(block)))
    populations = block.populations(measure.rel)
    parts = block.lists
    if len(parts) == 1:
        parts *= len(populations)
    sizes = np.array([population.m for population in populations])
    shares = measure.shares(block.thresholds(populations), sizes)
    for part, population, share in zip(parts, populations, shares, strict=True):
        items = _counted(part, population, measure.cutoff)
        of_levels = measure.weights(population.m, known) * share
        for request in np.flatnonzero(are_tied & (population.m > 0)):
            weight = of_levels[:, request]
            won = np.zeros((block.n_runs, block.n_runs))
            for some, chance, later in RankChances.lay_out(items, int(request)).blocks(len(weight)):
                won += share_ahead(chance, later, weight[some])
            delta[:, request] += won[a, b] - won[b, a]
    return delta


# --- Lexicographic preferences -------------------------------------------------------------------


def _lexicographic(
    measure: LexicographicPreference, block: blocks.Block, asked: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return Δ of the pairs asked for, and the chances that a is better, none, and b is."""
    kept = _whole(block).kept
    if kept is not None and measure in kept:
        return tuple(kept.pop(measure))
    found = np.zeros((4, *asked.shape))
    for requests, pair, request, read in readings(measure, block, asked):
        better, worse = read.better.sum(axis=0), read.worse.sum(axis=0)
        delta = better - worse if measure.magnitude is None else read.size.sum(axis=0)
        found[:, pair, requests[request]] = delta, better, read.equal, worse
    if kept is not None:
        kept[measure] = found
    return tuple(found)


def readings(
    measure: LexicographicPreference,
    block: blocks.Block,
    asked: np.ndarray,
    *,
    by_level: bool = False,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, Decided]]:
    """Yield requests, and the pairs asked for, with the place of their request, and their chances.

    Few requests are read together, so that the arrays stay small.
    """
    items = _counted(block, block.at_least(measure.rel), measure.cutoff)
    if items.imputed and measure.magnitude is not None:
        raise tied_orders.no_closed_form(f"{measure} of imputed ranks")
    m, n_runs, _ = items.first.shape
    read = read_down if measure.direction == "precision" else read_up
    size = None if measure.magnitude is None else measure.sizes_of_ranks
    tied = np.flatnonzero(asked.any(axis=0))
    depth = np.where(items.first < tied_orders.NEVER, np.minimum(items.last, items.limit), 0).max(
        initial=1
    )
    cells = int(min(depth, items.first.size * depth)) * n_runs * (1 if size is None else m + 1)
    step = max(int(min(CELLS // max(cells, 1), _PAIRS // max(len(asked), 1))), 1)
    for first in range(0, len(tied), step):
        requests = tied[first : first + step]
        reading = Reading.lay_out(items.only(requests))
        pair, request = np.nonzero(asked[:, requests])
        a, b = (runs[pair] * len(requests) + request for runs in block.pairs)
        yield requests, pair, request, read(reading, a, b, size, by_level=by_level)


_PAIRS = 2**13
"""Pairs of rankings that are read together: enough to be worth the calls, few enough for caches."""


# --- Metrics of one rank, or of one number of items --------------------------------------------


def _rank_comparisons(
    metric: RecallLevelMetric, block: blocks.Block, asked: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the chances of metrics whose value is the exposure of one item's rank."""
    population = block.at_least(metric.rel)
    items, found = _counted(block, population, metric.cutoff), np.zeros((3, *asked.shape))
    for request in np.flatnonzero(asked.any(axis=0)):
        m = int(population.m[request])
        level = _level_of(metric, m)
        one = RankChances.lay_out(items, int(request))
        values = exposure_of_ranks(metric, one.ranks, m)
        chance = np.zeros((block.n_runs, len(one.ranks)))
        if level is not None:
            chance = one.level_ranks(level)
        missed = np.maximum(1 - chance.sum(axis=1, keepdims=True), 0)
        of_values = np.append(values, 0.0), np.concatenate([chance, missed], axis=1)
        found[:, :, request] = _compared(*of_values, block.pairs)
    return tuple(found)


def _level_of(metric: RecallLevelMetric, m: int) -> int | None:
    """Return the level that counts, from 0, or None where the request has too few items."""
    level = {weights.first: 1, weights.last: m}.get(metric.weight, metric.values.get("level", 1))
    return int(level) - 1 if level <= m else None


def _count_comparisons(
    metric: RecallLevelMetric, block: blocks.Block, asked: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the chances of metrics that rise with the number of items down to a rank."""
    population, found = block.at_least(metric.rel), np.zeros((3, *asked.shape))
    tied = asked.any(axis=0)
    for m in np.unique(population.m[tied]):
        of_m = np.flatnonzero(tied & (population.m == m))
        items = _counted(block, population, _last_rank(metric, int(m))).only(of_m)
        first, last = (of.reshape(len(of), -1) for of in (items.first, items.last))
        chance = tied_orders.found_chances(first, last, items.limit.reshape(-1))
        chance = chance.reshape(-1, block.n_runs, len(of_m))
        for n, request in enumerate(of_m):
            counts = np.arange(float(len(chance)))
            found[:, :, request] = _compared(counts, chance[:, :, n].T, block.pairs)
    return tuple(found)


def _last_rank(metric: RecallLevelMetric, m: int) -> int | None:
    """Return the last rank that counts, 0 for all, or None where e is not 1 down to a rank."""
    if metric.exposure is exposures.up_to_m:
        return m if metric.cutoff is None else min(m, metric.cutoff)
    if metric.exposure is exposures.constant:
        return tied_orders.NEVER if metric.cutoff is None else metric.cutoff
    return None


def exposure_of_ranks(metric: RecallLevelMetric, ranks: np.ndarray, m: int) -> np.ndarray:
    """Return e of some ranks in a request with m relevant items."""
    frame = pl.DataFrame({"p": ranks.astype(np.float64)}).with_columns(m=float(m))
    e = metric.evaluate(metric.exposure, pl.col("p"), pl.col("m"))
    return np.asarray(frame.select(e=e)["e"].to_numpy())


def _compared(
    values: np.ndarray, chance: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return P(a > b), P(a = b), P(a < b) of each pair of runs, whose values are independent.

    ``chance`` is runs × values. Values tie within the tolerance of differences.
    """
    order = np.argsort(values, kind="stable")
    rises = np.diff(values[order], prepend=-np.inf) > sums.TIE
    merged = np.add.reduceat(chance[:, order], np.flatnonzero(rises), axis=1)
    below = merged.cumsum(axis=1) - merged
    more = merged @ below.T
    a, b = pairs
    return np.stack([more[a, b], (merged[a] * merged[b]).sum(axis=1), more[b, a]])
