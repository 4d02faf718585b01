"""Preferences of blocks of requests, computed in threads, as arrays.

A block has requests with the same number of relevant items. All arrays that are made while one is
compared are small, whatever the numbers of requests and relevant items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from lexiframe.core.base import in_threads, progress, sums
from lexiframe.core.metrics import Metric, Values
from lexiframe.core.pairwise.arrays.arrays import ScoreCube, pairs_of
from lexiframe.core.pairwise.custom import MatrixPreference
from lexiframe.core.pairwise.lexicographic import LexicographicPreference
from lexiframe.core.pairwise.preference import Measure, Preference
from lexiframe.core.pairwise.subtopic_blocks import SubtopicRequests
from lexiframe.core.projection import NoRelevant, blocks, matrices

AnyRequests = matrices.Requests | SubtopicRequests

Kernel = Callable[[blocks.Block, np.ndarray], np.ndarray]
"""A function from a block and the numbers of its requests to values: pairs × requests."""

_TOGETHER = 2**19
"""The greatest requests × runs² of a block, so that its arrays stay in the processor's cache."""
_FEW = 16
"""Groups of at most so many requests are split into blocks of one. NumPy's innermost loop is over
the requests of a block, and is slow when short; in a block of one request it is over runs."""


@dataclass(frozen=True)
class Comparison:
    """A comparison: its runs, requests and measures.

    Attributes
    ----------
    requests
        The positions of all requests and runs.
    measures
        Sorted by name.
    values
        The values of those of the measures that are metrics; None if there are none.
    no_relevant
        Whether requests without an item of a measure's ``rel`` have no value (NaN), or 0.
    compared
        The runs of which each pair that is computed contains at least one; None: all pairs.
    """

    requests: AnyRequests
    measures: tuple[Measure, ...]
    values: Values | ScoreCube | None
    no_relevant: NoRelevant
    compared: tuple[str, ...] | None
    _known: dict[Measure, Kernel] = field(default_factory=dict, init=False, repr=False)

    def groups(self, most: int | None = None) -> list[np.ndarray]:
        """Divide the requests into groups of at most ``most``, small ones into single requests."""
        together = max(_TOGETHER // len(self.requests.runs) ** 2, 1)
        groups = self.requests.groups(together if most is None else min(together, most))
        few = 0 if self._tied else _FEW  # tied orders: many calls each
        divided = [[part] if len(part) > few else np.split(part, len(part)) for part in groups]
        return [part for parts in divided for part in parts]

    def preferences(
        self,
        found: np.ndarray,
        groups: Sequence[np.ndarray],
        label: str = "",
        *,
        in_turn: bool = False,
    ) -> np.ndarray:
        """Fill ``found``, requests × chosen pairs × measures, with the Δ of groups of requests.

        Each request of the groups is a row, in the order of the names. NaN stands for a request
        that has no item of a measure's ``rel``. Groups are compared in threads, or ``in_turn``
        where the caller has its own.
        """
        numbers = _request_numbers(groups)
        kernels = [self._kernel(measure, numbers, label) for measure in self.measures]
        return self._fill(found, groups, kernels, label, in_turn=in_turn)

    def keeping(self) -> Comparison:
        """Return the comparison with `chances` that are found together with the preferences."""
        if self._tied is None:
            return self
        return replace(self, requests=replace(self.requests, tied=replace(self._tied, kept={})))

    @property
    def _tied(self) -> Any:
        """The ranks over tied orders of requests without subtopics, if ties are expected."""
        return None if isinstance(self.requests, SubtopicRequests) else self.requests.tied

    def chances(self, groups: Sequence[np.ndarray], deltas: np.ndarray) -> np.ndarray:
        """Return P(a is better), P(equal), P(b is better): 3 × the axes of ``deltas``.

        They are NaN where there is no closed form, and where there is no preference.
        """
        from lexiframe.core.pairwise.tied import expected

        found, numbers = np.full((3, *deltas.shape), np.nan), _request_numbers(groups)

        def fill(group: np.ndarray) -> None:
            block, rows = self._block(group), np.searchsorted(numbers, group)
            for n, measure in enumerate(self.measures):
                delta = deltas[rows, :, n].T
                of = expected.chances(measure, block, delta)
                if of is not None:
                    of = np.where(np.isnan(delta), np.nan, of).swapaxes(1, 2)
                    found[..., n][:, rows] = of

        for _ in in_threads(fill, groups, "chances"):
            pass
        return found

    def deciding_levels(
        self, found: np.ndarray, groups: Sequence[np.ndarray], label: str = ""
    ) -> np.ndarray:
        """Fill ``found`` with the recall levels that decide; 0 for a tie and other measures."""
        kernels = [_level_kernel(measure) for measure in self.measures]
        return self._fill(found, groups, kernels, label)

    @cached_property
    def chosen(self) -> np.ndarray:
        """The numbers of the compared pairs among all pairs in the order of (run_a, run_b)."""
        return pairs_of(self.requests.runs, self.compared)

    def _block(self, group: np.ndarray) -> blocks.Block:
        """Return the block of some requests, with the chosen pairs to compare."""
        return replace(self.requests.block(group), compared=self._is_compared)

    @cached_property
    def _is_compared(self) -> np.ndarray | None:
        """Which runs each pair contains at least one of; None: all pairs."""
        runs = self.requests.runs
        return None if self.compared is None else runs.is_in(self.compared).to_numpy()

    def _kernel(self, measure: Measure, numbers: np.ndarray, label: str) -> Kernel:
        """Return a function to the Δ of a measure, for blocks of the requests ``numbers``."""
        if isinstance(measure, MatrixPreference):
            return self._kernel_of_own(measure, numbers, label)
        if measure not in self._known:
            make = self._differences if isinstance(measure, Metric) else self._preferred
            self._known[measure] = make(measure)  # type: ignore[arg-type]
        return self._known[measure]

    def _preferred(self, measure: Preference) -> Kernel:
        """Return a function to Δ, which is NaN for requests without an item of the ``rel``."""
        known: dict[int, np.ndarray] = {}
        # The kernel is kept here, so it must not refer to this object: nothing would be freed until
        # the garbage collector finds the circle, which takes gigabytes where buckets follow.
        marked = self._marked(measure)

        def preferred(block: blocks.Block, _: np.ndarray) -> np.ndarray:
            delta = measure.compute(block, known)
            if block.tied is not None:
                from lexiframe.core.pairwise.tied import expected

                delta = expected.preference(measure, block, delta, known)
            return marked(block, delta)

        return preferred

    def _kernel_of_own(self, measure: MatrixPreference, numbers: np.ndarray, label: str) -> Kernel:
        """Call a user's function for one request after the other, in one thread.

        The function may keep state between calls, so it is not called from several threads.
        """
        each = progress(numbers, len(numbers), str(measure)) if label else numbers
        deltas = [measure.compute(self._block(np.array([number]))) for number in each]
        own = np.concatenate(deltas, axis=1) if deltas else np.empty((len(self.chosen), 0))
        marked = self._marked(measure)

        def preferred(block: blocks.Block, group: np.ndarray) -> np.ndarray:
            return marked(block, own[:, np.searchsorted(numbers, group)])

        return preferred

    def _marked(self, measure: Preference) -> Kernel:
        """Return a function that puts NaN into Δ where there is no item of the ``rel``."""
        rel = measure.rel if self.no_relevant == "drop" else None

        def marked(block: blocks.Block, delta: np.ndarray) -> np.ndarray:
            if rel is not None:
                delta[:, block.at_least(rel).m == 0] = np.nan
            return delta

        return marked

    def _differences(self, metric: Metric) -> Kernel:
        """Return a function to the differences of a metric."""
        # values are None only when no metric was asked for
        values = self.values.by_request(metric, self.requests.queries)  # type: ignore[union-attr]

        def differences(block: blocks.Block, group: np.ndarray) -> np.ndarray:
            of_group = values[:, group]  # so that whole rows are copied for the pairs
            a, b = (of_group[run] for run in block.pairs)
            smaller, is_exact = metric.smaller_is_better, metric.is_exact and block.tied is None
            # whole numbers or halves over m
            parts = 2 * np.maximum(block.at_least(metric.rel).m, 1) if is_exact else None
            return sums.metric_difference(
                a, b, smaller_is_better=smaller, is_exact=is_exact, parts=parts
            )

        return differences

    def _fill(
        self,
        found: np.ndarray,
        groups: Sequence[np.ndarray],
        kernels: list[Kernel],
        label: str,
        *,
        in_turn: bool = False,
    ) -> np.ndarray:
        """Run the kernels over groups of requests, and fill in their rows."""
        n_runs, numbers = len(self.requests.runs), _request_numbers(groups)

        def fill(group: np.ndarray) -> None:
            block, rows = self._block(group), np.searchsorted(numbers, group)
            for n, kernel in enumerate(kernels):
                found[rows, :, n] = kernel(block, group).T

        for _ in map(fill, groups) if in_turn else _fill_groups(fill, groups, n_runs, label):
            pass
        return found


def _request_numbers(groups: Sequence[np.ndarray]) -> np.ndarray:
    """Return the numbers of the requests of all groups, in order."""
    return np.sort(np.concatenate([np.empty(0, np.int64), *groups]))


def _level_kernel(measure: Measure) -> Kernel:
    """Return a function to the deciding recall level, 0 for a tie and for other measures."""
    if isinstance(measure, LexicographicPreference):
        return lambda block, group: measure.deciding_level(block)
    return lambda block, group: np.zeros((len(block.pairs[0]), len(block)), np.int64)


def _fill_groups(
    fill: Callable[[np.ndarray], None], groups: Sequence[np.ndarray], n_runs: int, label: str
) -> Iterable[None]:
    """Fill in groups, in threads unless most groups have one request and there are few runs.

    The NumPy calls for such a group take microseconds, so that threads would wait for Python's
    global lock.
    """
    n_alone = sum(len(group) == 1 for group in groups)
    if n_alone > len(groups) // 2 and n_runs**2 < _TOGETHER:
        return map(fill, progress(groups, len(groups), label) if label else groups)
    return in_threads(fill, groups, label)
