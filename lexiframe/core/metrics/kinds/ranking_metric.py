"""Metrics that are a function of whole rankings, at a share of the relevant items, or logarithms.

Metrics that are logarithms of others have geometric means.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lexiframe.core.metrics.kinds.counts import relevant
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.needed import RELEVANT
from lexiframe.core.metrics.rankings import Rankings


@dataclass(frozen=True, eq=False, repr=False)
class RankingMetric(Metric):
    """μ = a function of `Rankings`, and of the metric's parameters by keyword.

    It can be cut off when the function takes ``cutoff``. ``kind``, ``needs`` and
    ``smaller_is_better`` are those of the metric; ``of_no_relevant`` is its value for a request
    without a relevant item, or None for what the function gives.
    """

    function: Callable[..., np.ndarray]
    kind: str = field(default="ranking", kw_only=True)  # type: ignore[misc]
    needs: str = field(default=RELEVANT, kw_only=True)  # type: ignore[misc]
    smaller_is_better: bool = field(default=False, kw_only=True)  # type: ignore[misc]
    of_no_relevant: float | None = field(default=0.0, kw_only=True)  # type: ignore[misc]

    @property
    def cuts_off(self) -> bool:  # type: ignore[override]
        """Whether the function takes a cut-off."""
        return "cutoff" in inspect.signature(self.function).parameters

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return the value of each ranking."""
        return np.asarray(self.function(rankings, **self.keywords(self.function)), np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class ShareMetric(RankingMetric):
    """A metric whose @ takes a share of the relevant items: the parameter called ``share``."""

    share: str = field(default="recall", kw_only=True)

    @property
    def at(self) -> str:
        """@ and the name of the share."""
        return f"@{self.share}"

    def __matmul__(self, share: Any) -> Any:
        return self(**{self.share: share})

    def __str__(self) -> str:
        return self._written(self.values[self.share], but=self.share)

    def _with(self, missing: list[str], share: str = "", example: str = "0.5") -> str:
        return super()._with(missing, share or self.share, example)

    __repr__ = __str__


LEAST = 1e-5
"""Values below it count as this, as in trec_eval; otherwise one 0 would make the mean 0."""


def logarithm(of: Metric, rankings: Rankings) -> np.ndarray:
    """ln max(μ, 10⁻⁵)."""
    return np.asarray(np.log(np.maximum(of.compute(rankings), LEAST)))


def log_odds(of: Metric, rankings: Rankings) -> np.ndarray:
    """ln((1 + m μ) / (1 + m − m μ))."""
    m = relevant(rankings)
    total = m * of.compute(rankings)
    return np.asarray(np.log((1 + total) / (1 + m - total)))
