"""Metrics computed from positions: `scores`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures.catalogue import parse_metric
from lexiframe.measures.graded import GradedMetric
from lexiframe.measures.recall_level import Metric
from lexiframe.measures.subtopic_scores import subtopic_scores
from lexiframe.measures.subtopics import are_of_subtopics
from lexiframe.positions.policies import NoRelevant, check_policy
from lexiframe.schemas import POSITIONS, SCORES, check, to_polars

_P, _I, _M, _Y = (
    pl.col(name).cast(pl.Float64) for name in ("position", "level", "n_relevant", "relevance")
)


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
        Metrics or their notation: ``lf.AP``, ``lf.nDCG @ 10``, ``"RBP(p=0.8)"``, ``"map"``. The
        ``rel`` of a measure can raise the least relevant grade of the positions, not lower it.
    no_relevant : {"drop", "zero"}
        Requests without an item of a measure's own ``rel`` have no rows of it, or 0.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, measure``, sorted by it; ``value``.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.
    LexiframeError
        When a measure gives something that is no finite number; when it needs positions by
        subtopic and these are not, or the other way round.

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
    table = check(p, POSITIONS)
    if table["level"].null_count():  # judged items that are not relevant, requests without any
        is_relevant = pl.col("level").is_not_null()
        table = table.filter(is_relevant | (pl.col("n_relevant") == 0))
        table = table.with_columns(position=pl.when(is_relevant).then("position"))
    if not _is_in_order(table):
        table = table.sort("run", "query_id", "doc_id")
    frames = []
    for rel in dict.fromkeys(metric.rel for metric in metrics):
        of_rel = [metric for metric in metrics if metric.rel == rel]
        restricted = table if rel is None else _restrict(table, rel, no_relevant)
        if rel is not None and not restricted.height:
            raise LexiframeError(
                f"{of_rel[0]}: expected some items with a grade of {rel:g} or more, found none"
            )
        frames.append(_values(restricted, of_rel))
    return pl.concat(frames).sort("run", "query_id", "measure").select(*SCORES.columns)


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


def _restrict(table: pl.DataFrame, rel: float, no_relevant: NoRelevant) -> pl.DataFrame:
    """Count only grades of ``rel`` or more as relevant, and number the recall levels anew."""
    request = ("run", "query_id")
    is_relevant = (pl.col("relevance") >= rel).fill_null(value=False)
    kept = is_relevant
    if no_relevant == "zero":
        kept = kept | (is_relevant.sum().over(request) == 0)
    return table.filter(kept).with_columns(
        position=pl.when(is_relevant).then("position"),
        level=pl.when(is_relevant).then("level").rank("ordinal").over(request).cast(pl.Int64),
        n_relevant=is_relevant.sum().over(request).cast(pl.Int64),
    )


def _values(table: pl.DataFrame, metrics: list[Metric]) -> pl.DataFrame:
    """Sum each metric's terms within each run's request, in the order of the rows."""
    keys, starts = _stretches(table)
    terms = table.select(
        metric.terms(_P, _I, _M, _Y).fill_null(0.0).alias(str(metric)) for metric in metrics
    )
    frames = []
    for metric in metrics:
        value = _segment_sums(terms[str(metric)].to_numpy(), starts)
        if isinstance(metric, GradedMetric):
            ideal = _ideals(table, keys, starts, metric)
            value = np.divide(value, ideal, out=np.zeros_like(value), where=ideal > 0)
        if not np.isfinite(value).all():
            raise LexiframeError(
                f"{metric}: expected finite numbers, found {value[~np.isfinite(value)][0]}; "
                "look at its exposure and weight"
            )
        frames.append(keys.with_columns(measure=pl.lit(str(metric)), value=value))
    return pl.concat(frames)


def _stretches(table: pl.DataFrame) -> tuple[pl.DataFrame, np.ndarray]:
    """Give the runs' requests in the order of the table and where the rows of each begin."""
    begins = table.select(
        (pl.col("run") != pl.col("run").shift()).fill_null(value=True)
        | (pl.col("query_id") != pl.col("query_id").shift())
    ).to_series()
    starts = begins.arg_true()
    return table.select("run", "query_id")[starts], starts.to_numpy()


def _is_in_order(table: pl.DataFrame) -> bool:
    """Tell whether a request's rows stand together, by document: sums depend on their order."""
    keys, starts = _stretches(table)
    falls = (table["doc_id"] < table["doc_id"].shift()).fill_null(value=False).to_numpy().copy()
    falls[starts] = False
    return not (falls.any() or keys.is_duplicated().any())


def _segment_sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    return np.add.reduceat(values, starts) if len(starts) else np.empty(0)


def _ideals(
    table: pl.DataFrame, keys: pl.DataFrame, starts: np.ndarray, metric: GradedMetric
) -> np.ndarray:
    """Give each request's sum for its relevant items in decreasing order of grade.

    Every run has the same items of a request, so the first run that has it is enough.
    """
    lengths = np.diff(np.append(starts, table.height))
    first = keys["query_id"].is_first_distinct().to_numpy()
    rows = table.filter(np.repeat(first, lengths)).sort(
        "query_id", "relevance", descending=[False, True], maintain_order=True
    )
    ranked = rows.with_columns(
        level=pl.int_range(1, pl.len() + 1).over("query_id"),
        position=pl.int_range(1, pl.len() + 1).over("query_id"),
    )
    ideal_keys, ideal_starts = _stretches(ranked.with_columns(run=pl.lit("ideal")))
    terms = ranked.select(metric.terms(_P, _I, _M, _Y).fill_null(0.0).alias("term")).to_series()
    ideals = ideal_keys.with_columns(ideal=_segment_sums(terms.to_numpy(), ideal_starts))
    return keys.join(ideals, on="query_id", maintain_order="left")["ideal"].to_numpy()
