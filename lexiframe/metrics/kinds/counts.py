"""Counts of retrieved and of relevant items, under trec_eval's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from lexiframe.metrics.kinds.metric import Aggregate, Metric
from lexiframe.metrics.needed import FOUND, RELEVANT
from lexiframe.metrics.rankings import Rankings


@dataclass(frozen=True, eq=False, repr=False)
class Count(Metric):
    """A number of items in each ranking; ``count`` computes it from `Rankings`."""

    count: Callable[[Rankings], np.ndarray]

    aggregate: Aggregate = field(default="sum", kw_only=True)

    kind: ClassVar[str] = "count"
    of_no_relevant: ClassVar[float | None] = None

    @property
    def needs(self) -> str:  # type: ignore[override]
        """What the positions have to contain; with imputed ranks all items would count as found."""
        return FOUND if self.count is relevant_retrieved else RELEVANT

    @property
    def cuts_off(self) -> bool:  # type: ignore[override]
        """Whether it counts ranks, of which a cut-off leaves the first."""
        return self.count is relevant_retrieved

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return the counts as floats."""
        if self.cutoff is not None:
            return relevant_retrieved(rankings, self.cutoff).astype(np.float64)
        return self.count(rankings).astype(np.float64)


def retrieved(rankings: Rankings) -> np.ndarray:
    """Return ñ, the number of documents in each ranking."""
    return rankings.first_row("n_retrieved")


def relevant(rankings: Rankings) -> np.ndarray:
    """Return m, the number of relevant items of each ranking's request."""
    return rankings.first_row("n_relevant")


def relevant_retrieved(rankings: Rankings, cutoff: int | None = None) -> np.ndarray:
    """Return the number of relevant items that have a rank, or one up to the cut-off."""
    position = rankings.relevant["position"]
    has_rank = (
        position.is_not_null() if cutoff is None else position.le(cutoff).fill_null(value=False)
    )
    is_found = has_rank.to_numpy()
    return np.bincount(rankings.of_relevant[is_found], minlength=len(rankings))


def one(rankings: Rankings) -> np.ndarray:
    """Return 1 for each ranking, so that the sum is the number of requests."""
    return np.ones(len(rankings))


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, and 0 where b is 0: of requests without relevant items, and of empty rankings."""
    return np.asarray(np.divide(a, b, out=np.zeros(len(a)), where=b > 0))
