"""Subtopic metrics computed from positions by subtopic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, schemas
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.ideals import Serving, greatest_sum, greedy_gains
from lexiframe.core.metrics.kinds.recall_level import exposed
from lexiframe.core.metrics.kinds.subtopic_metrics import SubtopicMetric
from lexiframe.core.metrics.needed import no_item_of_grade
from lexiframe.core.metrics.row_by_row import row_by_row
from lexiframe.core.metrics.stretches import begins
from lexiframe.core.metrics.value_arrays import Values
from lexiframe.core.projection import NoRelevant, levels_in

_NOTHING = 2.0**-60
"""Exposures below this share of the greatest one are ignored: they are lost in rounding."""


def subtopic_values(p: pl.DataFrame, metrics: Sequence[Any], no_relevant: NoRelevant) -> Values:
    """Compute subtopic metrics for every run and request; `scores` computes all other metrics."""
    table = schemas.check(p, schemas.SUBTOPIC_POSITIONS)
    is_relevant = pl.col("level").is_not_null()
    table = _sort_by_key(table.filter(is_relevant | pl.col("doc_id").is_null()))
    keys = table.select("run", "query_id")[_ranking_starts(table)[0]]
    ordered = sorted(metrics, key=str)
    values, kept = (np.zeros((keys.height, len(metrics)), dtype) for dtype in (np.float64, bool))
    for rel in dict.fromkeys(metric.rel for metric in metrics):
        of_rel = [metric for metric in metrics if metric.rel == rel]
        restricted = table if rel is None else _restrict(table, rel, no_relevant)
        if rel is not None and not restricted.height:
            raise no_item_of_grade(of_rel[0])
        has_value = _are_among(keys, restricted)
        for metric, value in _subtopic_values(restricted, of_rel):
            values[has_value, ordered.index(metric)] = value
            kept[has_value, ordered.index(metric)] = True
    sd = np.full(values.shape, np.nan) if "tied_from" in table.columns else None
    return Values(keys, tuple(ordered), values, kept, sd)


def _are_among(keys: pl.DataFrame, table: pl.DataFrame) -> np.ndarray:
    """Return which rankings have rows in a table."""
    there = table.select("run", "query_id").unique().with_columns(there=pl.lit(value=True))
    joined = keys.join(there, on=["run", "query_id"], how="left", maintain_order="left")
    return joined["there"].fill_null(value=False).to_numpy()


def _sort_by_key(table: pl.DataFrame) -> pl.DataFrame:
    """Sort by the key if necessary: the last bit of a sum depends on the order of its terms."""
    falls = pl.lit(value=False)
    for name in reversed(schemas.SUBTOPIC_POSITIONS.key):
        this, before = pl.col(name), pl.col(name).shift()
        falls = (this < before) | (this.eq_missing(before) & falls)
    return table.sort(schemas.SUBTOPIC_POSITIONS.key) if table.select(falls.any()).item() else table


def _restrict(table: pl.DataFrame, rel: float, no_relevant: NoRelevant) -> pl.DataFrame:
    """Count only grades of ``rel`` or more as relevant, and number the recall levels anew."""
    subtopic = ("run", "query_id", "subtopic")
    is_relevant = (pl.col("relevance") >= rel).fill_null(value=False)
    kept = is_relevant
    if no_relevant == "zero":
        kept = kept | (is_relevant.sum().over("run", "query_id") == 0)
    table = table.filter(kept).with_columns(
        position=pl.when(is_relevant).then("position"),
        level=pl.when(is_relevant).then("level"),
        n_relevant=is_relevant.sum().over(subtopic).cast(pl.Int64),
    )
    # rows are sorted by subtopic; a request kept without relevant items has null levels only
    group = np.cumsum(begins(table, *subtopic))
    level = pl.Series(levels_in(group, table["level"].fill_null(0).to_numpy()))
    return table.with_columns(level=pl.when(pl.col("level").is_not_null()).then(level))


def _subtopic_values(
    table: pl.DataFrame, metrics: Sequence[Any]
) -> Iterator[tuple[Any, np.ndarray]]:
    """Yield each metric and its values: the sum of its terms in each ranking, over its divisor."""
    starts, n_subtopics = _ranking_starts(table)
    for metric in metrics:
        if hasattr(metric, "of_subtopics"):  # it is no sum over them
            yield metric, metric.limits.within(metric.of_subtopics(table, starts))
    metrics = [metric for metric in metrics if not hasattr(metric, "of_subtopics")]
    keys = table.select("run", "query_id")[starts]
    parts = {str(metric): metric.summands for metric in metrics}
    terms = row_by_row(table, **{name: of.fill_null(0.0) for name, (of, _) in parts.items()})
    ideals = _ideal_sums(table, keys, starts, [m for m in metrics if m.divisor == "ideal"])
    for metric in metrics:
        of_rows = terms[str(metric)].to_numpy()
        of_subtopics = parts[str(metric)][1]
        if of_subtopics is None:
            # reduceat adds pairwise; np.bincount, as in Rankings, would change the last bit of sums
            total = np.add.reduceat(of_rows, starts)
        else:
            total = _sums_of_quotients(table, of_rows, of_subtopics, starts)
        if "tied_from" in table.columns:
            from lexiframe.core.metrics.tied.levels import subtopic_sums

            total = subtopic_sums(metric, table, starts, total)
        if metric.divisor == "ideal":
            divisor = ideals[str(metric)].to_numpy()
        elif metric.divisor == "every_rank":
            divisor = n_subtopics * _greatest_sum(metric)
        else:
            divisor = n_subtopics
        yield metric, metric.limits.within(ratio(total, divisor))


def _sums_of_quotients(
    table: pl.DataFrame, terms: np.ndarray, divisor: pl.Expr, starts: np.ndarray
) -> np.ndarray:
    """Return for each ranking Σ over its subtopics of their terms' sum, divided by D once."""
    is_first = begins(table, "run", "query_id", "subtopic")
    of_each = np.bincount(np.cumsum(is_first) - 1, terms)
    divisors = row_by_row(table.filter(pl.Series(is_first)), divisor=divisor)["divisor"].to_numpy()
    rankings = np.searchsorted(np.flatnonzero(is_first), starts)
    return np.asarray(np.add.reduceat(ratio(of_each, divisors), rankings))


