"""Measures of single lists: how new, different, varied, fitting and unpopular their items are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
import polars as pl
from scipy import sparse

from lexiframe.core.base import LexiframeError, unknown_name
from lexiframe.core.metrics import metric_parameters
from lexiframe.decide.beyond.distributions import entropy, jensen_shannon, kullback_leibler, shares
from lexiframe.decide.beyond.lists import Lists, OfItems, Past, are_among, matrix_of

Number, Word = metric_parameters.Number, metric_parameters.Word


@dataclass(frozen=True, eq=False, repr=False)
class ListMetric(OfItems):
    """μ = a function of `Lists`, and of the metric's parameters by keyword; NaN says nothing."""

    function: Callable[..., np.ndarray]

    kind: ClassVar[str] = "list"
    asked_of: ClassVar[str] = "list_scores"
    of_no_relevant: ClassVar[float | None] = None

    def of_lists(self, lists: Lists) -> np.ndarray:
        """Return the value of each list of a run; only its first k documents count."""
        keywords = self.keywords(self.function)
        cut = lists.cut(self.cutoff)
        return np.concatenate([self.function(block, **keywords) for block in cut.blocks()])


def novelty(lists: Lists) -> np.ndarray:
    """mean_L −log₂(max(1, users)/n_users)."""
    users = lists.items.needed("users", "Novelty")
    return lists.mean(np.log2(lists.items.n_users / np.maximum(users, 1)))


def past_of(lists: Lists, measure: str) -> Past:
    """Return the users' history; raise if the items lack it."""
    lists.items.needed("history", measure)
    return cast(Past, lists.past)


def mean_popularity(lists: Lists) -> np.ndarray:
    """mean_L users."""
    return lists.mean(lists.items.needed("users", "ARP"))


def popularity_lift(lists: Lists) -> np.ndarray:
    """(ARP − mean users of the history) / the latter."""
    users = lists.items.needed("users", "PopularityLift")
    past = past_of(lists, "PopularityLift")
    n = np.bincount(past.request, minlength=len(lists.queries))
    with np.errstate(invalid="ignore", divide="ignore"):
        before = np.bincount(past.request, users[past.item], len(lists.queries)) / n
        lift = (lists.mean(users) - before) / before
    return np.where(before > 0, lift, np.nan)


def tail_share(lists: Lists, *, head: float) -> np.ndarray:
    """The share of L in the long tail."""
    return lists.mean(lists.items.tail(head).astype(np.float64))


def category_entropy(lists: Lists) -> np.ndarray:
    """−Σ q log₂ q of the distribution q of the list over categories."""
    return entropy(shares(lists.sums(lists.items.shares())))


def miscalibration(lists: Lists, *, divergence: str, alpha: float, weight: str) -> np.ndarray:
    """The divergence of the distributions of the history, p, and of the list, q."""
    of_item = lists.items.shares()
    past, history = past_of(lists, "Miscalibration"), lists.items.needed("history", "it")
    weights = np.ones(len(past.row))
    if weight != "none":
        numbers = history.drop("query_id", "item")
        if weight not in numbers.columns:
            raise unknown_name("column of the history", weight, numbers.columns)
        weights = numbers[weight].cast(pl.Float64, strict=False).to_numpy()[past.row]
        wrong = past.row[~(np.isfinite(weights) & (weights >= 0))]
        if len(wrong):
            found = numbers[weight][int(wrong[0])]
            raise LexiframeError(
                f"Miscalibration(weight={weight}): expected weights of 0 or more in the history, "
                f"found {found}"
            )
    n = np.bincount(past.request, minlength=len(lists.queries))
    p = shares((matrix_of(weights, past.item, n, len(lists.items)) @ of_item).toarray())
    q = shares(lists.sums(of_item))
    known = ~np.isnan(p[:, :1] + q[:, :1])
    p, q = (np.where(known, x, 0.0) for x in (p, q))
    is_kl = divergence == "kl"
    value = kullback_leibler(p, q, alpha=alpha) if is_kl else jensen_shannon(p, q)
    return np.where(known[:, 0], value, np.nan)


