"""A metric of the intents of a request that a ranking serves worst: `WorstIntents`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded
from lexiframe.core.metrics import Metric, derived, metric_parameters, needed, values_of


@dataclass(frozen=True, eq=False, repr=False)
class IntentMetric(Metric):
    """μ = the mean of another metric over the worst share of a request's subtopics.

    Each subtopic with a relevant document counts alike, the last one in part; of less than one
    subtopic it is the worst. ``share=1`` is the mean of all: with AP it is MAP-IA, with P@k P-IA@k.

    Parameters
    ----------
    of : Metric
        The metric that each subtopic is measured by.
    """

    of: Metric

    kind: ClassVar[str] = "subtopic"
    needs: ClassVar[str] = needed.SUBTOPICS

    def __call__(self, *of: Any, **parameters: Any) -> Self:
        """Return the metric of another one, or of another share: ``WorstIntents(AP, share=0.5)``.

        A cut-off of the metric inside is written behind the parentheses.
        """
        taken = derived.parse_metric(of[0]) if of and isinstance(of[0], str) else [*of, self.of][0]
        is_one = isinstance(taken, Metric) and len(of) < 2
        if not is_one or taken.smaller_is_better or taken.needs != needed.RELEVANT:
            raise LexiframeError(
                f"WorstIntents({', '.join(map(str, of))}): expected one metric of relevant items "
                "of which more is better, such as AP, RR, nDCG@10 or P@20"
            )
        made = super(IntentMetric, replace(self, operand=None)).__call__(**parameters)
        rel, cutoff = made.rel or taken.rel, made.cutoff or taken.cutoff
        plain = replace(taken, rel=None, cutoff=None)
        return replace(made, of=plain, operand=str(plain), rel=rel, cutoff=cutoff)

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.of)

    def of_subtopics(self, table: pl.DataFrame, starts: np.ndarray) -> np.ndarray:
        """Return the value of each ranking, from positions by subtopic sorted by their key.

        ``starts`` are the first rows of the rankings.
        """
        code = table.select(pl.struct("query_id", "subtopic").rank("dense")).to_series()
        names = code.cast(pl.String).str.zfill(len(str(table.height)))
        of_each = table.with_columns(query_id=names).drop("subtopic")
        metric = self.of if self.cutoff is None else self.of @ self.cutoff
        value = values_of(of_each, [metric], "zero").values[:, 0]
        first = np.flatnonzero(
            coded.begins(code.to_numpy()) | np.isin(np.arange(len(code)), starts)
        )
        ranking = np.searchsorted(starts, first, side="right") - 1
        value = value[np.lexsort((value, ranking))]
        n = np.bincount(ranking)
        target = np.maximum(self.values["share"] * n, 1.0)
        place = np.arange(len(ranking)) - np.repeat(np.cumsum(n) - n, n)
        counted = np.clip(target[ranking] - place, 0.0, 1.0)
        return np.asarray(np.bincount(ranking, counted * value) / target)


WorstIntents = IntentMetric(
    "WorstIntents",
    parameters={"share": metric_parameters.Number(above=0, most=1)},
    given={"share": 0.5},
    operand="AP",
    of=derived.parse_metric("AP"),
    formula="1/(β T) Σ_t w_t μ_t",
    source="Diaz, SIGIR-AP 2024, doi:10.1145/3673791.3698428; 1 − it is VRisk, arXiv:2510.22681",
    bounds="as of μ",
)
"""The mean of a metric over the share of a request's subtopics that a ranking serves worst."""
