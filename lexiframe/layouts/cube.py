"""Long tables as dense arrays, from which orderings and tests are computed.

The array does not depend on the order of a table's rows, so sums are the same to the last bit.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl

from lexiframe.codes import encode
from lexiframe.errors import SchemaError, unknown_name
from lexiframe.layouts.arrays import PairCube, ScoreCube, pairs_of
from lexiframe.layouts.size import IN_ARRAYS, refuse_too_many
from lexiframe.metrics.derived import known_metric
from lexiframe.metrics.metric import Metric
from lexiframe.metrics.tolerance import metric_difference
from lexiframe.schemas import PREFERENCES, SCORES, TableSchema, check, to_polars
from lexiframe.typing import Frame

PairsLike = Frame | PairCube
"""A table of preferences or scores; or, from inside the package, the array made of one."""


def is_scores(table: Any) -> bool:
    """Return whether a table has scores, not preferences."""
    return not isinstance(table, PairCube) and "value" in to_polars(table).columns


def score_cube(s: Any) -> ScoreCube:
    """Convert a scores table to an array.

    The column ``smaller_is_better``, or the measure's name in a table without it, says whether
    smaller scores are better. A table in which a row is there twice is an error.
    """
    table = check(s, SCORES)
    measures, measure = encode(table["measure"])
    queries, query = encode(table["query_id"])
    runs, run = encode(table["run"])
    shape = (len(runs), len(queries), len(measures))
    values = _scatter(shape, (run, query, measure), table["value"], SCORES)
    known = [known_metric(name) for name in measures]
    smaller = _directions(table, measures, known)
    is_exact = np.array(
        [
            metric is not None and metric.is_exact and metric.smaller_is_better == is_smaller
            for metric, is_smaller in zip(known, smaller, strict=True)
        ],
        bool,
    )
    return ScoreCube(measures, queries, runs, np.ascontiguousarray(values.T), smaller, is_exact)


def _directions(table: pl.DataFrame, measures: pl.Series, known: list[Metric | None]) -> np.ndarray:
    """Return for each measure whether smaller values are better."""
    directions = {
        name: metric is not None and metric.smaller_is_better
        for name, metric in zip(measures, known, strict=True)
    }
    if "smaller_is_better" in table.columns:
        said = table.select("measure", "smaller_is_better").drop_nulls().unique()
        both = said.filter(said["measure"].is_duplicated())["measure"].sort()
        if len(both):
            raise SchemaError(
                f"scores: expected one direction of each measure, found {both[0]} with true and "
                "with false in smaller_is_better; say the same in all of its rows"
            )
        directions |= dict(said.iter_rows())
    return np.array([directions[name] for name in measures], bool)


def pair_cube(table: Any, baseline: str | None = None) -> PairCube:
    """Convert a preferences table, or the differences of a scores table, to an array.

    A difference favours the run with the greater score; for search lengths and other measures of
    which smaller values are better, the run with the smaller score. A cube is returned unchanged,
    so that several tables can be made from it. With a baseline only its pairs are kept. A table in
    which a row is there twice, or run_a does not come before run_b, is an error.
    """
    if isinstance(table, PairCube):
        return table
    table = to_polars(table)
    if is_scores(table):
        return _score_differences(score_cube(table), baseline)
    d = check(table, PREFERENCES)
    if baseline is not None:
        d = _of_baseline(d, baseline)
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
    a, b = _ends_of(runs, baseline)
    pair_of = np.zeros((len(runs), len(runs)), np.int64)
    pair_of[a, b] = np.arange(len(a))
    shape = (len(queries), len(a), len(measures))
    pair = np.repeat(pair_of[run_a, run_b], np.diff(np.append(starts, len(query))))
    cells = (query, pair, measure)
    values = _scatter(shape, cells, d["preference"], PREFERENCES)
    by_measure = np.ascontiguousarray(np.moveaxis(values, 2, 0))
    return PairCube(measures, queries, runs, a, b, by_measure)


def known_pairs(d: Any, s: pl.DataFrame, baseline: str | None = None) -> PairCube:
    """Convert preferences to an array; ``s`` has the scores of the metrics among them, if any.

    The scores are needed to know the rounding error of their differences.
    """
    cube = pair_cube(d, baseline)
    return cube.knowing(score_cube(s)) if s.height else cube


def _of_baseline(d: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Return the rows of the pairs that contain one run."""
    kept = d.filter((pl.col("run_a") == baseline) | (pl.col("run_b") == baseline))
    if not kept.height:
        raise unknown_name("run", baseline, pl.concat([d["run_a"], d["run_b"]]).unique().sort())
    return kept


def _ends_of(runs: pl.Series, baseline: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the runs a and b of each pair."""
    a, b = np.triu_indices(len(runs), k=1)
    if baseline is None:
        return a, b
    chosen = pairs_of(runs, baseline)
    return a[chosen], b[chosen]


def _score_differences(s: ScoreCube, baseline: str | None) -> PairCube:
    """Return the differences of scores of all pairs of runs, or of those of a baseline."""
    shape = (len(s.runs), len(s.queries), len(s.measures))
    refuse_too_many("differences of scores", *shape, IN_ARRAYS, baseline=baseline)
    a, b = _ends_of(s.runs, baseline)
    delta = np.empty((len(s.measures), len(s.queries), len(a)))
    for n, values in enumerate(s.values):
        # without m, exact values are subtracted as they are; in pairs.py the numerators are
        signs = {"smaller_is_better": s.smaller_is_better[n], "is_exact": s.is_exact[n]}
        delta[n] = metric_difference(values[:, a], values[:, b], **signs)
    return PairCube(s.measures, s.queries, s.runs, a, b, delta, s.values)


def _scatter(
    shape: tuple[int, ...], cells: tuple[np.ndarray, ...], column: pl.Series, schema: TableSchema
) -> np.ndarray:
    """Return an array with a column's numbers; a table sorted by its key is only reshaped."""
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
