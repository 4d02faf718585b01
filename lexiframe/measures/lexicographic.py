"""Metrics that order the rankings of a request as lexirecall and lexiprecision do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures.metric import Metric
from lexiframe.measures.parameters import Number
from lexiframe.measures.rankings import Rankings
from lexiframe.measures.sources import LEXIPRECISION, LEXIRECALL
from lexiframe.measures.ties import TIE
from lexiframe.positions.imputation import impute
from lexiframe.positions.matrices import Requests, requests_of

Direction = Literal["precision", "recall"]


@dataclass(frozen=True, eq=False, repr=False)
class LexicographicMetric(Metric):
    """A number for each ranking of a request, whose order is that of a lexicographic preference.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    numbers : callable
        From the positions of one request, runs × m, and the parameters, to a number for each run.
        With the parameter n, omitted items have their pessimistic places in a corpus of n items.
    """

    numbers: Callable[..., np.ndarray]

    kind: ClassVar[str] = "lexicographic"

    @property
    def cuts_off(self) -> bool:  # type: ignore[override]
        """Ranks may; a weighted sum of all positions has no place for those beyond."""
        return "n" not in self.parameters

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.numbers)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Give the numbers of each request's rankings."""
        known = self.values
        if "n" in known and known["n"] is None:
            raise LexiframeError(f"{self.name} needs its n: write {self.name}(n=1000)")
        p = rankings.rows
        if self.cutoff is not None:
            p = p.with_columns(pl.when(pl.col("position") <= self.cutoff).then("position"))
        requests = requests_of(impute(p, known["n"]) if "n" in known else p)
        by_request = np.zeros((len(requests.queries), len(requests.runs)))
        for q, request in enumerate(requests):
            if request.positions.shape[1]:
                by_request[q] = self.numbers(request.positions, **known)
                self._refuse_merged(by_request[q], request.positions, requests, q)
        query = requests.queries.search_sorted(rankings.keys["query_id"]).to_numpy()
        run = requests.runs.search_sorted(rankings.keys["run"]).to_numpy()
        return np.asarray(by_request[query, run])

    def _refuse_merged(
        self, numbers: np.ndarray, positions: np.ndarray, requests: Requests, q: int
    ) -> None:
        """Raise when rankings that differ have one number, or what counts as one."""
        if "n" not in self.parameters:
            return
        order, differs_at = sort_rankings(positions[:, ::-1])
        gaps = numbers[order[:-1]] - numbers[order[1:]]
        merged = np.flatnonzero((differs_at < positions.shape[1]) & (gaps <= TIE))
        if len(merged):
            a, b = (requests.runs[int(order[merged[0] + k])] for k in (0, 1))
            raise LexiframeError(
                f"{self}: expected float64 to hold what tells rankings apart, but those of "
                f"{a!r} and {b!r} for query {requests.queries[q]!r} differ by 1e-12 or less, "
                "a tie, and their positions are not the same; take the ranks of the rankings, "
                f"{self.name.removesuffix('.metric')}.rank"
            )


def sort_rankings(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort rankings, best first, and tell where each differs from the one before it.

    Parameters
    ----------
    positions
        runs × m, the column that decides first in front.

    Returns
    -------
    order, differs_at
        The rows sorted; for each but the first, the first column in which it differs from the row
        before it, or m when it is the same.
    """
    m = positions.shape[1]
    order = np.lexsort(positions.T[::-1]) if m else np.arange(len(positions))
    sorted_positions = positions[order]
    differs = sorted_positions[1:] != sorted_positions[:-1]
    differs = np.pad(differs, ((0, 0), (0, 1)), constant_values=True)
    return order, differs.argmax(axis=1)


def places(order: np.ndarray, differs_at: np.ndarray, m: int) -> np.ndarray:
    """Give each run's place in the sorted order, from 0 for the best; equal rows share one."""
    place = np.empty(len(order), np.int64)
    place[order] = np.concatenate([[0], np.cumsum(differs_at < m)])
    return place


def rank_by_precision(positions: np.ndarray) -> np.ndarray:
    """Rank the rankings by their first levels: 1 for the worst, equal ones share a rank.

    Examples
    --------
    >>> rank_by_precision(np.array([[1, 9], [2, 3], [1, 9], [1, 4]])).tolist()
    [2, 1, 2, 3]
    """
    place = places(*sort_rankings(positions), positions.shape[1])
    return np.asarray(place.max() - place + 1)


def rank_by_recall(positions: np.ndarray) -> np.ndarray:
    """Rank the rankings by their last levels: 1 for the worst, equal ones share a rank.

    Examples
    --------
    >>> rank_by_recall(np.array([[1, 9], [2, 3], [1, 9], [1, 4]])).tolist()
    [1, 3, 1, 2]
    """
    return rank_by_precision(positions[:, ::-1])


def leximin_weights(m: int, n: int) -> tuple[list[int], int]:
    """Give Yager's weights of the recall levels: w_1 to w_m as numerators, and their denominator.

    With Δ = 1/d, d = n + 1: w_1 = (d + 1)/(d + 1)^m and w_i = d (d + 1)^(i − 1)/(d + 1)^m.

    Examples
    --------
    >>> leximin_weights(m=3, n=9)
    ([11, 110, 1210], 1331)
    """
    d = n + 1
    return [d + 1, *(d * (d + 1) ** (i - 1) for i in range(2, m + 1))], (d + 1) ** m


def leximin(positions: np.ndarray, n: int) -> np.ndarray:
    """−Σ w_i p_i, from whole numbers: the one rounding is that to float64.

    Examples
    --------
    >>> leximin(np.array([[1, 2], [1, 3]]), n=3).tolist()
    [-1.8, -2.6]
    """
    weights, denominator = leximin_weights(positions.shape[1], n)
    sums = positions.astype(object) @ np.array(weights, object)
    return np.array([-(total / denominator) for total in sums])


def rank_metric(name: str, direction: Direction, rel: float | None = None) -> LexicographicMetric:
    """Give the rank of a ranking among those of its request, as a metric called ``name.rank``."""
    by_recall = direction == "recall"
    return LexicographicMetric(
        f"{name}.rank",
        rank_by_recall if by_recall else rank_by_precision,
        rel=rel,
        formula="rank of p among the rankings of the request, 1 for the worst",
        source=f"{LEXIRECALL}, eq. 11" if by_recall else f"{LEXIPRECISION}, eq. 3",
        bounds="1 to the number of distinct rankings",
    )


def leximin_metric(name: str, rel: float | None = None) -> LexicographicMetric:
    """Give metric lexirecall, called ``name.metric``, of which n has to be said."""
    return LexicographicMetric(
        f"{name}.metric",
        leximin,
        parameters={"n": Number(least=1, whole=True)},
        rel=rel,
        formula="−Σ_i w_i p_i, w_i = d (d+1)^(i−1−m), w_1 = (d+1)^(1−m), d = n + 1",
        source=f"{LEXIRECALL}, eq. 12, after Yager, EJOR 1997, doi:10.1016/S0377-2217(96)00217-2",
        bounds="−n to −1",
    )
