"""Long tables as dense arrays, from which orderings and tests are computed.

The array does not depend on the order of a table's rows, so sums are the same to the last bit.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, coded, schemas, to_polars, unknown_name
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise.arrays.arrays import (
    PairCube,
    ScoreCube,
    refuse_too_great,
    score_differences,
)

T = TypeVar("T", ScoreCube, PairCube)


def score_cube(s: Any) -> ScoreCube:
    """Convert a scores table to an array.

    The column ``smaller_is_better`` gives the direction; where it is missing or null, the measure's
    name does. Two rows with one key (run, query_id, measure) are an error. A request for which a
    measure has no value of any run is left out of it.
    """
    table = schemas.check(s, schemas.SCORES)
    if table["value"].null_count():  # a measure may say nothing of a request, whatever the run
        each = (["query_id", "measure"], ["measure"])
        n, n_of_all = (pl.col("value").count().over(keys) for keys in each)
        table = table.filter((n > 0) | (n_of_all == 0))
    measures, measure = coded.encode(table["measure"])
    queries, query = coded.encode(table["query_id"])
    runs, run = coded.encode(table["run"])
    shape = (len(runs), len(queries), len(measures))
    refuse_too_great("scores", table["value"].to_numpy())
    values = _scatter(shape, (run, query, measure), table["value"], schemas.SCORES)
    known = [derived.known_metric(name) for name in measures]
    smaller = _directions(table, measures)
    is_exact = np.array(
        [
            metric is not None and metric.is_exact and metric.smaller_is_better == is_smaller
            for metric, is_smaller in zip(known, smaller, strict=True)
        ],
        bool,
    )
    sd = None
    if "ties_sd" in table.columns:
        is_exact[:] = False  # means over tied orders are rounded
        sd = np.full((len(measures), len(queries), len(runs)), np.nan)
        sd[measure, query, run] = table["ties_sd"].to_numpy()
    by_measure = np.ascontiguousarray(values.T)
    found = ScoreCube(measures, queries, runs, by_measure, smaller, is_exact, sd)
    return _weighed_cube(found, table)


def _weighed_cube(cube: T, table: pl.DataFrame) -> T:
    """Return an array with the weights of requests that its table has."""
    if schemas.WEIGHT not in table.columns:
        return cube
    from lexiframe.core.pairwise.arrays.attached_weights import attach, weights_in

    return attach(cube, weights_in(table, cube.queries))


def _directions(table: pl.DataFrame, measures: pl.Series) -> np.ndarray:
    """Return for each measure whether smaller values are better."""
    directions = {name: bool(derived.smaller_is_better(name)) for name in measures}
    if "smaller_is_better" in table.columns:
        given = table.select("measure", "smaller_is_better").drop_nulls().unique()
        both = given.filter(given["measure"].is_duplicated())["measure"].sort()
        if len(both):
            raise SchemaError(
                f"scores: expected one direction of each measure, found {both[0]} with true and "
                "with false in smaller_is_better; say the same in all of its rows"
            )
        directions |= dict(given.iter_rows())
    return np.array([directions[name] for name in measures], bool)


def cube_of_table(table: Any, baseline: str | None = None) -> PairCube:
    """Convert a table to an array: see `pair_cube`."""
    from lexiframe.core.pairwise.arrays.size import IN_CUBE, refuse_too_many

    table = to_polars(table)
    if "value" in table.columns:
        return _score_differences(score_cube(table), baseline)
    d = _turned(schemas.check(table, schemas.PREFERENCES))
    if baseline is not None:
        d = _only_pairs_with(d, baseline)
    with ThreadPoolExecutor(2) as executor:  # with millions of rows the slowest step of a test
        encoded = executor.map(coded.encode, (d[name] for name in schemas.PREFERENCES.key))
        (queries, query), (names_a, run_a), (names_b, run_b), (measures, measure) = encoded
    runs = pl.concat([names_a, names_b]).unique().sort()
    changes = np.append(True, (run_a[1:] != run_a[:-1]) | (run_b[1:] != run_b[:-1]))
    # The first row of each stretch of rows with the same pair.
    starts = np.flatnonzero(changes[: len(run_a)])
    run_a = runs.search_sorted(names_a).to_numpy().astype(np.int64)[run_a[starts]]
    run_b = runs.search_sorted(names_b).to_numpy().astype(np.int64)[run_b[starts]]
    a, b = _ends_of(runs, baseline)
    shape = (len(queries), len(a), len(measures))
    if d.height < np.prod(shape, dtype=float):  # otherwise it is in memory already
        whose = (len(runs), len(queries), len(measures))
        refuse_too_many("arrays of preferences", *whose, IN_CUBE, baseline=baseline)
    whose_pair = _number_of_pair(runs, run_a, run_b, baseline)
    pair = np.repeat(whose_pair, np.diff(np.append(starts, len(query))))
    cells = (query, pair, measure)
    values = _scatter(shape, cells, d["preference"], schemas.PREFERENCES)
    by_measure = np.ascontiguousarray(np.moveaxis(values, 2, 0))
    scores = ScoreCube.none(queries, runs)
    return _weighed_cube(PairCube(measures, queries, runs, a, b, by_measure, scores), d)


def _turned(d: pl.DataFrame) -> pl.DataFrame:
    """Return preferences with run_a before run_b; raise for rows of one run alone."""
    run_a, run_b = pl.col("run_a").cast(pl.String), pl.col("run_b").cast(pl.String)
    same = d.filter(run_a == run_b)
    if same.height:
        raise SchemaError(
            "preferences: expected two different runs, found "
            f"{str(same['run_a'][0])!r} as run_a and as run_b; leave the row out"
        )
    if not d.select((run_a > run_b).any()).item():
        return d
    is_turned, turned = run_a > run_b, 0.0 - pl.col("preference")  # −x would make a tie −0.0
    return d.with_columns(
        run_a=pl.when(is_turned).then("run_b").otherwise("run_a"),
        run_b=pl.when(is_turned).then("run_a").otherwise("run_b"),
        preference=pl.when(is_turned).then(turned).otherwise("preference"),
    )


def _only_pairs_with(d: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Return the rows of pairs with the baseline."""
    kept = d.filter((pl.col("run_a") == baseline) | (pl.col("run_b") == baseline))
    if not kept.height:
        raise unknown_name("run", baseline, pl.concat([d["run_a"], d["run_b"]]).unique().sort())
    return kept


