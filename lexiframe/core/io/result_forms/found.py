"""Finding files of results in folders, and choosing between repeated measurements."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, ReadError, SchemaError, n_and_first, progress, sums, warn
from lexiframe.core.io.result_forms import form_of_result
from lexiframe.core.io.result_forms.parts import same_parts

_COLUMNS = {
    "run": pl.String,
    "collection": pl.String,
    "query_id": pl.String,
    "measure": pl.String,
    "value": pl.Float64,
    "replicate": pl.String,
    "file": pl.String,
    "split": pl.String,
    "subset": pl.String,
    "is_chosen": pl.Boolean,
    "smaller_is_better": pl.Boolean,
}


def result_files(source: Any) -> list[Path]:
    """Return the files of results below the given paths; none for any other source."""
    if isinstance(source, str | Path):
        path = os.path.expanduser(source)  # noqa: PTH111 - no error for an unknown user
        is_folder = os.path.isdir(path)  # noqa: PTH112 - false for a name that is too long
        inside = sorted(Path(path).rglob("*.json*")) if is_folder else [Path(path)]
        hidden = len(Path(path).parts)  # a name that begins with a dot is no data: ._T.json
        inside = [f for f in inside if not any(p.startswith(".") for p in f.parts[hidden:])]
        files = [file for file in inside if os.path.isfile(file)]  # noqa: PTH113
        return [file for file in files if form_of_result(file) is not None]
    if isinstance(source, list | tuple) and source:
        several = [result_files(one) for one in source]
        return [file for files in several for file in files] if all(several) else []
    return []


def read_results(
    files: Iterable[Path], revisions: str, languages: str | None = None
) -> pl.DataFrame:
    """Read files of results: run, collection, query_id, measure, value, replicate and file."""
    rows: list[tuple[Any, ...]] = []
    versions: dict[tuple[str, str], tuple[Any, ...]] = {}
    files = list(files)
    for file in progress(files, len(files), "reading results"):
        form = form_of_result(file)
        for found in form.read(file, languages) if form else ():
            part = found.part or (None, None, None)
            rows.append((*found[:5], found.replicate, str(file), *part, found.smaller_is_better))
            key, version = (found.run, found.replicate), (form.name if form else "", *found.version)
            versions[key] = max(versions.get(key, ()), version)
    table = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    if not table.height:
        raise ReadError(f"{files[0]}: expected results with scores, found none")
    if table["smaller_is_better"].null_count() == table.height:
        table = table.drop("smaller_is_better")
    _refuse_several_values(table)
    table = same_parts(table).drop("split", "subset", "is_chosen")
    table = _requests_first(table)
    return table if revisions == "all" else _newest(table, versions).drop("replicate")


def _refuse_several_values(table: pl.DataFrame) -> None:
    """Raise where a file has several values of a request: nobody knows which of them counts."""
    key = [name for name in table.columns if name not in ("value", "smaller_is_better")]
    rows = table.filter(pl.col("query_id").is_not_null())
    twice = rows.filter(rows.select(pl.struct(key).is_duplicated()).to_series())
    if twice.height:
        one = twice.row(0, named=True)
        found = (
            f"several in {twice.height} rows, {one['query_id']!r} of {one['collection']!r} first"
        )
        advice = "leave one of two filters in the file, or name it in the field filter"
        raise SchemaError(
            Problem(one["file"], f"one {one['measure']!r} of a sample", found, advice)
        )


def _newest(table: pl.DataFrame, versions: dict[tuple[str, str], tuple[Any, ...]]) -> pl.DataFrame:
    """Keep the newest revision of each run that has the collection.

    Newest means the latest version of the tool, then the revision with the most collections.
    """
    n = table.group_by("run", "replicate").agg(n=pl.col("collection").n_unique())
    order = sorted(n.rows(), key=lambda row: (row[0], versions[row[0], row[1]], row[2], row[1]))
    place = {(run, replicate): at for at, (run, replicate, _) in enumerate(order)}
    at = [place[pair] for pair in table.select("run", "replicate").rows()]
    table = table.with_columns(at=pl.Series(at))
    newest = table.filter(pl.col("at") == pl.col("at").max().over("run", "collection"))
    several = n.filter(pl.len().over("run") > 1)["run"].unique().sort()
    if len(several):
        warn(
            f"runs with results of several revisions: {n_and_first(several)}; the newest that has "
            "a collection is taken, revisions='all' keeps all as replicates"
        )
    return newest.drop("at")


def _requests_first(table: pl.DataFrame) -> pl.DataFrame:
    """Where a collection has its requests as well, keep these if their mean is the given number.

    A score that is no mean over requests, as a perplexity, stays the number that the tool gave.
    """
    key = ["run", "collection", "measure", "replicate"]
    of_requests = table.filter(pl.col("query_id").is_not_null())
    if not of_requests.height or of_requests.height == table.height:
        return table
    means = of_requests.group_by(key).agg(mean=pl.col("value").mean())
    both = table.filter(pl.col("query_id").is_null()).join(means, on=key, how="inner")
    same = (pl.col("mean") - pl.col("value")).abs() <= 1e6 * sums.TIE
    are_means, are_not = both.filter(same), both.filter(~same)
    given = table.filter(pl.col("query_id").is_null()).join(are_means, on=key, how="anti")
    requests = of_requests.join(are_not, on=key, how="anti")
    return pl.concat([given, requests])
