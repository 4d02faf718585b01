"""The rank of every judged item in a run: the only place where ties are broken.

A run's documents are ordered by score, descending, and among equal scores by the tie policy. Most
files are already in order, and only the ranks of the judged items are wanted, so a file is sorted
only when it is not, and of the groups of equal scores only those that hold such an item are put
in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.errors import SchemaError
from lexiframe.io.parts import RunPart
from lexiframe.positions.judged import Duplicates, JudgedItems
from lexiframe.positions.lookup import hash_keys

Ties = Literal["doc_id_desc", "doc_id_asc", "input", "rank"]
ScoreType = Literal["float64", "float32"]


@dataclass(frozen=True)
class RunRanks:
    """What one run did for the judged queries.

    Attributes
    ----------
    rank
        Of every judged item; 0 when it was not retrieved.
    retrieved
        Documents retrieved for every judged query.
    extra
        The queries answered that are not judged.
    duplicates
        Rows removed because their document was there already.
    pool
        Query index and doc_id of what was retrieved, when asked for.
    """

    name: str
    rank: np.ndarray
    retrieved: np.ndarray
    extra: list[str]
    duplicates: int
    pool: pl.DataFrame | None


def rank_judged(
    part: RunPart,
    judged: JudgedItems,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: Duplicates = "error",
    *,
    pool: bool = False,
) -> RunRanks:
    """Rank the judged documents of one run.

    Raises
    ------
    SchemaError
        For a document that is twice in one ranking (unless ``duplicates="best"``), and for
        ``ties="rank"`` without a column of whole ranks.
    """
    if part.rows.is_empty():
        return _retrieved_nothing(part.name, judged)
    rows = _Rows.of(part, judged, score_type)
    removed = 0
    if rows.has_twins():
        rows, removed = rows.without_twins(part, ties, duplicates)
    rows = rows.in_order(ties)
    hit, item = rows.find(judged)
    rank = np.zeros(judged.items.height, np.int64)
    rank[item] = rows.place(hit, ties, part.where) - rows.first_of_query(hit) + 1
    n_queries = len(judged.queries)
    retrieved = np.bincount(rows.query, minlength=n_queries)[:n_queries]
    return RunRanks(
        part.name,
        rank,
        retrieved,
        rows.extra,
        removed,
        rows.pool(judged) if pool else None,
    )


def _retrieved_nothing(name: str, judged: JudgedItems) -> RunRanks:
    rank = np.zeros(judged.items.height, np.int64)
    return RunRanks(name, rank, np.zeros(len(judged.queries), np.int64), [], 0, None)


@dataclass(frozen=True)
class _Rows:
    """A run's rows as columns: the query's index (the extra ones follow), document, score."""

    query: np.ndarray
    doc_id: pl.Series
    score: np.ndarray
    rank: np.ndarray | None
    hashes: np.ndarray
    extra: list[str]

    @classmethod
    def of(cls, part: RunPart, judged: JudgedItems, score_type: ScoreType) -> _Rows:
        query, extra = _query_codes(part.rows["query_id"], judged.queries)
        with np.errstate(over="ignore"):  # what a float32 cannot hold is infinite, as in C
            score = part.rows["score"].to_numpy().astype(score_type, copy=False)
        rank = part.rows["rank"].to_numpy() if "rank" in part.rows.columns else None
        doc_id = part.rows["doc_id"]
        return cls(query, doc_id, score, rank, hash_keys(doc_id, query), extra)

    def take(self, index: Any) -> _Rows:
        rank = None if self.rank is None else self.rank[index]
        return _Rows(
            self.query[index],
            self.doc_id.gather(index),
            self.score[index],
            rank,
            self.hashes[index],
            self.extra,
        )

    def in_order(self, ties: Ties) -> _Rows:
        """Order by query and by score, descending; what ties stays as it is where that matters."""
        query, score = self.query, self.score
        same = query[1:] == query[:-1]
        if np.all(~same | (score[1:] <= score[:-1])):
            starts = np.append(0, np.flatnonzero(~same) + 1)
            if len(np.unique(query[starts])) == len(starts):
                return self
        by_id = ties in ("doc_id_desc", "doc_id_asc")
        by_score = np.argsort(-score, kind=None if by_id else "stable")
        small = query.astype(np.min_scalar_type(query.max(initial=0)))
        return self.take(by_score[np.argsort(small[by_score], kind="stable")])

    def first_of_query(self, hit: np.ndarray) -> np.ndarray:
        """For each of the rows ``hit`` the first row of its query."""
        edges = _edges(self.query[1:] != self.query[:-1])
        return np.asarray(edges[_block(edges, hit)])

    def find(self, judged: JudgedItems) -> tuple[np.ndarray, np.ndarray]:
        """Give the rows that hold a judged document, and which judged item it is."""
        hit, item = judged.index.find(self.hashes)
        same = (self.doc_id.gather(hit) == judged.items["doc_id"].gather(item)).to_numpy()
        same &= self.query[hit] == judged.query[item]
        return hit[same], item[same]

    def place(self, hit: np.ndarray, ties: Ties, where: str) -> np.ndarray:
        """Give the places of the rows ``hit``, ascending, when equal scores are put in order."""
        if ties == "input":
            return hit
        edges = _edges((self.query[1:] != self.query[:-1]) | (self.score[1:] != self.score[:-1]))
        block = _block(edges, hit)
        tied = edges[block + 1] - edges[block] > 1
        blocks = np.unique(block[tied])
        sizes = edges[blocks + 1] - edges[blocks]
        shift = np.repeat(edges[blocks] - np.cumsum(sizes) + sizes, sizes)
        members = np.arange(len(shift)) + shift
        ordered = self._tie_order(members, np.repeat(blocks, sizes), ties, where)
        place_of_member = np.empty_like(members)
        place_of_member[np.searchsorted(members, ordered)] = members
        place = hit.copy()
        place[tied] = place_of_member[np.searchsorted(members, hit[tied])]
        return place

    def _tie_order(
        self, members: np.ndarray, block: np.ndarray, ties: Ties, where: str
    ) -> np.ndarray:
        """Put the rows ``members`` in the order of the tie policy within their blocks."""
        if ties == "rank":
            if self.rank is None:
                raise SchemaError(f"{where}: ties='rank' needs a column of whole ranks, found none")
            return members[np.lexsort((self.rank[members], block))]
        tied = pl.DataFrame({"block": block, "doc_id": self.doc_id.gather(members), "row": members})
        descending = [False, ties == "doc_id_desc"]
        return tied.sort("block", "doc_id", descending=descending)["row"].to_numpy()

    def has_twins(self) -> bool:
        """Tell whether two rows have one hash, as two rows of one document in one query have."""
        ordered = np.sort(self.hashes)
        return bool((ordered[1:] == ordered[:-1]).any())

    def without_twins(self, part: RunPart, ties: Ties, duplicates: Duplicates) -> tuple[_Rows, int]:
        """Keep the best-ranked row of each document, or refuse a document that is there twice."""
        keys = pl.DataFrame({"query": self.query, "doc_id": self.doc_id}).with_row_index("row")
        twins = keys.filter(pl.struct("query", "doc_id").is_duplicated())
        if not twins.height:
            return self, 0
        if duplicates == "error":
            first = twins.row(0, named=True)
            of_first = (pl.col("query") == first["query"]) & (pl.col("doc_id") == first["doc_id"])
            places = " and ".join(str(row + 1) for row in twins.filter(of_first)["row"])
            query_id = part.rows["query_id"][first["row"]]
            raise SchemaError(
                f"{part.where}: the document {first['doc_id']!r} is more than once in the ranking "
                f"for query {query_id!r} (rows {places}); mend the run, or keep the best-ranked "
                "one with duplicates='best'"
            )
        ordered = self.in_order(ties)
        everything = np.arange(len(ordered.query))
        place = ordered.place(everything, ties, part.where)
        ordered = ordered.take(np.argsort(place))
        keys = pl.DataFrame({"query": ordered.query, "doc_id": ordered.doc_id})
        best = keys.select(pl.struct("query", "doc_id").is_first_distinct()).to_series()
        return ordered.take(best.arg_true().to_numpy()), int(len(best) - best.sum())

    def pool(self, judged: JudgedItems) -> pl.DataFrame:
        """Give the documents that the run retrieved for judged queries."""
        rows = pl.DataFrame({"query": self.query, "doc_id": self.doc_id})
        return rows.filter(pl.col("query") < len(judged.queries))


def _query_codes(query_id: pl.Series, queries: pl.Series) -> tuple[np.ndarray, list[str]]:
    """Give each row's index into ``queries``, and the ids that are not there: they follow."""
    stretches = query_id.rle().struct.unnest()
    distinct = pl.Categorical(pl.Categories.random())
    coded = stretches["value"].cast(distinct).to_physical().to_numpy()
    some_stretch = np.zeros(int(coded.max()) + 1, np.int64)
    some_stretch[coded] = np.arange(len(coded))
    known = {name: code for code, name in enumerate(queries)}
    names = stretches["value"].gather(some_stretch)
    codes = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
    return np.repeat(codes[coded], stretches["len"].to_numpy()), list(known)[len(queries) :]


def _edges(differs: np.ndarray) -> np.ndarray:
    """Where blocks of equal rows begin and the last ends: ``differs`` says which rows end one."""
    return np.concatenate([[0], np.flatnonzero(differs) + 1, [len(differs) + 1]])


def _block(edges: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Give the number of the block that each row is in."""
    return np.searchsorted(edges, rows, side="right") - 1
