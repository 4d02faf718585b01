"""Metrics that a plain Python function computes, one ranking at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lexiframe.core.base import LexiframeError, errors, progress, shown, sums
from lexiframe.core.metrics.kinds.metric import Metric, n_required
from lexiframe.core.metrics.rankings import Rankings

_TAKEN = 3
"""How many arguments the function of a metric takes: ranks, grades and n."""


@dataclass(frozen=True, eq=False, repr=False)
class FunctionMetric(Metric):
    """μ = a function of the ranks and grades of the relevant items of one ranking.

    The function is called once for each ranking, which takes some microseconds and so is slow for
    many of them: a million rankings take some seconds more than with a formula such as
    `RecallLevelMetric`. Functions that compute with expressions are the other kinds of metrics.
    `scores`, `preferences` and `evaluate` also accept a plain function of three arguments, which is
    then named by its ``__name__``.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    function : callable
        From ``ranks``, ``grades`` and ``n`` to a finite number. ``ranks`` is a float64 array with
        the rank of each relevant item of the request, ascending and infinite for an item that was
        not retrieved; ``grades`` are their grades; ``n`` is the number of documents retrieved.
    smaller_is_better : bool
        Whether smaller values are better, as of search lengths.
    rel : float, optional
        The least relevant grade; items below it are not among the ranks.
    cutoff : int, optional
        k, written ``mine @ k``: items beyond rank k count as not retrieved, and n is at most k.
    formula, source, bounds : str, optional
        What `measures` shows. With bounds, as in ``bounds="0 to 1"``, intervals end there.

    Raises
    ------
    LexiframeError
        When the function fails, or returns what is not one finite number within the bounds.

    Examples
    --------
    >>> import numpy as np
    >>> import lexiframe as lf
    >>> def found(ranks, grades, n):
    ...     return np.isfinite(ranks).mean()
    >>> share = lf.FunctionMetric("share", found, bounds="0 to 1")
    >>> p = lf.positions({"bm25": {"q": {"a": 2, "b": 1}}}, {"q": {"b": 1, "c": 1}})
    >>> lf.scores(p, [share, share @ 1, found])["value"].to_list()
    [0.5, 0.5, 0.0]
    """

    function: Callable[..., Any]
    smaller_is_better: bool = field(default=False, kw_only=True)  # type: ignore[misc]

    kind: ClassVar[str] = "function"

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return what the function says of each ranking; 0 where no item is relevant."""
        items = rankings.items_by_level
        ranks = items["position"].cast(float).fill_null(np.inf).to_numpy()
        grades = items["relevance"].cast(float).to_numpy()
        n = rankings.first_row("n_retrieved")
        if self.cutoff is not None:
            ranks, n = np.where(ranks <= self.cutoff, ranks, np.inf), np.minimum(n, self.cutoff)
        ends = np.searchsorted(items["ranking"].to_numpy(), np.arange(len(rankings) + 1))
        values = np.zeros(len(rankings))
        for one in progress(np.flatnonzero(np.diff(ends)).tolist(), len(rankings), str(self)):
            inside = slice(ends[one], ends[one + 1])
            values[one] = self._value(ranks[inside], grades[inside], int(n[one]))
        low, high = self.limits.low - sums.TIE, self.limits.high + sums.TIE
        wrong = np.flatnonzero((values < low) | (values > high))
        if not self.limits.can_exceed and len(wrong):
            raise LexiframeError(
                f"{self}: expected values in its bounds, {self.bounds}, found {values[wrong[0]]:g}"
            )
        return values

    def _value(self, ranks: np.ndarray, grades: np.ndarray, n: int) -> float:
        """Return the function's value for one ranking; raise unless it is a finite number."""
        try:
            found = self.function(ranks, grades, n)
        except Exception as error:
            raise LexiframeError(
                f"{self}: the function raised {type(error).__name__}: {errors.one_line(error)}"
            ) from error
        try:
            value = float(found)
        except (TypeError, ValueError):
            value = np.nan
        if not np.isfinite(value):
            raise LexiframeError(
                f"{self}: expected one finite number of the ranks {shown(ranks.tolist())}, found "
                f"{shown(found)}; the rank of an item that was not retrieved is infinite"
            )
        return value


def metric_of(function: Any) -> FunctionMetric | None:
    """Return the metric of a plain function of ranks, grades and n; None for any other value."""
    try:
        is_plain = callable(function) and not isinstance(function, type | Metric)
        if not is_plain or n_required(function) != _TAKEN:
            return None
    except ValueError:  # a function of C without a signature
        return None
    name = getattr(function, "__name__", "<none>")
    if name.startswith("<"):
        raise LexiframeError(
            f"expected a function with a name of its own, found {function!r}; "
            "write lexiframe.FunctionMetric('name', function)"
        )
    return FunctionMetric(name, function)
