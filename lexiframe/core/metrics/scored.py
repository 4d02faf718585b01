"""Metrics computed from positions: `scores`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, in_threads, schemas, shown, to_polars, typed
from lexiframe.core.metrics import notation
from lexiframe.core.metrics.kinds.derived import parse_metric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.subtopic_metrics import are_of_subtopics
from lexiframe.core.metrics.needed import (
    JUDGED,
    SUBTOPICS,
    no_item_of_grade,
    refuse_unfit,
    warn_of_lost_gains,
)
from lexiframe.core.metrics.rankings import Rankings
from lexiframe.core.metrics.value_arrays import Values
from lexiframe.core.projection import (
    NoRelevant,
    RankedRuns,
    alone,
    answers,
    check_policy,
    positions,
    several,
)
from lexiframe.typing import PositionsTable


@alone.each_collection
@typed
def scores(
    p: PositionsTable,
    /,
    measures: Metric | str | Iterable[Metric | str],
    *,
    no_relevant: NoRelevant = "drop",
) -> pl.DataFrame:
    """Compute metrics for every run and request.

    Parameters
    ----------
    p
        The table of `positions`; for subtopic metrics that of ``positions(..., subtopics=True)``.
        Positions with a column ``collection`` give scores with one. ``{"name": (runs, qrels)}``,
        several collections, are taken as `positions` takes them, with its defaults.
    measures
        Metrics or their notation: ``lf.AP``, ``lf.nDCG @ 10``, ``"RBP(p=0.8)"``, ``"map"``, several
        in a string ``"AP nDCG@10"``, names of other libraries (see `parse_measure`); `measures`
        lists them, with what they need of the positions. The ``rel`` of a measure can raise the
        least relevant grade of the positions, not lower it; a graded metric then loses the gains of
        lower grades, which is warned of.
    no_relevant : {"drop", "zero"}
        Whether requests without an item of a measure's own ``rel`` have no rows for that measure,
        or rows with 0. Requests that ``positions(..., no_relevant="zero")`` kept have 0 for every
        measure; note that for search lengths 0 is better than any real value. As in trec_eval,
        counts and ``utility`` still count what was retrieved, and the logarithms gm_map and
        gm_bpref are ln 10⁻⁵; ``Judged`` is the share of judged documents, as in ir_measures.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, measure``, sorted by it; and ``value``. Of positions with replicates
        the key is ``run, replicate, query_id, measure``; with several collections, ``collection``
        stands in front. A table with your own search
        length also has ``smaller_is_better``, whether smaller values of the measure are better;
        for built-in measures this follows from the name.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.
    LexiframeError
        When a measure has a value that is not a finite number, has a ``rel`` below that of the
        positions, or needs what the positions lack: judged items (``judged=True``, and not after
        `impute`), ranks of items that were not retrieved, or subtopics.

    Examples
    --------
    >>> import lexiframe as lf
    >>> p = lf.positions("data/example/runs/random.run", "data/example/qrels.txt")
    >>> lf.scores(p, [lf.RR, "R@10"]).columns
    ['run', 'query_id', 'measure', 'value']
    """
    check_policy("no_relevant", no_relevant)
    metrics = unique_by_name([as_metric(measure) for measure in as_list(measures)])
    if several.are_pairs(p):
        return scores(_positions_of(p, metrics), metrics, no_relevant=no_relevant)
    p = coded.replicates_joined(to_polars(p))
    warn_of_lost_gains(p, metrics)
    s = answers.say_answered(values_of(p, metrics, no_relevant).table(), answers.unanswered_in(p))
    return coded.replicates_apart(s)


def values_of(
    p: pl.DataFrame,
    metrics: Sequence[Metric],
    no_relevant: NoRelevant,
    ranked: RankedRuns | None = None,
) -> Values:
    """Compute metrics of positions; ``ranked`` gives all judged items, if it is there."""
    if ranked is None:
        refuse_unfit(p, metrics)
    by_subtopic = are_of_subtopics(p, metrics)
    if p.is_empty():
        keys = schemas.check(
            p, schemas.SUBTOPIC_POSITIONS if by_subtopic else schemas.POSITIONS
        ).select("run", "query_id")
        nothing = np.empty((0, len(metrics)))
        return Values(keys, tuple(sorted(metrics, key=str)), nothing, nothing.astype(bool))
    if by_subtopic:
        from lexiframe.core.metrics.subtopic_scores import subtopic_values

        return subtopic_values(p, metrics, no_relevant)
    rankings = Rankings.of(p, ranked)
    groups = []  # the metrics of a group share intermediate results, such as the ideal rankings
    for rel in dict.fromkeys(metric.rel for metric in metrics):
        restricted = rankings.at_least(rel, no_relevant)
        of_rel = [metric for metric in metrics if metric.rel == rel]
        if not restricted.kept.any() and rel is not None:
            raise no_item_of_grade(of_rel[0])
        for needs in dict.fromkeys(metric.needs for metric in of_rel):
            groups.append((restricted, [m for m in of_rel if m.needs == needs]))
    n_rows = rankings.rows.height
    computed = [*in_threads(lambda group: _metric_values(*group), groups, "scores", n_rows)]
    columns = {metric: column for group in computed for metric, column in group.items()}
    ordered = sorted(columns, key=str)
    n_arrays = 3 if "tied_from" in p.columns else 2
    # the values of a metric lie together in memory: they are mostly read metric by metric
    arrays = (np.stack([columns[m][n] for m in ordered]).T for n in range(n_arrays))
    return Values(rankings.keys, tuple(ordered), *arrays)


def _positions_of(collections: Any, metrics: list[Metric]) -> pl.DataFrame:
    """Return the positions that metrics need of several collections."""
    return positions(
        collections,
        judged=any(metric.needs == JUDGED for metric in metrics),
        subtopics=all(metric.needs == SUBTOPICS for metric in metrics),
    )


def as_list(measures: Any) -> list[Any]:
    """Return one measure or several as a list; a string may contain several."""
    is_one = isinstance(measures, str | Metric) or getattr(measures, "ndim", 1) == 0
    given = measures if isinstance(measures, Iterable) and not is_one else [measures]
    return [one for measure in given for one in notation.each(measure)]


def unique_by_name(measures: Sequence[Any]) -> list[Any]:
    """Return the measures without repetitions; raise if two different ones share a name."""
    by_name: dict[str, Any] = {}
    for measure in measures:
        if by_name.setdefault(str(measure), measure) != measure:
            raise LexiframeError(f"two different measures are named {measure}; rename one")
    if not by_name:
        raise LexiframeError("measures: expected at least one, found none")
    return list(by_name.values())


def as_metric(measure: Any) -> Metric:
    """Return a metric, given itself or its notation; raise for anything else."""
    is_text = isinstance(measure, str)
    if hasattr(measure, "components") or (is_text and len(notation.composed(measure)) > 1):
        raise LexiframeError(f"{measure} compares two runs; it has no value for one")
    if isinstance(measure, str):
        notation.doubt_name(measure)
        return parse_metric(measure)
    if not isinstance(measure, Metric):
        from lexiframe.core.metrics.kinds.function_metric import metric_of

        measure = metric_of(measure) or measure
    if not isinstance(measure, Metric):
        raise TypeError(
            f"expected metrics or their notation, found {type(measure).__name__}: "
            f"{shown(measure)}; preferences go to lexiframe.preferences"
        )
    return measure


def _metric_values(
    rankings: Rankings, metrics: list[Metric]
) -> dict[Metric, tuple[np.ndarray, ...]]:
    """Return each metric's value for each ranking, and which of them count."""
    if metrics[0].needs != JUDGED:
        found = ((metric, _checked_values(metric, rankings)) for metric in metrics)
        return {metric: (values[0], rankings.kept, *values[1:]) for metric, values in found}

    def of_run(run: int) -> list[list[np.ndarray]]:
        one = rankings.run_rankings(
            run
        )  # so that only the judged items of a few runs are in memory
        return [_checked_values(metric, one) for metric in metrics]

    n_rows = rankings.rows.height
    computed = in_threads(of_run, range(rankings.n_runs), "judged items", n_rows)
    by_run = zip(*computed, strict=True)
    joined = (
        (metric, [np.concatenate(parts) for parts in zip(*runs, strict=True)])
        for metric, runs in zip(metrics, by_run, strict=True)
    )
    return {metric: (values[0], rankings.kept, *values[1:]) for metric, values in joined}


