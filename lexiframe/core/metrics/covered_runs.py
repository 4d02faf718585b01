"""Answers of the runs, the judged part of them, and the effect of ties: `coverage`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import coded, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.metrics.coverages import bounded, coverage_sums, drop_spans
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.scored import as_list, as_metric
from lexiframe.core.projection import (
    NoRelevant,
    Policies,
    ScoreType,
    Ties,
    Unjudged,
    alone,
    answers,
    project,
    rank_runs,
)
from lexiframe.typing import QrelsLike, RunsLike


@alone.each_collection
@typed
def coverage(
    runs: RunsLike,
    qrels: QrelsLike | None = None,
    *,
    rel: float | Mapping[str, float] | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant | Mapping[str, NoRelevant] = "drop",
    duplicates: qrel_files.Duplicates = "error",
    unjudged: Unjudged = "keep",
    depth: int | Mapping[str, int] | None = None,
    exclude_self: bool = False,
    exclude: QrelsLike | None = None,
    measures: Metric | str | Iterable[Metric | str] | None = None,
) -> pl.DataFrame:
    """Count for each run what was answered and judged, and bound the effect of ties.

    Each request counts once, also where requests have weights. How much of a catalogue the lists of
    a run reach is another thing: the measure ``Coverage``, by `catalogue`.

    Parameters
    ----------
    runs, qrels, rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
        As for `positions`. No number here depends on ``ties``, except that with ``depth`` the
        documents counted as judged and as relevant are those within it; ``"expected"`` adds two
        columns.
    exclude
        As for `positions`.
    measures
        Metrics, or their notation, of which the bounds under ties are wanted beside those of AP, RR
        and nDCG@10. They are known of built-in metrics by which a relevant item at a better rank
        is never worth less; others are left out.

    Returns
    -------
    polars.DataFrame
        Key ``run``; with replicates (see `read_runs`) ``run, replicate``. ``requests`` judged; of
        these ``answered``, ``missing`` (count as empty rankings) and ``without_relevant`` (left out
        of every measure, unless kept at 0);
        ``extra`` requests answered that are not judged (ignored); documents ``retrieved`` for
        judged requests, and of these ``judged`` (items with a negative grade are pooled but
        unjudged, and do not count) and ``relevant_retrieved``; ``depth``, the greatest number of
        documents of a request; ``judged_at_10``, the share of judged documents among the first 10
        of all rankings (0..1, null without a document); rows of judged requests removed as
        ``duplicates`` and as ``unjudged_removed``.

        ``tied_relevant``: relevant items retrieved that share their score with another document
        of the request. ``AP_min`` and ``AP_max``, ``RR_min`` and ``RR_max``, ``nDCG@10_min`` and
        ``nDCG@10_max`` (0..1), and so of other ``measures``, behind the last column: the least and
        the greatest mean over requests that any order of equal scores can give. It is greatest when
        relevant items come first among equal scores, the high grades first, and least in the
        reverse of that order.

        ``negative``: documents retrieved for judged requests whose grade is below 0. They count as
        unjudged, as in trec_eval; ``read_qrels(negative="not relevant")`` makes them not relevant.
        ``one_score``: judged requests with two or more documents, all of which have one score.
        ``own_first``: judged requests whose first document has the id of the query, and no grade.

        With ``ties="expected"`` also ``tied``, the documents retrieved, relevant or not, that share
        their score with another one of their list, and ``largest_tie``, how many documents have
        the score that most documents of a list share: 1 without ties.

    Raises
    ------
    LexiframeError
        As `positions`, and for a measure that does not exist.

    Warns
    -----
    LexiframeWarning
        When no judged document was retrieved by any run, when scores order the documents of most
        requests otherwise than their ranks (see `read_runs`), when grades look like ratings (see
        `read_qrels`) and ``rel`` is not given, and, with the count, when lines hold more fields
        than are read.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = pl.DataFrame({"run": "bm25", "query_id": "q1", "doc_id": ["a", "b", "c"],
    ...                      "score": [3.0, 2.0, 2.0]})
    >>> qrels = pl.DataFrame({"query_id": "q1", "doc_id": ["b", "d"], "relevance": [1.0, 2.0]})
    >>> lf.coverage(runs, qrels).select("judged", "tied_relevant", "RR_max").rows()
    [(1, 1, 0.5)]
    >>> lf.coverage(runs, qrels, measures="P@2").select("P@2_min", "P@2_max").rows()
    [(0.0, 0.5)]
    """
    of_one: Any = {"rel": rel, "no_relevant": no_relevant, "depth": depth}
    policies = Policies(
        ties=ties, score_type=score_type, duplicates=duplicates, unjudged=unjudged,
        exclude_self=exclude_self, exclude=exclude, **of_one,
    )  # fmt: skip
    judgments: Any = qrels  # there are some, or `each_alone` would have raised
    ranked = rank_runs(runs, judgments, policies, nonrelevant=True, replicates=True)
    answers.warn_of_input(ranked)
    answers.warn_of_grades(ranked.judged.judgments["relevance"], policies.rel)
    metrics = bounded([] if measures is None else map(as_metric, as_list(measures)))
    p = drop_spans(project(ranked, no_relevant=policies.no_relevant))
    found = coverage_sums(ranked, p, metrics, None, policies.no_relevant).table()
    return coded.replicates_apart(found)
