"""The values by people and by a model for the same runs, side by side: `side_by_side`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, schemas, warn
from lexiframe.core.pairwise import arrays

Of = Literal["means", "differences", "win_rates"]
"""What is estimated: means of runs, mean differences of pairs, or shares of requests won."""


@dataclass(frozen=True)
class SideBySide:
    """The values of one measure, requests × columns; a column is a run or a pair of runs.

    ``people`` and ``model`` are of the requests that both judged, with the same gaps (NaN);
    ``others`` are the model's values in the other requests. ``queries`` are the requests of people.
    """

    measure: str
    columns: pl.DataFrame
    queries: pl.Series
    people: np.ndarray
    model: np.ndarray
    others: np.ndarray


def side_by_side(
    called: str, human: Any, model: Any, of: Of | None, baseline: str | None
) -> Iterator[SideBySide]:
    """Yield the values of each measure that people and the model have.

    Requests of people that the model lacks are left out, with a warning; runs and measures that it
    lacks are an error.
    """
    for table in (human, model):
        arrays.refuse_weights(called, table)
    tables = [_long_values(called, table, of, baseline) for table in (human, model)]
    if tables[0].columns != tables[1].columns:
        raise LexiframeError(
            f"{called}: expected scores of people and model, or preferences of both, found one of "
            "each; give both the same table"
        )
    people, models = tables
    names = [name for name in people.columns if name not in ("query_id", "measure", "value")]
    _refuse_lacking(called, people, models, [*names, "measure"])
    both = people["query_id"].unique().sort()
    lost = both.filter(~both.is_in(models["query_id"].implode()))
    if len(lost) == len(both):
        raise LexiframeError(
            f"{called}: expected requests that people and the model judged, found none in common "
            f"({n_and_first(both)} by people); give the model's values of people's requests too"
        )
    if len(lost):
        warn(f"{called}: left out requests of people that the model lacks: {n_and_first(lost)}")
    shared = both.filter(~both.is_in(lost.implode()))
    others = models["query_id"].unique().sort()
    others = others.filter(~others.is_in(shared.implode()))
    for measure in people["measure"].unique().sort():
        columns = people.filter(measure=measure).select(names).unique().sort(names)
        of_measure = [table.filter(measure=measure) for table in (people, models)]
        h, g, rest = (
            _array(of_measure[which], columns, queries)
            for which, queries in ((0, shared), (1, shared), (1, others))
        )
        gaps = np.isnan(h) | np.isnan(g)
        h, g = np.where(gaps, np.nan, h), np.where(gaps, np.nan, g)
        yield SideBySide(measure, columns, shared, h, g, rest)


def _long_values(called: str, table: Any, of: Of | None, baseline: str | None) -> pl.DataFrame:
    """Return a row for each request, measure and column, with the value to be averaged."""
    if arrays.is_scores(table) and of in (None, "means"):
        s = schemas.check(table, schemas.SCORES).with_columns(pl.col("measure").cast(pl.String))
        arrays.score_cube(s)  # refuses what is no table of scores
        return s.select("run", "query_id", "measure", "value")
    if of == "means":
        raise LexiframeError(
            f"{called}: expected a table of scores for means of runs, found preferences; ask for "
            "of='differences' or of='win_rates'"
        )
    cube = arrays.pair_cube(table, baseline)
    cube = cube if baseline is None else cube.against(baseline)
    frames = [pl.DataFrame(schema=_OF_PAIRS)]
    for measure, pairs in cube:
        values = (np.sign(pairs.values) + 1) / 2 if of == "win_rates" else pairs.values
        query, pair = np.nonzero(~np.isnan(values))
        runs = {name: pairs.runs.gather(end[pair]) for name, end in _pair_ends(pairs)}
        rows = {**runs, "query_id": pairs.queries.gather(query), "value": values[query, pair]}
        frames.append(pl.DataFrame(rows).select(*runs, "query_id", pl.lit(measure).alias("measure"),
                                                "value"))  # fmt: skip
    return pl.concat(frames)


_OF_PAIRS: dict[str, pl.DataType] = {
    "run_a": schemas.STR, "run_b": schemas.STR, "query_id": schemas.STR, "measure": schemas.STR,
    "value": schemas.FLOAT,
}  # fmt: skip


def _pair_ends(pairs: Any) -> list[tuple[str, np.ndarray]]:
    return [("run_a", pairs.a), ("run_b", pairs.b)]


def _refuse_lacking(
    called: str, people: pl.DataFrame, model: pl.DataFrame, names: list[str]
) -> None:
    """Raise for runs or measures that only people have values of."""
    lacking = people.select(names).unique().join(model.select(names).unique(), on=names, how="anti")
    if lacking.height:
        said = n_and_first([", ".join(row) for row in lacking.sort(names).rows()])
        raise LexiframeError(
            f"{called}: expected the model's values of all that people have ({', '.join(names)}), "
            f"found none of {said}; compute the same measures of the same runs from both"
        )


def _array(table: pl.DataFrame, columns: pl.DataFrame, queries: pl.Series) -> np.ndarray:
    """Return requests × columns, NaN where the table has no row."""
    values = np.full((len(queries), columns.height), np.nan)
    places = columns.with_row_index("column")
    rows = queries.alias("query_id").to_frame().with_row_index("row")
    found = table.join(places, on=columns.columns).join(rows, on="query_id")
    values[found["row"], found["column"]] = found["value"]
    return values
