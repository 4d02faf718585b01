"""The whole evaluation from per-request scores that other tools computed: `evaluate_scores`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.base.feature import Collections
from lexiframe.core.evaluation.chosen_scores import load_chosen
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.of_scores import evaluated
from lexiframe.core.evaluation.options import Inference, check_weights, groups_by
from lexiframe.core.io import column_forms, qrel_files, score_forms
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import By
from lexiframe.core.projection import several
from lexiframe.core.significance import Alternative, Family, Test, corrections, own_tests
from lexiframe.core.significance import replicates as replication
from lexiframe.typing import (
    FrameKind,
    MeasureLike,
    RequestsLike,
    ScoresLike,
    SharesLike,
    WeightsLike,
)


@typed
def evaluate_scores(
    scores: ScoresLike,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    run: str | None = None,
    keys: score_forms.Keys | None = None,
    columns: Mapping[str, str] | None = None,
    measure_name: str | None = None,
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
    missing: missing_requests.Missing | None = None,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
    na_values: column_forms.NaValues = None,
    frames: FrameKind | None = None,
) -> Evaluation:
    """Compare runs by per-request scores that other tools computed, as `evaluate` compares runs.

    Parameters
    ----------
    scores
        Whatever `read_scores` reads: files of ``trec_eval -q`` or ``ir_measures -q``, PyTerrier's
        results per query, matrices, frames; or its table. Or what `read_nuggets` returns: its
        `nugget_scores` and its `preferences`, with ``missing="own"`` unless another is given. Of
        several collections, with the column ``collection`` beside the requests, each is evaluated
        by itself, as `evaluate` does.
    measures
        The measures to evaluate, in the order of the results: the names that the scores give them,
        or others of the same metrics (``"AP"`` for trec_eval's ``map``); of judged answers also
        NuggetPreference and, where sentences are known, RPP, LR, LP and other preferences. Where a
        table names no measure, one name given here is its name. Default: all measures, counts
        (``num_ret`` ...) last.
    run, keys, columns, na_values
        As for `read_scores`.
    measure_name
        The name of the measure, where a table names none.
    test, correction, family, alpha, alternative, trials, seed
        As for `compare`.
    missing : {"zero", "common", "own"}, optional
        Where runs lack requests that others have under a measure, or have no value there (NaN,
        null, an empty cell; without ``missing`` these are refused): ``zero`` adds scores of 0, for
        runs that found nothing (of measures of which larger is better; counts stay as they are);
        ``common`` keeps only the requests that all runs have; ``own`` orders each run by the mean
        of the requests that it has, and marks these means. Default: the runs have no order by this
        measure, as a mean over different requests is no ranking: a run with one easy request would
        come first. Their ranks are null, and `verdict` is an error.
    replicates, seeds
        As for `evaluate`, where the scores have a column ``replicate``.
    baseline, weights, strata, shares, requests, by
        As for `evaluate`.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Evaluation
        The tables of `evaluate`. The preferences are the differences of the scores, for the run
        with the better score, and the orderings are by the mean. Runs and judgments are not known,
        so ``coverage`` has no rows. Of answers judged by nuggets, ``answers`` has these, and
        ``positions``, ``explain`` and the page have nuggets where others have documents, if their
        sentences are known.

    Raises
    ------
    LexiframeError
        As `read_scores` and `compare`; for a ``missing`` that cannot be done; for a measure that
        the scores do not have; and for a baseline that is not among the runs, or alone.

    Warns
    -----
    LexiframeWarning
        As `read_scores`, when a run lacks a request that other runs have and ``missing`` is not
        given, and when it lacks all measures that are asked for.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> matrix = pl.DataFrame({"qid": ["q1", "q2", "q3"], "bm25": [0.25, 0.5, 0.25],
    ...                        "dph": [0.5, 0.5, 0.75]})
    >>> e = lf.evaluate_scores(matrix, "AP")
    >>> e.orderings.select("measure", "run", "value", "rank").rows()
    [('AP', 'dph', 0.5833333333333334, 1.0), ('AP', 'bm25', 0.3333333333333333, 2.0)]
    """
    inference = Inference(
        test, correction, family, alpha, alternative, trials, seed, baseline, replicates, seeds
    )
    missing_requests.check_missing("evaluate_scores", missing)
    weighed = check_weights((weights, strata, shares), inference)
    groups = groups_by(requests if by is not None or not weighed else None, by)
    requests = qrel_files.held_or_data(requests)
    answers: Any = scores
    if hasattr(answers, "measured_by"):  # judged by nuggets
        if run or keys or columns or measure_name:
            raise LexiframeError(
                "evaluate_scores: run, keys, columns and measure_name say how scores are read; "
                "leave them out for judged answers"
            )
        s, d, known = answers.measured_by(measures)
        how: dict[str, Any] = {"missing": missing or "own", "known": known, "preferences": d}
        how["weighed"] = weighed
        told = {"scores": answers.sources}
        e = evaluated(s, [*known], inference, (requests, groups), told, **how)
        return replace(e, answers=answers)
    named: dict[str, Any] = {
        "columns": columns,
        "measure_name": measure_name,
        "na_values": na_values,
    }
    chosen = load_chosen(scores, measures, run, keys, warns=missing is None, **named)
    if "collection" not in chosen.table.columns:
        sources = {"scores": chosen.files}
        return evaluated(
            chosen.table, chosen.measures, inference, (requests, groups), sources, missing=missing,
            weighed=weighed,
        )  # fmt: skip
    from lexiframe.core.projection import by_collection

    together = features.needed(Collections, "evaluate_scores")
    is_as_given = several.has_column(scores)
    found = by_collection.apart(scores if is_as_given else chosen.table) or {}
    parts = {name: found[name] for name in chosen.collections}
    of_requests = together.requests_of(requests, by, parts)
    names = ("weights", "strata", "shares")
    own_weights = by_collection.weights_of_each(parts, dict(zip(names, weighed, strict=False)))
    reading = named | {"run": run, "keys": keys} if is_as_given else {}

    def one(name: str, part: pl.DataFrame) -> Evaluation:
        asked = load_chosen(part, measures, warns=missing is None, **reading)
        own = groups, of_requests(name)
        told = {"scores": chosen.files}
        asked_of: dict[str, Any] = {"missing": missing}
        asked_of["weighed"] = tuple(own_weights[name].values())
        return evaluated(asked.table, asked.measures, inference, own[::-1], told, **asked_of)

    whole: Evaluation = together.evaluate({name: (part,) for name, part in parts.items()}, one)
    return whole