def _ranking_starts(table: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each ranking, and the number of its subtopics."""
    starts = np.flatnonzero(begins(table, "run", "query_id"))
    is_first = begins(table, "run", "query_id", "subtopic")
    return starts, np.add.reduceat(is_first.astype(np.int64), starts)


def _known_terms(metric: SubtopicMetric) -> pl.Expr:
    return metric.terms().fill_null(0.0)


def _greatest_sum(metric: SubtopicMetric) -> float:
    """Σ_{r≤k} e(r) z(r, m), the sum for a subtopic if each of the top k documents serves it."""
    if metric.cutoff is None:
        raise LexiframeError(f"{metric.name} needs its cutoff: write {metric.name}@20")
    ranks = _all_ranks(metric.cutoff).with_columns(level="position")
    return float(row_by_row(ranks, term=_known_terms(metric)).sum().item())


def _all_ranks(depth: int) -> pl.DataFrame:
    position = pl.int_range(1, depth + 1, eager=True).alias("position")
    return position.to_frame().with_columns(n_relevant=1, relevance=1.0)


def _exposures(metric: SubtopicMetric, depth: int) -> np.ndarray:
    """e(1), e(2) ... up to the depth, the cut-off, or where the rest is lost in rounding."""
    depth = min(depth, metric.cutoff or depth)
    values = row_by_row(_all_ranks(depth), exposure=exposed(metric))["exposure"].to_numpy()
    return values[: np.count_nonzero(values > _NOTHING * values.max(initial=0.0))]


def _ideal_sums(
    table: pl.DataFrame, keys: pl.DataFrame, starts: np.ndarray, metrics: list[SubtopicMetric]
) -> pl.DataFrame:
    """Return the sum of the ideal ranking of each metric (columns) for each ranking (rows).

    All runs have the same relevant items of a request, so the rows of one run are enough.
    """
    lengths = np.diff(np.append(starts, table.height))
    first = np.repeat(keys["query_id"].is_first_distinct().to_numpy(), lengths)
    rows = table.filter(first).filter(pl.col("level").is_not_null())
    serving = Serving.index(rows.select("query_id", "subtopic", "doc_id"))
    deepest = int(serving.n_documents.max(initial=0))
    exposures = {metric: _exposures(metric, deepest) for metric in metrics}
    greedy = [metric for metric in metrics if metric.values["ideal"] == "greedy"]
    sums = {str(m): _exact_sums(m, e, serving) for m, e in exposures.items() if m not in greedy}
    for alpha in {metric.values["alpha"] for metric in greedy}:
        of_alpha = [metric for metric in greedy if metric.values["alpha"] == alpha]
        sums |= _greedy_sums(serving, alpha, {str(m): exposures[m] for m in of_alpha})
    ideals = pl.DataFrame({"query_id": serving.queries, **sums})
    return keys.join(ideals, on="query_id", how="left", maintain_order="left").fill_null(0.0)


def _greedy_sums(
    serving: Serving, alpha: float, exposures: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the sum of each request's greedy ideal ranking, for the exposures of each metric.

    It is added up from the top, so that it depends on the documents of the request alone: a product
    of matrices may round otherwise when other requests have more documents.
    """
    sums = {name: np.zeros(len(serving.queries)) for name in exposures}
    depth = max(len(of_ranks) for of_ranks in exposures.values())
    for rank, gain in enumerate(greedy_gains(serving, alpha, depth)):
        for name, of_ranks in exposures.items():
            if rank < len(of_ranks):
                sums[name] += gain * of_ranks[rank]
    return sums


def _exact_sums(metric: SubtopicMetric, exposures: np.ndarray, serving: Serving) -> np.ndarray:
    """Return the greatest sum that any ranking of a request has, by enumeration."""
    sums = np.zeros(len(serving.queries))
    requests = progress(serving.kinds(), len(sums), f"ideals of {metric}")
    for q, (kinds, n_of_kind) in enumerate(requests):
        greatest = greatest_sum(kinds, n_of_kind, metric.values["alpha"], exposures)
        if greatest is None:
            raise LexiframeError(
                f"{metric}: the documents of query {serving.queries[q]!r} serve its subtopics in "
                f"{len(kinds)} different ways, too many to try all orders; lower the cut-off, or "
                f"take ideal='greedy'"
            )
        sums[q] = greatest
    return sums
