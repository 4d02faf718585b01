"""A run's rows as columns of codes, from which ranks are found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.io import one_run
from lexiframe.core.projection.judgments import JudgedItems
from lexiframe.core.projection.lookup import QueryIndex, has_repeated, hash_keys

_SEEN = 1000
"""The first ids, among which one is mostly repeated where the rows lie in another order."""
_STEPS = 48
"""The most bits of a score that are sorted: the product of two floats has no more than 53."""


_LONG = 10
"""A list of so many documents of one score is one that the scores were lost of."""


@dataclass(frozen=True)
class Rows:
    """The query, document and score of each row, with its rank if the rows have ranks.

    ``query`` is an index among the judged queries; ``extra`` has the other queries, whose indices
    follow. ``hashes`` are those of query and document together.
    """

    query: np.ndarray
    doc_id: pl.Series
    score: np.ndarray
    rank: np.ndarray | None
    hashes: np.ndarray
    extra: list[str]

    @classmethod
    def encode(
        cls, part: one_run.RunPart, queries: QueryIndex, score_type: str, *, rank: bool
    ) -> Rows:
        """Encode a run that has rows; with ``rank``, its column of ranks must have no nulls."""
        query, extra = _query_codes(part.rows["query_id"], queries)
        with np.errstate(over="ignore"):  # as in C, scores beyond float32 are infinite
            score = part.rows["score"].to_numpy().astype(score_type, copy=False)
        ranks = part.rows["rank"].to_numpy() if rank else None
        doc_id = part.rows["doc_id"]
        return cls(query, doc_id, score, ranks, hash_keys(doc_id, query), extra)

    def take(self, index: np.ndarray) -> Rows:
        """Return the rows of an index, in its order."""
        rank = None if self.rank is None else self.rank.take(index)
        return Rows(
            self.query.take(index),
            coded.gathered(self.doc_id, index),
            self.score.take(index),
            rank,
            self.hashes.take(index),
            self.extra,
        )

    def sort_rows(self, *, stable: bool) -> Rows:
        """Sort by query, and by descending score; ``stable`` keeps the order of equal scores."""
        if self.are_together and _falls(self.score, self.edges):
            return self
        order = _order_by_steps(self.query, self.score)
        if order is not None:
            ordered = self.take(order)
            if _falls(ordered.score, ordered.edges):  # mostly: else the steps were too coarse
                return ordered
        by_score = np.argsort(-self.score, kind="stable" if stable else None)
        # NumPy's stable sort of integers of up to 16 bits is a radix sort, which is much faster
        small = self.query.astype(np.min_scalar_type(self.query.max(initial=0)))
        return self.take(by_score[np.argsort(small[by_score], kind="stable")])

    @cached_property
    def edges(self) -> np.ndarray:
        """The first row of each stretch of one query, and the number of rows behind them."""
        edges = _edges_of(self.query[1:] != self.query[:-1])
        return edges if len(self.query) else edges[:1]

    @cached_property
    def are_together(self) -> bool:
        """Whether the rows of each query follow each other."""
        return bool(np.bincount(self.query[self.edges[:-1]]).max(initial=0) <= 1)

    def retrieved(self, n_queries: int) -> np.ndarray:
        """Count the rows of each of the ``n_queries`` judged queries."""
        starts, sizes = self.edges[:-1], np.diff(self.edges)
        counts = np.bincount(self.query[starts], sizes, n_queries)[:n_queries]
        return counts.astype(np.int64)

    def n_of_one_score(self, n_queries: int) -> int:
        """Count the judged queries that have several rows, all of one score; rows are in order."""
        first, last = self.edges[:-1], self.edges[1:] - 1
        is_constant = (self.score[first] == self.score[last]) & (first < last)
        return int(np.count_nonzero(is_constant & (self.query[first] < n_queries)))

    def are_own(self, judged: JudgedItems) -> np.ndarray:
        """Return which rows of judged queries have a document with the id of their query."""
        is_judged = self.query < len(judged.queries)
        own = judged.queries.gather(np.where(is_judged, self.query, 0))
        same = (coded.strings_of(self.doc_id) == own.cast(pl.String)).to_numpy()
        return np.asarray(is_judged & same)

    def n_own_first(self, judged: JudgedItems, hit: np.ndarray) -> int:
        """Count the judged queries whose first document has their id, and is not among ``hit``.

        These rows are ascending. Where several documents share the greatest score, none is first.
        """
        first, end = self.edges[:-1], self.edges[1:]
        is_alone = (end - first == 1) | (
            self.score[first] != self.score[np.minimum(first + 1, end - 1)]
        )
        is_hit = np.searchsorted(hit, first, side="right") > np.searchsorted(hit, first)
        first = first[is_alone & (self.query[first] < len(judged.queries)) & ~is_hit]
        own = judged.queries.gather(self.query[first]).cast(pl.String)
        return int((self.ids(first) == own).sum())

    def are_among(self, excluded: pl.DataFrame, judged: JudgedItems) -> np.ndarray:
        """Return which rows of judged queries have a document that the user excludes."""
        query = judged.query_index.find(excluded["query_id"])
        those = pl.DataFrame({"query": query, "doc_id": excluded["doc_id"]}).filter(query >= 0)
        hashes = hash_keys(those["doc_id"], those["query"].to_numpy())
        maybe = np.flatnonzero(np.isin(self.hashes, hashes))
        found = pl.DataFrame({"query": self.query[maybe], "doc_id": self.ids(maybe), "row": maybe})
        are_out = np.zeros(len(self.query), bool)
        are_out[found.join(those, on=["query", "doc_id"], how="semi")["row"].to_numpy()] = True
        return are_out

    def find(self, judged: JudgedItems) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows that contain a judged document, and the index of that judged item."""
        hit, item = judged.index.find(self.hashes, self.query)
        found = self.ids(hit)
        same = (found == coded.gathered(judged.items["doc_id"], item)).to_numpy()
        same &= self.query.take(hit) == judged.query.take(item)
        return hit[same], item[same]

    def ids(self, rows: np.ndarray) -> pl.Series:
        """Return the documents of some rows as strings."""
        return coded.strings_of(coded.gathered(self.doc_id, rows))

    def first_of_query(self, hit: np.ndarray) -> np.ndarray:
        """Return, for each of the rows ``hit``, the first row of its query."""
        return np.asarray(self.edges[np.searchsorted(self.edges, hit, side="right") - 1])

    def ties(self, hit: np.ndarray) -> Blocks:
        """Return the groups of equal scores, and to which of them the rows ``hit`` belong."""
        is_as_next = self.score[1:] == self.score[:-1]
        is_as_next[self.edges[1:-1] - 1] = False
        return Blocks.find(is_as_next, hit)

    def tied_documents(self, n_queries: int, depth: int | None) -> tuple[int, int, int]:
        """Count the rows of judged queries in groups of equal scores, and the largest group's.

        Groups that begin below a depth do not count, and of the others the rows down to it. The
        third number is that of lists of `_LONG` documents or more, all of one score.
        """
        groups = self.ties(np.empty(0, np.int64))
        first = groups.start - self.first_of_query(groups.start)
        counted = self.query[groups.start] < n_queries
        rows = sizes = groups.sizes
        if depth is not None:
            counted &= first < depth
            rows = np.minimum(sizes, depth - first)
        largest = sizes[counted].max(initial=min(len(self.query), 1))
        lists = np.searchsorted(self.edges, groups.start, side="right") - 1
        is_whole = counted & (sizes == np.diff(self.edges)[lists]) & (sizes >= _LONG)
        return int(rows[counted].sum()), int(largest), int(is_whole.sum())

    def has_twins(self) -> bool:
        """Return whether two rows have equal hashes, like two rows of one document in a query."""
        edges = self.edges if self.are_together else np.array([0, len(self.hashes)])
        return has_repeated(self.hashes, edges)

    def documents(self, judged: JudgedItems) -> pl.DataFrame:
        """Return query and document of the rows of judged queries."""
        rows = pl.DataFrame({"query": self.query, "doc_id": coded.strings_of(self.doc_id)})
        return rows.filter(pl.col("query") < len(judged.queries))


