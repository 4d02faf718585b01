"""The whole flow, from files to conclusions, in one call: `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexiframe import features
from lexiframe.core.base import LexiframeError, memory_use, n_and_first, typed, warn
from lexiframe.core.base.feature import Collections, Engines, Items, Replication
from lexiframe.core.evaluation.buckets.bucket import evaluate_projected
from lexiframe.core.evaluation.buckets.held import Work
from lexiframe.core.evaluation.buckets.sizes import can_be_ranked_at_once, is_small, memory_allowed
from lexiframe.core.evaluation.evaluated_data import Origin, are_kept
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.from_parts import are_of_sums, evaluated_by, tables_to_keep
from lexiframe.core.evaluation.options import RUNS_OF_PAGE, Asked, Inference, lone_run
from lexiframe.core.io import (
    batches,
    column_forms,
    qrel_files,
    reading_options,
    run_scan,
    scan_runs,
    warn_of_wider_lines,
)
from lexiframe.core.metrics import Metric
from lexiframe.core.orderings import Method
from lexiframe.core.pairwise import By, fingerprints, measured, parse_measures
from lexiframe.core.projection import (
    NoRelevant,
    Policies,
    ScoreType,
    Ties,
    Unjudged,
    answers,
    several,
)
from lexiframe.core.significance import Alternative, Family, Test, corrections, own_tests
from lexiframe.core.significance import replicates as replication
from lexiframe.typing import (
    FrameKind,
    HasItems,
    MeasureLike,
    QrelsLike,
    RequestsLike,
    RunsLike,
    SharesLike,
    WeightsLike,
)

if TYPE_CHECKING:
    from lexiframe.core.io import kept_results


@typed
def evaluate(
    runs: RunsLike,
    qrels: QrelsLike | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    rel: float | Mapping[str, float] | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant | Mapping[str, NoRelevant] = "drop",
    duplicates: qrel_files.Duplicates = "error",
    unjudged: Unjudged = "keep",
    depth: int | Mapping[str, int] | None = None,
    exclude_self: bool = False,
    ranked_by: reading_options.RankedBy | None = None,
    exclude: QrelsLike | None = None,
    order: Method = "win_rate",
    test: Test | own_tests.OwnTest | Sequence[Test | own_tests.OwnTest] = "auto",
    correction: corrections.PairedCorrection | Sequence[corrections.PairedCorrection] = "auto",
    family: Family = "measure",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    baseline: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    replicates: replication.Replicates | None = None,
    seeds: replication.Seeds = "unrelated",
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
    items: HasItems | None = None,
    reuse: str | Path | None = None,
    memory: str | float | None = None,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    resume: bool = False,
    frames: FrameKind | None = None,
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
        `read_runs`, which has further options, and `scan_runs` return. Or several test collections,
        ``{"name of the collection": (runs, qrels)}``, without ``qrels``: each is evaluated by
        itself, and tables have the column ``collection`` in front; `leaderboard` ranks the runs
        over all of them. Or the places of collections: a folder with a folder for each, which has
        ``runs`` and ``qrels`` (names may go on: ``qrels.txt``; of a folder ``qrels`` its file
        ``test.tsv``); a table (CSV, TSV ...) with the columns ``collection``, ``runs``, ``qrels``
        and perhaps ``rel``, ``depth``, ``no_relevant``, whose paths begin at the table; or a list
        ``["irds:NAME", ...]`` of data sets of ir_datasets.
    qrels
        The judgments, in any of these forms: columns ``query_id``, ``doc_id`` and ``relevance`` (a
        grade; above 0 is relevant unless ``rel`` says otherwise), and ``iteration`` or ``subtopic``
        where there are some; a dictionary ``{query: {document: grade}}``; what `read_qrels`
        returns. Frames of runs and judgments that both have a column ``collection`` are several
        collections too.
    rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self, exclude
        As for `positions`. ``depth`` cuts the runs for all tables, coverage too. With
        ``ties="expected"`` scores and preferences are exact expectations over all orders of equal
        scores: tests, win rates and orders take them as they are.
    ranked_by : {"rank", "score"}, optional
        As for `read_runs`: what orders the documents of runs that have both.
    measures
        Metrics and preferences, as objects, in their notation or as functions (see `preferences`).
        Measures by subtopic take the qrels' column ``iteration`` as the subtopic. A metric is used
        twice: for scores, and as the preference for the run with the better score. Default: RPP,
        LR, LP, AP, nDCG@10 and RR; for a single run only the metrics among them. Where one of
        several collections has a single run, it has metrics only, and a warning says so.
    order
        How preferences order the runs: a method of `order_runs`. Metrics order them by their mean.
    test, correction, family, alpha, alternative, trials, seed
        As for `compare`.
    replicates : {"run", "request", "cell", "both"}, optional
        What the replicates of runs are (see `read_runs`, `compare` and
        `lexiframe.significance.variance_components`): with "run" and "both" the runs' algorithms
        are compared, which would be trained anew, by a t-test that knows it, and the intervals of
        the means say so too; else the means over replicates. Only metrics can be asked for,
        coverage has a row for each replicate, and the data are held in memory.
    seeds : {"unrelated", "paired"}
        With ``replicates="run"``, whether replicates of one name share a seed.
    baseline : str, optional
        The run to compare the others with: comparisons and power are then of these pairs alone, and
        ``against_baseline`` has a row for each run and measure. All other tables are of all pairs.
    requests, by
        A frame with the column ``query_id`` and attributes of requests, and the names of the
        attributes that form groups of requests. All tables about runs and pairs are then computed
        within each group and begin with these attributes as columns. Coverage, scores and
        preferences are not grouped. Of several collections, a frame with a column ``collection``
        has the attributes of each.
    weights, strata, shares
        Weights of requests, as for `compare`: tables about runs and pairs are by them, with n* as
        ``n_effective``, but for tie rates, agreement and coverage; scores and preferences have
        ``request_weight`` (its share in all weights; with strata their share, and
        ``request_stratum``). They need single requests: in parts these wait on disk, and those of
        one measure at a time have to fit in memory.
    items : Items, optional
        The catalogue, of `read_items`, for measures of what runs recommend beyond relevance: those
        of single lists (``"Novelty@10"``, see `list_scores`) have rows in all tables, and those of
        all lists of a run (``"Coverage@10"``, see `catalogue`) are in ``catalogue``. In parts these
        differ by rounding, and their sums take up to 5 kB beside ``memory`` for each item, run,
        exposure and cut-off. Judgments may be left out if no measure needs them.
    reuse : path, optional
        The folder to which `Evaluation.write` wrote the results of an earlier evaluation. Its
        scores and preferences are taken where they still hold, and all others are computed; the
        tables are the same as without it. They hold for runs that have not changed (files with
        the same sha256, frames with the same rows), under the same policies, for the requests
        whose judgments have not changed, for built-in measures, and for the same version of
        lexiframe (but for its last number). Measures that depend on the other runs (see `add_runs`)
        are computed again if a run was added, left out or changed. ``provenance["reused"]`` says
        how many runs, requests, measures and pairs were taken. The results may be written to the
        same folder. Of several collections, those that the folder lacks are computed anew. An
        evaluation in parts takes ranks: files of runs that have not changed are not
        read again if no judgment has, and all else is computed from their ranks, which have to fit
        in memory.
    memory : str or int, optional
        How much memory may be taken, such as ``"4GB"``. Default: four fifths of what is available.
        Where runs and judgments, or their preferences, would take more, they are evaluated in
        parts: their requests are divided into buckets on disk, one bucket after the other is
        evaluated and
        reduced to sums over its requests, and all tables but ``scores`` and ``preferences`` are
        made from these. They have the same numbers, to the last bit, as if all were in memory. For
        tests other than ``t`` and ``sign`` the preferences of all requests wait on disk, and those
        of one measure at a time have to fit in memory. PyArrow data sets (partitioned, or at an
        address), folders of Parquet files, Polars' lazy frames and DuckDB's relations are read in
        batches.
    out : path, optional
        For an evaluation in parts, the folder for its buckets (a temporary folder unless given; it
        needs about as much room as the data) and for what ``keep`` asks for.
    keep : {"scores", "preferences"}, or both
        The tables that an evaluation in parts writes into ``out``, as a folder of Parquet files.
    resume : bool
        Go on with an evaluation in parts that was interrupted, from what it left in ``out``.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Evaluation
        All tables; it prints a summary, and ``write`` and ``report`` store it. Of several
        collections, ``collections`` has the evaluation of each by its name. Folders (``out``,
        ``reuse``) then have a folder for each.

    Raises
    ------
    LexiframeError
        As `positions`, `scores` and `compare`; when a collection at its place lacks runs or
        judgments, or has several of these; when a measure's ``rel`` is below ``rel``, because
        lower grades are then no longer known; with ``ties="expected"``, before runs are read, for
        a measure that has no closed form; for a baseline that is not among the runs, or alone;
        and, before runs are read, when there are more pairs of runs, requests and measures than
        memory holds, and when ``reuse`` is not a folder of results, or one of its files is missing,
        damaged or of another evaluation.

    Warns
    -----
    LexiframeWarning
        With counts, when data were dropped or filled; when ranks and scores disagree in half of
        the requests or more (see `read_runs`); when grades look like ratings (see
        `read_qrels`) and neither ``rel`` nor each measure says which are relevant; when equal
        scores are ordered by document id, and another order puts another run first by a metric,
        as the bounds in the coverage show; and with the reason when nothing in ``reuse`` holds.

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
        ties=ties, score_type=score_type, duplicates=duplicates, unjudged=unjudged,
        exclude_self=exclude_self, exclude=exclude,
    )  # fmt: skip
    of_each: dict[str, Any] = {"rel": rel, "no_relevant": no_relevant, "depth": depth}
    inference = Inference(
        test, correction, family, alpha, alternative, trials, seed, baseline, replicates, seeds
    )
    parts: dict[str, Any] = {"keep": keep, "resume": resume, "memory": memory}
    weighed: dict[str, Any] = {"weights": weights, "strata": strata, "shares": shares}

    def read(runs: Any) -> Any:
        return runs if ranked_by is None else scan_runs(runs, ranked_by=ranked_by)

    collections = None
    if items is None and (
        qrels is None or several.may_be_several(runs) or several.has_column(qrels)
    ):
        from lexiframe.core.projection import by_collection

        collections = by_collection.given(runs, qrels, "evaluate")
    if collections is None:
        of_one = replace(policies, **of_each)
        how = Asked.checked(measures, of_one, inference, requests, by, order=order, **weighed)
        judgments: Any = qrels  # there are some, or `given` would have raised
        engine: Callable[..., Evaluation] = evaluate_asked
        if items is not None:
            engine = partial(features.needed(Items, "evaluate").evaluate, items=items)
        return engine(read(runs), judgments, how, reuse=reuse, out=out, **parts)
    together = features.needed(Collections, "evaluate")
    of_requests = together.requests_of(requests, by, collections)
    own = by_collection.policies_of_each(collections, of_each)
    own_weights = by_collection.weights_of_each(collections, weighed)

    def one(name: str, runs: Any, qrels: Any) -> Evaluation:
        of_one = replace(policies, **own[name])
        asked: dict[str, Any] = {"order": order, "is_of_several": len(collections) > 1}
        asked |= own_weights[name]
        how = Asked.checked(measures, of_one, inference, of_requests(name), by, **asked)
        place = together.folder_of(name)
        before, after = (None if of is None else Path(of, place) for of in (reuse, out))
        if before is not None and before.parent.is_dir() and not before.exists():
            before = None  # a collection that earlier results do not have is computed anew
        return evaluate_asked(read(runs), qrels, how, reuse=before, out=after, **parts)

    found: Evaluation = together.evaluate(collections, one)
    if measures is not None:
        _tell_of_lone_runs(vars(found)["collections"], measures)
    return found


def _tell_of_lone_runs(found: Mapping[str, Evaluation], measures: Any) -> None:
    """Warn of collections that have no preferences, as they have one run; raise if all have."""
    of_pairs = {str(one) for one in parse_measures(measures) if not isinstance(one, Metric)}
    alone = [name for name, e in found.items() if of_pairs.isdisjoint(e.provenance["measures"])]
    if of_pairs and len(alone) == len(found):
        raise lone_run(found[alone[0]].coverage["run"][0])
    if of_pairs and alone:
        warn(
            "preferences need at least two runs; collections with one, of which only metrics are "
            f"known: {n_and_first(alone)}"
        )


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
    tables = tables_to_keep(keep, out, resume=resume)
    if how.inference.replicates is not None:
        evaluate_replicates = features.needed(Replication, "evaluate").evaluate
        parts = {"reuse": reuse, "memory": memory, "keep": tables, "resume": resume}
        averaged: Evaluation = evaluate_replicates(runs, qrels, how, **parts)
        return averaged
    in_buckets, was_told, kept = bool(tables) or resume, memory is not None, None
    if in_buckets and reuse is not None:
        raise LexiframeError(
            "evaluate: reuse takes what was found of all runs at once, keep and resume divide the "
            "requests into buckets anew; leave one of them out"
        )
    sources = batches.Sources.find(runs, column_forms.held(qrels, "qrels"))
    allowed = memory_allowed(memory)
    in_parts = partial(
        _evaluate_in_parts, how=how, memory=allowed, out=out, keep=tables, resume=resume
    )
    is_large = in_buckets or not is_small(sources, allowed, was_told=was_told)
    takes_ranks = is_large and (reuse is None or can_be_ranked_at_once(sources, allowed))
    if reuse is not None:  # before the work, lest it fail after it
        from lexiframe.core.evaluation.declared_facts import tables_of_evaluation
        from lexiframe.core.io import kept_results

        kept = kept_results.reusable_results(reuse, tables_of_evaluation, not takes_ranks)
    if takes_ranks:
        return in_parts(sources, kept=kept)
    sources = sources.held()
    try:
        return evaluate_at_once(sources, how, kept=kept, limit=allowed if was_told else None)
    except memory_use.NotEnoughMemoryError as error:
        if kept is None or can_be_ranked_at_once(sources, allowed):
            return in_parts(sources, kept=kept)
        raise memory_use.NotEnoughMemoryError(
            f"{error}; reuse needs all preferences in memory, or the ranks in all runs: without "
            "it, the runs are evaluated in parts"
        ) from None


def evaluate_at_once(
    sources: batches.Sources,
    how: Asked,
    *,
    kept: kept_results.KeptResults | None = None,
    limit: int | None = None,
    work: Work | None = None,
) -> Evaluation:
    """Evaluate runs whose ranks fit in memory; results that ``kept`` still holds are reused.

    With a folder to ``work`` in, only sums over the requests are left in the end.
    """
    runs, qrels = sources.scan, sources.judgments
    policies, measures = how.policies, how.measures
    tables = kept.of_requests if work is None and kept is not None else None

    def foresee(n_runs: int, judged: Any) -> None:
        needs_all = tables is not None or not are_of_sums(how)
        if work is None and (needs_all or how.is_reported):
            n = n_runs if needs_all else min(n_runs, RUNS_OF_PAGE)
            measured.refuse_many_pairs(n, judged, measures, policies, None, limit)

    if kept is None:
        ranked = measured.rank(runs, qrels, measures, policies, hashed=True, foresee=foresee)
        projected, reused = measured.projected_of(ranked, measures, policies.no_relevant), None
    else:
        again = features.needed(Engines, "reuse").projected_again
        projected, reused = again(kept, tables, sources, how, foresee)
    return evaluate_ranked(runs, qrels, projected, how, work=work, reused=reused)


def evaluate_ranked(
    runs: run_scan.RunScan,
    qrels: Any,
    projected: measured.Projected,
    how: Asked,
    *,
    work: Work | None = None,
    reused: Mapping[str, int] | None = None,
) -> Evaluation:
    """Evaluate runs with known positions, and perhaps known scores and preferences.

    The provenance says how much was ``reused``. With a folder to ``work`` in, only sums over the
    requests are left in the end, and the ranks.
    """
    ranked, names = projected.ranked, projected.runs.to_list()
    kept = ranked if are_kept(ranked) else None
    if work is None and kept is None:  # to compute them again, runs would be read
        projected = replace(projected, known=projected.whole(how.measures_of(names)))
    sources = {
        "runs": runs.provenance(ranked.read),
        "qrels": qrel_files.sources_of_qrels(qrels, sha256=ranked.judged.sha256),
    }
    e = evaluated_by(
        lambda plan, held: evaluate_projected(
            plan, projected, held=held, label="evaluating requests"
        ),
        how,
        names,
        sources if reused is None else {**sources, "reused": reused},
        lambda: ([], ranked.judged.queries),
        work=work,
        in_parts=work is not None,
    )
    warn_of_wider_lines(ranked.n_wider)
    answers.warn_of_doubts(ranked)
    marks = fingerprints.fingerprints(ranked, projected.measures) if kept is None else None
    origin = Origin(runs, qrels, projected.measures, how, sources, marks, kept)
    missing = answers.unanswered(ranked)
    return replace(e, _origin=origin, _part=projected.known, _unanswered=missing)


def _evaluate_in_parts(sources: batches.Sources, **how: Any) -> Evaluation:
    """Evaluate runs in parts; raise where this feature has been taken away."""
    e: Evaluation = features.needed(Engines, "evaluate").evaluate_in_parts(sources, **how)
    return e
