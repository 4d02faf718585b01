"""The places of several collections: folders of them, tables, and data sets of ir_datasets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, ReadError, errors, warn
from lexiframe.core.io import batches, data_sources, logs, qrel_files
from lexiframe.core.io.files import folders
from lexiframe.core.projection import by_collection

_COLUMNS = ("collection", "runs", "qrels")
_TABLE = "a table of places (collection, runs, qrels)"


def found(places: Any) -> by_collection.Given:
    """Return the runs and judgments at places, by collection; raise unless all are complete."""
    if not isinstance(places, str | Path):
        names = {one.removeprefix(data_sources.IR_DATASETS): (one, one) for one in places}
        return by_collection.Given(names)
    place = data_sources.expanded(places)
    several = _listed_folder(place) if folders.is_folder(place) else _listed_table(place)
    for name, (runs, qrels) in several.items():
        with by_collection.told_of(name):  # before any is evaluated, lest the last one fail
            if isinstance(runs, Path):
                data_sources.find_sources(runs)
            if isinstance(qrels, Path):
                qrel_files.file_or_data(batches.judgments_in(qrels))
    return several


def _listed_folder(folder: Path) -> by_collection.Given:
    """Return the collections of a folder, in folders of their own; warn of further entries."""
    visible = (path for path in folder.iterdir() if not folders.is_hidden(path))
    inside = sorted(visible, key=_natural_key)
    parts = {path.name: _parts(path) for path in inside if folders.is_folder(path)}
    several = {name: one for name, one in parts.items() if any(one)}
    left_out = [path.name for path in inside if path.name not in several]
    if not several or all(_parts(folder)):
        expected = "judgments for the runs (qrels), or folders of collections, NAME/qrels* and "
        advice = f"of one collection give runs and judgments; of several, such folders or {_TABLE}"
        names = errors.n_and_first([path.name for path in inside])
        raise ReadError(Problem(str(folder), f"{expected}NAME/runs", names, advice))
    for name, one in several.items():
        if [*map(len, one)] != [1, 1]:
            names = errors.n_and_first([path.name for some in one for path in some])
            advice = f"add what is lacking, leave one there, name {_TABLE}, or let the name of the "
            advice += "folder begin with _, which leaves it out"
            expected = "one file of judgments (qrels*) and the runs (runs)"
            raise ReadError(Problem(str(folder / name), expected, names, advice))
    if left_out:
        names = errors.n_and_first(left_out)
        warn(f"{folder}: left out, since they have neither qrels nor runs: {names}")
    return by_collection.Given(
        {name: (runs[0], qrels[0]) for name, (runs, qrels) in several.items()}
    )


def _natural_key(path: Path) -> list[tuple[int, str]]:
    """Return the key of a name that sorts numbers in it as numbers: c2 before c10."""
    parts = re.split(r"([0-9]+)", path.name)
    return [(int(part), part) if n % 2 else (-1, part) for n, part in enumerate(parts)]


def _parts(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the places of runs and of judgments in the folder of a collection."""
    inside = _data_in(folder)
    qrels = [at for path in inside if path.name.startswith("qrels") for at in _judgments(path)]
    return [path for path in inside if path.name.startswith("runs")], qrels


def _judgments(path: Path) -> list[Path]:
    """Return the files of judgments at a place; of a folder, if there is one, the test file."""
    inside = _data_in(path) if folders.is_folder(path) else [path]
    test = [file for file in inside if data_sources.run_name(file) == "test"]
    if others := [file.name for file in inside if test and file not in test]:
        warn(f"{path}: judgments beside {test[0].name}, left out: {errors.n_and_first(others)}")
    return test or ([path] if folders.is_data_set(path) else inside)


def _data_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not (folders.is_hidden(p) or folders.is_about(p)))


def _listed_table(file: Path) -> by_collection.Given:
    """Return the collections of a table, whose paths begin at its own folder."""
    try:
        table = logs.read_log(file)
    except ReadError as error:
        raise ReadError(f"{error}; expected judgments for runs (qrels), or {_TABLE}") from None
    if not {*_COLUMNS} <= {*table.columns}:
        found = f"the columns {', '.join(table.columns):.200}"
        expected = f"judgments for the runs (qrels), or {_TABLE}"
        raise ReadError(Problem(str(file), expected, found, "add what is lacking"))
    table = table.with_columns(pl.col(_COLUMNS).cast(pl.String))
    lacking = pl.any_horizontal(pl.col(_COLUMNS).is_null()) | pl.col("collection").is_duplicated()
    if (wrong := table.filter(lacking)).height or not table.height:
        found, expected = errors.n_and_first(wrong["collection"]), "a row with runs and qrels for "
        advice = "fill all in; several runs lie in a folder, or share a pattern such as runs/*.run"
        raise ReadError(Problem(str(file), f"{expected}each collection, once", found, advice))
    if unread := [
        name for name in table.columns if name not in (*_COLUMNS, *by_collection.OF_EACH)
    ]:
        warn(f"{file}: columns that are not read: {errors.n_and_first(unread)}")
    rows = {row["collection"]: row for row in table.iter_rows(named=True)}
    places = {
        n: (_placed(file, row["runs"]), _placed(file, row["qrels"])) for n, row in rows.items()
    }
    several = by_collection.Given(places)
    options = by_collection.OF_EACH
    several.policies = {
        n: {o: row[o] for o in options if row.get(o) is not None} for n, row in rows.items()
    }
    return several


def _placed(table: Path, place: str) -> str | Path:
    """Return a place that a table names: an address, a data set, or a path from the table on."""
    is_elsewhere = data_sources.is_remote(place) or data_sources.is_in_ir_datasets(place)
    return place if is_elsewhere else table.parent / data_sources.expanded(place)
