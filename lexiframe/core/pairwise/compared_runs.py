"""Comparisons of runs: the measures, requests and pairs of `preferences` and `evaluate`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, shown, typed
from lexiframe.core.metrics import (
    Values,
    as_list,
    needed,
    subtopic_metrics,
    unique_by_name,
)
from lexiframe.core.pairwise.arrays.arrays import ScoreCube
from lexiframe.core.pairwise.composition import Composition
from lexiframe.core.pairwise.custom import preference_of
from lexiframe.core.pairwise.kernels import Comparison
from lexiframe.core.pairwise.preference import Measure as Measure
from lexiframe.core.pairwise.preference_entries import parse_measure
from lexiframe.core.pairwise.subtopic_blocks import subtopic_requests_of
from lexiframe.core.projection import NoRelevant, matrices
from lexiframe.typing import MeasureLike


def parse_measures(measures: Any) -> list[Measure]:
    """Return one or several measures, given as objects or notation, without repetitions.

    Two different measures of one name are refused, also among those of compositions.
    """
    asked: list[Measure] = unique_by_name(_listed(measures))
    unique_by_name(needed.parts_of(asked))
    return asked


def _listed(measures: Any) -> list[Measure]:
    return [_as_measure(measure) for measure in as_list(measures)]


@typed
def lex(*measures: MeasureLike) -> Composition:
    """Return the composition of measures: the first decides, where it ties the second, and so on.

    Parameters
    ----------
    measures
        Two or more metrics and preferences, the first to decide first, as objects, in their
        notation or as functions (see `preferences`). A composition among them gives its measures.

    Returns
    -------
    Composition
        A preference of −1, 0 and 1, as ``"RR>AP"`` and ``"lex(RR,AP)"`` are in notation. Its
        measures keep their ``rel``, their cut-off, and the direction in which they are better.

    Raises
    ------
    LexiframeError
        For fewer than two measures, two different ones of one name, and a name with ``>`` in it.

    Notes
    -----
    Δ = sgn Δ_k of the first k with Δ_k ≠ 0; 0 if there is none. A measure without a value for a
    request, because no item reaches its ``rel``, ties there; a request is left out where none has a
    value. If each orders the rankings of a request totally, as metrics, LR and LP do, the
    composition does too; with RPP it may prefer in circles. There are no margins within which
    measures tie, as such ties would not be transitive. After LR or LP no measure of the same
    relevant items can decide: they tie only rankings whose relevant items have the same ranks.

    Examples
    --------
    Relevant items at ranks 1 and 5, and at 1 and 3: RR ties, and AP prefers the second.

    >>> import lexiframe as lf
    >>> runs = {"a": {"q": {"x": 5, "u": 4, "v": 3, "w": 2, "y": 1}},
    ...         "b": {"q": {"x": 5, "u": 4, "y": 3, "w": 2, "v": 1}}}
    >>> p = lf.positions(runs, {"q": {"x": 1, "y": 1}})
    >>> d = lf.preferences(p, lf.lex(lf.RR, lf.AP), deciding_level=True)
    >>> d.select("measure", "preference", "deciding_component").rows()
    [('RR>AP', -1.0, 'AP')]
    """
    found = Composition.compose(_listed(measures))
    unique_by_name(found.components)
    return found


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
    if "tied_from" in p.columns:
        from lexiframe.core.metrics import refuse_without_form

        refuse_without_form(asked)
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
