"""Which documents to judge next: `unjudged`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import coded, resampling, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import (
    Policies,
    ScoreType,
    Ties,
    alone,
    judgments,
    refuse_other_queries,
    tied_orders,
    whole_lists,
)
from lexiframe.study.overlaps.schemas import UNJUDGED
from lexiframe.typing import QrelsLike, RequestsLike, RunsLike


@alone.each_collection
@typed
def unjudged(
    runs: RunsLike,
    qrels: QrelsLike,
    depth: int = 10,
    gamma: float = 0.8,
    *,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """List the documents to judge next: those not judged that users of the runs see most.

    A user of a run looks at its first document, and goes on from each rank to the next with
    probability ``gamma``. The weight of a document is the share of what such users see, summed over
    the runs. Judging the documents of this table from its top makes most of that known soonest.

    Parameters
    ----------
    runs, qrels, ties, score_type, duplicates
        As for `positions`. Documents with a negative grade are pooled but not judged.
    depth
        A document is listed when it is among the first ``depth`` documents of some run, and is not
        judged.
    gamma
        The probability, between 0 and 1, that a user goes on to the next rank.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. They are the first columns; ``share`` and ``cumulated_share`` are those of the
        group.

    Returns
    -------
    polars.DataFrame
        Key ``query_id, doc_id``, sorted by falling ``weight``, and then by best position, request
        and document. ``n_runs`` runs have the document among their first ``depth``, and its
        ``best_position`` is that in any run. ``weight`` is summed over all runs that retrieved it,
        at any rank; it is at most (1 − gamma) × the number of runs. ``share`` is the weight's
        share of the weight of all documents of the table (0 to 1), and ``cumulated_share`` that of
        this and all documents above.

    Raises
    ------
    LexiframeError
        As `positions`, but judgments need no relevant document; for a ``depth`` that is not a whole
        number from 1, and for a ``gamma`` that is not between 0 and 1.

    Warns
    -----
    LexiframeWarning
        With the counts, of rankings that are missing, of repeated documents that were removed, and
        of rankings for requests without judgments. These are ignored, as everywhere: a row with
        a negative grade for any document, which counts as not judged, includes such a request.

    Notes
    -----
    weight = Σ (1 − γ) γ^(p − 1) over the runs that retrieved the document, at rank p: Moffat,
    Webber & Zobel, "Strategic System Comparisons via Targeted Relevance Judgments", SIGIR 2007,
    doi:10.1145/1277741.1277806.

    Weight is what becomes known of what users see, not how runs differ: documents that all
    runs return have most of it. Hence judging by weight may settle the order of runs sooner than
    judging all documents of depth 1, then 2, and so on, and may settle it later.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = {"X": {"q": {"a": 3, "b": 2, "c": 1}}, "Y": {"q": {"c": 3, "a": 2, "d": 1}}}
    >>> lf.unjudged(runs, {"q": {"a": 1}}, gamma=0.5).select("doc_id", "n_runs", "weight").rows()
    [('c', 2, 0.625), ('b', 1, 0.25), ('d', 1, 0.125)]
    """
    resampling.check_share("unjudged", "gamma", gamma)
    grouping.names_of(requests, by)
    policies = Policies(ties=ties, score_type=score_type, duplicates=duplicates, depth=depth)
    tied_orders.refuse_expected(ties, "unjudged")
    judged = judgments.judged_items(qrels, policies, nonrelevant=True, are_part=True)
    lists = whole_lists.ranked_lists(runs, policies, judged=judged)
    if not any(run.answered.any() for run in lists.runs):
        extra = {name for run in lists.runs for name in run.extra}
        refuse_other_queries(sorted(extra), judged.queries)
    whole_lists.warn_of_lists(lists, judged.repeated)
    return grouping.group_tables(_sort_by_weight, _holes(lists, judged, depth, gamma), requests, by)


def _holes(
    lists: whole_lists.RankedLists, judged: judgments.JudgedItems, depth: int, gamma: float
) -> pl.DataFrame:
    """Return the unjudged documents of the tops, with the evidence of the runs on them."""
    known = judged.items.filter(judged.is_judged)
    codes = coded.strings_of(known["doc_id"]).cast(lists.codes.dtype).to_physical().to_numpy()
    size = 1 + max([codes.max(initial=0), *(r.documents.max(initial=0) for r in lists.runs)])
    ranked = [_keys_and_positions(lists, run, size) for run in range(len(lists.runs))]
    tops = np.unique(np.concatenate([key[position <= depth] for key, position in ranked]))
    key_of_judged = judged.query[judged.is_judged] * int(size) + codes
    holes = np.setdiff1d(tops, key_of_judged, assume_unique=True)
    n_runs, weight = np.zeros(len(holes), np.int64), np.zeros(len(holes))
    best = np.full(len(holes), np.iinfo(np.int64).max)
    for keys, positions in ranked:  # in the order of names, so that sums do not depend on threads
        place = np.searchsorted(holes, keys)
        is_hole = place < len(holes)
        is_hole[is_hole] = holes[place[is_hole]] == keys[is_hole]
        place, position = place[is_hole], positions[is_hole]
        n_runs[place] += position <= depth
        best[place] = np.minimum(best[place], position)
        weight[place] += (1 - gamma) * gamma ** (position - 1.0)
    columns = {
        "query_id": lists.queries.gather(holes // size),
        "doc_id": lists.ids(holes % size),
        "n_runs": n_runs,
        "best_position": best,
        "weight": weight,
    }
    return pl.DataFrame(columns)


def _keys_and_positions(
    lists: whole_lists.RankedLists, run: int, size: np.integer
) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for each request and document of a run, and the rank of the document."""
    length = lists.lengths[run]
    query = np.repeat(np.arange(len(length)), length)
    first = np.repeat(length.cumsum() - length, length)
    key = query * int(size) + lists.runs[run].documents
    return key, np.arange(len(query)) - first + 1


def _sort_by_weight(holes: pl.DataFrame) -> pl.DataFrame:
    """Sort documents by falling weight, and say how much of all weight each adds."""
    # Weights that are equal but for rounding tie: the next columns then decide.
    rounded = pl.col("weight").round_sig_figs(14)
    ranked = holes.sort(-rounded, "best_position", "query_id", "doc_id")
    weight = ranked["weight"].to_numpy()
    cumulated = np.cumsum(weight)
    shares = {"share": weight, "cumulated_share": cumulated}
    # NumPy divides: Polars would multiply by the inverse, and the last share would not be 1.
    columns = {name: values / cumulated[-1:] for name, values in shares.items()}
    return ranked.with_columns(**columns).select(*UNJUDGED.columns)
