"""A large run ranked in pieces, by several threads: each piece has all rows of its queries.

Rankings of different queries are independent, so the results of the pieces can be joined. The size
of a piece is fixed, so results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import pairwise

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, coded, in_threads
from lexiframe.core.io import one_run
from lexiframe.core.projection.effect_of_ties import TiedItems
from lexiframe.core.projection.judgments import JudgedItems
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.ranks_and_ties import RunRanks, no_ranks, rank_judged

ROWS = 1 << 21
"""The approximate number of rows of a piece."""


def rank_run(
    part: one_run.RunPart,
    judged: JudgedItems,
    policies: Policies,
    *,
    pool: bool = False,
    codes: pl.Series | None = None,
) -> RunRanks:
    """Rank the judged documents of one run, as `rank_judged`; a large one in pieces."""
    rank = partial(rank_judged, judged=judged, policies=policies, pool=pool, codes=codes)
    if part.rows.height <= ROWS:
        return rank(part)
    into_one = partial(rank, into=no_ranks(judged, policies))
    try:
        joined = _join_pieces([*in_threads(into_one, _divide_run(part))])
    except SchemaError:
        return rank(part)  # the error then counts the wrong rows of the whole run
    # the strangers are listed in the order of the whole run, not piece by piece
    return rank(part) if joined.strangers else joined


def _divide_run(part: one_run.RunPart) -> list[one_run.RunPart]:
    """Divide a run by its queries; the first piece also has the queries with an empty list."""
    n = -(-part.rows.height // ROWS)
    stretches = part.rows["query_id"].rle().struct.unnest()
    if stretches["value"].n_unique() == stretches.height:
        ends = stretches["len"].cast(pl.Int64).cum_sum().to_numpy()
        wanted = np.arange(n) * part.rows.height // n
        edges = np.unique([0, *ends[np.searchsorted(ends, wanted[1:])], part.rows.height])
        rows = [part.rows.slice(start, end - start) for start, end in pairwise(edges.tolist())]
    else:
        number = coded.map_distinct(part.rows["query_id"], pl.Series.hash) % n
        rows = [part.rows.filter(number == k) for k in range(n)]
    pieces = [replace(part, rows=chosen, empty=(), places=None) for chosen in rows]
    return [replace(pieces[0], empty=part.empty), *pieces[1:]]


def _join_pieces(pieces: Sequence[RunRanks]) -> RunRanks:
    """Join the results of the pieces of one run, which share the array of ranks."""
    tied = [piece.tied for piece in pieces]
    pools = [piece.pool for piece in pieces if piece.pool is not None]
    return RunRanks(
        name=pieces[0].name,
        rank=pieces[0].rank,
        tied=TiedItems(*np.concatenate([(t.item, t.best, t.worst) for t in tied], axis=1)),
        retrieved=reduce(np.add, (piece.retrieved for piece in pieces)),
        answered=np.any([piece.answered for piece in pieces], axis=0),
        extra=[query for piece in pieces for query in piece.extra],
        duplicates=sum(piece.duplicates for piece in pieces),
        unjudged=sum(piece.unjudged for piece in pieces),
        strangers=_strangers(pieces),
        pool=pl.concat(pools) if pools else None,
        documents=_documents(pieces),
        own=sum(piece.own for piece in pieces),
        one_score=sum(piece.one_score for piece in pieces),
        own_first=sum(piece.own_first for piece in pieces),
        excluded=sum(piece.excluded for piece in pieces),
        respelled=next((piece.respelled for piece in pieces if piece.respelled), ()),
        spans=pieces[0].spans,
        n_tied=sum(piece.n_tied for piece in pieces),
        largest_tie=max(piece.largest_tie for piece in pieces),
        n_flat=sum(piece.n_flat for piece in pieces),
    )


def _strangers(pieces: Sequence[RunRanks]) -> list[str]:
    """Return some documents of the run if no piece found a judged one, else none."""
    answering = [piece for piece in pieces if piece.retrieved.any() or piece.unjudged]
    if not all(piece.strangers for piece in answering):
        return []
    return [name for piece in answering for name in piece.strangers]


def _documents(pieces: Sequence[RunRanks]) -> np.ndarray:
    """Return the documents in the order of query and rank, if they were asked for."""
    documents = np.concatenate([piece.documents for piece in pieces])
    if not len(documents):
        return documents
    lengths = [piece.retrieved for piece in pieces]
    query = np.concatenate([np.repeat(np.arange(len(length)), length) for length in lengths])
    by_query: np.ndarray = documents[coded.order_of(query)]
    return by_query
