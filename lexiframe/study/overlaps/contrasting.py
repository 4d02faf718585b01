"""Requests with the greatest differences between two runs, with both tops: `contrasting`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, resampling, typed, warn
from lexiframe.core.io import qrel_files
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import (
    Policies,
    ScoreType,
    Ties,
    alone,
    judgments,
    tied_orders,
    whole_lists,
)
from lexiframe.study.overlaps.overlap import overlap_of_two
from lexiframe.study.overlaps.overlap_measures import OverlapMeasure, overlap_measures
from lexiframe.study.overlaps.schemas import CONTRASTING
from lexiframe.typing import QrelsLike, RequestsLike, RunsLike


@alone.each_collection
@typed
def contrasting(
    runs: RunsLike,
    a: str,
    b: str,
    measure: str = "RBO(p=0.9)",
    *,
    n: int = 10,
    depth: int = 10,
    qrels: QrelsLike | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """List the requests in which two runs differ most, with the tops of both side by side.

    Parameters
    ----------
    runs
        As for `read_runs`. Files of other runs are not read.
    a, b
        The names of the two runs.
    measure
        The measure of overlap that orders the requests; see `overlap` for those there are.
    n
        The number of requests, of each group if there are groups.
    depth
        The number of documents of each ranking that are listed.
    qrels, optional
        Judgments, as for `read_qrels`, whose grades are shown beside the documents.
    ties, score_type, duplicates
        As for `positions`; ``duplicates`` is the policy for repeated judgments, too.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. They are the first columns; the requests that differ most are those of each group.

    Returns
    -------
    polars.DataFrame
        Key ``query_id, place``: the requests by rising ``value``, which is their overlap by
        ``measure``, and then by ``query_id``; requests without a value come last. In each request
        the ``place`` runs from 1 to ``depth``, or to the length of the longer ranking. ``doc_a`` is
        the document that ``run_a`` has at this place; ``position_in_b`` is its rank in run_b, null
        when run_b did not retrieve it; and ``in_top_b`` says whether that rank is within
        ``depth``. ``doc_b``, ``position_in_a`` and ``in_top_a`` say the same of the other run.
        All of these are null where a ranking is shorter than ``place``. With ``qrels`` there are
        the grades ``relevance_a`` and ``relevance_b``, null for documents that are not judged.
        A request that both runs answered with an empty list has no row.

    Raises
    ------
    UnknownNameError
        With near matches, for a run or a measure that does not exist.
    LexiframeError
        As `overlap`; for one run given twice, several measures, and an ``n`` or ``depth`` that is
        not a whole number from 1.

    Warns
    -----
    LexiframeWarning
        As `overlap`; and with the count, of repeated judgments that were removed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> c = lf.contrasting(folder / "runs", "pca8_euclidean", "pixels_euclidean", n=1, depth=2)
    >>> c.select("query_id", "place", "doc_a", "position_in_b", "doc_b", "position_in_a").rows()
    [('q0113', 1, 'd0123', 6, 'd0181', 3), ('q0113', 2, 'd0170', 12, 'd0022', 4)]
    """
    asked = overlap_measures(measure, "contrasting")
    if len(asked) > 1:
        raise LexiframeError(
            f"contrasting: expected one measure, found {', '.join(map(str, asked))}; call it for "
            "each"
        )
    if a == b:
        raise LexiframeError(f"contrasting: expected the names of two runs, found {a!r} twice")
    resampling.check_draws("contrasting", "n", n, 0)
    policies = Policies(ties=ties, score_type=score_type, duplicates=duplicates, depth=depth)
    tied_orders.refuse_expected(ties, asked[0])
    grouping.refuse_taken(grouping.names_of(requests, by), CONTRASTING.columns)
    lists = whole_lists.ranked_lists(runs, policies, only=(a, b))
    whole_lists.refuse_strange_requests("contrasting", lists)
    whole_lists.warn_of_lists(lists)
    chosen = _request_overlaps(lists, asked[0], a, b)
    groups = grouping.group_tables(
        lambda part: part.sort("value", "query_id", nulls_last=True).head(n), chosen, requests, by
    )
    number = {query_id: n for n, query_id in enumerate(lists.queries)}
    tops = [_tops(lists, number[query_id], a, b, depth) for query_id in groups["query_id"]]
    table = groups.join(
        pl.concat(tops), on="query_id", how="inner", maintain_order="left_right"
    ).with_columns(run_a=pl.lit(a), run_b=pl.lit(b), measure=pl.lit(str(asked[0])))
    if qrels is not None:
        table = _add_grades(table, qrels, policies)
    attributes = [name for name in groups.columns if name not in chosen.columns]
    return table.select(*attributes, *(c for c in CONTRASTING.columns if c in table.columns))


def _request_overlaps(
    lists: whole_lists.RankedLists, measure: OverlapMeasure, a: str, b: str
) -> pl.DataFrame:
    """Return each request with the overlap of the two runs."""
    values = overlap_of_two(lists, measure, *map(lists.names.index, (a, b)))
    return pl.DataFrame({"query_id": lists.queries, "value": pl.Series(values).fill_nan(None)})


def _tops(lists: whole_lists.RankedLists, query: int, a: str, b: str, depth: int) -> pl.DataFrame:
    """Return the tops of both runs for one request: a row for each place."""
    one, other = (lists.documents(lists.names.index(name), query) for name in (a, b))
    length = min(depth, max(len(one), len(other)))
    columns = {"query_id": [lists.queries[query]] * length, "place": np.arange(1, length + 1)}
    table = pl.DataFrame(columns, {"query_id": pl.String, "place": pl.Int64})
    for name, theirs, mine, others in (("a", "b", one, other), ("b", "a", other, one)):
        position = pl.Series(_positions(mine[:depth], others), dtype=pl.Int64)
        found = {
            f"doc_{name}": lists.ids(mine[:depth]),
            f"position_in_{theirs}": position.replace(0, None),
            f"in_top_{theirs}": position.is_between(1, depth),
        }
        listed = pl.DataFrame(found).with_row_index("place", offset=1)
        table = table.join(listed.cast({"place": pl.Int64}), on="place", how="left")
    return table


def _positions(documents: np.ndarray, ranking: np.ndarray) -> np.ndarray:
    """Return the rank of each document in a ranking, 0 if it is not there."""
    if not len(ranking):
        return np.zeros(len(documents), np.int64)
    same = documents[:, None] == ranking
    return np.where(same.any(axis=1), same.argmax(axis=1) + 1, 0)


def _add_grades(table: pl.DataFrame, qrels: QrelsLike, policies: Policies) -> pl.DataFrame:
    """Add the grade of each document; null for an unjudged one."""
    found = judgments.judged_items(qrels, policies, nonrelevant=True, are_part=True)
    if found.repeated:
        warn(f"judgments that repeated a document, removed: {found.repeated}")
    judged = found.items
    grades = judged.select(
        "query_id", pl.col("relevance"), doc_id=coded.strings_of(judged["doc_id"])
    )
    grades = grades.with_columns(coded.strings_of(judged["query_id"]))
    for name in ("a", "b"):
        called = grades.rename({"doc_id": f"doc_{name}", "relevance": f"relevance_{name}"})
        on = ["query_id", f"doc_{name}"]
        table = table.join(called, on=on, how="left", maintain_order="left")
    return table
