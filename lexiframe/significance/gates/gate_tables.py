"""What a gate is given: the rows of two runs, and margins by the names of the table's measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, SchemaError, schemas, to_polars, unknown_name
from lexiframe.metrics import derived
from lexiframe.pairwise import PairCube, arrays
from lexiframe.significance.margins import Margin


def of_two_runs(d: Any, baseline: str, candidate: str) -> Any:
    """Return the rows of two runs; arrays and sums over requests stay as they are."""
    is_table = not isinstance(d, PairCube | arrays.Reduced | arrays.ScoreSums)
    table = to_polars(d) if is_table else d
    if is_table:
        _refuse_null_runs(table)
        schemas.check(table, schemas.SCORES if arrays.is_scores(table) else schemas.PREFERENCES)
    names = [] if not is_table else ["run"] if arrays.is_scores(table) else ["run_a", "run_b"]
    if isinstance(d, arrays.ScoreSums) or (is_table and not {*names} <= {*table.columns}):
        return table  # which is refused where its columns are checked
    runs = _runs_of(table, names) if is_table else list(d.runs)
    for run in (baseline, candidate):
        if run not in runs:
            raise unknown_name("run", run, runs)
    if not is_table:
        return d
    return table.filter(pl.col(name).cast(pl.String).is_in([baseline, candidate]) for name in names)


def _refuse_null_runs(table: pl.DataFrame) -> None:
    """Raise for rows without a run, before those of other runs are left out."""
    for name in {"run", "run_a", "run_b"} & {*table.columns}:
        if table[name].null_count():
            raise SchemaError(
                f"gate: expected a run in each row of the column {name}, found "
                f"{table[name].null_count():,} nulls; name the run, or leave the rows out"
            )


def _runs_of(table: pl.DataFrame, names: list[str]) -> list[str]:
    return pl.concat(table[name].cast(pl.String) for name in names).unique().sort().to_list()


def margins_by_name(margin: Margin, d: Any) -> tuple[Margin, list[str]]:
    """Return margins by the names that the table gives the measures, and these names."""
    known = [str(name) for name in _measures_of(d)]
    if not isinstance(margin, Mapping):
        return margin, known
    sizes: dict[str, float | str] = {}
    for name, size in margin.items():
        called = _name_among(known, str(name))
        if called in sizes:
            raise LexiframeError(f"margin: expected one for {called}, found two; keep one")
        sizes[called] = size
    return sizes, known


def _measures_of(d: Any) -> pl.Series:
    if isinstance(d, PairCube | arrays.Reduced):
        return d.measures
    table = to_polars(d)
    return schemas.check(table, schemas.SCORES if arrays.is_scores(table) else schemas.PREFERENCES)[
        "measure"
    ].unique()


def _name_among(known: Sequence[str], asked: str) -> str:
    """Return the name of a measure in the table, which may be another name of the same metric."""
    metric = derived.known_metric(asked)
    same = [name for name in known if metric is not None and derived.known_metric(name) == metric]
    return asked if asked in known else next(iter(same), asked)
