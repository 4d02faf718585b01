"""Comparisons of runs: the measures, requests and pairs of `preferences` and `evaluate`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, shown
from lexiframe.core.metrics import (
    Values,
    as_list,
    subtopic_metrics,
    unique_by_name,
)
from lexiframe.core.pairwise.arrays.arrays import ScoreCube
from lexiframe.core.pairwise.custom import preference_of
from lexiframe.core.pairwise.kernels import Comparison
from lexiframe.core.pairwise.preference import Measure as Measure
from lexiframe.core.pairwise.preference_entries import parse_measure
from lexiframe.core.pairwise.subtopic_blocks import subtopic_requests_of
from lexiframe.core.projection import NoRelevant, matrices


def parse_measures(measures: Any) -> list[Measure]:
    """Return one or several measures, given as objects or notation, without repetitions."""
    return unique_by_name([_as_measure(measure) for measure in as_list(measures)])


def _as_measure(measure: Any) -> Measure:
    if isinstance(measure, str):
        return parse_measure(measure)
    if isinstance(measure, Measure):
        return measure
    from lexiframe.core.metrics import metric_of

    if (metric := metric_of(measure)) is not None:
        return metric
    if callable(measure) and not isinstance(measure, type):
        return preference_of(measure)
    raise TypeError(
        f"expected measures or their notation, found {type(measure).__name__}: {shown(measure)}"
    )


def comparison_of(
    p: pl.DataFrame,
    asked: Sequence[Measure],
    values: Values | ScoreCube | None,
    no_relevant: NoRelevant,
    baseline: str | Collection[str] | None = None,
) -> Comparison:
    """Return the comparison to compute from checked positions; raise without a pair of runs."""
    requests = (
        subtopic_requests_of(p)
        if subtopic_metrics.are_of_subtopics(p, asked)
        else matrices.requests_of(p)
    )
    refuse_one_run("preferences", requests.runs)
    ordered = tuple(sorted(asked, key=str))
    several = (baseline,) if isinstance(baseline, str) else baseline
    compared = None if several is None else tuple(several)
    return Comparison(requests, ordered, values, no_relevant, compared)


def refuse_one_run(function: str, runs: Collection[str]) -> None:
    """Raise when there is no pair of runs."""
    if len(runs) < 2:
        raise LexiframeError(
            f"{function}: expected at least two runs, found {len(runs)} ({', '.join(runs)})"
        )
