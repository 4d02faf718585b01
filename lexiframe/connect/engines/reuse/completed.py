"""Scores and preferences of an earlier evaluation, joined with newly computed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.connect.engines.reuse.ranks import ranked_again, why_nothing
from lexiframe.core.base import warn
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.io import batches, kept_results
from lexiframe.core.metrics import Metric, needed, order_metrics
from lexiframe.core.pairwise import MatrixPreference, Measure, PairCube, fingerprints, measured
from lexiframe.core.projection import Policies


@dataclass(frozen=True)
class Known:
    """The results of an earlier evaluation.

    Attributes
    ----------
    coverage
        The table of an evaluation.
    part
        Its scores and preferences.
    runs
        The runs that have not changed since. Other runs are ignored.
    queries
        The requests whose judgments have not changed.
    measures
        The names of the measures whose values have not changed.
    same_judgments
        Whether no request is new or gone, and none has other judgments.
    """

    coverage: pl.DataFrame
    part: PairCube
    runs: frozenset[str]
    queries: pl.Series
    measures: frozenset[str]
    same_judgments: bool


def projected_again(
    kept: kept_results.KeptResults,
    tables: tuple[pl.DataFrame, pl.DataFrame] | None,
    sources: batches.Sources,
    how: Asked,
    foresee: Callable[[int, Any], None],
) -> tuple[measured.Projected, dict[str, int]]:
    """Rank runs and find their positions, reusing the results in a folder; count the reused ones.

    ``tables`` are its scores and preferences; with None, ranks alone are reused.
    """
    ranked, taken = ranked_again(kept, sources.scan, sources.judgments, how, foresee)
    projected = measured.projected_of(ranked, how.measures, how.policies.no_relevant)
    if tables is None:
        return projected, reused_ranks(kept, how.policies, taken, len(ranked.judged.queries))
    return completed(projected, how, known_in(kept, tables, projected, how))


def known_in(
    kept: kept_results.KeptResults,
    tables: tuple[pl.DataFrame, pl.DataFrame],
    projected: measured.Projected,
    how: Asked,
) -> Known:
    """Return the results in a folder that hold for the present runs and judgments.

    ``tables`` are their scores and preferences. If nothing is reused, a warning says why.
    """
    now = fingerprints.fingerprints(projected.ranked, how.measures)
    same = kept.fingerprints.join(now, on=now.columns, how="semi")
    defined, runs, queries = (same.filter(kind=k)["name"] for k in ("measure", "run", "request"))
    why = why_nothing(kept, how.policies)
    if why is None and not len(runs):
        why = "all runs have changed"
    if why is None and not len(queries):
        why = "the judgments of all requests have changed"
    if why is not None:
        warn(f"{kept.folder}: nothing is reused, since {why}")
        runs = runs.clear()
    n_before, n_now = (table.filter(kind="run").height for table in (kept.fingerprints, now))
    same_runs = len(runs) == n_before == n_now
    measures = how.measures if same_runs else independent_measures(how.measures, how.policies)
    before, after = (table.filter(kind="request") for table in (kept.fingerprints, now))
    part = measured.cube_of_tables(*tables)
    if part.weights is not None:  # the requests whose weight was 0 were left out
        queries = queries.filter(queries.is_in(part.queries.implode()))
    return Known(
        kept.coverage,
        part,
        frozenset(runs),
        queries,
        frozenset(map(str, measures)) & {*defined},
        same_judgments=bool(len(runs)) and before.equals(after),
    )


def reused_ranks(
    kept: kept_results.KeptResults, policies: Policies, taken: Sequence[str], n_requests: int
) -> dict[str, int]:
    """Return how much was reused where only ranks can be; all else is computed from them.

    If nothing is reused, a warning says why.
    """
    if not taken:
        why = why_nothing(kept, policies)
        why = why or "the files of all runs, or a judgment, have changed"
        warn(f"{kept.folder}: nothing is reused, since {why}")
    return _reused(runs=len(taken), requests=n_requests if taken else 0)


_Todo = tuple[list[Measure], pl.Series | None, list[str] | None]
"""What has to be computed: measures, of some requests, in some runs; None stands for all.

Preferences are of the pairs that contain at least one of the runs.
"""


def completed(
    projected: measured.Projected, how: Asked, known: Known
) -> tuple[measured.Projected, dict[str, int]]:
    """Add the arrays of all requests, computing only unknown cells.

    Known rows of the coverage are added too. Also return how much was known: numbers of runs,
    requests, measures and pairs.
    """
    names = projected.runs.to_list()
    asked = how.measures_of(names)
    old = [name for name in names if name in known.runs]
    queries = projected.ranked.judged.queries.cast(pl.String)
    is_same = queries.is_in(known.queries.implode())
    same, others = queries.filter(is_same), queries.filter(~is_same)
    measures = [m for m in asked if str(m) in known.measures] if old and len(same) else []
    todo: list[_Todo] = [([m for m in asked if m not in measures], None, None)]
    if len(others):
        todo.append((measures, others, None))
    if len(old) < len(names):
        new = [name for name in names if name not in known.runs]
        todo.append((measures, same if len(others) else None, new))
    whole = measured.unknown(asked, projected.runs, projected.queries)
    if how.policies.ties == "expected":
        sd = np.full_like(whole.scores.values, np.nan)
        whole = replace(whole, scores=replace(whole.scores, ties_sd=sd))
    if measures:
        holding = known.part.select_measures([str(measure) for measure in measures])
        whole.fill(holding.select_ids(same).select_runs(old))
    _compute(projected, [one for one in todo if one[0]], whole)
    covered = known.coverage.filter(pl.col("run").is_in(old)) if known.same_judgments else None
    projected = replace(projected, known=whole, covered=covered)
    if not measures:
        return projected, _reused()
    n_pairs = len(old) * (len(old) - 1) // 2
    return projected, _reused(len(old), len(same), len(measures), n_pairs)


def _reused(runs: int = 0, requests: int = 0, measures: int = 0, pairs: int = 0) -> dict[str, int]:
    """Return the numbers of reused results for the provenance."""
    return {"runs": runs, "requests": requests, "measures": measures, "pairs": pairs}


def _compute(projected: measured.Projected, todo: list[_Todo], whole: PairCube) -> None:
    """Fill in the cells that have to be computed: first the scores, then their differences too."""
    for measures, queries, runs in todo:
        whole.scores.fill(projected.restricted(measures, queries, runs).scores(measures))
    for measures, queries, runs in todo if len(whole.a) else ():
        some = projected.restricted(measures, queries, None)
        for found in some.parts(measures, whole.scores, compared=runs, label="preferences"):
            whole.fill(found)


def independent_measures(measures: Iterable[Measure], policies: Policies) -> list[Measure]:
    """Return the measures whose values stay when a run is added, to the last bit.

    Where ties are expected, preferences add up chances over the ranks in all runs, whose number
    rounds the sums.
    """
    is_expected = policies.ties == "expected"
    some = (m for m in measures if isinstance(m, Metric) or not is_expected)
    return [measure for measure in some if not depends_on_runs(measure)]


def depends_on_runs(measure: Measure) -> bool:
    """Return whether the value of a measure for a run, or for a pair, depends on other runs too.

    The pool of a request has the documents of all runs; ranks of rankings are among all runs; and a
    user's function sees the positions in all runs.
    """
    has_rank = (
        isinstance(measure, order_metrics.LexicographicMetric) and "n" not in measure.parameters
    )
    if any(depends_on_runs(part) for part in needed.parts_of([measure]) if part != measure):
        return True
    return measure.needs == needed.POOL or has_rank or isinstance(measure, MatrixPreference)
