"""Measures of all lists of a run together: how much of the catalogue they reach, and how evenly.

S is the exposure of each item, the sum over all lists of e(rank). Values without one request, or
without a group of them, are what the jackknife takes: see `lexiframe.decide.beyond.jackknife`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import sparse

from lexiframe.core.base import LexiframeError
from lexiframe.decide.beyond.lists import Lists, OfItems

EXPOSURES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "uniform": lambda rank: np.ones(len(rank)),
    "dcg": lambda rank: 1 / np.log2(rank + 1),
    "geometric": lambda rank: 0.85 ** (rank - 1.0),
}
"""e(rank), by the name that users give it."""


@dataclass(frozen=True)
class Exposed:
    """The exposure that one run's lists give: of each item in each list, and of all items.

    Attributes
    ----------
    request, item, exposure
        The number of the request, that of the item, and e(rank) of each document.
    n_requests, n_items
        How many there are.
    """

    request: np.ndarray
    item: np.ndarray
    exposure: np.ndarray
    n_requests: int
    n_items: int

    @classmethod
    def of_lists(cls, lists: Lists, exposure: str) -> Exposed:
        """Give each document of the lists its exposure, if it is in the catalogue.

        Items that other runs have beside it would change the numbers of this one.
        """
        given = lists.items.is_given
        kept = slice(None) if given.all() else given[lists.item]
        number = given.cumsum() - 1
        e = EXPOSURES[exposure](lists.rank)[kept]
        request, item = lists.request[kept], number[lists.item[kept]]
        return cls(request, item, e, len(lists.queries), int(given.sum()))

    @property
    def total(self) -> np.ndarray:
        """S: the exposure of each item in all lists."""
        return np.bincount(self.item, self.exposure, self.n_items).astype(np.float64)

    def totals(self, group: np.ndarray, n_groups: int) -> sparse.csr_array:
        """Return groups × items: S of the lists of each group of requests."""
        place = group[self.request], self.item
        shape = (n_groups, self.n_items)
        return sparse.coo_array((self.exposure, place), shape=shape).tocsr()

    def each(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of a term of each document over each list."""
        return np.bincount(self.request, terms, self.n_requests)


@dataclass(frozen=True)
class SummedLists:
    """The lists of one run, with the summed exposures for each measure.

    Rows of ``sums`` are the groups of requests that the jackknife leaves out, columns are items.
    """

    name: str
    n_requests: int
    sums: dict[str, sparse.csr_array]

    def exposed(self, measure: str) -> Exposed:
        """Return a measure's exposures, of groups in place of requests."""
        cells = self.sums[measure].tocoo()
        place = cells.row.astype(np.int64), cells.col.astype(np.int64)
        return Exposed(*place, cells.data, *cells.shape)


@dataclass(frozen=True, eq=False, repr=False)
class CatalogueMetric(OfItems):
    """T = a function of the exposure S of all items: one number for a run.

    ``of_totals`` is that function, of rows × items; ``without_each`` gives T(S − e_q) of each
    request q, for which only the items of one list change. ``takes_groups`` says that it does so
    for groups of requests, too.
    """

    of_totals: Callable[[np.ndarray], np.ndarray]
    without_each: Callable[[Exposed], np.ndarray]
    takes_groups: bool = field(default=False, kw_only=True)

    kind: ClassVar[str] = "catalogue"
    asked_of: ClassVar[str] = "catalogue"

    def exposed(self, lists: Lists | SummedLists) -> Exposed:
        """Return the exposure that the first k documents of the lists give."""
        if isinstance(lists, SummedLists):
            return lists.exposed(str(self))
        return Exposed.of_lists(lists.cut(self.cutoff), self.values.get("exposure", "uniform"))


def coverage(totals: np.ndarray) -> np.ndarray:
    """#(S > 0) / n."""
    return np.asarray((totals > 0).mean(axis=1))


def coverage_without_each(exposed: Exposed) -> np.ndarray:
    """The items that stand in the lists of one request, or group, alone are lost with it."""
    request, item = exposed.request, exposed.item
    some = np.full(exposed.n_items, -1)
    some[item] = request
    is_alone = some >= 0
    n = np.count_nonzero(is_alone)
    is_alone[item[some[item] != request]] = False
    lost = np.bincount(some[is_alone], minlength=exposed.n_requests)
    return np.asarray((n - lost) / exposed.n_items)


