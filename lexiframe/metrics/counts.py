"""Counts of retrieved and of relevant items, under trec_eval's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lexiframe.metrics.metric import Metric
from lexiframe.metrics.needs import FOUND, RELEVANT
from lexiframe.metrics.rankings import Rankings


@dataclass(frozen=True, eq=False, repr=False)
class Count(Metric):
    """A number of items in each ranking; ``count`` computes it from `Rankings`."""

    count: Callable[[Rankings], np.ndarray]

    kind: ClassVar[str] = "count"
    cuts_off: ClassVar[bool] = False

    @property
    def needs(self) -> str:  # type: ignore[override]
        """What the positions have to contain; with imputed ranks all items would count as found."""
        return FOUND if self.count is relevant_retrieved else RELEVANT

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return the counts as floats."""
        return self.count(rankings).astype(np.float64)


def retrieved(rankings: Rankings) -> np.ndarray:
    """Return ñ, the number of documents in each ranking."""
    return rankings.first_row("n_retrieved")


def relevant(rankings: Rankings) -> np.ndarray:
    """Return m, the number of relevant items of each ranking's request."""
    return rankings.first_row("n_relevant")


def relevant_retrieved(rankings: Rankings) -> np.ndarray:
    """Return the number of relevant items that have a rank."""
    is_found = rankings.relevant["position"].is_not_null().to_numpy()
    return np.bincount(rankings.of_relevant[is_found], minlength=len(rankings))
