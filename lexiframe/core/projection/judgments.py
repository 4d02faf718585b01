"""The judged items, with an index that finds them among the rows of a run."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, hashing
from lexiframe.core.io import column_forms, qrel_files
from lexiframe.core.projection.lookup import HashIndex, QueryIndex, hash_keys
from lexiframe.core.projection.policies import Policies

T = TypeVar("T")
_VARIES = "[^A-Za-z0-9.~-]"


@dataclass(frozen=True)
class JudgedItems:
    """The items whose ranks are looked up: one row for each, sorted by query and document.

    Attributes
    ----------
    items
        query_id, doc_id, relevance, and is_relevant.
    judgments
        A row for every iteration (subtopic) that a document was judged for: item (its row in
        ``items``, -1 if the document is not there), iteration, relevance and is_relevant.
    queries
        The judged queries, sorted, also those without a relevant item.
    complete
        Whether judged items that are not relevant are included.
    repeated
        The number of judgments removed because the same document has another judgment.
    own
        The number of judged documents left out because they have the id of their query.
    excluded
        The number of other judged documents left out because the user excludes them.
    query
        For each item the index of its query in ``queries``.
    index
        Finds items by their query and the hash of document and query.
    documents
        The document of each item, as categories if the judgments have them.
    left_out
        The documents that are judged and not relevant, if ``items`` are without them.
    sha256
        The checksum of the bytes that were read from a file, when asked for.
    kept
        What was made of the judgments alone, where runs come one after the other: see `once`.
    """

    items: pl.DataFrame
    judgments: pl.DataFrame
    queries: pl.Series
    complete: bool
    repeated: int
    own: int
    excluded: int
    query: np.ndarray
    index: HashIndex
    documents: pl.Series
    left_out: pl.Series
    sha256: str | None = None
    kept: dict[Hashable, Any] | None = None

    def once(self, what: Hashable, make: Callable[[], T]) -> T:
        """Return a value that follows from the judgments alone; where it is kept, it is made once.

        It is kept for callers that rank one run after the other by equal options; for other callers
        it would hold memory for nothing.
        """
        if self.kept is None:
            return make()
        if what not in self.kept:
            self.kept[what] = make()
        return cast(T, self.kept[what])

    @cached_property
    def query_index(self) -> QueryIndex:
        """The index of each query in ``queries``."""
        return QueryIndex(self.queries)

    @cached_property
    def hashes(self) -> np.ndarray:
        """A hash of the judgments of each query, independent of their order."""
        rows = self.judgments.filter(pl.col("item") >= 0)
        item = rows["item"].to_numpy()
        documents, document = coded.encode(self.documents)
        iterations, iteration = coded.encode(rows["iteration"])
        state = hashing.mixed(hashing.hashes_of(documents)[document[item]])
        state = hashing.mixed(state + hashing.hashes_of(iterations)[iteration])
        state = hashing.mixed(state + hashing.bits_of(rows["relevance"]))
        by_query = np.zeros(len(self.queries), np.uint64)
        np.add.at(by_query, self.query[item], state)
        return by_query

    @cached_property
    def is_relevant(self) -> np.ndarray:
        """Which items are relevant."""
        return self.items["is_relevant"].to_numpy()

    @cached_property
    def varying(self) -> np.ndarray:
        """The relevant items whose ids have letters or signs that vary in spelling."""
        may_vary = coded.map_distinct(self.documents, lambda ids: ids.str.contains(_VARIES))
        return np.flatnonzero(self.is_relevant & may_vary.to_numpy())

    @cached_property
    def is_judged(self) -> np.ndarray:
        """Which items were judged; a negative grade means pooled, but unjudged."""
        return np.asarray(self.items["relevance"].to_numpy() >= 0)

    @cached_property
    def n_judged(self) -> np.ndarray:
        """The number of items of each query; non-relevant ones are there only if ``complete``."""
        return np.bincount(self.query, minlength=len(self.queries))

    @cached_property
    def n_relevant(self) -> np.ndarray:
        """The number of relevant items of each query."""
        if self.is_relevant.all():
            return self.n_judged
        return np.bincount(self.query[self.is_relevant], minlength=len(self.queries))


def judged_items(
    qrels: Any,
    policies: Policies,
    *,
    nonrelevant: bool = False,
    hashed: bool = False,
    are_part: bool = False,
) -> JudgedItems:
    """Return the relevant items of qrels, and with ``nonrelevant`` all judged ones.

    The grade of a document is its greatest grade over all iterations. ``hashed`` asks for the
    sha256 of a file. Qrels from `qrel_files.load_qrels` are not checked again. Qrels without a
    relevant document are an error, unless they are a part of the judgments only (``are_part``).
    """
    is_read = isinstance(qrels, qrel_files.Judgments)
    judged = qrels if is_read else qrel_files.load_qrels(qrels, hashed=hashed)
    rows, repeated = judged.rows, 0
    if rows.is_empty():
        raise LexiframeError("qrels: expected judgments, found no rows")
    queries, query, items, number = _judged_documents(rows)
    if items.height < rows.height:  # a document was judged again, or in another iteration
        rows, repeated = qrel_files.distinct_judgments(judged, policies.duplicates)
    if repeated:
        queries, query, items, number = _judged_documents(rows)
    own = pl.repeat(value=False, n=items.height, eager=True)
    if policies.exclude_self:
        own = items["doc_id"].cast(pl.String) == items["query_id"].cast(pl.String)
    out = own if policies.exclude is None else own | _are_among(policies.exclude.rows, items)
    is_relevant = _is_relevant(items["relevance"], policies.rel) & ~out
    if not (is_relevant.any() or are_part):
        raise nothing_relevant(float(items["relevance"].max()), policies.rel)  # type: ignore[arg-type]
    kept = (is_relevant | nonrelevant) & ~out
    items = items.with_columns(is_relevant=is_relevant)
    left_out = coded.strings_of(items["doc_id"].filter(~kept & ~own))
    if not kept.all():
        items, query = items.filter(kept), query[kept.to_numpy()]
        number = np.where(kept, kept.cum_sum().cast(pl.Int64) - 1, -1)[number]
    judgments = rows.select(
        "iteration",
        "relevance",
        item=number,
        is_relevant=_is_relevant(rows["relevance"], policies.rel),
    )
    documents = items["doc_id"]
    return JudgedItems(
        items.with_columns(coded.strings_of(documents)),
        judgments,
        queries,
        complete=nonrelevant,
        repeated=repeated,
        own=int(own.sum()),
        excluded=int((out & ~own).sum()),
        query=query,
        index=HashIndex.build(hash_keys(documents, query), query),
        documents=documents,
        left_out=left_out,
        sha256=judged.sha256,
    )


def _are_among(excluded: pl.DataFrame, items: pl.DataFrame) -> pl.Series:
    """Return which items are among the documents that the user excludes."""
    keys = items.select(pl.col("query_id", "doc_id").cast(pl.String))
    marked = excluded.with_columns(is_out=True)
    found = keys.join(marked, on=keys.columns, how="left", maintain_order="left")
    return found["is_out"].is_not_null()


def _judged_documents(
    rows: pl.DataFrame,
) -> tuple[pl.Series, np.ndarray, pl.DataFrame, np.ndarray]:
    """Return each judged document of a query once, sorted by both, with its greatest grade.

    Returns the sorted queries; the index of each document's query; the documents as rows, with the
    categories that judgments have; and for each judgment the row of its document.
    """
    queries, query = coded.encode(rows["query_id"])
    order = _order_of(query, rows["doc_id"])
    query, documents = query[order], coded.gathered(rows["doc_id"], order)
    is_first, compared = coded.begins(query), coded.physical(documents)
    is_first[1:] |= (compared[1:] != compared[:-1]).to_numpy()
    grade = rows["relevance"].to_numpy()[order]
    number = np.empty_like(order)
    if is_first.all():  # as mostly: then no judgment is put together with another one
        number[order] = np.arange(len(order))
    else:
        number[order] = is_first.cumsum() - 1
        query, documents = query[is_first], documents.filter(is_first)
        grade = np.maximum.reduceat(grade, np.flatnonzero(is_first))
    columns = {
        "query_id": coded.gathered(queries, query),
        "doc_id": documents,
        "relevance": grade,
    }
    return queries, query, pl.DataFrame(columns), number


def _order_of(query: np.ndarray, doc_id: pl.Series) -> np.ndarray:
    """Return the rows in the order of query and document.

    Numbers are sorted. Strings are not given numbers first, which takes twice as long as Polars
    takes to sort them: judgments are mostly in order, or at least by query, which Polars notices.
    """
    if isinstance(doc_id.dtype, pl.Enum):
        return coded.order_of(query, coded.encode(doc_id)[1])
    rows = pl.DataFrame({"query": query, "document": doc_id}).with_row_index("row")
    order: np.ndarray = rows.sort("query", "document")["row"].cast(pl.Int64).to_numpy()
    return order


def _is_relevant(grade: pl.Series, rel: float | None) -> pl.Series:
    return grade > 0 if rel is None else grade >= rel


def nothing_relevant(greatest: float, rel: float | None) -> LexiframeError:
    """Return the error for judgments without a relevant document, given their greatest grade."""
    least = "a positive grade" if rel is None else f"a grade of {rel:g} or more"
    # Scores that are logarithms are all below 0, and no grades are.
    advice = f"; {column_forms.RIGHT_ORDER}" if greatest < 0 else ""
    return LexiframeError(
        f"qrels: expected some documents with {least}, found {greatest:g} as the greatest grade"
        f"{advice}"
    )
