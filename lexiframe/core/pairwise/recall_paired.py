"""Recall-paired preferences: at each recall level the run that reaches it sooner is preferred."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.metrics import RecallLevelMetric, derived, needed, weights
from lexiframe.core.pairwise.preference import Preference
from lexiframe.core.projection import blocks


@dataclass(frozen=True, repr=False)
class LevelPreference(Preference):
    """Δ(π, π′) = Σ_λ p(λ) Σ_i p(i | λ) sgn(p′_i − p_i), a preference by weights of recall levels.

    π and π′ are two rankings of a request, and p_i is the rank of the i-th relevant item in π. The
    thresholds λ are the distinct grades of the request's relevant items. p(λ) is proportional to
    m_λ, the number of items of grade λ or above, or else to the ``share``, and p(i | λ) to
    ``weight(i, m_λ)``. With ``rel``, this grade is the only threshold. An item that was not
    retrieved is worse than every rank.

    With ``subtopics`` the subtopics t of the request take the place of the thresholds, and
    relevance is binary: Δ(π, π′) = Σ_t p(t) Σ_i p(i | t) sgn(p′_{i,t} − p_{i,t}). The sum is over
    the subtopics with a relevant item and one additional subtopic, which holds all relevant items,
    each counted once. p(t) is proportional to m_t, the number of items of the subtopic, or to the
    ``share``. This needs positions by subtopic.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    weight : callable
        A function of two Polars expressions, i and m. It returns the weights p(i | m), which need
        not sum to 1.
    share : callable, optional
        p(λ): a function of two Polars expressions, the grade λ and m_λ, as ``lambda grade, m: 1``
        for equal weights, or ``lambda grade, m: grade.replace_strict({1: 0.2, 2: 0.8})``. By
        subtopic it is p(t), a function of the subtopic, as a string, null for the additional one,
        and m_t; an argument ``query_id`` gets the request, as subtopics of two requests may have
        one name. The weights need not sum to 1 over the thresholds or subtopics of a request; all
        rankings tie where all of them are 0.
    rel : float, optional
        The least relevant grade; with it, relevance is binary.
    subtopics : bool, optional
        Whether the sum is over subtopics instead of grades.
    cutoff : int, optional
        k: items beyond rank k count as not retrieved; ``RPP @ 10`` sets it.
    formula, source, bounds : str, optional
        What `measures` shows.

    Notes
    -----
    With uniform weights Δ is a whole number divided by Σ_λ m_λ. It is counted in whole numbers, so
    that ties are exactly 0. The range is −1 to 1.

    Diaz & Ferraro, "Offline Retrieval Evaluation Without Evaluation Metrics", SIGIR 2022,
    equations 4 and 5, doi:10.1145/3477495.3532033. There p(i, λ) is p(i) p(λ); here p(i) is
    normalised over the m_λ levels of each threshold, as in the authors' tool. Subtopics: equation 6
    of section 4, with p(t) and the background interest t* (the additional subtopic) of section 5.3.

    Examples
    --------
    Your own preference appears beside the built-in ones:

    >>> import lexiframe as lf
    >>> late = lf.LevelPreference("late", weight=lambda i, m: i / m)
    >>> p = lf.positions("data/example/runs", "data/example/qrels.txt")
    >>> d = lf.preferences(p, [lf.RPP, late])
    >>> lf.win_rates(d)["measure"].unique().sort().to_list()
    ['RPP', 'late']

    By subtopics: document a serves s, and b serves both s and t. Run x has a first, y has b first.
    The runs differ only for t, where y is sooner. That is 1 of 5 recall levels: 2 of s, 1 of t, and
    2 of any relevant item.

    >>> import polars as pl
    >>> qrels = pl.DataFrame({"query_id": "q", "subtopic": ["s", "s", "t"],
    ...                       "doc_id": ["a", "b", "b"], "relevance": 1.0})
    >>> runs = pl.DataFrame({"run": ["x", "x", "y", "y"], "query_id": "q",
    ...                      "doc_id": ["a", "b", "b", "a"], "score": [2.0, 1.0, 2.0, 1.0]})
    >>> d = lf.preferences(lf.positions(runs, qrels, subtopics=True), lf.ST_RPP)
    >>> d.select("run_a", "run_b", "preference").rows()
    [('x', 'y', -0.2)]

    With all weight on s the two runs tie, and by t alone y is ahead:

    >>> only = [lf.LevelPreference(name, weight=lambda i, m: 1, subtopics=True,
    ...                            share=lambda t, m, name=name: (t == name).fill_null(False))
    ...         for name in ("s", "t")]
    >>> p = lf.positions(runs, qrels, subtopics=True)
    >>> lf.preferences(p, only).select("measure", "preference").rows()
    [('s', 0.0), ('t', -1.0)]
    """

    weight: Callable[..., Any]
    subtopics: bool = field(default=False, kw_only=True)
    share: Callable[..., Any] | None = field(default=None, kw_only=True)

    kind: ClassVar[str] = "level preference"

    @property
    def needs(self) -> str:
        """The data that the positions have to contain."""
        return needed.SUBTOPICS if self.subtopics else needed.RELEVANT

    def cumulative_precision(self) -> RecallLevelMetric:
        """Return the metric of the same users: their expected precision, Σ_i p(i) i/p_i.

        A user who wants i relevant items reads down to the i-th one, and has the precision i/p_i
        there; 0 if it was not retrieved. With it a preference and a metric can be compared that
        differ in nothing but that one takes the sign of each user's difference. That of `RPP`, with
        all users alike, is average precision.

        Returns
        -------
        RecallLevelMetric
            ``NCP(dcgRPP)``: normalised cumulative precision. Relevance is binary.

        Raises
        ------
        LexiframeError
            For a preference by subtopics.

        Notes
        -----
        Sakai & Robertson, "Modelling A User Population for Designing Information Retrieval
        Metrics", EVIA 2008; Diaz & Ferraro, SIGIR 2022, section 3.2, doi:10.1145/3477495.3532033.

        Examples
        --------
        >>> import lexiframe as lf
        >>> p = lf.positions({"a": {"q": {"x": 3, "u": 2, "y": 1}}}, {"q": {"x": 1, "y": 1}})
        >>> of_users = [preference.cumulative_precision() for preference in (lf.RPP, lf.invRPP)]
        >>> lf.scores(p, [lf.AP, *of_users]).select("measure", pl.col("value").round(4)).rows()
        [('AP', 0.8333), ('NCP(RPP)', 0.8333), ('NCP(invRPP)', 0.8889)]
        """
        if self.subtopics:
            raise LexiframeError(
                f"{self}: expected a preference without subtopics, whose users want a number of "
                "relevant items"
            )
        metric = derived.precision_of_users(self.weight, self.name)
        return replace(metric, rel=self.rel, cutoff=self.cutoff)

    def compute(
        self, block: blocks.Block, known: dict[int, np.ndarray] | None = None
    ) -> np.ndarray:
        """Return Δ of each pair of runs: pairs × requests.

        ``known`` caches the weights of the levels by m, so that blocks share them.
        """
        known = {} if known is None else known
        populations = block.within(self.cutoff).populations(self.rel)
        sizes = np.array([population.m for population in populations])
        is_uniform = self._are_uniform(sizes, known)
        if self._has_share:
            is_uniform[:] = False
        if is_uniform.any() and not is_uniform.all():
            delta = np.empty((len(block.pairs[0]), len(block)))
            for some in (is_uniform, ~is_uniform):
                delta[:, some] = self.compute(block.only(some), known)
            return delta
        total = np.maximum(sizes.sum(axis=0), 1)
        if is_uniform.all():
            counts = np.min_scalar_type(-int(total.max(initial=0)) - 1)
            won = (
                _won_between_runs(partial(_levels_won, counts=counts), population.positions, block)
                for population in populations
            )
            return np.asarray(_pair_differences(won, block.pairs) / total)
        names = block.thresholds(populations) if self._has_share else pl.DataFrame()
        shares = self.shares(names, sizes)
        won = (
            _won_between_runs(
                partial(_weight_won, weights=self.weights(population.m, known) * share),
                population.positions,
                block,
            )
            for population, share in zip(populations, shares, strict=True)
        )
        delta = _pair_differences(won, block.pairs)
        # unlike whole numbers, sums of weights may miss 0 by rounding where the runs tie
        return np.where(np.abs(delta) <= sums.TIE, 0.0, delta)

    @property
    def _has_share(self) -> bool:
        """Whether there are thresholds or subtopics whose share is the user's own."""
        return self.share is not None and (self.subtopics or self.rel is None)

    def shares(self, thresholds: pl.DataFrame, m: np.ndarray) -> np.ndarray:
        """Return p(λ) or p(t), by the number of items: thresholds × requests.

        The rows of ``thresholds`` have the grade or subtopic (``of``) of each. One without an item
        has 0.
        """
        weight = m.astype(np.float64)
        if self._has_share:
            taken = inspect.signature(self.share).parameters  # type: ignore[arg-type]
            request = {"query_id": pl.col("query_id")} if "query_id" in taken else {}
            own = self.share(pl.col("of"), pl.col("m"), **request)  # type: ignore[misc]
            own = own if isinstance(own, pl.Expr) else pl.lit(own)
            own = own.cast(pl.Float64).fill_null(float("nan")) + 0.0 * pl.col("m")
            found = thresholds.with_columns(m=weight.ravel()).select(own.alias("share"))["share"]
            weight = np.where(m > 0, found.to_numpy().reshape(m.shape), 0.0)
            if not (np.isfinite(weight).all() and weight.min(initial=0) >= 0):
                raise LexiframeError(
                    f"{self}: expected finite shares of 0 or more, found {weight.ravel()} for the "
                    f"thresholds or subtopics {thresholds['of'].to_list()}"
                )
        total = weight.sum(axis=0)
        return np.asarray(weight / np.where(total > 0, total, 1))

    def weights(self, m: np.ndarray, known: dict[int, np.ndarray] | None = None) -> np.ndarray:
        """Return p(i | m) of requests with m items: levels × requests.

        The weights sum to 1 for each request; levels that a request lacks have weight 0. ``known``
        caches the weights by m; those of new sizes are added to it.
        """
        weights = np.zeros((int(m.max(initial=0)), len(m)))
        for size, of_size in self._size_weights(m, {} if known is None else known).items():
            weights[:size, m == size] = of_size[:, None]
        return weights

    def _are_uniform(self, sizes: np.ndarray, known: dict[int, np.ndarray]) -> np.ndarray:
        """Return whether p(i | m) of a request is uniform at all thresholds (rows of ``sizes``)."""
        of_sizes = self._size_weights(sizes, known)
        uneven = [m for m, of_m in of_sizes.items() if np.ptp(of_m) > sums.TIE * of_m[0]]
        return np.asarray(~np.isin(sizes, uneven).any(axis=0))

    def _size_weights(self, m: np.ndarray, known: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Return the weights of the levels for each m; weights of small m are kept in ``known``."""
        sizes = np.unique(m[m > 0]).tolist()
        unknown = [size for size in sizes if size not in known]
        found = {}
        if unknown:
            found = dict(
                zip(unknown, weights.shares(self.weight, np.array(unknown), str(self)), strict=True)
            )
            known.update((size, found[size]) for size in unknown if size <= _KEPT)
        return {size: found[size] if size in found else known[size] for size in sizes}


_KEPT = 1000
"""Weights of up to so many levels are kept: those of all these sizes together take 4 MB."""
_COMPARISONS = 2**17
"""Comparisons at once: few enough for the processor's cache, and enough to be worth a call."""


def _won_between_runs(
    won: Callable[[np.ndarray, np.ndarray], np.ndarray], positions: np.ndarray, block: blocks.Block
) -> np.ndarray:
    """Return the levels that each run won against each run: runs × runs × requests.

    Pairs that the block does not compare have zeros.
    """
    if block.compared is None:
        return won(positions, positions)
    some = np.flatnonzero(block.compared)
    by_some = won(positions[:, some], positions)
    total = np.zeros((block.n_runs, *by_some.shape[1:]), by_some.dtype)
    total[some] = by_some
    total[:, some] = won(positions, positions[:, some])
    return total


def _levels_won(p: np.ndarray, q: np.ndarray, counts: np.dtype) -> np.ndarray:
    """Return Σ_i [p_i < q_i], where [...] is 1 if true, else 0: runs of p × runs of q × requests.

    The positions p and q are levels × runs × requests.
    """
    m, shape = len(p), (p.shape[1], q.shape[1], p.shape[2])
    won = np.zeros(np.prod(shape, dtype=np.int64), counts)
    most = min(127, max(1, _COMPARISONS // max(won.size, 1)))  # an int8 can count to 127
    for first in range(0, m, most):
        some = slice(first, first + most)
        won += _is_sooner(p[some], q[some]).sum(axis=0, dtype=np.int8)
    return won.reshape(shape)


def _weight_won(p: np.ndarray, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return Σ_i w_i [p_i < q_i]: runs of p × runs of q × requests."""
    m, shape = len(p), (p.shape[1], q.shape[1], p.shape[2])
    won, share = np.zeros((2, shape[0] * shape[1], shape[2]))
    most = max(1, _COMPARISONS // max(won.size, 1))
    for first in range(0, m, most):
        some = slice(first, first + most)
        is_sooner = _is_sooner(p[some], q[some]).reshape(-1, *won.shape)
        for of_level, weight in zip(is_sooner, weights[some], strict=True):
            won += np.multiply(of_level, weight, out=share)
    return np.asarray(won.reshape(shape))


def _is_sooner(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return [p_i < q_i], 0 or 1: levels × (runs of p · runs of q · requests)."""
    if p.shape[2] == 1:  # otherwise NumPy's innermost loop would have one element
        p, q = p[:, :, 0], q[:, :, 0]
    is_sooner = p[:, :, None] < q[:, None, :]
    return is_sooner.view(np.int8).reshape(len(p), -1)


def _pair_differences(
    won: Iterable[np.ndarray], pairs: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the wins of run a minus the wins of run b, over all thresholds or subtopics."""
    a, b = pairs
    total = reduce(np.add, won)
    return np.asarray(total[a, b] - total[b, a])
