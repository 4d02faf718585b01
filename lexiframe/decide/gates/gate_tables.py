"""The inputs of a gate: the rows of two runs, and margins by the table's names of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, schemas, to_polars, unknown_name
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import PairCube, arrays
from lexiframe.core.significance.margins import Margin

_RUNS = ("run", "run_a", "run_b")


def rows_of_two_runs(d: Any, baseline: str, candidate: str) -> Any:
    """Return the rows of two runs; arrays and sums over requests unchanged."""
    if isinstance(d, PairCube | arrays.Reduced):
        _refuse_unknown([baseline, candidate], list(d.runs))
        return d
    table = to_polars(d)
    for name in {*_RUNS} & {*table.columns}:
        if nulls := table[name].null_count():
            raise SchemaError(
                f"gate: expected a run in each row of the column {name}, found {nulls:,} nulls; "
                "name the run, or leave the rows out"
            )
    schema = _schema_of(table)
    schemas.check(table, schema)
    names = [pl.col(name).cast(pl.String) for name in _RUNS if name in schema.columns]
    runs = pl.concat(table.select(name).to_series() for name in names).unique().sort()
    _refuse_unknown([baseline, candidate], runs.to_list())
    return table.filter(name.is_in([baseline, candidate]) for name in names)


def _schema_of(table: pl.DataFrame) -> schemas.TableSchema:
    if "replicate" in table.columns:
        return schemas.REPLICATED_SCORES
    return schemas.SCORES if arrays.is_scores(table) else schemas.PREFERENCES


def _refuse_unknown(asked: Sequence[str], runs: list[str]) -> None:
    for run in asked:
        if run not in runs:
            raise unknown_name("run", run, runs)


def margins_by_name(margin: Margin, d: Any) -> tuple[Margin, list[str]]:
    """Return margins by the names that the table gives the measures, and these names."""
    known = [str(name) for name in _measures_of(d)]
    if not isinstance(margin, Mapping):
        return margin, known
    sizes: dict[str, float | str] = {}
    for name, size in margin.items():
        called = derived.name_among(known, str(name))
        if called in sizes:
            raise LexiframeError(f"margin: expected one for {called}, found two; keep one")
        sizes[called] = size
    return sizes, known


def rows_of_measures(d: Any, sizes: Margin) -> Any:
    """Return the rows of the measures that have a margin, whatever else a table has."""
    if not isinstance(sizes, Mapping) or not sizes:
        return d
    if isinstance(d, PairCube | arrays.Reduced):
        return d.select_measures([*sizes])
    table = to_polars(d)
    return table.filter(pl.col("measure").cast(pl.String).is_in([*sizes]))


def _measures_of(d: Any) -> pl.Series:
    if isinstance(d, PairCube | arrays.Reduced):
        return d.measures
    table = to_polars(d)
    return schemas.check(table, _schema_of(table))["measure"].unique()