def _times_log(x: np.ndarray) -> np.ndarray:
    """x log₂ x, 0 where x is 0, or below it by rounding."""
    return np.asarray(x * np.log2(x, out=np.zeros_like(x), where=x > 0))


def entropy(totals: np.ndarray) -> np.ndarray:
    """−Σ s log₂ s, s = S/ΣS: log₂ ΣS − Σ S log₂ S / ΣS."""
    return _entropy(totals.sum(axis=1), _times_log(totals).sum(axis=1))


def _entropy(total: np.ndarray, logs: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, np.maximum(np.log2(total) - logs / total, 0.0), np.nan)


def entropy_without_each(exposed: Exposed) -> np.ndarray:
    """Of both sums only the terms of a list's own items change."""
    all_of = exposed.total
    left = all_of[exposed.item] - exposed.exposure
    changed = exposed.each(_times_log(left) - _times_log(all_of[exposed.item]))
    total = _rest(exposed)
    return _entropy(total, _times_log(all_of).sum() + changed)


def _rest(exposed: Exposed) -> np.ndarray:
    """Return ΣS without each request: exactly 0 where no other list has a document."""
    own = exposed.each(exposed.exposure)
    rest = exposed.exposure.sum() - own
    alone = np.count_nonzero(own) == 1
    return np.where(alone & (own > 0), 0.0, rest)


def gini(totals: np.ndarray) -> np.ndarray:
    """Σ_i (2i − n − 1) S_(i) / (n ΣS), ascending."""
    n = totals.shape[1]
    weight = 2 * np.arange(1, n + 1) - n - 1
    return _gini(np.sort(totals, axis=1) @ weight, totals.sum(axis=1), n)


def _gini(apart: np.ndarray, total: np.ndarray, n: int) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, np.maximum(apart / (n * total), 0.0), np.nan)


def gini_without_each(exposed: Exposed) -> np.ndarray:
    """Σ_{i<j} |S_i − S_j| / (n ΣS), where only the distances from a list's own items change.

    Each of these is moved among all items as they were; what that says of two items of one list is
    mended for their pairs.
    """
    all_of = exposed.total
    rising = np.sort(all_of)
    sums = np.append(0.0, rising.cumsum())
    n = exposed.n_items

    def distances(x: np.ndarray) -> np.ndarray:
        """Σ_j |x − S_j|."""
        below = np.searchsorted(rising, x)
        return np.asarray((2 * below - n) * x + sums[-1] - 2 * sums[below])

    before = all_of[exposed.item]
    after = before - exposed.exposure
    apart = rising @ (2 * np.arange(1, n + 1) - n - 1)
    moved = distances(after) - distances(before) - exposed.exposure  # an item is not its own rival
    apart = apart + exposed.each(moved)
    n_of = np.bincount(exposed.request, minlength=exposed.n_requests)
    for lag in range(1, int(n_of.max(initial=0))):
        one = np.flatnonzero(exposed.request[lag:] == exposed.request[:-lag])
        a, b, a2, b2 = before[one], before[one + lag], after[one], after[one + lag]
        mended = np.abs(a2 - b2) + np.abs(a - b) - np.abs(a2 - b) - np.abs(a - b2)
        apart += np.bincount(exposed.request[one], mended, exposed.n_requests)
    return _gini(apart, _rest(exposed), n)


def share_of(owned: np.ndarray) -> tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]:
    """Return the functions of the share of all exposure that a provider's items have.

    ``owned`` is the share of each item that is the provider's.
    """

    def of_totals(totals: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.asarray(totals @ owned / totals.sum(axis=1))

    def without_each(exposed: Exposed) -> np.ndarray:
        own = exposed.each(exposed.exposure * owned[exposed.item])
        rest = _rest(exposed)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(rest > 0, (own.sum() - own) / rest, np.nan)

    return of_totals, without_each


def not_shared(_: object) -> np.ndarray:
    """Raise: Exposure is of a provider, whose items it has to know."""
    raise LexiframeError("Exposure: needs the providers of items; give providers=")
