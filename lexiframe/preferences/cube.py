"""Long tables as dense arrays: what orderings and tests are computed on.

Whatever the order of a table's rows, its array is the same, so sums over it are the same to the
last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.codes import encode
from lexiframe.errors import LexiframeError, SchemaError
from lexiframe.measures.derived import is_better_small
from lexiframe.measures.ties import TIE
from lexiframe.schemas import PREFERENCES, SCORES, TableSchema, check, to_polars


@dataclass(frozen=True)
class Scores:
    """One measure's scores: requests × runs, NaN where there is none."""

    queries: pl.Series
    runs: pl.Series
    values: np.ndarray


@dataclass(frozen=True)
class Pairs:
    """One measure's preferences: requests × pairs of runs, NaN where there is none.

    Pair n is that of the runs ``a[n]`` and ``b[n]``, indices into ``runs`` with a < b, in the order
    of the table's key.
    """

    queries: pl.Series
    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray

    @property
    def n(self) -> np.ndarray:
        """The number of requests of each pair."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @property
    def lead(self) -> np.ndarray:
        """Requests won minus requests lost, of each pair."""
        return np.asarray(np.sign(np.nan_to_num(self.values)).sum(axis=0))

    @property
    def ends(self) -> np.ndarray:
        """1 at run a of each pair and −1 at run b, pairs × runs: a product with it sums by run."""
        matrix = np.zeros((len(self.a), len(self.runs)))
        matrix[np.arange(len(self.a)), self.a] = 1
        matrix[np.arange(len(self.a)), self.b] = -1
        return matrix

    def square(self, by_pair: np.ndarray) -> np.ndarray:
        """Give runs × runs, antisymmetric, from a number for each pair."""
        matrix = np.zeros((len(self.runs), len(self.runs)))
        matrix[self.a, self.b] = by_pair
        matrix[self.b, self.a] = -by_pair
        return matrix


@dataclass(frozen=True)
class ScoreCube:
    """Scores as measures × requests × runs, NaN where there is none."""

    measures: pl.Series
    queries: pl.Series
    runs: pl.Series
    values: np.ndarray

    def __iter__(self) -> Iterator[tuple[str, Scores]]:
        """Give each measure's scores, without the requests and runs that have none."""
        for measure, values in zip(self.measures, self.values, strict=True):
            query, run = (np.flatnonzero(~np.isnan(values).all(axis=k)) for k in (1, 0))
            yield (
                measure,
                Scores(self.queries[query], self.runs[run], values[np.ix_(query, run)]),
            )


@dataclass(frozen=True)
class PairCube:
    """Preferences as measures × requests × pairs of runs, NaN where there is none."""

    measures: pl.Series
    queries: pl.Series
    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray

    def __iter__(self) -> Iterator[tuple[str, Pairs]]:
        """Give each measure's preferences, without the requests and runs that have none."""
        for measure, values in zip(self.measures, self.values, strict=True):
            known = ~np.isnan(values)
            query, pair = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
            if len(pair):
                yield measure, self._pairs(values[query], self.queries[query], pair)

    def of_measures(self, names: list[str]) -> PairCube:
        """Give the cube of some of the measures."""
        chosen = self.measures.is_in(names)
        return replace(self, measures=self.measures.filter(chosen), values=self.values[chosen])

    def _pairs(self, values: np.ndarray, queries: pl.Series, known: np.ndarray) -> Pairs:
        """Keep the pairs of the runs that occur in the pairs ``known``."""
        run = np.unique([self.a[known], self.b[known]])
        if len(run) == len(self.runs):
            return Pairs(queries, self.runs, self.a, self.b, values)
        kept = np.isin(self.a, run) & np.isin(self.b, run)
        a, b = np.searchsorted(run, self.a[kept]), np.searchsorted(run, self.b[kept])
        return Pairs(queries, self.runs[run], a, b, values[:, kept])


def is_scores(table: Any) -> bool:
    """Tell scores from preferences."""
    return not isinstance(table, PairCube) and "value" in to_polars(table).columns


