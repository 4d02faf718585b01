"""Measures computed for many drawn grades of the holes: `means_of_draws`.

Each request has a ranking by each run that never changes, and few different grades of its holes. So
a request with the same grades in several draws is computed once, and all of them are computed
together, as if they were requests of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
import polars as pl

from lexiframe.core.base import progress, sums
from lexiframe.core.metrics import needed
from lexiframe.core.pairwise import Measure, PairCube, arrays, measured
from lexiframe.core.projection import RankedRuns
from lexiframe.study.holes.items import ABSENT, Pool

_ROWS = 2**20
"""Rows of positions that are made at once."""
_CELLS = 2**23
"""Preferences that are held at once, over all draws."""


@dataclass(frozen=True)
class Cases:
    """Requests with grades of their holes, as draws have them.

    Attributes
    ----------
    query, draw
        Of each case: the number of its request, and a draw in which it has these grades.
    place
        Draws × requests, the number of the case.
    """

    query: np.ndarray
    draw: np.ndarray
    place: np.ndarray

    @classmethod
    def find(cls, queries: np.ndarray, of_hole: np.ndarray, grades: np.ndarray) -> Cases:
        """Find the cases of some requests, given the request of each hole, and draws × holes."""
        place = np.empty((len(grades), len(queries)), np.int64)
        query, draw, n = [], [], 0
        for number, one in enumerate(queries):
            first, case = _distinct_rows(grades[:, of_hole == one])
            place[:, number] = n + case
            query.append(np.full(len(first), one))
            draw.append(first)
            n += len(first)
        return cls(np.concatenate(query), np.concatenate(draw), place)


def _distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of each distinct row, and for each row the number of its like."""
    if not rows.shape[1]:
        return np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
    _, first, like = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, like.reshape(-1)


@dataclass(frozen=True)
class Drawn:
    """Runs, and the draws of the grades of some items; the other items are as ``grade`` says.

    Attributes
    ----------
    pool
        The items and their ranks.
    grade
        The grade of each item, `ABSENT` if it is not judged and not drawn.
    items, grades
        The items whose grades are drawn, ascending, and draws × these items.
    runs
        The numbers of the runs that are looked at.
    """

    pool: Pool
    grade: np.ndarray
    items: np.ndarray
    grades: np.ndarray
    runs: Sequence[int]

    def ranked(self, cases: Cases, *, judged: bool) -> RankedRuns:
        """Return the ranks of the items of the cases, each a request; ``judged``: all of them."""
        pool = self.pool
        first = np.searchsorted(pool.query, np.arange(len(pool.queries) + 1))
        begin, end = first[cases.query], first[cases.query + 1]
        case = np.repeat(np.arange(len(begin)), end - begin)
        item = np.arange(len(case)) - np.repeat((end - begin).cumsum() - end, end - begin)
        number = np.full(len(pool.grade), -1)
        number[self.items] = np.arange(len(self.items))
        is_drawn = number[item] >= 0
        grade = self.grade[item]
        grade[is_drawn] = self.grades[cases.draw[case[is_drawn]], number[item[is_drawn]]]
        kept = grade != ABSENT if judged else pool.are_relevant(grade)
        case, item, grade = case[kept], item[kept], grade[kept]
        queries = pl.Series([f"{n:09d}" for n in range(len(cases.query))], dtype=pl.String)
        items = pl.DataFrame(
            {
                "query_id": queries.gather(case),
                "doc_id": pool.ranked.judged.items["doc_id"].gather(item),
                "relevance": grade,
                "is_relevant": pool.are_relevant(grade),
            }
        )
        of_cases = replace(
            pool.ranked.judged, items=items, queries=queries, query=case, complete=judged
        )
        runs = [
            replace(
                run,
                rank=run.rank[item],
                retrieved=run.retrieved[cases.query],
                answered=run.answered[cases.query],
            )
            for run in (pool.ranked.runs[number] for number in self.runs)
        ]
        return RankedRuns(of_cases, runs)


