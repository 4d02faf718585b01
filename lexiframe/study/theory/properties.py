"""Which properties measures have, by looking at every ranking of a few items: `axioms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import polars as pl

from lexiframe.core.base import sums, typed
from lexiframe.core.metrics import Metric, RecallLevelMetric
from lexiframe.core.pairwise import Measure, parse_measures
from lexiframe.study.theory.arguments import check_few, sizes_of
from lexiframe.study.theory.enumerated import values_of
from lexiframe.study.theory.orders import ranks_and_preferences
from lexiframe.typing import MeasureLike

Vector = tuple[int, ...]
Case = tuple[bool, str]
"""Whether a property holds in one case, and the case in words."""


@dataclass(frozen=True)
class Universe:
    """All complete rankings of n items, by the ranks of the m relevant ones, under a measure.

    Attributes
    ----------
    n, m
        The number of items, and of relevant ones.
    vectors
        The ranks of the relevant items of every ranking, and the number of that ranking.
    delta
        Rankings × rankings, in the same order: the preference for the row's ranking; 0 for a tie.
    values
        The value of each ranking; none for a preference.
    measure
        The measure.
    """

    n: int
    m: int
    vectors: dict[Vector, int]
    delta: np.ndarray
    values: np.ndarray
    measure: Measure

    def compare(self, a: Vector, b: Vector) -> float:
        """Return the preference for ranking a over ranking b."""
        return float(self.delta[self.vectors[a], self.vectors[b]])

    def value(self, a: Vector) -> float:
        """Return the value of a ranking; only metrics have values."""
        return float(self.values[self.vectors[a]])

    def lists(self) -> Iterator[tuple[int, Vector]]:
        """Return the retrieved lists: their lengths, and the ranks of their relevant items.

        At least m items stay unretrieved, as the paper assumes.
        """
        for length in range(self.n - self.m):
            for found in range(self.m + 1):
                yield from ((length, ranks) for ranks in combinations(range(1, length + 1), found))

    def imputed(self, found: Vector) -> Vector:
        """Put the relevant items that are not retrieved at the end (pessimistic imputation)."""
        missing = self.m - len(found)
        return (*found, *range(self.n - missing + 1, self.n + 1))


@typed
def axioms(
    methods: MeasureLike | Iterable[MeasureLike], n: int, m: int | Iterable[int]
) -> pl.DataFrame:
    """Find which properties measures have, with a counterexample where one fails.

    Every ranking of n items is checked, so n is small. A property that holds here may fail for more
    items; one that fails here does not hold in general.

    Parameters
    ----------
    methods
        Metrics and preferences, their notation, and your own functions, one or several.
    n
        The number of items of a ranking.
    m
        The number of relevant items, one or several: a property has to hold for each of them.
        At most 1,000 rankings, C(n, m), are taken.

    Returns
    -------
    polars.DataFrame
        One row for each ``method`` and ``property``, in the order in which the paper lists them:
        ``holds``, null where the property is about the values of metrics and the method has none,
        and where the rankings of so few items have no case of it; ``counterexample`` in words, with
        the ranks of the relevant items: ``"no case"`` where there is none to check, null where the
        property holds or is not about the method.

    Raises
    ------
    LexiframeError
        Unless 1 ≤ m ≤ n, and when there are more than 1,000 rankings.

    Notes
    -----
    The properties are those of Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373,
    arXiv:2302.11370, appendix A, table 6, who take them from Moffat (2013), Amigó et al. (2013) and
    Ferrante et al. (2015). Items that are not retrieved are imputed at the end of the ranking.
    Concavity is given in two readings. Read literally, two swaps in one ranking are compared, which
    can concern different recall levels: so it fails for AP, whose weights grow with the level. The
    paper's proof compares swaps of one recall level at different depths, the other items being
    where they were.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> table = lf.theory.axioms("RR", n=4, m=2)
    >>> table.filter(pl.col("property") == "strictly increasing in swapping up").rows()
    [('RR', 'strictly increasing in swapping up', False, '[1, 2] is not above [1, 3]')]
    """
    asked = parse_measures(methods)
    sizes = sizes_of(m)
    for size in sizes:
        check_few("axioms", n, size)
    rows: list[tuple[str, str, bool | None, str | None]] = []
    for measure in asked:
        universes = [_universe(measure, n, size) for size in sizes]
        for name, (cases, is_of_metrics) in PROPERTIES.items():
            if is_of_metrics and not isinstance(measure, Metric):
                rows.append((str(measure), name, None, None))
                continue
            found = (case for universe in universes for case in cases(universe))
            rows.append((str(measure), name, *judged(found)))
    schema = {
        "method": pl.String,
        "property": pl.String,
        "holds": pl.Boolean,
        "counterexample": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def total_preorder(measure: Measure, n: int, sizes: Iterable[int]) -> Case:
    """Return whether a measure puts all rankings of n items in one order, or three that it cannot.

    ``sizes`` are the numbers of relevant items.
    """
    for m in sizes:
        ranks, delta = ranks_and_preferences(measure, n, m)
        not_worse = delta >= 0
        by_way = (not_worse.astype(np.float64) @ not_worse) > 0
        for a, c in np.argwhere(by_way & (delta < 0))[:1]:
            b = np.flatnonzero(not_worse[a] & not_worse[:, c])[0]
            first, second, third = (ranks[k].tolist() for k in (a, b, c))
            way = f"{first} is not below {second}, nor {second} below {third}"
            return False, f"{way}, but {first} is below {third}"
    return True, ""


NO_CASE = "no case"
"""Stands for a counterexample where nothing could be one."""


def judged(cases: Iterator[Case]) -> tuple[bool | None, str | None]:
    """Return whether a property holds in all cases, and else the first counterexample."""
    holds: bool | None = None
    for holds, words in cases:
        if not holds:
            return False, words
    return holds, NO_CASE if holds is None else None


def _universe(measure: Measure, n: int, m: int) -> Universe:
    return _valued(measure, n, m, *ranks_and_preferences(measure, n, m))


def _valued(measure: Measure, n: int, m: int, ranks: np.ndarray, delta: np.ndarray) -> Universe:
    vectors = {tuple(row): number for number, row in enumerate(ranks.tolist())}
    values = values_of(measure, ranks, n) if isinstance(measure, Metric) else np.empty(0)
    return Universe(n, m, vectors, delta, values, measure)


# --- Appended items and swapped items -----------------------------------------------------------


def _counterexample(a: Vector, relation: str, b: Vector, more: str = "") -> str:
    return f"{[*a]} {relation} {[*b]}{more}"


def _appended(
    u: Universe, relevance: Iterable[int], sign: int, *, strictly: bool
) -> Iterator[Case]:
    """Compare each list with the same list and one more item, relevant (1) or not (0)."""
    relations = {(1, False): "is below", (1, True): "is not above", (-1, False): "is above"}
    relation = relations.get((sign, strictly), "is not below")
    for (length, found), y in product(u.lists(), relevance):
        if y and len(found) == u.m:
            continue
        longer = u.imputed((*found, length + 1) if y else found)
        change = sign * u.compare(longer, u.imputed(found))
        holds = change > 0 if strictly else change >= 0
        more = f", with a {'relevant' if y else 'non-relevant'} item appended at {length + 1}"
        yield holds, _counterexample(longer, relation, u.imputed(found), more)


def _swapped_up(u: Universe, *, strictly: bool) -> Iterator[Case]:
    """Move one relevant item up to the place of one that is not relevant."""
    for old in u.vectors:
        for rank, higher in product(old, range(1, u.n)):
            if higher < rank and higher not in old:
                new = tuple(sorted({*old, higher} - {rank}))
                change = u.compare(new, old)
                holds = change > 0 if strictly else change >= 0
                yield holds, _counterexample(new, "is not above" if strictly else "is below", old)


# --- Concavity ----------------------------------------------------------------------------------


def _gain(u: Universe, old: Vector, rank: int) -> float:
    """Return the gain in value when the relevant item at a rank moves one place up."""
    return u.value(tuple(sorted({*old, rank - 1} - {rank}))) - u.value(old)


def _can_move_up(old: Vector) -> list[int]:
    return [rank for rank in old if rank > 1 and rank - 1 not in old]


def _larger(first: float, second: float, *, strictly: bool) -> bool:
    return first > second + sums.TIE if strictly else first >= second - sums.TIE


def _concave(u: Universe, *, strictly: bool) -> Iterator[Case]:
    """Compare two swaps in one ranking, as the property is written."""
    for old in u.vectors:
        for i, j in combinations(_can_move_up(old), 2):
            first, second = _gain(u, old, i), _gain(u, old, j)
            words = f"in {[*old]} the item at {i} gains {first:.4g}, that at {j} {second:.4g}"
            yield _larger(first, second, strictly=strictly), words


def _concave_of_a_level(u: Universe, *, strictly: bool) -> Iterator[Case]:
    """Compare swaps of one recall level at neighbouring depths, the other items being the same."""
    for old in u.vectors:
        for rank in _can_move_up(old):
            lower = tuple(sorted({*old, rank + 1} - {rank}))
            if rank + 1 > u.n or rank + 1 in old:
                continue
            first, second = _gain(u, old, rank), _gain(u, lower, rank + 1)
            words = (
                f"from {[*old]} the item at {rank} gains {first:.4g}, from {[*lower]} that at "
                f"{rank + 1} {second:.4g}"
            )
            yield _larger(first, second, strictly=strictly), words


# --- What values depend on ----------------------------------------------------------------------


def _same_where(u: Universe, kept: Callable[[Vector, int], Vector]) -> Iterator[Case]:
    """Compare rankings that agree in a part of their ranks, the part ending at each rank."""
    for cut in range(1, u.n):
        for a, b in combinations(u.vectors, 2):
            if kept(a, cut) == kept(b, cut):
                yield (
                    u.compare(a, b) == 0,
                    _counterexample(
                        a, "does not tie with", b, f", which differ beyond rank {cut} alone"
                    ),
                )


def _prefix(ranks: Vector, cut: int) -> Vector:
    return tuple(rank for rank in ranks if rank <= cut)


def _suffix(ranks: Vector, cut: int) -> Vector:
    return tuple(rank for rank in ranks if rank > cut)


def _bounded(u: Universe) -> Iterator[Case]:
    for ranks in u.vectors:
        value = u.value(ranks)
        yield -sums.TIE <= value <= 1 + sums.TIE, f"{[*ranks]} has the value {value:.4g}"


def _localised(u: Universe) -> Iterator[Case]:
    """Compare the values of a retrieved list for m and for m + 1 relevant items."""
    if u.m + 1 >= u.n or not isinstance(u.measure, Metric):
        return
    # Of these rankings, which may be many more, only the values are needed, not the preferences.
    ranks = np.array([*combinations(range(1, u.n + 1), u.m + 1)])
    other = _valued(u.measure, u.n, u.m + 1, ranks, np.empty((0, 0)))
    for length, found in other.lists():
        if length and len(found) <= u.m:
            few, many = u.value(u.imputed(found)), other.value(other.imputed(found))
            words = (
                f"the list of {length} items with relevant ones at {[*found]} has {few:.4g} for "
                f"m = {u.m} and {many:.4g} for m = {u.m + 1}"
            )
            yield abs(few - many) <= sums.TIE, words


def _counts_without_items(u: Universe) -> Iterator[Case]:
    """Check whether the weight of a recall level is a number when no item is relevant."""
    metric = u.measure
    if isinstance(metric, RecallLevelMetric):
        i, m = pl.lit(0.0), pl.lit(0.0)
        weight = pl.select(metric.evaluate(metric.weight, i, m).cast(pl.Float64)).item()
        yield bool(np.isfinite(weight)), f"the weight z(0, 0) is {weight}"


def _realised(u: Universe) -> Iterator[Case]:
    best = max(u.value(ranks) for ranks in u.vectors)
    yield (
        abs(best - 1) <= sums.TIE,
        f"the best of all rankings with m = {u.m} has {best:.4g}, not 1",
    )


Cases = Callable[[Universe], Iterator[Case]]
PROPERTIES: dict[str, tuple[Cases, bool]] = {
    "increasing in retrieval size": (lambda u: _appended(u, (0, 1), 1, strictly=False), False),
    "decreasing in nonrelevance": (lambda u: _appended(u, (0,), -1, strictly=False), False),
    "strictly decreasing in nonrelevance": (lambda u: _appended(u, (0,), -1, strictly=True), False),
    "increasing in relevance": (lambda u: _appended(u, (1,), 1, strictly=False), False),
    "strictly increasing in relevance": (lambda u: _appended(u, (1,), 1, strictly=True), False),
    "increasing in swapping up": (lambda u: _swapped_up(u, strictly=False), False),
    "strictly increasing in swapping up": (lambda u: _swapped_up(u, strictly=True), False),
    "concave in contiguous swap depth": (lambda u: _concave(u, strictly=False), True),
    "strictly concave in contiguous swap depth": (lambda u: _concave(u, strictly=True), True),
    "concave at each recall level": (lambda u: _concave_of_a_level(u, strictly=False), True),
    "strictly concave at each recall level": (
        lambda u: _concave_of_a_level(u, strictly=True),
        True,
    ),
    "suffix invariant": (lambda u: _same_where(u, _prefix), False),
    "prefix invariant": (lambda u: _same_where(u, _suffix), False),
    "bounded": (_bounded, True),
    "localised": (_localised, True),
    "complete": (_counts_without_items, True),
    "realisable": (_realised, True),
}
"""The properties, each with its cases and whether it is about the values of metrics."""
