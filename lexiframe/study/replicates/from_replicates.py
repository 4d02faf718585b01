"""Evaluations of runs that were trained or sampled several times: `evaluate` with replicates."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lexiframe.core.base import LexiframeError, coded
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.of_scores import evaluated
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.io import column_forms, qrel_files, scan_runs
from lexiframe.core.metrics import Metric, coverages
from lexiframe.core.pairwise import facts, measured, pairs
from lexiframe.core.projection import answers


def evaluate_replicates(runs: Any, qrels: Any, how: Asked, **given: Any) -> Evaluation:
    """Evaluate runs, where each replicate is ranked and scored as a run of its own.

    Further arguments of `evaluate` that are ``given`` have no meaning here.
    """
    for name, value in given.items():
        if value:
            raise LexiframeError(
                f"evaluate: {name} is for runs without replicates; leave it or replicates out"
            )
    metrics, policies = _metrics(how), how.policies
    runs = scan_runs(runs)
    qrels = qrel_files.file_or_data(column_forms.held(qrels, "qrels"))
    of_each: dict[str, Any] = {"hashed": True, "replicates": True, "foresee": measured.no_limit}
    projected = measured.project_runs(runs, qrels, metrics, policies, **of_each)
    ranked = projected.ranked
    covered = coverages.coverage_sums(
        ranked, projected.positions, coverages.bounded(metrics), None, policies.no_relevant
    )
    s = pairs.scores_of(projected.scores(metrics))
    s = answers.say_answered(s, answers.unanswered(ranked))
    grades = ranked.judged.judgments["relevance"]
    return evaluated(
        coded.replicates_apart(s),
        [str(metric) for metric in metrics],
        how.inference,
        (how.requests, how.groups),
        {
            "runs": runs.provenance(ranked.read),
            "qrels": qrel_files.sources_of_qrels(qrels, sha256=ranked.judged.sha256),
            "policies": asdict(policies),
            "grades": [grades.min(), grades.max()],
        },
        coverage=coded.replicates_apart(covered.table()),
        known=facts.facts_of(metrics),
        weighed=how.weighed,
    )


def _metrics(how: Asked) -> list[Metric]:
    """Return the metrics that are asked for; raise for preferences unless nobody asked for them."""
    metrics = [measure for measure in how.measures if isinstance(measure, Metric)]
    if len(metrics) < len(how.measures) and not how.by_default:
        others = ", ".join(str(m) for m in how.measures if not isinstance(m, Metric))
        raise LexiframeError(
            f"evaluate: expected metrics with replicates, found {others}: which replicate of one "
            "run would be compared with which of another is not known; leave them out"
        )
    return metrics
