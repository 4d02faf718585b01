"""The tables of `compare_judges`, from the scores and preferences under each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, schemas, warn
from lexiframe.core.metrics import Metric
from lexiframe.core.orderings import correlate_samples, order_runs, rules
from lexiframe.core.pairwise import Measure, PairCube, grouping, measured, pairs
from lexiframe.core.projection import Policies


@dataclass(frozen=True)
class Judged:
    """The measures of the runs under one judge, and which of them are metrics.

    Metrics have scores, whether the library computed them or not.
    """

    part: PairCube
    asked: tuple[str, ...]
    metrics: tuple[str, ...]

    @cached_property
    def tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The scores of metrics, and the preferences, which have their differences, too."""
        return pairs.tables_of(self.part)

    def measure_rows(self, measure: str) -> pl.DataFrame:
        """Return the scores of a metric, or the preferences by another measure.

        Scores have a direction, since their measure may get the name of a judge.
        """
        rows = self.tables[measure not in self.metrics].filter(pl.col("measure") == measure)
        if measure not in self.metrics:
            return rows
        scores = self.part.scores
        is_smaller = scores.smaller_is_better[scores.measures.to_list().index(measure)]
        return rows.with_columns(smaller_is_better=pl.lit(bool(is_smaller)))


def compared_requests(
    judges: Mapping[str, pl.DataFrame], measures: Sequence[Measure], policies: Policies
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, pl.DataFrame]:
    """Return the judgments of requests that all judges can compare by, and a row for each judge.

    Also return the requests that are left out, and the judges who caused it. Compared are requests
    that every judge judged and in which every judge found a relevant item, also for the greatest
    ``rel`` of any measure; with ``no_relevant="zero"`` all that every judge judged.
    """
    rels = [rel for rel in (policies.rel, *(m.rel for m in measures)) if rel is not None]
    is_relevant = pl.col("relevance") >= max(rels) if rels else pl.col("relevance") > 0
    asked = {name: q["query_id"].unique() for name, q in judges.items()}
    useful = asked
    if policies.no_relevant == "drop":
        useful = {name: q.filter(is_relevant)["query_id"].unique() for name, q in judges.items()}
    everywhere = {*pl.concat(asked.values())}
    compared = pl.Series(sorted(everywhere.intersection(*useful.values())), dtype=pl.String)
    rows = [
        (name, len(queries), len(everywhere) - len(queries), len(queries) - len(useful[name]),
         judges[name].height, len(compared))
        for name, queries in asked.items()
    ]  # fmt: skip
    table = pl.DataFrame(rows, schema=schemas.JUDGES.columns, orient="row").sort("judge")
    _say_what_is_left_out(everywhere, compared, judges)
    is_compared = pl.col("query_id").is_in(compared.implode())
    lacking = [
        (name, one) for name in judges for one in sorted(everywhere.difference(useful[name]))
    ]
    left_out = pl.DataFrame(lacking, {"judge": schemas.STR, "query_id": schemas.STR}, orient="row")
    left_out = left_out.with_columns(pl.lit(None, schemas.STR).alias(n) for n in ("measure", "run"))
    left_out = schemas.LEFT_OUT.arranged(left_out)
    return {judge: q.filter(is_compared) for judge, q in judges.items()}, table, left_out


def scored_requests(judges: Mapping[str, pl.DataFrame], compared: int) -> pl.DataFrame:
    """Return the row of each judge whose scores are compared in so many requests."""
    asked = {name: s["query_id"].n_unique() for name, s in judges.items()}
    everywhere = pl.concat([s["query_id"] for s in judges.values()]).n_unique()
    rows = [(name, n, everywhere - n, None, None, compared) for name, n in asked.items()]
    return pl.DataFrame(rows, schema=schemas.JUDGES.columns, orient="row").sort("judge")


def add_attributes(table: pl.DataFrame, groups: Mapping[str, Any]) -> pl.DataFrame:
    """Put the attributes of requests that form groups in front; null where a row names none."""
    if not groups:
        return table
    joined = table.join(groups["requests"], on="query_id", how="left", maintain_order="left")
    return joined.select(*groups["by"], *table.columns)


def _say_what_is_left_out(
    everywhere: set[str], compared: pl.Series, judges: Mapping[str, pl.DataFrame]
) -> None:
    left_out = sorted(everywhere - {*compared})
    if not len(compared):
        raise LexiframeError(
            "compare_judges: expected a request that all judges judged and found a relevant "
            f"document for, found none among {len(everywhere)} requests of {', '.join(judges)}"
        )
    if left_out:
        warn(
            f"compare_judges: requests left out, which a judge did not judge or found nothing "
            f"relevant for: {n_and_first(left_out)}"
        )


