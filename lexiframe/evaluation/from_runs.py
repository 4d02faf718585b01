"""The whole flow, from files to conclusions, in one call: `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.base import memory_use, typed
from lexiframe.evaluation.buckets.batches import refuse_without_items, report_groups
from lexiframe.evaluation.buckets.bucket import sums_of
from lexiframe.evaluation.buckets.sizes import is_small, memory_allowed
from lexiframe.evaluation.evaluated_data import Origin
from lexiframe.evaluation.evaluation import Evaluation
from lexiframe.evaluation.from_parts import (
    are_of_sums,
    evaluate_in_batches,
    facts_of,
    plan_of,
    refuse_reuse_in_parts,
    tables_of_sums,
    tables_to_keep,
)
from lexiframe.evaluation.options import Asked, Groups, Inference
from lexiframe.evaluation.reuse.completed import (
    Known,
    completed,
    completed_coverage,
    known_in,
    ranks_in,
)
from lexiframe.evaluation.tables import pair_tables
from lexiframe.io import batches, column_forms, kept_results, problems, qrel_files, to_parquet
from lexiframe.metrics import coverages
from lexiframe.orderings import Method, best_first
from lexiframe.pairwise import By, Measure, arrays, measured
from lexiframe.projection import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.significance import Alternative, Correction, Family, Test, own_tests
from lexiframe.typing import MeasureLike, QrelsLike, RequestsLike, RunsLike


@typed
def evaluate(
    runs: RunsLike,
    qrels: QrelsLike,
    /,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: problems.Duplicates = "error",
    unjudged: Unjudged = "keep",
    depth: int | None = None,
    exclude_self: bool = False,
    order: Method = "mc4",
    test: Test | own_tests.OwnTest | Sequence[Test | own_tests.OwnTest] = "t",
    correction: Correction | Sequence[Correction] = "holm",
    family: Family = "measure",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    baseline: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
    reuse: str | Path | None = None,
    memory: str | float | None = None,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    resume: bool = False,
) -> Evaluation:
    """Compare runs under each measure: which run is better, and how sure one can be.

    Parameters
    ----------
    runs
        Files of TREC text, CSV, TSV, JSON, Parquet or Arrow, also compressed: a path, a folder, a
        glob or an address (``https://``, ``s3://`` ...). Or a frame of Polars, pandas, PyArrow or
        DuckDB with a row for each query and document that a run returned (columns ``run``,
        ``query_id``, ``doc_id`` and ``score`` or ``rank``, or the names that other libraries give
        them); a dictionary ``{query: {document: score}}``; objects of ir_measures, PyTerrier, ranx
        or ir_datasets. Or a list of any of these, or ``{"name of the run": any of these}``. What
        `read_runs`, which has further options, and `scan_runs` return.
    qrels
        The judgments, in any of these forms: columns ``query_id``, ``doc_id`` and ``relevance`` (a
        grade; above 0 is relevant unless ``rel`` says otherwise), and ``iteration`` or ``subtopic``
        where there are some; a dictionary ``{query: {document: grade}}``; what `read_qrels`
        returns.
    rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
        As for `positions`. ``depth`` cuts the runs for all tables, coverage too.
    measures
        Metrics and preferences, as objects, in their notation or as functions (see `preferences`).
        Measures by subtopic take the qrels' column ``iteration`` as the subtopic. A metric is used
        twice: for scores, and as the preference for the run with the better score. Default: RPP,
        LR, LP, AP, nDCG@10 and RR; for a single run only the metrics among them.
    order
        How preferences order the runs: a method of `order_runs`. Metrics order them by their mean.
    test, correction, family, alpha, alternative, trials, seed
        As for `compare`.
    baseline : str, optional
        The run to compare the others with: comparisons and power are then of these pairs alone, and
        ``against_baseline`` has a row for each run and measure. All other tables are of all pairs.
    requests, by
        A frame with the column ``query_id`` and attributes of requests, and the names of the
        attributes that form groups of requests. All tables about runs and pairs are then computed
        within each group and begin with these attributes as columns. Coverage, scores and
        preferences are not grouped.
    reuse : path, optional
        The folder to which `Evaluation.write` wrote the results of an earlier evaluation. Its
        scores and preferences are taken where they still hold, and all others are computed; the
        tables are the same as without it. They hold for runs that have not changed (files with
        the same sha256, frames with the same rows), under the same policies, for the requests
        whose judgments have not changed, for built-in measures, and for the same version of
        lexiframe (but for its last number). Measures that depend on the other runs (see `add_runs`)
        are computed again if a run was added, left out or changed. ``provenance["reused"]`` says
        how many runs, requests, measures and pairs were taken. The results may be written to the
        same folder. All preferences have to fit in memory: an evaluation in parts can neither reuse
        results nor be reused.
    memory : str or int, optional
        How much memory may be taken, such as ``"4GB"``. Default: four fifths of what is available.
        Where runs and judgments, or their preferences, would take more, they are evaluated in
        parts: their requests are divided into buckets on disk, one bucket after the other is
        evaluated and
        reduced to sums over its requests, and all tables but ``scores`` and ``preferences`` are
        made from these. They have the same numbers, to the last bit, as if all were in memory. The
        test is then ``t`` or ``sign``. PyArrow data sets (partitioned, or at an address), folders
        of Parquet files, Polars' lazy frames and DuckDB's relations are read in batches.
    out : path, optional
        For an evaluation in parts, the folder for its buckets (a temporary folder unless given; it
        needs about as much room as the data) and for what ``keep`` asks for.
    keep : {"scores", "preferences"}, or both
        The tables that an evaluation in parts writes into ``out``, as a folder of Parquet files.
    resume : bool
        Go on with an evaluation in parts that was interrupted, from what it left in ``out``.

    Returns
    -------
    Evaluation
        All tables; it prints a summary, and ``write`` and ``report`` store it.

    Raises
    ------
    LexiframeError
        As `positions`, `scores` and `compare`; when a measure's ``rel`` is below ``rel``, because
        lower grades are then no longer known; for a baseline that is not among the runs, or alone;
        and, before runs are read, when there are more pairs of runs, requests and measures than
        memory holds, and when ``reuse`` is not a folder of results, or one of its files is missing,
        damaged or of another evaluation.

    Warns
    -----
    LexiframeWarning
        With counts, when data were dropped or filled; and with the reason when nothing in ``reuse``
        holds.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "RR"])
    >>> e.tie_rates.select("measure", "ties").rows()
    [('RPP', 1), ('RR', 6)]
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RR"], baseline="pca8_euclidean")
    >>> e.against_baseline.select("run", pl.col("mean").round(3), "better", "worse", "tied").rows()
    [('pca8_euclidean', 0.867, None, None, None), ('pixels_euclidean', 1.0, 1, 0, 4), \
('random', 0.388, 0, 4, 1)]
    """
    policies = Policies(
        rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
    )
    inference = Inference(test, correction, family, alpha, alternative, trials, seed, baseline)
    how = Asked.of(measures, policies, inference, requests, by, order=order)
    parts: dict[str, Any] = {"out": out, "keep": keep, "resume": resume}
    return evaluate_asked(runs, qrels, how, reuse=reuse, memory=memory, **parts)


def evaluate_asked(
    runs: RunsLike,
    qrels: QrelsLike,
    how: Asked,
    *,
    reuse: str | Path | None = None,
    memory: str | float | None = None,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    resume: bool = False,
) -> Evaluation:
    """Evaluate runs at once, or in parts if they take more memory than allowed: `evaluate`."""
    policies = how.policies
    tables = tables_to_keep(keep, out, resume=resume)
    refuse_reuse_in_parts(are_asked=bool(tables) or resume, is_reused=reuse is not None)
    if not hasattr(runs, "__arrow_c_stream__"):
        runs = column_forms.held(
            batches.data_sets_in(runs), "runs"
        )  # an iterator can be looked at only once
    qrels = column_forms.held(batches.judgments_in(qrels), "qrels")
    allowed, was_told = memory_allowed(memory), memory is not None
    in_parts: dict[str, Any] = {"out": out, "keep": tables, "resume": resume}
    are_asked = bool(tables) or resume
    # what is reused has to be in memory
    if reuse is None and (are_asked or not is_small(runs, qrels, allowed, was_told=was_told)):
        return evaluate_in_batches(runs, qrels, how, allowed, **in_parts)
    kept = (
        None if reuse is None else kept_results.read_results(reuse)
    )  # before the work, lest it fail after it
    if hasattr(runs, "__arrow_c_stream__"):  # a reader can be read only once
        runs = column_forms.held(runs, "runs")
    before = None if kept is None else ranks_in(kept, policies)
    read: dict[str, Any] = {"hashed": True, "ranked_before": before}
    try:
        limit = allowed if was_told else None
        projected = measured.project_runs(runs, qrels, how.measures, policies, limit=limit, **read)
    except memory_use.NotEnoughMemoryError as error:
        if reuse is not None:
            raise memory_use.NotEnoughMemoryError(
                f"{error}; reuse needs all preferences in memory: without it, the runs are "
                "evaluated in parts"
            ) from None
        if not are_of_sums(how.inference.test):
            raise
        return evaluate_in_batches(runs, qrels, how, allowed, **in_parts)
    known = None if kept is None else known_in(kept, projected, policies)
    return evaluate_projected(projected, how, known)


def evaluate_projected(
    projected: measured.Projected, how: Asked, known: Known | None = None
) -> Evaluation:
    """Compute all tables of runs whose positions are known; those of ``known`` are reused.

    Scores and preferences are made when they are asked for, unless a test needs single requests.
    """
    ranked = projected.ranked
    names = [run.name for run in ranked.runs]
    asked = how.measures_of(names)
    noted: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    if known is not None:
        covered = completed_coverage(projected, known)
        done = completed(projected, asked if len(names) > 1 else [], known)
        tables = {"_scores": done.scores, "_preferences": done.preferences}
        noted = {"reused": done.reused} if known.is_noted else {}
    else:
        covered = coverages.coverage_table(ranked, projected.positions)
    sources = {
        "runs": to_parquet.sources_of_origin(projected.runs, ranked.read),
        "qrels": qrel_files.sources_of_qrels(projected.qrels, sha256=ranked.judged.sha256),
    }
    provenance = {**sources, **facts_of(asked, how), **noted}
    origin = Origin.of(projected, how, provenance)
    if known is None and origin.ranked is not None and are_of_sums(how.inference.test):
        plan = plan_of(how, names)
        sums, attributed = sums_of(plan, projected)
        refuse_without_items(plan, sums)
        report_groups(plan, attributed)
        made = {**tables_of_sums(sums, plan, how), "attributes": plan.requests}
    else:
        tables = tables or origin.of_requests(projected)
        del projected, ranked  # frees the positions if they are large
        made = _tables_of_requests(tables["_scores"], tables["_preferences"], asked, how)
    return Evaluation(covered, **tables, **made, provenance=provenance, _origin=origin)


def _tables_of_requests(
    s: pl.DataFrame, d: pl.DataFrame, asked: list[Measure], how: Asked
) -> dict[str, Any]:
    """Make the tables about runs and pairs from those of single requests."""
    grouped = Groups.of(s, d, how.requests, how.groups)
    cube = arrays.pair_cube_with_scores(d, s) if d.height else None
    made = pair_tables(s if s.height else None, cube, asked, how.order, how.inference, grouped)
    made["means"] = best_first(made["means"], [str(m) for m in asked], how.groups)
    return {**made, "attributes": grouped.requests}
