"""Values for requests that runs lack, as their users say: `filled`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import PairCube, arrays
from lexiframe.core.projection import answers


def filled(table: pl.DataFrame, cube: Any, holes: np.ndarray, missing: str) -> Any:
    """Return scores with 0 in the holes, or the values of the requests that all runs have.

    ``cube`` has the values of the table. Preferences are returned as a cube.
    """
    found = _fill_zeros(cube, holes) if missing == "zero" else _only_common(cube, holes)
    if isinstance(found, PairCube):
        return found
    s, key = _cube_table(found, table), ["run", "query_id", "measure"]
    new = s.join(table, on=key, how="anti").select(*key, answered=pl.lit(value=False))
    marks = pl.concat([answers.unanswered_in(table), new], how="diagonal")
    return answers.say_answered(s, marks)


def _fill_zeros(cube: arrays.ScoreCube | PairCube, holes: np.ndarray) -> arrays.ScoreCube:
    """Return the scores with 0 in the holes; raise where 0 does not say that nothing was found."""
    if isinstance(cube, PairCube):
        raise LexiframeError(
            "missing='zero': expected scores, found preferences, in which a run that found nothing "
            "has no 0; give the scores"
        )
    for n, measure in enumerate(cube.measures):
        metric = derived.known_metric(measure)
        if not holes[n].any():
            continue
        if metric is not None and metric.aggregate == "sum":
            holes[n] = False
        elif cube.smaller_is_better[n] or (metric is not None and metric.aggregate != "mean"):
            raise LexiframeError(
                "missing='zero': expected measures of which 0 is the worst value, found "
                f"{measure}, of which 0 is the best; use missing='common', or leave it out"
            )
    return cube.mapped_cells(lambda cells: np.where(holes, 0.0, cells))


def _only_common(
    cube: arrays.ScoreCube | PairCube, holes: np.ndarray
) -> arrays.ScoreCube | PairCube:
    """Return the values of the requests without a hole; raise where a measure has none."""
    values = np.where(holes.any(axis=2, keepdims=True), np.nan, cube.values)
    is_empty = np.isnan(values).all(axis=(1, 2)) & ~np.isnan(cube.values).all(axis=(1, 2))
    if is_empty.any():
        n = int(np.argmax(is_empty))
        lacking = holes[n].sum(axis=0)
        who = "runs" if isinstance(cube, arrays.ScoreCube) else "pairs of runs"
        least = f" ({cube.runs[int(lacking.argmax())]!r} lacks most)" if who == "runs" else ""
        raise LexiframeError(
            f"missing='common': expected requests that all {who} have, found none by "
            f"{cube.measures[n]}{least}; leave out those that lack most, or use another missing="
        )
    return replace(cube, values=values)


def _cube_table(cube: arrays.ScoreCube, like: pl.DataFrame) -> pl.DataFrame:
    """Return scores as a table, sorted by run, request and measure."""
    run, query, measure = np.nonzero(~np.isnan(cube.values.T))
    table = pl.DataFrame(
        {
            "run": cube.runs[run],
            "query_id": cube.queries[query],
            "measure": cube.measures[measure],
            "value": cube.values[measure, query, run],
            "smaller_is_better": cube.smaller_is_better[measure],
        }
    )
    if cube.ties_sd is not None:
        sd = pl.Series("ties_sd", cube.ties_sd[measure, query, run], nan_to_null=True)
        table = table.with_columns(sd)
    if cube.weights is not None:
        table = cube.weights.columns(table)
    return table.select(name for name in table.columns if name in like.columns)
