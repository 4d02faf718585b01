"""The lists of runs over a catalogue: which item each run recommends at which rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from lexiframe.core.base import LexiframeError, hashing, warn
from lexiframe.core.metrics import Metric, Rankings, needed
from lexiframe.core.projection import Policies, judgments, whole_lists
from lexiframe.decide.beyond.items import Items

_REQUESTS = 20_000
"""How many requests are looked at at once: their distributions over categories are in memory."""


OF_ITEMS = (
    "needs the items of a catalogue: say items=, what lexiframe.read_items returns; or ask "
    "lexiframe.list_scores or lexiframe.catalogue for it"
)
"""Where the measures of this feature are, which judgments do not tell."""


@dataclass(frozen=True, eq=False, repr=False)
class OfItems(Metric):
    """A metric of lists over a catalogue; ``smaller_is_better`` says the direction.

    ``asked_of`` is the function that has its values.
    """

    smaller_is_better: bool = field(default=False, kw_only=True)  # type: ignore[misc]

    needs: ClassVar[str] = needed.ITEMS
    elsewhere: ClassVar[str] = OF_ITEMS
    quotes: ClassVar[bool] = False
    asked_of: ClassVar[str]

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Raise: rankings of relevant items say nothing of a catalogue."""
        raise LexiframeError(
            f"{self}: needs the items of a catalogue; use "
            f"lexiframe.{self.asked_of}(runs, measures, items)"
        )


@dataclass(frozen=True)
class Past:
    """The interactions of some requests in the history, an element of each array for one of them.

    ``request`` and ``item`` are numbers, sorted by both, and ``row`` the place in the history.
    """

    request: np.ndarray
    item: np.ndarray
    row: np.ndarray

    @classmethod
    def find(cls, queries: pl.Series, history: pl.DataFrame) -> Past:
        """Find the interactions of requests in a history that is sorted by request and item."""
        ids = history["query_id"].rle().struct.unnest()
        n = ids["len"].to_numpy().astype(np.int64)
        place = ids["value"].search_sorted(queries).to_numpy().astype(np.int64)
        known = ids["value"].gather(np.minimum(place, len(n) - 1)) if len(n) else queries.clear()
        is_known = (known == queries).to_numpy() if len(n) else np.zeros(len(queries), bool)
        request, place = np.flatnonzero(is_known), place[is_known]
        many = n[place]
        first = (n.cumsum() - n)[place]
        row = np.arange(many.sum()) + np.repeat(first - (many.cumsum() - many), many)
        return cls(np.repeat(request, many), history["item"].to_numpy()[row], row)

    def of_requests(self, first: int, last: int) -> Past:
        """Return the interactions of some requests, with numbers from 0."""
        here = slice(*np.searchsorted(self.request, [first, last]))
        return Past(self.request[here] - first, self.item[here], self.row[here])


def matrix_of(
    values: np.ndarray, item: np.ndarray, lengths: np.ndarray, n_items: int
) -> sparse.csr_array:
    """Return requests × items with values of items that stand request by request."""
    ends = np.concatenate([[0], lengths.cumsum()]).astype(np.int64)
    return sparse.csr_array((values, item, ends), shape=(len(lengths), n_items))