def _checked_values(metric: Metric, rankings: Rankings) -> list[np.ndarray]:
    """Return a metric's value for each ranking, with 0 for a request without a relevant item.

    Some are not set to 0: as in trec_eval, num_ret is the number of documents retrieved. Where ties
    are expected, the standard deviations over tied orders follow.
    """
    of_ties: list[np.ndarray] = []
    with np.errstate(all="ignore"):  # what is not finite is refused below
        value = metric.compute(rankings).astype(
            np.float64
        )  # np.bincount gives integers for no rows
        if "tied_from" in rankings.rows.columns:
            from lexiframe.core.metrics.tied.expectation import expectation

            value, sd = expectation(metric, rankings, value)
            of_ties = [sd]
    if metric.of_no_relevant is not None:
        value = np.where(rankings.has_relevant, value, metric.of_no_relevant)
    if not np.isfinite(value).all():
        raise _not_finite(metric, rankings, value)
    return [metric.limits.within(value), *of_ties]


def _not_finite(metric: Metric, rankings: Rankings, value: np.ndarray) -> LexiframeError:
    """Return the error for values that are not numbers; grades of clicks may have such gains."""
    first = int(np.flatnonzero(~np.isfinite(value))[0])
    found = f"{metric}: expected finite numbers, found {value[first]}"
    if metric.kind != "graded":
        return LexiframeError(f"{found}; check its exposure and weight")
    grades = rankings.relevant["relevance"].filter(pl.Series(rankings.relevant_rankings == first))
    query_id, greatest = rankings.keys["query_id"][first], f"{grades.to_numpy().max():g}"
    said = f"{found}: the gains of query {query_id!r} are too large for a float, its greatest grade"
    if metric.values.get("dcg") == "exp-log2":
        advice = "2^g − 1 is finite up to g = 1023; leave dcg='exp-log2' out, or name other gains"
    else:
        advice = "name other gains" if "gains" in metric.parameters else "check its gain"
    example = f": {metric.name}(gains={{{greatest}: 4}})" * ("gains" in metric.parameters)
    return LexiframeError(f"{said} is {greatest}; {advice}{example}")