def score_cube(s: Any) -> ScoreCube:
    """Lay a scores table out as an array.

    Raises
    ------
    SchemaError
        When a row is there twice, or a column is missing.
    """
    table = check(s, SCORES)
    measures, measure = encode(table["measure"])
    queries, query = encode(table["query_id"])
    runs, run = encode(table["run"])
    shape = (len(runs), len(queries), len(measures))
    values = _scatter(shape, (run, query, measure), table["value"], SCORES)
    return ScoreCube(measures, queries, runs, np.ascontiguousarray(values.T))


def pair_cube(table: Any) -> PairCube:
    """Lay a preferences table, or the differences of a scores table, out as an array.

    A difference favours the run with the greater score, of search lengths the one with the smaller.
    What is laid out already is given back, so that several tables can be made from one array.

    Raises
    ------
    SchemaError
        When a row is there twice, run_a does not come before run_b, or a column is missing.
    """
    if isinstance(table, PairCube):
        return table
    table = to_polars(table)
    if is_scores(table):
        s = score_cube(table)
        a, b = np.triu_indices(len(s.runs), k=1)
        with np.errstate(invalid="ignore"):
            delta = s.values[:, :, a] - s.values[:, :, b]
        if np.isinf(s.values).any():  # equal infinite scores are a tie, not a gap
            delta[s.values[:, :, a] == s.values[:, :, b]] = 0.0
        delta[[is_better_small(name) for name in s.measures]] *= -1
        return PairCube(
            s.measures, s.queries, s.runs, a, b, np.where(np.abs(delta) <= TIE, 0.0, delta)
        )
    d = check(table, PREFERENCES)
    with ThreadPoolExecutor(2) as executor:  # millions of rows: the slowest step of a test
        encoded = executor.map(encode, (d[name] for name in PREFERENCES.key))
        (queries, query), (names_a, run_a), (names_b, run_b), (measures, measure) = encoded
    runs = pl.concat([names_a, names_b]).unique().sort()
    changes = np.append(True, (run_a[1:] != run_a[:-1]) | (run_b[1:] != run_b[:-1]))
    starts = np.flatnonzero(changes[: len(run_a)])  # the measures of a pair stand together
    run_a = runs.search_sorted(names_a).to_numpy().astype(np.int64)[run_a[starts]]
    run_b = runs.search_sorted(names_b).to_numpy().astype(np.int64)[run_b[starts]]
    if (run_a >= run_b).any():
        row = d.row(int(starts[np.argmax(run_a >= run_b)]), named=True)
        raise SchemaError(
            f"preferences: expected run_a before run_b, found {row['run_a']!r} and "
            f"{row['run_b']!r}; swap them and change the sign"
        )
    a, b = np.triu_indices(len(runs), k=1)
    pair_of = np.zeros((len(runs), len(runs)), np.int64)
    pair_of[a, b] = np.arange(len(a))
    shape = (len(queries), len(a), len(measures))
    pair = np.repeat(pair_of[run_a, run_b], np.diff(np.append(starts, len(query))))
    cells = (query, pair, measure)
    values = _scatter(shape, cells, d["preference"], PREFERENCES)
    return PairCube(measures, queries, runs, a, b, np.ascontiguousarray(np.moveaxis(values, 2, 0)))


def check_finite(called: str, values: np.ndarray) -> None:
    """Raise for infinite values, where the mean over requests is what is computed."""
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise LexiframeError(
            f"{called}: expected finite values, found {infinite} that are infinite; their mean "
            "would not depend on the others"
        )


def _scatter(
    shape: tuple[int, ...], cells: tuple[np.ndarray, ...], column: pl.Series, schema: TableSchema
) -> np.ndarray:
    """Put a column's numbers into their cells; a table in the order of its key is there already."""
    flat = cells[0]
    for n, cell in zip(shape[1:], cells[1:], strict=True):
        flat = flat * n + cell
    is_sorted = bool((flat[1:] > flat[:-1]).all())
    if not is_sorted and np.bincount(flat).max() > 1:
        raise SchemaError(
            f"{schema.name}: expected one row for each {', '.join(schema.key)}, found several"
        )
    if column.null_count() or column.is_nan().any():
        raise SchemaError(f"{schema.name}: expected a number in every {column.name}, found none")
    if is_sorted and len(flat) == np.prod(shape):
        return np.asarray(column.to_numpy()).reshape(shape)
    values = np.full(int(np.prod(shape)), np.nan)
    values[flat] = column.to_numpy()
    return values.reshape(shape)
