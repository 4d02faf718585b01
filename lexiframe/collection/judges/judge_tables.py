"""The tables of `compare_judges`, from the scores and preferences under each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, n_and_first, schemas, warn
from lexiframe.metrics import Metric
from lexiframe.orderings import correlate_samples, order_runs, rules
from lexiframe.pairwise import Measure, PairCube, measured, pairs
from lexiframe.projection import Policies


@dataclass(frozen=True)
class Judged:
    """What the measures say of the runs under one judge, and which of them are metrics."""

    part: PairCube
    metrics: tuple[str, ...]

    @cached_property
    def tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The scores of metrics, and the preferences, which have their differences, too."""
        return pairs.tables_of(self.part)

    def measure_rows(self, measure: str) -> pl.DataFrame:
        """Return the scores of a metric, or the preferences by another measure."""
        return self.tables[measure not in self.metrics].filter(pl.col("measure") == measure)


def compared_requests(
    judges: Mapping[str, pl.DataFrame], measures: Sequence[Measure], policies: Policies
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """Return the judgments of requests that all judges can compare by, and a row for each judge.

    The requests are those that every judge judged and in which every judge found a relevant item,
    also for the greatest ``rel`` of any measure; with ``no_relevant="zero"`` those that every judge
    judged.
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
    return {judge: q.filter(is_compared) for judge, q in judges.items()}, table


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
    return Judged(found.part(measures), tuple(metrics))


def orderings_of(
    judged: Mapping[str, Judged],
    order: rules.AnyMethod,
    groups: Mapping[str, Any],
    by: Sequence[str],
) -> pl.DataFrame:
    """Order the runs under each judge: by the mean score, and by ``order`` under preferences."""
    frames = []
    for judge, found in judged.items():
        s, d = found.tables
        others = d.filter(~pl.col("measure").is_in(found.metrics))
        for table, method in ((s, "mean"), (others, order)):
            if table.height:
                o = order_runs(table, method, **groups)  # type: ignore[arg-type]
                frames.append(o.with_columns(judge=pl.lit(judge)))
    columns = [*by, *schemas.JUDGE_ORDERINGS.columns]
    return pl.concat(frames).select(columns).sort(*by, "judge", "measure", "method", "rank", "run")


def correlations_of(
    judged: Mapping[str, Judged],
    measures: Sequence[Measure],
    order: rules.AnyMethod,
    how: Mapping[str, Any],
    by: Sequence[str],
) -> pl.DataFrame:
    """Correlate the orderings under every two judges, with intervals over shared requests.

    `bootstrap_correlations` draws the same requests for all measures of a table. Here each judge
    stands in the place of a measure, so that all judges share the requests drawn.
    """
    frames = []
    for measure in measures:
        name = str(measure)
        table = pl.concat(
            [
                t.measure_rows(name).with_columns(measure=pl.lit(judge))
                for judge, t in judged.items()
            ]
        )
        if isinstance(measure, Metric):  # the name of a judge does not say which values are better
            table = table.with_columns(smaller_is_better=pl.lit(measure.smaller_is_better))
        by_order: rules.AnyMethod = "mean" if isinstance(measure, Metric) else order
        found = correlate_samples(table, ["kendall", "tau_ap"], order=by_order, **how)
        frames.append(found.with_columns(measure=pl.lit(name)))
    table = pl.concat(frames).rename({"ordering_a": "judge_a", "ordering_b": "judge_b"})
    place = {judge: n for n, judge in enumerate(judged)}
    first, second = (pl.col(f"judge_{end}").replace_strict(place) for end in "ab")
    is_turned = (first > second) & (pl.col("method") != "tau_ap")  # τ_AP has both directions
    a, b = pl.col("judge_a"), pl.col("judge_b")
    table = table.with_columns(
        judge_a=pl.when(is_turned).then(b).otherwise(a),
        judge_b=pl.when(is_turned).then(a).otherwise(b),
    )
    return schemas.JUDGE_CORRELATIONS.arranged(table, by)


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