@dataclass(frozen=True)
class Means:
    """The means of the requests of a group for the runs in each draw.

    Attributes
    ----------
    runs
        By metric the moments of the scores; columns are draws × runs.
    pairs
        By measure the moments of the preferences; columns are draws × pairs.
    """

    runs: dict[str, sums.Moments]
    pairs: dict[str, sums.Moments]

    def __add__(self, other: Means) -> Means:
        """Return the moments of the requests of both."""
        return Means(
            {name: moments + other.runs[name] for name, moments in self.runs.items()},
            {name: moments + other.pairs[name] for name, moments in self.pairs.items()},
        )


def means_of_draws(
    drawn: Drawn, asked: Sequence[Measure], groups: Sequence[np.ndarray], label: str, *, pairs: bool
) -> list[Means]:
    """Compute all measures for each draw, over each group of requests, given as their numbers.

    With ``pairs`` the runs are compared as well.
    """
    batches = [*_batches(drawn, len(asked), pairs=pairs)]
    parts = progress(batches, len(batches), label) if label else batches
    found = (_means_of_batch(drawn, asked, groups, part, pairs=pairs) for part in parts)
    return reduce(lambda a, b: [*map(add, a, b)], found)


def _batches(drawn: Drawn, n_measures: int, *, pairs: bool) -> Iterator[np.ndarray]:
    """Divide the requests so that few rows and preferences are made at once."""
    n_draws, n_runs, n_queries = len(drawn.grades), len(drawn.runs), len(drawn.pool.queries)
    of_hole = drawn.pool.query[drawn.items]
    n_cases = np.where(np.bincount(of_hole, minlength=n_queries) > 0, n_draws, 1)
    relevant = drawn.pool.are_relevant(drawn.grade)
    n_items = np.bincount(drawn.pool.query[relevant], minlength=n_queries)
    n_items += np.bincount(of_hole, minlength=n_queries) // 2
    cost = n_cases * n_items * n_runs / _ROWS
    if pairs:
        cost += n_draws * n_measures * n_runs * (n_runs - 1) / 2 / _CELLS
    number = np.floor(cost.cumsum() - cost).astype(np.int64)
    yield from np.split(np.arange(n_queries), np.flatnonzero(np.diff(number)) + 1)


def _means_of_batch(
    drawn: Drawn,
    asked: Sequence[Measure],
    groups: Sequence[np.ndarray],
    queries: np.ndarray,
    *,
    pairs: bool,
) -> list[Means]:
    """Compute all measures for each draw of some requests."""
    cases = Cases.find(queries, drawn.pool.query[drawn.items], drawn.grades)
    judged = any(one.needs == needed.JUDGED for one in needed.parts_of(asked))
    projected = measured.projected_of(drawn.ranked(cases, judged=judged), asked, "drop")
    found = projected.whole(asked if pairs else [])
    cubes = found.scores if pairs else projected.scores(asked), found
    both = [_case_values(cube, len(cases.query)) for cube in cubes]
    return [
        Means(*({k: _case_moments(v, cases.place[:, here]) for k, v in of.items()} for of in both))
        for here in (np.isin(queries, group) for group in groups)
    ]


def _case_values(cube: arrays.ScoreCube | PairCube, n_cases: int) -> dict[str, np.ndarray]:
    """Return the values of each measure: cases × runs, or × pairs."""
    case = cube.queries.cast(pl.Int64).to_numpy()
    named = zip(cube.measures, cube.values, strict=True)
    return {name: _filled(values, case, n_cases) for name, values in named}


def _filled(found: np.ndarray, case: np.ndarray, n_cases: int) -> np.ndarray:
    """Return a row for each case; NaN for one without a relevant document, which has no value."""
    rows = np.full((n_cases, found.shape[1]), np.nan)
    rows[case] = found
    return rows


def _case_moments(by_case: np.ndarray, place: np.ndarray) -> sums.Moments:
    """Return the moments of cases × columns, over the requests of draws × requests."""
    values = by_case[place.T].reshape(place.shape[1], -1)
    return sums.Moments.add_up(values, sums.rounding(values))
