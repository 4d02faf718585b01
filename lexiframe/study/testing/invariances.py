"""That a measure has the same values for the same data in another form: `invariances`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.evaluation.from_runs import evaluate
from lexiframe.core.io import output_files
from lexiframe.core.metrics import Metric
from lexiframe.core.pairwise import Measure, measured, pairs
from lexiframe.core.projection import Policies

_RUNS, _QUERIES, _DOCUMENTS, _RETRIEVED = 3, 12, 40, 25
_CUT = 5


class Collection(NamedTuple):
    """Runs and judgments."""

    runs: pl.DataFrame
    qrels: pl.DataFrame


Case = tuple[bool | None, str | None]


def invariances(measure: Measure, seed: int) -> pl.DataFrame:
    """Return whether each check holds on a random collection, and where not, a counterexample."""
    of = _random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = _measure_values(measure, of)
        rows = [(name, *check(measure, of, values)) for name, check in CHECKS.items()]
    schema = {"check": pl.String, "holds": pl.Boolean, "counterexample": pl.String}
    return pl.DataFrame(rows, schema, orient="row")


def _random(seed: int) -> Collection:
    rng = np.random.default_rng(seed)
    names = np.array([f"d{n:02}" for n in range(_DOCUMENTS)])
    runs = [
        (f"run {r}", f"q{q:02}", str(name), float(-rank))
        for r in range(_RUNS)
        for q in range(_QUERIES)
        for rank, name in enumerate(rng.permutation(names)[:_RETRIEVED])
    ]
    qrels = [
        (f"q{q:02}", str(name), float(grade))
        for q in range(_QUERIES)
        for name, grade in zip(
            rng.permutation(names)[:15], [1, 2, *rng.integers(0, 3, 13)], strict=True
        )
    ]
    return Collection(
        pl.DataFrame(runs, ["run", "query_id", "doc_id", "score"], orient="row"),
        pl.DataFrame(qrels, ["query_id", "doc_id", "relevance"], orient="row"),
    )


def _key(measure: Measure) -> list[str]:
    return ["run", "query_id"] if isinstance(measure, Metric) else ["run_a", "run_b", "query_id"]


def _measure_values(measure: Measure, of: Collection, depth: int | None = None) -> pl.DataFrame:
    """Return the values of a metric for each run and request, of a preference for each pair."""
    projected = measured.project_runs(of.runs, of.qrels, [measure], Policies(depth=depth))
    part = projected.part([measure])
    return _table_values(measure, *pairs.tables_of(part))


def _table_values(measure: Measure, s: pl.DataFrame, d: pl.DataFrame) -> pl.DataFrame:
    table = s if isinstance(measure, Metric) else d.rename({"preference": "value"})
    return table.select(*_key(measure), "value").sort(_key(measure))


def _same(measure: Measure, one: pl.DataFrame, other: pl.DataFrame) -> Case:
    """Compare values, all that differ by rounding alone counting as equal."""
    key = _key(measure)
    both = one.join(other, on=key, how="full", coalesce=True)
    gap = (pl.col("value") - pl.col("value_right")).abs()
    most = sums.TIE * pl.max_horizontal(1.0, pl.col("value").abs())
    apart = both.filter((gap > most).fill_null(value=True))
    if not apart.height:
        return True, None
    row = apart.sort(key).row(0, named=True)
    named = ", ".join(str(row[name]) for name in key)
    return False, f"{named}: {row['value']} and {row['value_right']}"


def _bounded(measure: Measure, of: Collection, values: pl.DataFrame) -> Case:
    limits = measure.limits
    low, high = limits.low - sums.TIE, np.inf if limits.can_exceed else limits.high + sums.TIE
    outside = values.filter(~pl.col("value").is_between(low, high))
    if not outside.height:
        return True, None
    row = outside.row(0, named=True)
    named = ", ".join(str(row[name]) for name in _key(measure))
    return False, f"{named}: {row['value']} is not within {measure.bounds}"


def _rows_in_another_order(measure: Measure, of: Collection, values: pl.DataFrame) -> Case:
    runs, qrels = (table.sample(fraction=1, shuffle=True, seed=n) for n, table in enumerate(of))
    return _same(measure, values, _measure_values(measure, Collection(runs, qrels)))


def _renamed(column: str, prefix: str) -> Callable[[Measure, Collection, pl.DataFrame], Case]:
    def check(measure: Measure, of: Collection, values: pl.DataFrame) -> Case:
        """Give names of another order, and compare under the names from before."""
        names = pl.concat([table[column] for table in of if column in table.columns]).unique()
        others = [f"{prefix}{number:03}" for number in range(len(names))]
        known = dict(zip(names.sort(descending=True), others, strict=True))
        found = _measure_values(
            measure,
            Collection(*(
                table.with_columns(pl.col(column).replace(known)) if column in table.columns
                else table for table in of
            )),
        )  # fmt: skip
        back = {new: old for old, new in known.items()}
        named = [name for name in found.columns if name.partition("_")[0] in column]
        found = found.with_columns(pl.col(named).replace(back))
        return _same(measure, values, _turn_to_first(found))

    return check


def _turn_to_first(found: pl.DataFrame) -> pl.DataFrame:
    """Return preferences for the run whose name comes first."""
    if "run_a" not in found.columns:
        return found
    turned = pl.col("run_a") > pl.col("run_b")
    return found.with_columns(
        run_a=pl.min_horizontal("run_a", "run_b"),
        run_b=pl.max_horizontal("run_a", "run_b"),
        value=pl.when(turned).then(-pl.col("value")).otherwise("value"),
    )


def _values_from_parts(measure: Measure, of: Collection, values: pl.DataFrame) -> Case:
    table = "scores" if isinstance(measure, Metric) else "preferences"
    with output_files.temporary_folder() as folder:
        evaluate(of.runs, of.qrels, [measure], out=folder, keep=table)
        found = pl.read_parquet(f"{folder}/{table}/*.parquet")
    empty = pl.DataFrame()
    tables = (found, empty) if table == "scores" else (empty, found)
    return _same(measure, values, _table_values(measure, *tables))


def _cut_off(measure: Measure, of: Collection, values: pl.DataFrame) -> Case:
    try:
        cut: Any = measure @ _CUT
        found = _measure_values(cut, of)
    except (LexiframeError, TypeError):
        return None, None
    return _same(cut, found, _measure_values(cut, of, depth=_CUT))


Check = Callable[[Measure, Collection, pl.DataFrame], Case]
CHECKS: dict[str, Check] = {
    "values are finite and within the bounds": _bounded,
    "the order of rows does not matter": _rows_in_another_order,
    "the names of documents do not matter": _renamed("doc_id", "x"),
    "the names of requests do not matter": _renamed("query_id", "x"),
    "the names of runs do not matter": _renamed("run", "x"),
    "an evaluation in parts has the same values": _values_from_parts,
    f"@{_CUT} is the same as runs that end at rank {_CUT}": _cut_off,
}
