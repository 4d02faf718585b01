"""How sure a number of all lists is: values without each request, or each group of requests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiframe.core.base import sums
from lexiframe.decide.beyond.catalogue_measures import CatalogueMetric, SummedLists
from lexiframe.decide.beyond.lists import Lists

GROUPS = 200
"""How many groups are left out one after the other, where there are many requests."""
_CELLS = 2_000_000
"""The most exposures of items, without one group or another, that are looked at at once."""
MANY = 1000
"""The requests up to which each is left out by itself."""


def groups_of(n: int, groups: int | None) -> tuple[np.ndarray, int] | None:
    """Return the group of each of n requests and how many there are; None where each is its own.

    The requests are sorted by the bytes of their ids and permuted, depending on their number alone;
    the j-th goes to group j mod G.
    """
    if groups is None:
        groups = GROUPS if n > MANY else n
    if groups >= n:
        return None
    order = np.random.default_rng(0).permutation(n)
    group = np.empty(n, np.int64)
    group[order] = np.arange(n) % groups
    return group, groups


def left_out(
    metric: CatalogueMetric, lists: Lists | SummedLists, groups: int | None
) -> tuple[float, np.ndarray]:
    """Return T of all lists, and T without each request or group."""
    exposed = metric.exposed(lists)
    value = metric.of_totals(exposed.total[None])[0]
    grouped = groups_of(lists.n_requests, groups)
    if grouped is None:
        return float(value), metric.without_each(exposed)
    group, n = grouped
    if isinstance(lists, SummedLists):
        group = np.arange(n)  # it is summed up by groups
    if metric.takes_groups:
        by_group = replace(exposed, request=group[exposed.request], n_requests=n)
        return float(value), metric.without_each(by_group)
    totals, total, found = exposed.totals(group, n), exposed.total, []
    rows = max(1, _CELLS // exposed.n_items)
    for first in range(0, n, rows):
        rest = total - totals[first : first + rows].toarray()
        # a rest that is rounding of what was taken away is nothing
        rest[np.abs(rest) <= sums.TIE * np.maximum(total, 1)] = 0.0
        found.append(metric.of_totals(rest))
    return float(value), np.concatenate(found)


def pseudo_values(value: float, without: np.ndarray) -> np.ndarray:
    """T + (Q − 1)(T̄ − T_(q)): their mean is T, and its standard error is the jackknife's.

    Tukey, Annals of Mathematical Statistics 1958; centred here at T itself.

    Examples
    --------
    >>> pseudo_values(0.5, np.array([0.25, 0.5, 0.75])).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.asarray(value + (len(without) - 1) * (without.mean() - without))


def error_of(without: np.ndarray) -> float:
    """√((Q − 1)/Q Σ (T_(q) − T̄)²); 0 where all are equal but for rounding, NaN where one is.

    Examples
    --------
    >>> round(error_of(np.array([0.25, 0.5, 0.75])), 4), error_of(np.array([1.0, 1.0]))
    (0.2887, 0.0)
    """
    if len(without) < 2 or np.isnan(without).any():
        return np.nan
    apart = without - without.mean()
    if np.abs(apart).max() <= sums.TIE * max(1.0, np.abs(without).max()):
        return 0.0
    n = len(without)
    return float(np.sqrt((n - 1) / n * (apart**2).sum()))
