"""Scores and preferences that were computed before, joined with those that have to be computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from lexiframe.base import __version__, coded, schemas, warn
from lexiframe.evaluation.reuse.ranks import known_ranks
from lexiframe.io import kept_results
from lexiframe.metrics import Metric, Values, coverages, directions, needed, order_metrics
from lexiframe.pairwise import MatrixPreference, Measure, fingerprints, measured, pairs
from lexiframe.projection import Policies


@dataclass(frozen=True)
class Known:
    """What was computed before.

    Attributes
    ----------
    coverage, scores, preferences
        The tables of an evaluation.
    runs
        The runs that have not changed since. Other runs in the tables are ignored.
    queries
        The requests whose judgments have not changed; None: all of them.
    measures
        The names of the measures that are defined as they were.
    same_runs
        Whether exactly these runs are evaluated now, so that measures that depend on the other
        runs have not changed either.
    same_judgments
        Whether no request is new or gone, and none has other judgments.
    is_noted
        Whether the provenance says how much was known.
    """

    coverage: pl.DataFrame
    scores: pl.DataFrame
    preferences: pl.DataFrame
    runs: frozenset[str]
    queries: pl.Series | None
    measures: frozenset[str]
    same_runs: bool = False
    same_judgments: bool = False
    is_noted: bool = False


def known_in(
    kept: kept_results.KeptResults, projected: measured.Projected, policies: Policies
) -> Known:
    """Return what of the results in a folder holds for runs and judgments as they are now.

    Warns
    -----
    LexiframeWarning
        With the reason, when nothing does.
    """
    now = fingerprints.fingerprints(projected.ranked, projected.measures)
    same = kept.fingerprints.join(now, on=now.columns, how="semi")
    measures, runs, queries = (same.filter(kind=k)["name"] for k in ("measure", "run", "request"))
    why = _why_nothing(kept, policies)
    if why is None and not len(runs):
        why = "no run is as it was"
    if why is None and not len(queries):
        why = "no request has the judgments that it had"
    if why is not None:
        warn(f"{kept.folder}: nothing is reused, since {why}")
        runs = runs.clear()
    n_before, n_now = (table.filter(kind="run").height for table in (kept.fingerprints, now))
    judged = (table.filter(kind="request") for table in (kept.fingerprints, now))
    return Known(
        kept.coverage,
        kept.scores,
        kept.preferences,
        frozenset(runs),
        queries,
        frozenset(measures),
        same_runs=len(runs) == n_before == n_now,
        same_judgments=bool(len(runs)) and next(judged).equals(next(judged)),
        is_noted=True,
    )


def ranks_in(kept: kept_results.KeptResults, policies: Policies) -> measured.RankedBefore | None:
    """Return the function to the ranks in files that have not changed; None if none hold."""
    return partial(known_ranks, kept) if _why_nothing(kept, policies) is None else None


def _why_nothing(kept: kept_results.KeptResults, policies: Policies) -> str | None:
    """Return why no result holds: another version, whose formulas may differ, or a policy."""
    written = str(kept.provenance.get("lexiframe"))
    if written.split(".")[:2] != __version__.split(".")[:2]:
        return f"it was written by lexiframe {written}, and this is {__version__}"
    before = kept.provenance["policies"]
    for name, value in asdict(policies).items():
        if before.get(name) != value:
            return f"it was computed with {name}={before.get(name)!r}, and now {name}={value!r}"
    return None


def completed_coverage(projected: measured.Projected, known: Known) -> pl.DataFrame:
    """Return the coverage of runs, of which only those not known are counted and scored."""
    if not known.same_judgments:
        return coverages.coverage_table(projected.ranked, projected.positions)
    names = [run.name for run in projected.ranked.runs]
    others = [name for name in names if name not in known.runs]
    before = known.coverage.filter(pl.col("run").is_in([*known.runs]), pl.col("run").is_in(names))
    if not others:
        return before
    found = projected.restricted(None, others)
    return pl.concat([before, coverages.coverage_table(found.ranked, found.positions)]).sort("run")


@dataclass(frozen=True)
class Completed:
    """Scores and preferences of all runs, and what of them was known: numbers by name."""

    scores: pl.DataFrame
    preferences: pl.DataFrame
    reused: dict[str, int]


@dataclass(frozen=True)
class _Part:
    """What has to be computed: measures, of some requests, in some runs; None stands for all.

    Preferences are of the pairs that contain at least one of the runs.
    """

    measures: list[Measure]
    queries: pl.Series | None = None
    runs: list[str] | None = None


def completed(projected: measured.Projected, asked: Sequence[Measure], known: Known) -> Completed:
    """Return the scores and preferences of runs, of which only those not known are computed.

    ``asked`` are the measures of the preferences; scores are those of all metrics of the
    projected runs.
    """
    names = [run.name for run in projected.ranked.runs]
    old = [name for name in names if name in known.runs]
    queries = projected.ranked.judged.queries.cast(pl.String)
    is_same = pl.repeat(value=True, n=len(queries), eager=True)
    if known.queries is not None:
        is_same = queries.is_in(known.queries.implode())
    same = None if is_same.all() else queries.filter(is_same)
    measures = [m for m in projected.measures if _holds(m, known)] if old and any(is_same) else []
    parts = [_Part([m for m in projected.measures if m not in measures])]
    if same is not None:
        parts.append(_Part(measures, queries.filter(~is_same)))
    if len(old) < len(names):
        parts.append(_Part(measures, same, [name for name in names if name not in known.runs]))
    parts = [part for part in parts if part.measures]
    kept = _Part(measures, same, old)
    s = _scores(projected, parts, _still_valid(known.scores, ("run",), kept))
    d = pl.DataFrame(schema=schemas.PREFERENCES.required)
    if asked:
        before = _still_valid(known.preferences, ("run_a", "run_b"), kept)
        d = _preferences(projected, asked, parts, before, s)
    reused = {
        "runs": len(old) if measures else 0,
        "requests": int(is_same.sum()) if measures else 0,
        "measures": len(measures),
        "pairs": len(old) * (len(old) - 1) // 2 if measures and asked else 0,
    }
    return Completed(s, d, reused)


def _holds(measure: Measure, known: Known) -> bool:
    """Return whether the values of a measure are known, and do not depend on runs that changed."""
    return str(measure) in known.measures and (known.same_runs or not depends_on_runs(measure))


def depends_on_runs(measure: Measure) -> bool:
    """Return whether the value of a measure for a run, or for a pair, depends on other runs too.

    The pool of a request has the documents of all runs; ranks of rankings are among all runs; and a
    function of one's own sees the positions in all runs.
    """
    has_rank = (
        isinstance(measure, order_metrics.LexicographicMetric) and "n" not in measure.parameters
    )
    return measure.needs == needed.POOL or has_rank or isinstance(measure, MatrixPreference)


def _still_valid(table: pl.DataFrame, ends: Sequence[str], kept: _Part) -> pl.DataFrame:
    """Return the rows of a table whose measure, requests and runs have not changed."""
    names = pl.Series(list(map(str, kept.measures)), dtype=pl.String)
    runs = pl.Series(kept.runs, dtype=pl.String)
    wanted = [("measure", names), *((end, runs) for end in ends)]
    wanted += [] if kept.queries is None else [("query_id", kept.queries)]
    return table.filter(*(pl.col(name).is_in(some.implode()) for name, some in wanted))


def _scores(
    projected: measured.Projected, parts: list[_Part], before: pl.DataFrame
) -> pl.DataFrame:
    tables = [before.drop("smaller_is_better", strict=False)]
    for part in parts:
        if metrics := [measure for measure in part.measures if isinstance(measure, Metric)]:
            found = _restricted(projected, part, metrics, part.runs).scores(metrics)
            tables.append(_only(part.queries, found).drop("smaller_is_better", strict=False))
    return _with_directions(_merged(tables, schemas.SCORES), projected.measures)


def _preferences(
    projected: measured.Projected,
    asked: Sequence[Measure],
    parts: list[_Part],
    before: pl.DataFrame,
    s: pl.DataFrame,
) -> pl.DataFrame:
    tables = [before]
    for part in parts:
        measures = [measure for measure in part.measures if measure in asked]
        for p, some in _restricted(projected, part, measures, None).parts(measures):
            if p.height:
                metrics = [measure for measure in some if isinstance(measure, Metric)]
                values = _values_in(s, p, metrics) if metrics else None
                kept = projected.no_relevant
                found = pairs.compare_pairs(p, some, values, kept, baseline=part.runs)
                tables.append(_only(part.queries, found))
    return _merged(tables, schemas.PREFERENCES)


def _restricted(
    projected: measured.Projected, part: _Part, measures: Sequence[Measure], runs: list[str] | None
) -> measured.Projected:
    """Return the positions from which a part is computed, in some runs or in all."""
    queries = part.queries
    if queries is not None:
        queries = pl.concat([queries, _witnesses(projected, measures)]).unique()
    return replace(projected.restricted(queries, runs), measures=tuple(measures))


def _witnesses(projected: measured.Projected, measures: Sequence[Measure]) -> pl.Series:
    """Return for each ``rel`` of a measure one request that has an item of this grade.

    A measure without any such item is an error, which requests that are computed apart from the
    others must not raise.
    """
    judged = projected.ranked.judged
    grades = judged.items["relevance"].to_numpy()
    first = [
        np.flatnonzero(grades >= rel)[:1]
        for rel in {measure.rel for measure in measures if measure.rel is not None}
    ]
    rows = np.concatenate([np.empty(0, np.int64), *first])
    return judged.queries.cast(pl.String).gather(judged.query[rows])


def _only(queries: pl.Series | None, table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of some requests."""
    return table if queries is None else table.filter(pl.col("query_id").is_in(queries.implode()))


