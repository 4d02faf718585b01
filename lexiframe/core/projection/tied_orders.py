"""Groups of equal scores, all of whose orders are equally likely, and the chances of ranks in them.

A group has t documents, r of which are relevant. All numbers are sums and products of positive
terms, so that no digits cancel; they agree with exact fractions within 1e-13 up to t = 100,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError

_KEPT = 1024
"""Tables of so many groups are kept; one has at most `_CELLS` numbers."""
_CELLS = 2**13


def no_closed_form(what: Any) -> LexiframeError:
    """Return the error for a measure that can only be sampled over tied orders."""
    return LexiframeError(
        f"{what} has no closed form over tied orders; choose an order (ties=) or lf.tie_spread"
    )


def refuse_expected(ties: str, what: Any) -> None:
    """Raise where ties are expected, for a measure or function of whole lists."""
    if ties == "expected":
        raise no_closed_form(what)


def count_chances(t: int, r: int, k: np.ndarray) -> np.ndarray:
    """Return P(h of the first k ranks are relevant), the hypergeometric distribution: k × (r + 1).

    The terms are built from the greatest one outwards by their ratios, and divided by their sum:
    binomial coefficients of large groups are beyond float64, and their logarithms lose digits.

    Examples
    --------
    >>> count_chances(4, 2, np.array([1, 2])).round(4).tolist()
    [[0.5, 0.5, 0.0], [0.1667, 0.6667, 0.1667]]
    """
    k = k[:, None].astype(np.float64)
    h = np.arange(r, dtype=np.float64)
    mode = np.clip(np.floor((r + 1) * (k + 1) / (t + 2)), np.maximum(0, k - (t - r)), k)
    rises = (r - h) * (k - h), (h + 1) * (t - r - k + h + 1)
    return _from_greatest(*rises, h < mode)


def found_chances(first: np.ndarray, last: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Return P(c items are found down to the limit) of each ranking: c × rankings."""
    chances = np.zeros((len(first) + 1, len(limit)))
    chances[(last <= limit).sum(axis=0), np.arange(len(limit))] = 1
    divided = (first <= limit) & (limit < last)
    for ranking in np.flatnonzero(divided.any(axis=0)):  # at most one group of a ranking
        start, r = int(divided[:, ranking].argmax()), int(divided[:, ranking].sum())
        before = int(first[start, ranking]) - 1
        t, seen = int(last[start, ranking]) - before, int(limit[ranking]) - before
        chances[:, ranking] = 0
        of = count_chances(t, r, np.array([seen]))[0]
        chances[start : start + r + 1, ranking] = of
    return chances


def _from_greatest(up: np.ndarray, down: np.ndarray, is_below: np.ndarray) -> np.ndarray:
    """Return distributions, one a row, from the ratios ``up / down`` of each term to the next.

    ``is_below`` says which terms are before the greatest one; negative factors are beyond an end.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(is_below, 1.0, np.maximum(up, 0) / down)
        below = np.where(is_below, np.maximum(down, 0) / up, 1.0)
    one = np.ones((len(is_below), 1))
    terms = np.concatenate([one, above.cumprod(axis=1)], axis=1)
    terms *= np.concatenate([below[:, ::-1].cumprod(axis=1)[:, ::-1], one], axis=1)
    return np.asarray(terms / terms.sum(axis=1, keepdims=True))


def level_chances(t: int, r: int, levels: np.ndarray) -> np.ndarray:
    """Return P(the j-th relevant document of a group has its rank x): levels j × t, from 1 each.

    It is C(x − 1, j − 1) C(t − x, r − j) / C(t, r).

    Examples
    --------
    >>> level_chances(3, 2, np.array([1, 2])).round(4).tolist()
    [[0.6667, 0.3333, 0.0], [0.0, 0.3333, 0.6667]]
    """
    j, x = levels[:, None].astype(np.float64), np.arange(1.0, t)
    mode = np.clip(np.floor((j - 1) * t / max(r - 1, 1)) + 1, j, t - r + j)
    return _from_greatest(x * (t - x - r + j), (x - j + 1) * (t - x), x < mode)


def kept_chances(t: int, r: int, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Return P(p_j = x) and P(p_j > x) of the levels first < j ≤ last of a group: levels × t.

    Those of small groups are kept, as many rankings have groups of the same sizes.
    """
    if t * r > _CELLS:
        return _chances_and_later(t, r, first, last)
    chances, later = _of_small_groups(t, r, 0, r)
    return chances[first:last], later[first:last]


