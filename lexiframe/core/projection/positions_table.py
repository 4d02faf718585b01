"""The positions of the relevant items in every run: `positions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import coded, schemas, typed
from lexiframe.core.io import qrel_files, reading_options, scan_runs
from lexiframe.core.projection import alone
from lexiframe.core.projection.answers import warn_of_gaps, warn_of_grades
from lexiframe.core.projection.levels import RowsOfARun
from lexiframe.core.projection.policies import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.core.projection.ranked_runs import RankedRuns, rank_runs
from lexiframe.typing import QrelsLike, RunsLike


@alone.each_collection
@typed
def positions(
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
    judged: bool = False,
    subtopics: bool = False,
    pool: bool = False,
    ranked_by: reading_options.RankedBy | None = None,
) -> pl.DataFrame:
    """Find the position of every relevant item in every run.

    A run's documents are ordered by score, descending. Every run has a row for every relevant
    item of every request, so a request that a run did not answer has null positions throughout.
    Requests that are not judged are ignored. A warning says what was dropped or filled, and
    `coverage` counts it.

    Parameters
    ----------
    runs
        The table of `read_runs`, the scan of `scan_runs`, any frame of that form, or paths. Or
        several collections, without ``qrels``: ``{"name": (runs, qrels)}``, or their places, as
        `evaluate` says.
    qrels
        The table of `read_qrels`, any frame of that form, or a path. A document that was judged in
        several iterations of a request has the greatest of its grades. Frames of runs and judgments
        that both have a column ``collection`` are several collections too.
    rel : float or dict, optional
        The least grade that is relevant; None: any positive grade. Of several collections,
        ``{"name": 4}`` has that of some, and the others have the default; so have ``depth`` and
        ``no_relevant``.
    ties : {"doc_id_desc", "doc_id_asc", "input", "rank", "expected"}
        What orders documents of equal score: their id (bytewise; descending is trec_eval's way),
        their order in the file, or the rank that the file gives, which must differ within a query.
        With ``"expected"`` nothing does: all orders are equally likely, independently of each other
        in groups, requests and runs, and `scores` and `preferences` are their exact expectations.
    score_type : {"float64", "float32"}
        The precision in which scores are compared. trec_eval 10 holds them as doubles. Earlier
        versions up to 9.0.8, pytrec_eval, and ir_measures where it calls pytrec_eval hold them as
        single floats, so that scores that differ only beyond single precision are equal.
    no_relevant : {"drop", "zero"}
        Leave requests without a relevant item out, or keep each with one row for each run, whose
        document, position and level are null; all its measures are then 0, but
        for those that count what was retrieved or judged.
    duplicates : {"error", "best"}
        Raise an error for a document that occurs twice in a ranking or in the judgments of a
        request, or keep its best rank and its highest grade.
    unjudged : {"keep", "remove"}
        Keep unjudged documents, or remove them from the rankings, so that the documents behind
        them move up (condensed lists). As with trec_eval's ``-J``, a negative grade means pooled
        but unjudged, so such documents are removed too. A run whose list becomes empty still counts
        as having answered.
    depth : int, optional
        Cut every ranking at this rank, once ties are broken and documents removed, as if no more
        had been retrieved; relevant items below keep counting in m. Default: no cut.
    exclude_self : bool
        Leave out documents that have the id of their query, in rankings and judgments: where
        queries are documents of the corpus, as in ArguAna and Quora, each finds itself first.
    exclude : optional
        Documents to leave out of the rankings and judgments of single queries before ranks are
        counted, as BRIGHT has them: a table of ``query_id`` and ``doc_id``, a file or
        ``{query: [documents]}``, in any form of judgments, whose grades do not count. A warning
        counts what was left out.
    judged : bool
        Also return the judged items that are not relevant; their level is null.
    subtopics : bool
        Take the qrels' ``iteration`` as the subtopic of a judgment, and find the items of every
        subtopic: a document has a row for each that it is relevant for, with its grade there.
    pool : bool
        Also return ``pool_size``, the number of distinct items that any run retrieved or that are
        relevant, by request; with ``unjudged="remove"`` retrieved items count only when they are
        judged, and with ``ties="expected"`` all items that some order has within the depth.
    ranked_by : {"rank", "score"}, optional
        As for `read_runs`: what orders the documents of runs that have both.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, doc_id``, sorted by it. ``relevance`` (grade), ``position`` (rank from
        1, null: not retrieved), ``level`` (recall level from 1; items that were not retrieved
        follow, those of a low grade first), ``n_relevant`` (m), ``n_retrieved`` (ñ, without what
        was removed). With ``judged=True`` also ``n_judged``, the items of the request in the
        judgments (a negative grade means pooled, but unjudged). With ``rel`` there is also a column
        ``rel``, by which `scores` and `preferences` know which grades are included. With
        ``ties="expected"`` there are ``tied_from`` and ``tied_to``, the first and the last rank
        that the item can have (null: not retrieved); ``position`` and ``level`` are then of one
        possible order, by descending id. With
        ``subtopics=True`` the key is ``run, query_id, subtopic, doc_id``, and ``level`` and
        ``n_relevant`` count the relevant items of the subtopic. Several collections have the column
        ``collection`` in front, and each only the runs that it was given. Of runs with replicates
        (see `read_runs`) each replicate has its positions, and the key begins with ``run,
        replicate``.

    Raises
    ------
    LexiframeError
        When runs and qrels share no request, a document occurs twice, a score is not a number, or
        ``ties="rank"`` and the ranks cannot break ties; and, before anything is read, for a policy
        that does not exist.

    Warns
    -----
    LexiframeWarning
        With counts, when data were dropped or filled; when ranks and scores disagree in half of
        the requests or more (see `read_runs`); and when grades look like ratings, as
        `read_qrels` says, and ``rel`` is not given.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = pl.DataFrame({"run": "bm25", "query_id": "q1", "doc_id": ["a", "b", "c"],
    ...                      "score": [3.0, 2.0, 1.0]})
    >>> qrels = pl.DataFrame({"query_id": "q1", "doc_id": ["b", "d"], "relevance": [1.0, 2.0]})
    >>> lf.positions(runs, qrels).select("doc_id", "position", "level", "n_relevant").rows()
    [('b', 2, 1, 2), ('d', None, 2, 2)]

    One document serves two subtopics, the other one of them:

    >>> qrels = pl.DataFrame({"query_id": "q1", "subtopic": ["s", "s", "t"],
    ...                       "doc_id": ["b", "c", "c"], "relevance": 1.0})
    >>> p = lf.positions(runs, qrels, subtopics=True)
    >>> p.select("subtopic", "doc_id", "position", "level", "n_relevant").rows()
    [('s', 'b', 2, 1, 2), ('s', 'c', 3, 2, 2), ('t', 'c', 3, 1, 1)]

    Two collections, whose requests of the same id are different requests:

    >>> other = pl.DataFrame({"query_id": "q1", "doc_id": ["c"], "relevance": [1.0]})
    >>> p = lf.positions({"news": (runs, qrels), "law": (runs, other)})
    >>> p.select("collection", "query_id", "doc_id", "position").rows()
    [('news', 'q1', 'b', 2), ('news', 'q1', 'c', 3), ('law', 'q1', 'c', 3)]
    """
    of_one: Any = {"rel": rel, "no_relevant": no_relevant, "depth": depth}
    policies = Policies(
        ties=ties, score_type=score_type, duplicates=duplicates, unjudged=unjudged,
        exclude_self=exclude_self, exclude=exclude, **of_one,
    )  # fmt: skip
    runs = runs if ranked_by is None else scan_runs(runs, ranked_by=ranked_by)
    judged_as: Any = qrels  # there are some, or `given` would have raised
    how_ranked: dict[str, Any] = {"nonrelevant": judged, "pool": pool, "replicates": True}
    ranked = rank_runs(runs, judged_as, policies, **how_ranked)
    warn_of_gaps(ranked)
    warn_of_grades(ranked.judged.judgments["relevance"], policies.rel)
    how = {"judged": judged, "subtopics": subtopics, "pool": pool}
    p = project(ranked, no_relevant=policies.no_relevant, **how)
    p = coded.replicates_apart(p)
    return p if policies.rel is None else p.with_columns(rel=pl.lit(float(policies.rel)))


def project(
    ranked: RankedRuns,
    *,
    no_relevant: NoRelevant,
    judged: bool = False,
    subtopics: bool = False,
    pool: bool = False,
) -> pl.DataFrame:
    """Make the positions table of runs whose judged items are ranked."""
    index = ranked.judged
    rows = index.once(
        ("rows", no_relevant, judged, subtopics),
        lambda: RowsOfARun.lay_out(index, no_relevant, judged=judged, subtopics=subtopics),
    )
    template, query = rows.table, rows.query
    ranks = [rows.positions_of(run.rank) for run in ranked.runs]
    position = np.concatenate(ranks, dtype=np.int64)
    level = np.concatenate([rows.levels_of(run.rank) for run in ranked.runs], dtype=np.int64)
    name = pl.Series([run.name for run in ranked.runs], dtype=pl.String)
    columns: dict[str, Any] = {
        "run": name.gather(np.repeat(np.arange(len(name), dtype=np.uint32), len(query))),
        "position": position,
        "level": level,
        "n_retrieved": np.concatenate([run.retrieved[query] for run in ranked.runs]),
    }
    spans = [run.spans for run in ranked.runs if run.spans is not None]
    if spans and len(spans) == len(ranked.runs):
        for n, end in enumerate(("tied_from", "tied_to")):
            of_rows = [rows.positions_of(of[n]) for of in spans]
            columns[end] = np.concatenate(of_rows, dtype=np.int64)
    if judged and not subtopics:
        columns["n_judged"] = np.tile(index.n_judged[query], len(ranked.runs))
    # Where nothing was retrieved the ranking is missing, unless it was there, and empty.
    if any((run.answered & (run.retrieved == 0)).any() for run in ranked.runs):
        columns["answered"] = np.concatenate([run.answered[query] for run in ranked.runs])
    if pool:
        columns["pool_size"] = np.tile(_pool_sizes(ranked)[query], len(ranked.runs))
    made = [pl.Series(name, values) for name, values in columns.items()]
    table = pl.DataFrame([*pl.concat([template] * len(ranked.runs)).get_columns(), *made])
    schema = schemas.SUBTOPIC_POSITIONS if subtopics else schemas.POSITIONS
    names = [name for name in schema.columns if name in table.columns]
    absent_to_null = {name: pl.when(pl.col(name) > 0).then(name) for name in _NULL_OR_RANK}
    return table.select(absent_to_null.get(name, pl.col(name)).alias(name) for name in names)


_NULL_OR_RANK = ("position", "level", "tied_from", "tied_to")
"""The columns that are null where an item has no rank or level."""


def _pool_sizes(ranked: RankedRuns) -> np.ndarray:
    index = ranked.judged
    relevant = index.items.with_columns(query=index.query).filter("is_relevant")
    seen = relevant.select("query", "doc_id")
    for run in ranked.runs:
        seen = pl.concat([seen, run.pool]).unique() if run.pool is not None else seen
    return np.bincount(seen["query"].to_numpy(), minlength=len(index.queries))
