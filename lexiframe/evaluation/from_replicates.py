"""Evaluations of runs that were trained or sampled several times: `evaluate` with replicates."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lexiframe.base import LexiframeError, coded
from lexiframe.evaluation.evaluation import Evaluation
from lexiframe.evaluation.options import Asked
from lexiframe.io import column_forms, qrel_files, to_parquet
from lexiframe.metrics import Metric, coverages, needed
from lexiframe.pairwise import measured, pairs
from lexiframe.projection import answers, project


def refuse_for_replicates(**given: Any) -> None:
    """Raise for arguments of `evaluate` that have no meaning for runs with replicates."""
    for name, value in given.items():
        if value:
            raise LexiframeError(
                f"evaluate: {name} is for runs without replicates; leave it or replicates out"
            )


def of_replicates(runs: Any, qrels: Any, how: Asked) -> Evaluation:
    """Evaluate runs of which each replicate is ranked and scored as a run of its own."""
    from lexiframe.evaluation.from_scores import evaluated  # with what reads scores

    metrics, policies = _metrics(how), how.policies
    runs, qrels = measured.found(column_forms.held(runs, "runs"), column_forms.held(qrels, "qrels"))
    ranked = measured.rank(runs, qrels, metrics, policies, hashed=True, replicates=True)
    answers.warn_of_gaps(ranked)
    needed.warn_of_lower_grades(metrics, policies.rel, ranked.judged.items["relevance"])
    projected = measured.projected_of(ranked, metrics, policies.no_relevant)
    s = pairs.scores_of(projected.scores(metrics))
    p = project(ranked, no_relevant=policies.no_relevant)
    return evaluated(
        coded.replicates_apart(s),
        [str(metric) for metric in metrics],
        how.inference,
        (how.requests, how.groups),
        {
            "runs": to_parquet.sources_of_origin(runs, ranked.read),
            "qrels": qrel_files.sources_of_qrels(qrels, sha256=ranked.judged.sha256),
            "policies": asdict(policies),
        },
        coverage=coded.replicates_apart(coverages.coverage_sums(ranked, p).table()),
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