def judged_by(
    runs: Any, qrels: pl.DataFrame, measures: Sequence[Measure], policies: Policies
) -> Judged:
    """Compute scores and preferences by the measures from the judgments of one judge."""
    found = measured.project_runs(runs, qrels, measures, policies)
    metrics = [str(measure) for measure in measures if isinstance(measure, Metric)]
    return Judged(found.part(measures), tuple(map(str, measures)), tuple(metrics))


def orderings_of(
    judged: Mapping[str, Judged],
    order: rules.AnyMethod,
    groups: Mapping[str, Any],
    by: Sequence[str],
    missing: Any = None,
) -> pl.DataFrame:
    """Order the runs under each judge: by the mean score, and by ``order`` under preferences."""
    frames = []
    for judge, found in judged.items():
        s, d = found.tables
        others = d.filter(~pl.col("measure").is_in(found.metrics))
        for table, method in ((s, "mean"), (others, order)):
            if table.height:
                o = order_runs(table, method, missing=missing, **groups)  # type: ignore[arg-type]
                frames.append(o.with_columns(judge=pl.lit(judge)))
    columns = [*by, *schemas.JUDGE_ORDERINGS.columns]
    return pl.concat(frames).select(columns).sort(*by, "judge", "measure", "method", "rank", "run")


def correlations_of(
    judged: Mapping[str, Judged],
    order: rules.AnyMethod,
    how: Mapping[str, Any],
    groups: Mapping[str, Any],
    top: int | None,
) -> pl.DataFrame:
    """Correlate the orderings under every two judges, with intervals over shared requests.

    `bootstrap_correlations` draws the same requests for all measures of a table. Here each judge
    stands in the place of a measure, so that all judges share the requests drawn. With a ``top``,
    orders of the first judge's best runs are correlated, too.
    """
    first, frames = next(iter(judged.values())), []
    place = {judge: n for n, judge in enumerate(judged)}
    for name in first.asked:
        rows = [
            found.measure_rows(name).with_columns(measure=pl.lit(judge))
            for judge, found in judged.items()
        ]
        by_order: rules.AnyMethod = "mean" if name in first.metrics else order
        found = partial(_correlated, order=by_order, how=how, judges=[*judged], top=top)
        of_measure = grouping.group_tables(found, pl.concat(rows), **groups)
        frames.append(of_measure.with_columns(measure=pl.lit(name)))
    table = pl.concat(frames).rename({"ordering_a": "judge_a", "ordering_b": "judge_b"})
    a, b = pl.col("judge_a"), pl.col("judge_b")
    is_turned = (a.replace_strict(place) > b.replace_strict(place)) & (pl.col("method") != "tau_ap")
    table = table.with_columns(  # τ_AP has both directions
        judge_a=pl.when(is_turned).then(b).otherwise(a),
        judge_b=pl.when(is_turned).then(a).otherwise(b),
    )
    return schemas.JUDGE_CORRELATIONS.arranged(table, groups.get("by", ()))


def _correlated(
    rows: pl.DataFrame, order: rules.AnyMethod, how: Mapping[str, Any], judges: list[str],
    top: int | None,
) -> pl.DataFrame:  # fmt: skip
    """Correlate the orderings of all runs, and of the first judge's best runs."""
    found = correlate_samples(rows, ["kendall", "tau_ap", "spearman"], order=order, **how)
    if top is None:
        return found
    places = order_runs(rows.filter(measure=judges[0]), order, missing=how["missing"])
    best = places.filter(pl.col("rank").rank("min") <= top)["run"]
    runs = [name for name in ("run", "run_a", "run_b") if name in rows.columns]
    some = rows.filter(pl.col(name).is_in(best.implode()) for name in runs)
    of_best = correlate_samples(some, ["kendall"], order=order, **how)
    has_first = (pl.col("ordering_a") == judges[0]) | (pl.col("ordering_b") == judges[0])
    return pl.concat([found, of_best.filter(has_first).with_columns(
        method=pl.lit(f"kendall(top={top})"))])  # fmt: skip


def shifts_of(orderings: pl.DataFrame, judges: Sequence[str], by: Sequence[str]) -> pl.DataFrame:
    """Return the ranks of each run under every two judges."""
    on = [*by, "measure", "method", "run"]
    of_judge = {
        judge: orderings.filter(pl.col("judge") == judge).select(*on, "value", "rank")
        for judge in judges
    }
    frames = [
        of_judge[a]
        .join(of_judge[b], on=on, suffix="_b", nulls_equal=True)
        .rename({"value": "value_a", "rank": "rank_a"})
        .with_columns(
            judge_a=pl.lit(a), judge_b=pl.lit(b), shift=pl.col("rank_a") - pl.col("rank_b")
        )
        for a, b in combinations(judges, 2)
    ]
    return schemas.RANK_SHIFTS.arranged(pl.concat(frames), by)
