"""The ranks of the judged items, or of all documents, in a run: ties are broken only here.

A run's documents are ordered by score, descending, and among equal scores by the tie policy. Most
files are already in order, so a file is sorted only when it is not. Only the ranks of judged items
are wanted, so a group of equal scores is put in order only when it holds such an item.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, coded
from lexiframe.core.io import one_run, problems
from lexiframe.core.projection.coded_rows import Blocks, Rows
from lexiframe.core.projection.effect_of_ties import TiedItems
from lexiframe.core.projection.judgments import JudgedItems
from lexiframe.core.projection.lookup import QueryIndex
from lexiframe.core.projection.policies import Policies, Ties

_ENOUGH_TO_COMPARE = 1000  # documents kept to guess why none of a run is judged
RANKS = np.int32
"""The type of ranks, of all judged items in all runs; it takes half the memory of Int64."""
_ENOUGH = 20
"""So many relevant items that were not found, and documents of their queries, show a spelling."""
_FEW = 4
"""Comparisons for each row of a group of equal scores, up to which sorting the group is slower."""
_NO_DOCUMENTS = np.empty(0, np.uint32)


@dataclass(frozen=True)
class RunRanks:
    """The results of one run for the judged queries.

    Attributes
    ----------
    rank
        The rank of every judged item; 0 when it was not retrieved.
    tied
        The ranks that other orders of equal scores would give.
    spans
        With ``ties="expected"``, the first and the last rank that each judged item can have, as
        ``rank``; else None.
    retrieved
        Documents retrieved for every judged query, without those removed.
    answered
        Which of the judged queries were answered, perhaps with an empty list.
    extra
        The queries answered that are not judged.
    duplicates, unjudged
        Rows of judged queries removed because their document was there already, or is not judged.
    strangers
        If no judged item was found, some documents that the run retrieved; else none.
    pool
        The query index and doc_id of each retrieved document, when asked for.
    documents
        The codes of the documents retrieved for judged queries, by query and rank; empty unless
        asked for.
    own
        Rows of judged queries removed because their document has the id of the query.
    one_score
        Judged queries with several documents, all of one score.
    own_first
        Judged queries whose first document has the id of the query, and is not judged.
    excluded
        Rows of judged queries removed because the user excludes their document.
    respelled
        A document and the relevant one that was not found, of which it is another spelling; or ().
    n_tied, largest_tie
        With ``ties="expected"``, the documents retrieved that share their score with another one
        of their query, and how many share the score that most have.
    n_flat
        With ``ties="expected"``, lists of ten documents or more that all have one score.
    """

    name: str
    rank: np.ndarray
    tied: TiedItems
    retrieved: np.ndarray
    answered: np.ndarray
    extra: list[str]
    duplicates: int = 0
    unjudged: int = 0
    strangers: list[str] = field(default_factory=list)
    pool: pl.DataFrame | None = None
    documents: np.ndarray = field(default_factory=lambda: _NO_DOCUMENTS)
    own: int = 0
    one_score: int = 0
    own_first: int = 0
    excluded: int = 0
    respelled: tuple[str, ...] = ()
    spans: np.ndarray | None = None
    n_tied: int = 0
    largest_tie: int = 0
    n_flat: int = 0


def rank_judged(
    part: one_run.RunPart,
    judged: JudgedItems,
    policies: Policies,
    *,
    pool: bool = False,
    codes: pl.Series | None = None,
    into: np.ndarray | None = None,
) -> RunRanks:
    """Rank the judged documents of one run.

    ``codes``, a column of categories for all runs, asks for the documents and numbers them. The
    ranks are written ``into`` an array of `no_ranks`, if pieces of one run share it.
    """
    is_piece = into is not None
    into = no_ranks(judged, policies) if into is None else into
    if part.rows.is_empty():
        return _retrieved_nothing(part, judged, policies, into)
    ties, n_queries = policies.ties, len(judged.queries)
    rows, duplicate = _sort_rows(part, judged.query_index, policies)
    retrieved = rows.retrieved(n_queries)
    answered, extra = _answered(part, judged.query_index, retrieved, rows.extra)
    own = rows.are_own(judged) if policies.exclude_self else np.zeros(0, bool)
    rows, excluded = _drop_rows(rows, own), np.zeros(0, bool)
    if policies.exclude is not None:
        excluded = rows.are_among(policies.exclude.rows, judged)
        rows = _drop_rows(rows, excluded)
    retrieved = rows.retrieved(n_queries)
    hit, item = rows.find(judged)
    own_first = rows.n_own_first(judged, hit)
    strangers = [] if len(hit) else _some_documents(rows, judged)
    if policies.unjudged == "remove":
        stays = judged.is_judged[item]
        rows, item = rows.take(hit[stays]), item[stays]
        hit = np.arange(len(item))
    kept = rows.retrieved(n_queries)
    first = rows.first_of_query(hit)
    tied = rows.ties(hit)
    places, counts = [_hit_places(rows, hit, tied, ties)], (0, 0, 0)
    unjudged = int(retrieved.sum() - kept.sum())
    if ties == "expected":
        places += [tied.first, tied.last]
        counts = rows.tied_documents(n_queries, policies.depth)
    ranks = np.stack(places) - first + 1
    if policies.depth is not None:
        ranks[0, ranks[0] > policies.depth] = 0
        if ties == "expected":  # the last ranks stay: a group may begin within the depth
            ranks[1:, ranks[1] > policies.depth] = 0
        kept = np.minimum(kept, policies.depth)
    for of_items, of_hits in zip(into, ranks, strict=True):
        of_items[item] = of_hits
    missing = judged.varying[into[0, judged.varying] == 0]
    if is_piece:  # only of its own requests: at this moment other pieces write other ranks
        missing = missing[(retrieved > 0)[judged.query[missing]]]
    return RunRanks(
        part.name,
        into[0],
        TiedItems.find(tied, first, item, judged, policies.depth),
        kept,
        answered,
        extra,
        duplicate,
        unjudged,
        strangers,
        _pool(rows, judged, policies) if pool else None,
        _NO_DOCUMENTS if codes is None else _ranked_documents(rows, n_queries, ties, codes),
        int(own.sum()),
        rows.n_of_one_score(n_queries),
        own_first,
        int(excluded.sum()),
        _respelled(rows, judged, missing),
        into[1:] if ties == "expected" else None,
        *counts,
    )


def _drop_rows(rows: Rows, are_out: np.ndarray) -> Rows:
    return rows.take(np.flatnonzero(~are_out)) if are_out.any() else rows


def _sort_rows(part: one_run.RunPart, queries: QueryIndex, policies: Policies) -> tuple[Rows, int]:
    """Return the rows by query and score, each document once, and the number of removed rows.

    ``queries`` are the wanted ones, with their numbers, in order. Equal scores are not in order
    yet, see `_hit_places`.
    """
    ties = policies.ties
    if ties == "rank":
        _refuse_missing_ranks(part)
    rows = Rows.encode(part, queries, policies.score_type, rank=ties == "rank")
    rows, duplicate = rows.sort_rows(stable=ties in ("input", "rank")), 0
    if not part.distinct and rows.has_twins():
        rows, duplicate = _drop_twins(rows, part, policies, len(queries))
    if ties == "rank":
        _refuse_repeated_ranks(rows, queries, part.where)
    return rows, duplicate


@dataclass(frozen=True)
class RunList:
    """The documents of one run, by query and rank.

    Attributes
    ----------
    documents
        The codes of the documents.
    retrieved
        The number of documents of each query.
    answered
        Which queries were answered, perhaps with an empty list.
    extra
        The queries answered that are not among those asked for.
    duplicates
        Rows removed because their document was there already.
    """

    name: str
    documents: np.ndarray
    retrieved: np.ndarray
    answered: np.ndarray
    extra: list[str]
    duplicates: int


def list_documents(
    part: one_run.RunPart, queries: pl.Series, policies: Policies, codes: pl.Series
) -> RunList:
    """Rank all documents of one run for some queries, which are sorted.

    ``codes``, a column of categories for all runs, numbers the documents.
    """
    documents, duplicates, found = _NO_DOCUMENTS, 0, []
    number = QueryIndex(queries)
    retrieved = np.zeros(len(queries), np.int64)
    if part.rows.height:
        rows, duplicates = _sort_rows(part, number, policies)
        documents = _ranked_documents(rows, len(queries), policies.ties, codes)
        retrieved, found = rows.retrieved(len(queries)), rows.extra
    answered, extra = _answered(part, number, retrieved, found)
    return RunList(part.name, documents, retrieved, answered, extra, duplicates)


def _pool(rows: Rows, judged: JudgedItems, policies: Policies) -> pl.DataFrame:
    """Return query and document of the rows of judged queries that are, or may be, in the depth."""
    if policies.depth is None:
        return rows.documents(judged)
    everything, ties = np.arange(len(rows.query)), policies.ties
    place = rows.ties(everything).first if ties == "expected" else _row_places(rows, ties)
    is_within = place - rows.first_of_query(everything) < policies.depth
    return rows.take(np.flatnonzero(is_within)).documents(judged)


def _retrieved_nothing(
    part: one_run.RunPart, judged: JudgedItems, policies: Policies, into: np.ndarray
) -> RunRanks:
    nothing = np.zeros(len(judged.queries), np.int64)
    answered, extra = _answered(part, judged.query_index, nothing, [])
    tied = TiedItems(*np.empty((3, 0), np.int64))
    spans = into[1:] if policies.ties == "expected" else None
    return RunRanks(part.name, into[0], tied, nothing, answered, extra, spans=spans)


def no_ranks(judged: JudgedItems, policies: Policies) -> np.ndarray:
    """Return zeros to write ranks of the judged items into.

    With ``ties="expected"`` two rows follow for the first and the last rank that each can have.
    """
    return np.zeros((3 if policies.ties == "expected" else 1, judged.items.height), RANKS)


def _answered(
    part: one_run.RunPart, queries: Mapping[str, int], retrieved: np.ndarray, extra: list[str]
) -> tuple[np.ndarray, list[str]]:
    """Return which judged queries were answered, even by an empty list, and which other queries."""
    answered = retrieved > 0
    if part.empty:
        answered[[queries[query] for query in part.empty if query in queries]] = True
        extra = list({*extra, *part.empty} - queries.keys())
    return answered, extra


def _respelled(rows: Rows, judged: JudgedItems, missing: np.ndarray) -> tuple[str, ...]:
    """Return the first document that is a missing item but for its spelling, and that item."""
    missing = missing[:: len(missing) // _ENOUGH + 1]
    starts = rows.edges[:-1][np.isin(rows.query[rows.edges[:-1]], judged.query[missing])]
    row = np.unique(np.minimum(starts[:, None] + np.arange(_ENOUGH), len(rows.query) - 1))
    items = coded.strings_of(coded.gathered(judged.items["doc_id"], missing)).to_list()
    asked = {(q, _plain(item)): item for q, item in zip(judged.query[missing], items, strict=True)}
    found = zip(rows.query[row].tolist(), rows.ids(row).to_list(), strict=True)
    pairs = ((name, asked.get((query, _plain(name)), name)) for query, name in found)
    return next((pair for pair in pairs if pair[0] != pair[1]), ())


def _plain(name: str) -> str:
    """Return an id with composed letters, and without escapes of addresses and underscores."""
    name = unquote(name).replace("_", " ")
    if name.isascii():
        return name
    from unicodedata import normalize  # its tables are loaded only for such ids

    return normalize("NFC", name)


def _some_documents(rows: Rows, judged: JudgedItems) -> list[str]:
    documents = rows.documents(judged)["doc_id"].unique(maintain_order=True)
    return documents.head(_ENOUGH_TO_COMPARE).to_list()


def _ranked_documents(rows: Rows, n_queries: int, ties: Ties, codes: pl.Series) -> np.ndarray:
    """Return the documents of the first ``n_queries`` queries in the order of query and rank."""
    documents = np.empty(len(rows.query), _NO_DOCUMENTS.dtype)
    numbers = coded.map_distinct(rows.doc_id, lambda ids: ids.cast(codes.dtype).to_physical())
    documents[_row_places(rows, ties)] = numbers.to_numpy()
    is_judged = rows.query < n_queries
    return documents[is_judged][np.argsort(rows.query[is_judged], kind="stable")]


def _row_places(rows: Rows, ties: Ties) -> np.ndarray:
    """Return the places of all rows once equal scores are put in order."""
    everything = np.arange(len(rows.query))
    return _hit_places(rows, everything, rows.ties(everything), ties)


def _hit_places(rows: Rows, hit: np.ndarray, groups: Blocks, ties: Ties) -> np.ndarray:
    """Return the places of the rows ``hit`` (ascending) once equal scores are put in order.

    Mostly a group has a few of these rows. Then the documents before each are counted, which takes
    a tenth of the time of sorting the group.
    """
    place = hit.copy()
    if ties == "input":
        return place
    tied = np.flatnonzero(groups.block >= 0)
    block = groups.block[tied]  # ascending, as the rows are
    blocks = block[coded.begins(block)]
    if groups.sizes[block].sum() <= _FEW * groups.sizes[blocks].sum():
        place[tied] = groups.first[tied] + _n_before(rows, hit[tied], groups, block, ties)
        return place
    members = groups.members(blocks)
    place_of_member = np.empty_like(members)
    of_block = np.repeat(blocks, groups.sizes[blocks])
    place_of_member[_tie_order(rows, members, of_block, ties)] = members
    place[tied] = place_of_member[np.searchsorted(members, hit[tied])]
    return place


def _n_before(
    rows: Rows, hit: np.ndarray, groups: Blocks, block: np.ndarray, ties: Ties
) -> np.ndarray:
    """Count the rows that are before each row ``hit`` in its block, by the tie policy."""
    sizes = groups.sizes[block]
    members, own = groups.members(block), np.repeat(hit, sizes)
    if rows.rank is not None:
        is_before = rows.rank[members] < rows.rank[own]
    else:
        ids, own_ids = (rows.ids(row) for row in (members, own))
        is_before = (ids < own_ids if ties == "doc_id_asc" else ids > own_ids).to_numpy()
    n_before = np.concatenate([[0], np.cumsum(is_before)])
    ends = np.cumsum(sizes)
    return np.asarray(n_before[ends] - n_before[ends - sizes])


def _tie_order(rows: Rows, members: np.ndarray, block: np.ndarray, ties: Ties) -> np.ndarray:
    """Return the indices of the rows ``members`` by block and, within it, by the tie policy."""
    if rows.rank is not None:
        return np.lexsort((rows.rank[members], block))
    doc_id = rows.ids(members)
    tied = pl.DataFrame({"block": block, "doc_id": doc_id})
    order = pl.arg_sort_by("block", "doc_id", descending=[False, ties != "doc_id_asc"])
    return tied.select(order).to_series().to_numpy()


def _drop_twins(
    rows: Rows, part: one_run.RunPart, policies: Policies, n_judged: int
) -> tuple[Rows, int]:
    """Keep the best-ranked row of each document, or raise for a document that is there twice.

    ``rows`` are in order, but for equal scores. Removed rows are counted in the first ``n_judged``
    queries: later ones are not judged.
    """
    keys = pl.DataFrame({"query": rows.query, "doc_id": rows.doc_id}).with_row_index("row")
    twins = keys.filter(pl.struct("query", "doc_id").is_duplicated())
    if not twins.height:
        return rows, 0
    if policies.duplicates == "error":
        if part.doubts:  # its advice comes first: the other one would merge several systems
            raise SchemaError(part.doubts[0])
        raise problems.repeated_document(part.rows, part.where, part.places, part.unread)
    ordered = rows.take(np.argsort(_row_places(rows, policies.ties)))
    keys = pl.DataFrame({"query": ordered.query, "doc_id": ordered.doc_id})
    best = keys.select(pl.struct("query", "doc_id").is_first_distinct()).to_series()
    removed = ordered.query[~best.to_numpy()]
    return ordered.take(best.arg_true().to_numpy()), int(np.count_nonzero(removed < n_judged))


def _refuse_missing_ranks(part: one_run.RunPart) -> None:
    if "rank" not in part.rows.columns:
        raise SchemaError(
            f"{part.where}: ties='rank' needs a column of whole ranks, found none; "
            "ties='doc_id_desc' needs none"
        )
    without = part.rows.filter(pl.col("rank").is_null())
    if without.height:
        first = without.row(0, named=True)
        raise SchemaError(
            f"{part.where}: ties='rank' needs the rank of every document, and that of "
            f"{first['doc_id']!r} for query {first['query_id']!r} is null ({without.height} such "
            "rows in all); fill in the ranks, or use another policy, such as ties='doc_id_desc'"
        )


def _refuse_repeated_ranks(rows: Rows, queries: Mapping[str, int], where: str) -> None:
    columns = {"query": rows.query, "doc_id": rows.doc_id, "rank": rows.rank}
    ranked = pl.DataFrame(columns).filter(pl.col("query") < len(queries))
    alike = ranked.filter(pl.struct("query", "rank").is_duplicated())
    if alike.height:
        first = alike.row(0, named=True)
        of_first = (pl.col("query") == first["query"]) & (pl.col("rank") == first["rank"])
        one, other = alike.filter(of_first)["doc_id"].head(2)
        raise SchemaError(
            f"{where}: ties='rank' needs ranks that differ within a query, and {one!r} and "
            f"{other!r} for query {[*queries][first['query']]!r} both have the rank "
            f"{first['rank']} ({alike.height} such rows in all); correct the ranks, or use "
            "another policy, such as ties='doc_id_desc'"
        )
