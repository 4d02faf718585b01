"""The judged items that runs are projected onto, indexed so that a run's rows find theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.io.qrels import distinct_judgments, load_qrels
from lexiframe.positions.lookup import HashIndex, hash_keys
from lexiframe.positions.policies import Policies


@dataclass(frozen=True)
class JudgedItems:
    """The items whose ranks are wanted, a row each, sorted by query and document.

    Attributes
    ----------
    items
        query_id, doc_id, relevance, and is_relevant.
    judgments
        query_id, iteration, doc_id, relevance, and is_relevant: a row for every subtopic that a
        document was judged for, of all documents.
    queries
        The judged queries, sorted, also those without a relevant item.
    complete
        Whether the items that are not relevant are there too.
    repeated
        Judgments removed because there is another of the same document.
    query
        For each item the index of its query in ``queries``.
    index
        Finds items by the hash of document and query.
    """

    items: pl.DataFrame
    judgments: pl.DataFrame
    queries: pl.Series
    complete: bool
    repeated: int
    query: np.ndarray
    index: HashIndex

    @property
    def is_relevant(self) -> np.ndarray:
        """Which items are relevant."""
        return self.items["is_relevant"].to_numpy()

    @property
    def is_judged(self) -> np.ndarray:
        """Which items were looked at: a negative grade says pooled, but unjudged."""
        return np.asarray(self.items["relevance"].to_numpy() >= 0)

    @property
    def n_judged(self) -> np.ndarray:
        """The number of items of each query that were looked at."""
        return np.bincount(self.query, self.is_judged, len(self.queries)).astype(np.int64)

    @property
    def n_relevant(self) -> np.ndarray:
        """The number of relevant items of each query."""
        return np.bincount(self.query, self.is_relevant, len(self.queries)).astype(np.int64)


def judged_items(qrels: Any, policies: Policies, *, nonrelevant: bool = False) -> JudgedItems:
    """Take the relevant items of qrels, and on request the others that were judged.

    A document has one grade, over all iterations the greatest.

    Raises
    ------
    SchemaError
        For a document judged twice in one iteration of a query (unless ``duplicates="best"``).
    LexiframeError
        When no document is relevant.
    """
    judged, repeated = distinct_judgments(load_qrels(qrels), policies.duplicates)
    rel = policies.rel
    relevant = pl.col("relevance") > 0 if rel is None else pl.col("relevance") >= rel
    items = (
        judged.group_by("query_id", "doc_id")
        .agg(pl.col("relevance").max())
        .sort("query_id", "doc_id")
        .with_columns(is_relevant=relevant)
    )
    if not items["is_relevant"].any():
        if judged.is_empty():
            raise LexiframeError("qrels: expected judgments, found no rows")
        grades = ", ".join(f"{grade:g}" for grade in items["relevance"].unique().sort().head(5))
        least = "a positive grade" if rel is None else f"a grade of {rel:g} or more"
        raise LexiframeError(
            f"qrels: expected some documents with {least}, found the grades {grades}"
        )
    queries = items["query_id"].unique().sort()
    items = items if nonrelevant else items.filter("is_relevant")
    query = queries.search_sorted(items["query_id"]).to_numpy().astype(np.int64)
    index = HashIndex.of(hash_keys(items["doc_id"], query))
    judgments = judged.with_columns(is_relevant=relevant)
    return JudgedItems(items, judgments, queries, nonrelevant, repeated, query, index)