def _values_in(s: pl.DataFrame, p: pl.DataFrame, metrics: Sequence[Metric]) -> Values:
    """Return the values of metrics, for all runs and requests of positions, from a scores table."""
    ordered = tuple(sorted(metrics, key=str))
    axes = [p["run"].unique().sort(), p["query_id"].unique().sort()]
    axes.append(pl.Series([str(metric) for metric in ordered], dtype=pl.String))
    names = ("run", "query_id", "measure")
    table = s.filter(
        *(pl.col(n).is_in(axis.implode()) for n, axis in zip(names, axes, strict=True))
    )
    places = []
    for name, axis in zip(names, axes, strict=True):
        known, codes = coded.encode(table[name])
        places.append(axis.search_sorted(known).to_numpy().astype(np.int64)[codes])
    values = np.full([len(axis) for axis in axes], np.nan)
    values[tuple(places)] = table["value"].to_numpy()
    values = values.reshape(-1, len(ordered))
    keys = axes[0].to_frame("run").join(axes[1].to_frame("query_id"), how="cross")
    return Values(keys, ordered, np.nan_to_num(values), ~np.isnan(values))


def _merged(tables: list[pl.DataFrame], schema: schemas.TableSchema) -> pl.DataFrame:
    """Join tables without common keys, and sort the rows."""
    filled = [table for table in tables if table.height]
    if not filled:
        return pl.DataFrame(schema=schema.required)
    if len(filled) == 1:
        return filled[0]
    table = pl.concat(filled)
    return table[coded.order_of(*(coded.encode(table[name])[1] for name in schema.key))]


def _with_directions(s: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Add the column of directions if a metric of one's own needs it, as `scores` does."""
    metrics = [measure for measure in measures if isinstance(measure, Metric)]
    said: dict[str, bool] = {}
    for is_by_subtopic in (False, True):
        of_part = [
            metric for metric in metrics if (metric.needs == needed.SUBTOPICS) == is_by_subtopic
        ]
        said |= directions(of_part) or {}
    if not said:
        return s
    column = pl.col("measure").replace_strict(said, default=None, return_dtype=pl.Boolean)
    return s.with_columns(smaller_is_better=column)