def _chances_and_later(t: int, r: int, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    chances = level_chances(t, r, np.arange(first + 1, last + 1))
    later = 1 - chances.cumsum(axis=1)
    later[:, -1] = 0
    return chances, later


_of_small_groups = lru_cache(_KEPT)(_chances_and_later)


NEVER = 1 << 62
"""Stands for the ranks of an item that cannot be retrieved; no rank is as large."""


@dataclass(frozen=True)
class TiedItems:
    """The relevant items of some requests in every run, with their groups of equal scores.

    Attributes
    ----------
    first, last
        The first and the last rank of the group of each item, or `NEVER`: levels × runs × requests.
    limit
        The last rank that counts: runs × requests. A group may go on behind it.
    imputed
        Whether items that were not retrieved have imputed ranks.
    kept
        What was found of these requests, by measure, if it is kept for a second look.
    """

    first: np.ndarray
    last: np.ndarray
    limit: np.ndarray
    imputed: bool
    kept: dict[Any, Any] | None = None

    @property
    def are_tied(self) -> np.ndarray:
        """Whether a relevant item shares its score with another document: runs × requests."""
        return np.asarray((self.first < self.last).any(axis=0))

    def only(self, requests: np.ndarray) -> TiedItems:
        """Return the items of some of the requests."""
        first, last, limit = (of[..., requests] for of in (self.first, self.last, self.limit))
        return TiedItems(first, last, limit, self.imputed)

    def counted(self, are_counted: np.ndarray | None, cutoff: int | None) -> TiedItems:
        """Return some items in the order of their groups, and the last rank that counts.

        Items that do not count, or cannot be retrieved down to the cut-off, are `NEVER` found.
        """
        limit = self.limit if cutoff is None else np.minimum(self.limit, cutoff)
        found = self.first <= limit
        if are_counted is not None:
            found &= are_counted
        spans = (np.where(found, ranks, NEVER) for ranks in (self.first, self.last))
        first, last = (np.sort(ranks, axis=0) for ranks in spans)  # groups do not overlap
        return TiedItems(first, last, limit, self.imputed)


@dataclass(frozen=True)
class TiedSpans:
    """The ranks of the items of all requests, as `matrices.Requests` lays them out.

    ``spans`` is 2 × runs × recall levels; ``limit`` is runs × requests.
    """

    spans: np.ndarray
    limit: np.ndarray
    imputed: bool
    kept: dict[bytes, dict[Any, Any]] | None = None

    @classmethod
    def lay_out(
        cls, table: pl.DataFrame, cell: np.ndarray, ranking: np.ndarray, *shapes: tuple[int, int]
    ) -> TiedSpans:
        """Put rows of positions into cells: the one before the first level of each row's ranking.

        ``ranking`` is the number of the ranking of each row, ``shapes`` are those of the levels and
        of the rankings, runs × requests.
        """
        spans = np.full((2, shapes[0][0] * shapes[0][1]), NEVER)
        is_relevant = table["level"].is_not_null().to_numpy()
        rows = table.filter(is_relevant).select("level", "tied_from", "tied_to", "n_retrieved")
        level, *ends, depth = (rows[name].fill_null(NEVER).to_numpy() for name in rows.columns)
        spans[:, cell[is_relevant] + level] = np.stack(ends)
        limit = np.zeros(shapes[1][0] * shapes[1][1], np.int64)
        limit[ranking] = table["n_retrieved"].to_numpy()
        imputed = "corpus_size" in table.columns
        if imputed:  # imputed ranks count, unless those of a group that the depth divides do not
            is_divided = (ends[0] <= depth) & (depth < ends[1])
            whole = np.ones(len(limit), bool)
            whole[ranking[is_relevant][is_divided]] = False
            limit[whole] = NEVER - 1
        return cls(spans.reshape(2, *shapes[0]), limit.reshape(shapes[1]), imputed)

    def block(self, requests: np.ndarray, level: Any) -> TiedItems:
        """Return the items of some requests, given the levels that they have: see `Requests`."""
        of = (self.spans[0][:, level], self.spans[1][:, level])
        first, last = (np.ascontiguousarray(matrix.swapaxes(0, 1)) for matrix in of)
        kept = None if self.kept is None else self.kept.setdefault(requests.tobytes(), {})
        return TiedItems(first, last, self.limit[:, requests], self.imputed, kept)
