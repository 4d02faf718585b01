"""Metrics computed from positions: `scores`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures.derived import is_better_small, parse_metric
from lexiframe.measures.metric import Metric
from lexiframe.measures.needs import refuse_without_judged
from lexiframe.measures.rankings import Rankings
from lexiframe.measures.subtopic_scores import subtopic_scores
from lexiframe.measures.subtopics import are_of_subtopics
from lexiframe.measures.ties import within
from lexiframe.positions.policies import NoRelevant, check_policy
from lexiframe.progress import in_threads
from lexiframe.schemas import SCORES, to_polars


def scores(
    p: Any,
    measures: Metric | str | Iterable[Metric | str],
    *,
    no_relevant: NoRelevant = "drop",
) -> pl.DataFrame:
    """Compute metrics for every run and request.

    Parameters
    ----------
    p
        The table of `positions`; for subtopic metrics that of ``positions(..., subtopics=True)``.
    measures
        Metrics or their notation: ``lf.AP``, ``lf.nDCG @ 10``, ``"RBP(p=0.8)"``, ``"map"``;
        `measures` lists them, with what they need of the positions. The ``rel`` of a measure can
        raise the least relevant grade of the positions, not lower it.
    no_relevant : {"drop", "zero"}
        Requests without an item of a measure's own ``rel`` have no rows of it, or 0; those of
        ``positions(..., no_relevant="zero")`` have 0 of every measure, also of search lengths, of
        which 0 is better than any real one.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, measure``, sorted by it; ``value``.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.
    LexiframeError
        When a measure gives something that is no finite number, or needs what the positions do not
        have: judged items (``judged=True``), ranks of items that were not retrieved, or subtopics.

    Examples
    --------
    >>> import lexiframe as lf
    >>> p = lf.positions("data/example/runs/random.run", "data/example/qrels.txt")
    >>> lf.scores(p, [lf.RR, "R@10"]).columns
    ['run', 'query_id', 'measure', 'value']
    """
    check_policy("no_relevant", no_relevant)
    metrics = unique_by_name([_as_metric(measure) for measure in as_list(measures)])
    p = to_polars(p)
    if are_of_subtopics(p, metrics):
        return subtopic_scores(p, metrics, no_relevant)
    for metric in metrics:
        if is_better_small(str(metric)) != metric.smaller_is_better:
            raise LexiframeError(
                f"{metric}: expected another name, because tables of scores are ordered by it, and "
                "less is better of lexiframe's measure of this name; rename it"
            )
    refuse_without_judged(p, metrics)
    rankings = Rankings.of(p)
    groups = []  # what one group computes on the way it computes once
    for rel in dict.fromkeys(metric.rel for metric in metrics):
        restricted = rankings.at_least(rel, no_relevant)
        of_rel = [metric for metric in metrics if metric.rel == rel]
        if not restricted.kept.any() and rel is not None:
            raise LexiframeError(
                f"{of_rel[0]}: expected some items with a grade of {rel:g} or more, found none"
            )
        for needs in dict.fromkeys(metric.needs for metric in of_rel):
            groups.append((restricted, [m for m in of_rel if m.needs == needs]))
    computed = in_threads(lambda group: _values(*group), groups, "scores")
    return _table(rankings.keys, {name: of for group in computed for name, of in group.items()})


def as_list(measures: Any) -> list[Any]:
    """Take one measure or several as a list."""
    several = isinstance(measures, Iterable) and not isinstance(measures, str | Metric)
    return list(measures) if several else [measures]


def unique_by_name(measures: Sequence[Any]) -> list[Any]:
    """Drop repeated measures; two different ones of one name are an error."""
    by_name: dict[str, Any] = {}
    for measure in measures:
        if by_name.setdefault(str(measure), measure) != measure:
            raise LexiframeError(f"two different measures are named {measure}; rename one")
    if not by_name:
        raise LexiframeError("measures: expected at least one, found none")
    return list(by_name.values())


def _as_metric(measure: Any) -> Metric:
    if isinstance(measure, str):
        return parse_metric(measure)
    if not isinstance(measure, Metric):
        raise TypeError(
            f"expected metrics or their notation, found {type(measure).__name__}: {measure!r}; "
            "preferences go to lexiframe.preferences"
        )
    return measure


Values = tuple[np.ndarray, np.ndarray]


def _values(rankings: Rankings, metrics: list[Metric]) -> dict[str, Values]:
    return {str(metric): _values_of(rankings, metric) for metric in metrics}


def _values_of(rankings: Rankings, metric: Metric) -> Values:
    """Give a metric's value for each ranking, and which of them count."""
    value = metric.compute(rankings).astype(np.float64)  # sums of nothing are whole numbers
    if not np.isfinite(value).all():
        raise LexiframeError(
            f"{metric}: expected finite numbers, found {value[~np.isfinite(value)][0]}; "
            "look at its exposure and weight"
        )
    return within(metric.bounds, value), rankings.kept


def _table(keys: pl.DataFrame, computed: dict[str, Values]) -> pl.DataFrame:
    """Make the table from the values of the rankings, which are in the order of its key."""
    names = sorted(computed)
    values, kept = (np.stack([computed[name][n] for name in names], axis=1) for n in (0, 1))
    table = keys[np.repeat(np.arange(keys.height), len(names))].with_columns(
        measure=pl.Series(names).gather(np.tile(np.arange(len(names)), keys.height)),
        value=values.ravel(),
    )
    table = table.select(*SCORES.required)
    return table if kept.all() else table.filter(kept.ravel())