def _ends_of(runs: pl.Series, baseline: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the runs a and b of each pair, by (a, b)."""
    if baseline is None:
        return np.triu_indices(len(runs), k=1)
    if baseline not in runs:
        raise unknown_name("run", baseline, runs)
    place = runs.to_list().index(baseline)
    others = np.delete(np.arange(len(runs)), place)
    return np.minimum(others, place), np.maximum(others, place)


def _number_of_pair(
    runs: pl.Series, a: np.ndarray, b: np.ndarray, baseline: str | None
) -> np.ndarray:
    """Return the number of each pair of the runs a < b among the pairs of `_ends_of`."""
    if baseline is None:
        return np.asarray(a * (2 * len(runs) - a - 1) // 2 + b - a - 1)
    place = runs.to_list().index(baseline)
    other = a + b - place
    return np.asarray(other - (other > place))


def _score_differences(s: ScoreCube, baseline: str | None) -> PairCube:
    """Return the differences of scores of all pairs of runs, or of the pairs with a baseline."""
    from lexiframe.core.pairwise.arrays.size import IN_ARRAYS, refuse_too_many

    shape = (len(s.runs), len(s.queries), len(s.measures))
    refuse_too_many("differences of scores", *shape, IN_ARRAYS, baseline=baseline)
    a, b = _ends_of(s.runs, baseline)
    delta = np.empty((len(s.measures), len(s.queries), len(a)))
    for n, values in enumerate(s.values):
        flags = {"smaller_is_better": s.smaller_is_better[n], "is_exact": s.is_exact[n]}
        score_differences(values, a, b, **flags, out=delta[n])
    return PairCube(s.measures, s.queries, s.runs, a, b, delta, s, s.weights)


def _scatter(
    shape: tuple[int, ...],
    cells: tuple[np.ndarray, ...],
    column: pl.Series,
    schema: schemas.TableSchema,
) -> np.ndarray:
    """Return an array with a column's numbers, NaN in the cells that the table lacks.

    A column that is sorted by its table's key and lacks no cell is only reshaped, not copied.
    """
    flat, is_sorted = checked_cells(shape, cells, column, schema)
    if is_sorted and len(flat) == np.prod(shape):
        return np.asarray(column.to_numpy()).reshape(shape)
    values = np.full(int(np.prod(shape)), np.nan)
    values[flat] = column.to_numpy()
    return values.reshape(shape)


def checked_cells(
    shape: tuple[int, ...],
    cells: tuple[np.ndarray, ...],
    column: pl.Series,
    schema: schemas.TableSchema,
) -> tuple[np.ndarray, bool]:
    """Return the places of a table's rows in a flat array, and whether they rise.

    Two rows of one place are an error, and so is a row without a number.
    """
    flat = cells[0]
    for n, cell in zip(shape[1:], cells[1:], strict=True):
        flat = flat * n + cell
    is_sorted = bool((flat[1:] > flat[:-1]).all())
    if not is_sorted and np.bincount(flat).max() > 1:
        raise SchemaError(
            f"{schema.name}: expected one row for each {', '.join(schema.key)}, found several"
        )
    if column.null_count() or column.is_nan().any():
        raise SchemaError(
            f"{schema.name}: expected a number in each row of the column {column.name}, found a "
            "null or NaN"
        )
    return flat, is_sorted