def are_among(values: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return which values are among some that are sorted."""
    if not len(some):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(some, values), len(some) - 1)
    return np.asarray(some[place] == values)


@dataclass(frozen=True)
class Lists:
    """The first documents of one run, an element of each array for one of them, by request.

    Attributes
    ----------
    name
        The name of the run.
    request, item, rank
        The numbers of the request and of the item, and the rank from 1.
    queries
        The requests, sorted.
    items
        The catalogue.
    relevant
        The relevant items of all requests as numbers request · items + item, sorted; or None.
    past
        What the users of these requests had before, or None.
    others
        The lists of all runs by name, one of which may be a baseline.
    cutoff
        The greatest rank that is there.
    """

    name: str
    request: np.ndarray
    item: np.ndarray
    rank: np.ndarray
    queries: pl.Series
    items: Items
    relevant: np.ndarray | None
    past: Past | None
    others: dict[str, Lists]
    cutoff: int | None = None

    def cut(self, k: int | None) -> Lists:
        """Return the first k documents of each list."""
        if k == self.cutoff:
            return self
        kept = slice(None) if k is None else np.flatnonzero(self.rank <= k)
        arrays = (self.request[kept], self.item[kept], self.rank[kept])
        return replace(self, request=arrays[0], item=arrays[1], rank=arrays[2], cutoff=k)

    def blocks(self) -> Iterator[Lists]:
        """Yield the lists of blocks of requests, with numbers of requests from 0."""
        for first in range(0, len(self.queries), _REQUESTS):
            queries = self.queries.slice(first, _REQUESTS)
            edges = np.searchsorted(self.request, [first, first + len(queries)])
            here = slice(*edges)
            relevant = self.relevant
            if relevant is not None:
                least = first * len(self.items)
                ends = np.searchsorted(relevant, [least, least + len(queries) * len(self.items)])
                relevant = relevant[slice(*ends)] - least
            past = self.past and self.past.of_requests(first, first + len(queries))
            yield replace(
                self, request=self.request[here] - first, item=self.item[here],
                rank=self.rank[here], queries=queries, relevant=relevant, past=past,
            )  # fmt: skip

    @property
    def n_requests(self) -> int:
        """How many requests there are."""
        return len(self.queries)

    def of_requests(self, chosen: np.ndarray) -> Lists:
        """Return the lists of the chosen requests."""
        number = chosen.cumsum() - 1
        kept = chosen[self.request]
        return replace(
            self, request=number[self.request[kept]], item=self.item[kept], rank=self.rank[kept],
            queries=self.queries.filter(chosen), relevant=None, past=None, others={},
        )  # fmt: skip

    @cached_property
    def length(self) -> np.ndarray:
        """How many documents each list has."""
        return np.bincount(self.request, minlength=len(self.queries)).astype(np.float64)

    @cached_property
    def key(self) -> np.ndarray:
        """One number for each request and item."""
        return np.asarray(self.request * len(self.items) + self.item)

    def mean(self, of_item: np.ndarray) -> np.ndarray:
        """Return the mean of a number of each item over each list; NaN for an empty list."""
        total = np.bincount(self.request, of_item[self.item], len(self.queries))
        with np.errstate(invalid="ignore"):
            return np.asarray(total / self.length)

    def sums(self, of_item: Any) -> np.ndarray:
        """Return requests × columns: the sums over each list of rows of items × columns."""
        found = (
            matrix_of(np.ones(len(self.item)), self.item, self.length, len(self.items)) @ of_item
        )
        return found.toarray() if sparse.issparse(found) else np.asarray(found)

    def grid(self, chosen: np.ndarray) -> np.ndarray:
        """Return requests × places: the chosen ones of a list's items in order, then −1."""
        at = np.flatnonzero(chosen[self.item])
        request = self.request[at]
        n = np.bincount(request, minlength=len(self.queries))
        place = np.arange(len(at)) - np.repeat(n.cumsum() - n, n)
        grid = np.full((len(self.queries), int(n.max(initial=0))), -1)
        grid[request, place] = self.item[at]
        return grid


def lists_of(
    runs: Any,
    items: Items,
    policies: Policies,
    qrels: Any = None,
    *,
    cutoff: int | None = None,
    is_reported: bool = False,
) -> list[Lists]:
    """Return the lists of each run, sorted by name, up to the greatest cut-off.

    The requests come from the judgments, or are all that a run answers. Warn of documents in the
    user's history and, unless this ``is_reported`` otherwise, of missing rankings.
    """
    ranked, lists = ranked_and_lists(runs, items, policies, qrels, cutoff)
    if not is_reported:
        whole_lists.warn_of_lists(ranked)
    warn_of_doubts(Doubts.look(ranked, lists, len(items)), len(items))
    return lists


def ranked_and_lists(
    runs: Any, items: Items, policies: Policies, qrels: Any, cutoff: int | None
) -> tuple[whole_lists.RankedLists, list[Lists]]:
    """Return the rankings of all runs, and their lists: see `lists_of`. Nothing is warned of."""
    judged = None if qrels is None else judgments.judged_items(qrels, policies, nonrelevant=True)
    ranked = whole_lists.ranked_lists(runs, policies, judged=judged)
    found = [_arrays_of(run, cutoff) for run in ranked.runs]
    number = np.zeros(max(d.max(initial=0) for _, d, _ in found) + 1, np.int64)  # codes are dense
    for _, document, _ in found:
        number[document] = 1
    codes = pl.Series(np.flatnonzero(number))
    ids = ranked.ids(codes.to_numpy())
    items, number[codes] = _places_of(items, ids, codes, ranked.names, found)
    relevant = None if judged is None else _relevant_keys(judged, items)
    past = None if items.history is None else Past.find(ranked.queries, items.history)
    others: dict[str, Lists] = {}
    for name, (request, document, rank) in zip(ranked.names, found, strict=True):
        others[name] = Lists(
            name, request, number[document], rank, ranked.queries, items, relevant, past, others,
            cutoff,
        )  # fmt: skip
    return ranked, [*others.values()]


_CANDIDATES, _OF_ITEMS = 0.95, 10
"""Sampled candidates: in so many requests all runs have the same items, and these are fewer than
one in ten of the catalogue."""


class Doubts(NamedTuple):
    """Numbers of faulty lists; the numbers of several parts may be added up.

    ``known`` counts the items of each run that the user's history has already; ``answered`` the
    requests with a list, and ``same`` those of them in which all runs rank the same few candidates.
    """

    known: dict[str, int]
    answered: int
    same: int

    @classmethod
    def look(cls, ranked: whole_lists.RankedLists, lists: Sequence[Lists], n_items: int) -> Doubts:
        """Look at the lists of runs."""
        past = lists[0].past if lists else None
        known = np.array([]) if past is None else past.request * len(lists[0].items) + past.item
        counts = {one.name: int(are_among(one.key, known).sum()) for one in lists}
        answered = ranked.lengths.max(axis=0, initial=0) > 0
        if len(ranked.runs) < 2:
            return cls(counts, int(answered.sum()), 0)
        marks = []
        for run, lengths in zip(ranked.runs, ranked.lengths, strict=True):
            request = np.repeat(np.arange(len(lengths)), lengths)
            sets = np.zeros(len(lengths), np.uint64)
            np.add.at(sets, request, hashing.mixed(run.documents.astype(np.uint64)))
            marks.append(sets)
        few = ranked.lengths[0] * _OF_ITEMS < n_items
        same = (np.array(marks) == marks[0]).all(axis=0)
        same &= (ranked.lengths == ranked.lengths[0]).all(axis=0) & few & answered
        return cls(counts, int(answered.sum()), int(same.sum()))


def warn_of_doubts(doubts: Doubts, n_items: int) -> None:
    """Warn when runs seem to rank sampled candidates, and of items that the user had before."""
    share = doubts.same / doubts.answered if doubts.answered else 0.0
    if share >= _CANDIDATES:
        warn(
            f"all runs rank the same items in {share:.0%} of the requests, fewer than a tenth of "
            f"the {n_items:,} in the catalogue: with sampled candidates a measure with a cut-off "
            "is another one, and may order runs otherwise than whole rankings do (Krichene and "
            "Rendle 2020); rank all items, or compare by AUC"
        )
    if total := sum(doubts.known.values()):
        said = ", ".join(f"{name} {n:,}" for name, n in doubts.known.items() if n)
        warn(f"recommended items that the user's history has already: {total:,} ({said})")


def _arrays_of(run: Any, cutoff: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return request, code of the document, and rank of the first documents of a run."""
    n = run.retrieved
    request = np.repeat(np.arange(len(n)), n)
    rank = np.arange(1, len(request) + 1) - np.repeat(n.cumsum() - n, n)
    kept = slice(None) if cutoff is None else np.flatnonzero(rank <= cutoff)
    return request[kept], run.documents[kept], rank[kept]


def _places_of(
    items: Items, ids: pl.Series, codes: pl.Series, names: list[str], found: list[Any]
) -> tuple[Items, np.ndarray]:
    """Return the number of the item of each code; an error counts each run's strange documents."""
    try:
        return items.places_of(ids, "runs")
    except LexiframeError as error:
        new = codes.filter(~ids.is_in(items.ids.implode())).to_numpy()
        rows = zip(names, found, strict=True)
        counts = [f"{name} {int(np.isin(of, new).sum()):,}" for name, (_, of, _) in rows]
        raise LexiframeError(f"{error} (rows: {', '.join(counts[:10])})") from None


def _relevant_keys(judged: Any, items: Items) -> np.ndarray:
    table = judged.items.filter("is_relevant").select(pl.col("query_id", "doc_id").cast(pl.String))
    table = table.filter(table["doc_id"].is_in(items.ids.implode()))
    queries = judged.queries.cast(pl.String)
    request = queries.search_sorted(table["query_id"]).to_numpy().astype(np.int64)
    item = items.ids.search_sorted(table["doc_id"]).to_numpy().astype(np.int64)
    return np.sort(request * len(items) + item)
