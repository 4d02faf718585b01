"""Lexicographic preferences: the first or the last recall level with different ranks decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice
from lexiframe.core.metrics import order_metrics
from lexiframe.core.pairwise.preference import Preference
from lexiframe.core.projection import blocks


@dataclass(frozen=True, repr=False)
class LexicographicPreference(Preference):
    """Δ(π, π′) = the sign, or the size, of the difference at the recall level that decides.

    With ``direction="precision"`` the smallest level k at which the positions differ decides, with
    ``"recall"`` the largest. Rankings tie only when all their positions are equal. Relevance is
    binary: items of any positive grade count, or those of ``rel`` and above.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    direction : {"precision", "recall"}
        From which end the levels are compared.
    magnitude : callable, optional
        f, from a Polars expression of ranks to an expression of numbers, each of which depends on
        its own rank alone: Δ = f(p_k) − f(p′_k), with 0 for an item that was not retrieved. By
        default Δ = sgn(p′_k − p_k).
    rel : float, optional
        The least relevant grade.
    cutoff : int, optional
        k: items beyond rank k count as not retrieved; ``LR @ 10`` sets it.
    formula, source, bounds : str, optional
        What `measures` shows.

    Notes
    -----
    The signs order the rankings of a request totally, so they come from one sort. Diaz, Ekstrand &
    Mitra, "Recall, Robustness, and Lexicographic Evaluation", ACM TORS 2025,
    doi:10.1145/3728373, arXiv:2302.11370 (recall); Diaz, "Best-Case Retrieval Evaluation", EVIA
    2023, doi:10.20736/0002001353 (precision).

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.LexicographicPreference("rootLP", "precision", magnitude=lambda p: 1 / p.sqrt())
    rootLP

    With five relevant items among seven, RR has only three values; lexiprecision tells all 21
    rankings apart (Diaz 2023, figure 1):

    >>> from itertools import combinations
    >>> def ranking(*ranks):
    ...     others = sorted(set(range(1, 8)) - set(ranks))
    ...     return {"q": {item: -rank for item, rank in zip("abcdefg", [*ranks, *others])}}
    >>> qrels = {"q": dict.fromkeys("abcde", 1)}
    >>> runs = {str(ranks): ranking(*ranks) for ranks in combinations(range(1, 8), 5)}
    >>> s = lf.scores(lf.positions(runs, qrels), [lf.RR, lf.LP.rank])
    >>> s.group_by("measure").agg(pl.col("value").n_unique()).sort("measure").rows()
    [('LP.rank', 21), ('RR', 3)]

    Two rankings tie by RR when their first relevant items have the same rank. The second item then
    decides: with the ranks 8 and 4 the difference is 1/8 − 1/4 (figure 4 of the same paper):

    >>> def compare(a, b, *measures):
    ...     p = pl.DataFrame({"run": ["a"] * len(a) + ["b"] * len(b), "position": [*a, *b]})
    ...     level, m = [*range(1, len(a) + 1)] * 2, len(a)
    ...     p = p.with_columns(query_id=pl.lit("q"), doc_id=pl.Series(map(str, level)),
    ...         relevance=1.0, level=pl.Series(level), n_relevant=m, n_retrieved=1000)
    ...     return dict(lf.preferences(p, measures).select("measure", "preference").rows())
    >>> compare([3, 8, 9, 11, 12], [3, 4, 9, 10, 20], "RR", "sgnLP", "rrLP")
    {'RR': 0.0, 'rrLP': -0.125, 'sgnLP': -1.0}

    Lexirecall compares the last levels first. The ranks 25 and 100 are the same in both rankings,
    so 8 against 14 decides (arXiv:2302.11370, figure 7, with exposures 0.12 and 0.07):

    >>> compare([2, 8, 25, 100], [1, 14, 25, 100], "LR", "LP")
    {'LP': -1.0, 'LR': 1.0}
    """

    direction: order_metrics.Direction
    magnitude: Callable[..., Any] | None = None

    kind: ClassVar[str] = "lexicographic preference"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, self.direction, ("precision", "recall"), "direction")

    @property
    def rank(self) -> order_metrics.LexicographicMetric:
        """The rank of a ranking among those observed for its request, as a metric: ``LR.rank``.

        The worst ranking has 1, the best the number of different rankings; equal ones share a rank.
        The sign of a difference is that of the preference. Its size counts the rankings in between,
        so it depends on which runs are compared, and every run needs rows for every request.
        """
        ranks = order_metrics.rank_metric(self._name_without_size("rank"), self.direction, self.rel)
        return replace(ranks, cutoff=self.cutoff)

    def metric(self, *, n: int) -> order_metrics.LexicographicMetric:
        """Return metric lexirecall, a mean of positions that orders rankings as lexirecall does.

        LR(p) = −Σ w_i p_i with Yager's leximin weights: Δ = 1/(n + ε), w_1 = (Δ/(1 + Δ))^(m − 1)
        and w_i = Δ^(m − i) / (1 + Δ)^(m + 1 − i) for i > 1, which sum to 1. Values are from −n to
        −1. The paper has ε between 0 and 1; here ε = 1, so that all weights are ratios of whole
        numbers, and the sum is computed exactly and rounded once.

        Parameters
        ----------
        n : int
            The number of items in the corpus. Omitted items have its last places, see `impute`.

        Raises
        ------
        LexiframeError
            For a preference other than lexirecall. In `scores`, when two different rankings of one
            request have values that differ by 1e-12 or less, which is a tie: float64 can tell few
            levels apart, and the fewer the larger n is. ``rank`` has no such limit.

        Notes
        -----
        Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, section 7.3.2,
        equation 12; Yager, "On the analytic representation of the Leximin ordering", European
        Journal of Operational Research 102(1), 1997, doi:10.1016/S0377-2217(96)00217-2.

        Examples
        --------
        >>> import lexiframe as lf
        >>> lf.LR.metric(n=1000), lf.LR(rel=2).rank
        (LR.metric(n=1000), LR.rank(rel=2))
        """
        name = self._name_without_size("metric")
        if self.cutoff is not None:
            raise LexiframeError(
                f"{self}: a weighted sum of positions needs those of all items; leave the cut-off "
                f"out, or take the ranks of the rankings, {name}.rank@{self.cutoff}"
            )
        if self.direction != "recall":
            raise LexiframeError(
                f"{self}: only lexirecall, whose last level decides, has a metric; "
                f"take the ranks of the rankings, {name}.rank"
            )
        metric: order_metrics.LexicographicMetric = order_metrics.leximin_metric(name, self.rel)(
            n=n
        )
        return metric

    def _name_without_size(self, asked: str) -> str:
        if self.magnitude is not None:
            raise LexiframeError(
                f"{self}: a preference with a magnitude has no {asked}; take that of LR or LP, "
                "which have signs only"
            )
        return self.name

    def compute(
        self, block: blocks.Block, known: dict[int, np.ndarray] | None = None
    ) -> np.ndarray:
        """Return Δ of each pair of runs: pairs × requests.

        ``known`` caches the sizes of the ranks 0..n − 1 by n, so that blocks share them.
        """
        population = block.within(self.cutoff).at_least(self.rel)
        positions = self._levels_in_order(population)
        a, b = block.pairs
        if self.magnitude is None:
            place = order_metrics.places(positions)
            place = place.astype(np.min_scalar_type(block.n_runs))
            ahead = (place[a] < place[b]).view(np.int8) - (place[a] > place[b]).view(np.int8)
            return np.asarray(ahead, np.float64)
        order, differs_at = order_metrics.sort_rankings(positions)
        level = deciding_levels(order, differs_at, block.pairs)
        if len(block) == 1 < block.n_runs < len(positions):  # most levels decide nothing
            used = np.unique(differs_at[differs_at < len(positions)])
            positions, level = positions[used], np.searchsorted(used, level)
        return _size_differences(
            self._sizes(positions, {} if known is None else known), level, a, b
        )

    def deciding_level(self, block: blocks.Block) -> np.ndarray:
        """Return the recall level that decides (1..m, or 0 for a tie): pairs × requests."""
        positions = self._levels_in_order(block.within(self.cutoff).at_least(self.rel))
        m = len(positions)
        level = deciding_levels(*order_metrics.sort_rankings(positions), block.pairs)
        return np.where(level == m, 0, m - level if self.direction == "recall" else level + 1)

    def _levels_in_order(self, population: blocks.Population) -> np.ndarray:
        """Return the positions, m × runs × requests; the level that is compared first is first."""
        return population.positions[::-1] if self.direction == "recall" else population.positions

    def _sizes(self, positions: np.ndarray, known: dict[int, np.ndarray]) -> np.ndarray:
        """Return f(p) of every position, 0 for items that were not retrieved, and one level of 0.

        The last level stands for a tie. A level that a request lacks has the position 0 in all
        runs, so it never decides.
        """
        rank = np.where(positions == blocks.missing(positions), 0, positions)
        # a power of two, so that blocks whose greatest ranks differ little share what is known
        n_ranks = 1 << int(rank.max(initial=0)).bit_length()
        if n_ranks > rank.size:
            sizes = self.sizes_of_ranks(rank.ravel()).reshape(rank.shape)
        else:  # more positions than different ranks: compute f once for each rank
            if n_ranks not in known:
                known[n_ranks] = self.sizes_of_ranks(np.arange(n_ranks))
            sizes = known[n_ranks].take(rank)
        if not np.isfinite(sizes).all():
            raise LexiframeError(
                f"{self}: expected finite numbers as magnitude, "
                f"found {sizes[~np.isfinite(sizes)][0]}"
            )
        nothing = np.zeros((1, *positions.shape[1:]))
        return np.concatenate([sizes, nothing])

    def sizes_of_ranks(self, ranks: np.ndarray) -> np.ndarray:
        """Return f(p) of each rank, and 0 of 0."""
        p = pl.col("p")
        size = pl.when(p > 0).then(self.magnitude(p)).otherwise(0.0)  # type: ignore[misc]
        table = pl.DataFrame({"p": ranks.astype(np.float64)})
        return np.asarray(table.select(size=size.fill_null(float("nan")))["size"].to_numpy())


def _size_differences(
    sizes: np.ndarray, level: np.ndarray, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Return the size of run a of each pair minus the size of run b, at a level: pairs × requests.

    ``sizes`` is levels × runs × requests, ``level`` pairs × requests.
    """
    _, n_runs, n_requests = sizes.shape
    cell = np.multiply(level, n_runs * n_requests, dtype=np.intp)
    cell += (a * n_requests)[:, None] + np.arange(n_requests)
    of_a = sizes.take(cell)
    cell += ((b - a) * n_requests)[:, None]
    of_a -= sizes.take(cell)
    return np.asarray(of_a)


def deciding_levels(
    order: np.ndarray, differs_at: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the first level at which two runs differ, or m if they are equal: pairs × requests.

    The rankings of a request are sorted, and for each the level is known at which it differs from
    the next. Any two rankings differ first at the least of these levels between them, which a
    running minimum finds for all pairs. `sort_rankings` returns both arrays.
    """
    n_runs, n_requests = order.shape
    behind = np.tri(n_runs, n_runs - 1, k=-1, dtype=bool)[:, :, None]
    between = np.where(behind, np.iinfo(differs_at.dtype).max, differs_at)
    least = np.minimum.accumulate(between, axis=1)  # ranking × ranking behind it × requests
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(n_runs)[:, None], axis=0)
    place_a, place_b = (place[runs] for runs in pairs)
    cell = np.minimum(place_a, place_b)
    cell *= n_runs - 1
    cell += np.maximum(place_a, place_b, out=place_a)
    cell *= n_requests
    cell += np.arange(n_requests) - n_requests  # the column of a ranking is one before its place
    return np.asarray(least.take(cell))