def serendipity(lists: Lists, *, baseline: str, cutoff: int) -> np.ndarray:
    """#(relevant, not in the baseline's first k) / k."""
    if lists.relevant is None:
        raise LexiframeError("Serendipity: needs judgments that say what is relevant; give qrels=")
    found = are_among(lists.key, lists.relevant)
    known = _in_popular(lists, cutoff) if baseline == "popular" else _in_run(lists, baseline)
    counts = np.bincount(lists.request[found & ~known], minlength=len(lists.queries))
    return counts / cutoff


def _in_popular(lists: Lists, k: int) -> np.ndarray:
    """Return the items among the k that most users had, not counting the user's own history.

    An item of the user's history is never among them; for any other item, more popular items count
    that the user has not had.
    """
    place = lists.items.by_popularity
    n = len(lists.items)
    had = np.zeros(0, np.int64)
    if lists.past is not None:
        had = np.sort(lists.past.request * n + place[lists.past.item])
    own = lists.request * n + place[lists.item]
    above = np.searchsorted(had, own) - np.searchsorted(had, lists.request * n)
    is_had = are_among(own, had)
    return np.asarray(~is_had & (place[lists.item] - above < k))


def _in_run(lists: Lists, name: str) -> np.ndarray:
    """Return which items are in the list of another run for the request, of the same length."""
    if name not in lists.others:
        raise unknown_name("run", name, sorted(lists.others))
    other = lists.others[name].cut(lists.cutoff)
    known = dict(zip(other.queries.to_list(), range(len(other.queries)), strict=True))
    first = known[lists.queries[0]] if len(lists.queries) else 0  # of a block of requests
    shift = first * len(lists.items)
    return are_among(lists.key + shift, np.sort(other.key))


def diversity(lists: Lists, *, distance: str, of: str) -> np.ndarray:
    """The mean distance over the pairs of L."""
    items, by_category = lists.items, distance == "jaccard" or of == "categories"
    if distance == "cosine" and items.vectors is None and items.categories is not None:
        by_category = True
    values = items.needed("categories" if by_category else "vector", "ILD")
    if distance == "cosine":
        return _cosine(lists, values if by_category else np.nan_to_num(values))
    dense = values.toarray() if by_category else values
    return (_jaccard if distance == "jaccard" else _hamming)(lists, dense)


def _cosine(lists: Lists, vectors: Any) -> np.ndarray:
    """1 − (|Σ u|² − v) / (v (v − 1)), of the v vectors u of length 1; one of length 0 is none."""
    length = np.sqrt((vectors * vectors).sum(axis=1))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    v = np.bincount(lists.request, length[lists.item] > 0, len(lists.queries))
    total = (lists.sums(sparse.diags_array(scale) @ vectors) ** 2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(v > 1, np.maximum(1 - (total - v) / (v * (v - 1)), 0.0), np.nan)


def _mean_over_pairs(lists: Lists, has: np.ndarray, distance: Callable[..., Any]) -> np.ndarray:
    grid = lists.grid(has)
    total, n = np.zeros(len(grid)), np.zeros(len(grid))
    for lag in range(1, grid.shape[1]):  # how far apart two items of a list stand
        row, place = np.nonzero(grid[:, lag:] >= 0)
        total += np.bincount(row, distance(grid[row, place], grid[row, place + lag]), len(grid))
        n += np.bincount(row, minlength=len(grid))
    with np.errstate(invalid="ignore"):
        return np.asarray(total / n)


def _jaccard(lists: Lists, categories: np.ndarray) -> np.ndarray:
    """1 − |A ∩ B| / |A ∪ B| of the sets of categories."""
    bits = np.packbits(categories > 0, axis=1)
    size = np.count_nonzero(categories, axis=1)

    def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        both = np.bitwise_count(bits[a] & bits[b]).sum(axis=1, dtype=np.int64)
        return np.asarray(1 - both / (size[a] + size[b] - both))

    return _mean_over_pairs(lists, size > 0, distance)


def _hamming(lists: Lists, vectors: np.ndarray) -> np.ndarray:
    """The share of components that differ."""
    has = ~np.isnan(vectors).any(axis=1)
    return _mean_over_pairs(lists, has, lambda a, b: (vectors[a] != vectors[b]).mean(axis=1))