@dataclass(frozen=True)
class Blocks:
    """Blocks of two or more consecutive rows, and the block to which each of some rows belongs.

    Attributes
    ----------
    start, end
        The first and the last row of each block.
    rows, block
        Some rows, and the number of the block of each; -1 for a row that is in none.
    """

    start: np.ndarray
    end: np.ndarray
    rows: np.ndarray
    block: np.ndarray

    @classmethod
    def find(cls, is_as_next: np.ndarray, rows: np.ndarray) -> Blocks:
        """Return the blocks of ``rows``, given for each row but the last if the next one is alike.

        Examples
        --------
        >>> blocks = Blocks.find(np.array([True, False, False]), np.arange(4))
        >>> blocks.block.tolist(), blocks.first.tolist(), blocks.last.tolist()
        ([0, 0, -1, -1], [0, 0, 2, 3], [1, 1, 2, 3])
        """
        changes = np.flatnonzero(np.diff(is_as_next, prepend=False, append=False))
        start, end = changes[::2], changes[1::2]
        block = np.searchsorted(start, rows, side="right") - 1
        if len(start):
            block[rows > end[block]] = -1
        return cls(start, end, rows, block)

    @cached_property
    def first(self) -> np.ndarray:
        """The first row of the block of each of the rows, which is the row itself in no block."""
        return self._block_values(self.start)

    @cached_property
    def last(self) -> np.ndarray:
        """The last row of the block of each of the rows, which is the row itself in no block."""
        return self._block_values(self.end)

    def _block_values(self, edge: np.ndarray) -> np.ndarray:
        found = self.rows.copy()
        is_tied = self.block >= 0
        found[is_tied] = edge[self.block[is_tied]]
        return found

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of rows of every block."""
        return np.asarray(self.end - self.start + 1)

    def members(self, blocks: np.ndarray) -> np.ndarray:
        """Return all rows of some blocks, one block after the other."""
        sizes = self.sizes[blocks]
        shift = np.repeat(self.start[blocks] - np.cumsum(sizes) + sizes, sizes)
        return np.asarray(np.arange(len(shift)) + shift)


def _edges_of(ends: np.ndarray) -> np.ndarray:
    """Return the edges of blocks; ``ends`` marks the rows, except the last, that end one."""
    return np.concatenate([[0], np.flatnonzero(ends) + 1, [len(ends) + 1]])


def _falls(score: np.ndarray, edges: np.ndarray) -> bool:
    """Return whether no score between two edges is greater than the one before it."""
    falls = score[1:] <= score[:-1]
    falls[edges[1:-1] - 1] = True
    return bool(falls.all())


def _order_by_steps(query: np.ndarray, score: np.ndarray) -> np.ndarray | None:
    """Return the rows by query and descending score; equal scores keep their order.

    Query, score and row are sorted as one integer, in half the time of sorting the scores. So
    scores are rounded to steps, for which query and row leave room. That may be too coarse:
    different scores become equal, and may be in the wrong order, which the caller checks. The
    result is None where no steps can be made at all.
    """
    taken = int(query.max()).bit_length() + len(query).bit_length()
    n_steps = 1 << max(min(_STEPS, 63 - taken), 0)
    best, least = float(score.max()), float(score.min())
    steps_of_one = (n_steps - 1) / (best - least) if least < best else 0.0
    if not 0 < steps_of_one < np.inf:  # all scores are equal, or too far apart or too near
        return None
    step = (best - score.astype(np.float64)) * steps_of_one
    return coded.order_of(query, step.astype(np.int64))


def _query_codes(query_id: pl.Series, queries: QueryIndex) -> tuple[np.ndarray, list[str]]:
    """Return each row's index among ``queries``, and the ids that are not there: they follow."""
    n_rows, numbers = len(query_id), coded.physical(query_id)
    is_new = numbers.slice(1) != numbers.slice(0, n_rows - 1)
    starts = is_new.arg_true().to_numpy()  # of few that are true, faster than an array of all
    edges = np.concatenate([[0], starts.astype(np.int64) + 1, [n_rows]])
    are_scattered = 2 * len(edges) > n_rows
    if are_scattered:
        ids = query_id
    else:
        ids, numbers = (coded.gathered(column, edges[:-1]) for column in (query_id, numbers))
    known = numbers.head(_SEEN), numbers  # of rows in another order, the first ones suffice to tell
    if all(some.n_unique() == len(some) for some in known):  # as mostly
        names, code = ids.cast(pl.String), np.arange(len(ids))
    else:
        names, code = coded.encode(ids)
    index = queries.find(names)
    is_extra = index < 0
    index[is_extra] = len(queries) + np.arange(np.count_nonzero(is_extra))
    extra = names.filter(pl.Series(is_extra)).to_list()
    codes = index[code]
    return codes if are_scattered else np.repeat(codes, np.diff(edges)), extra
