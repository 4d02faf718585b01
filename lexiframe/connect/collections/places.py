"""The places of several collections: folders of them, tables, and data sets of ir_datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, ReadError, errors, warn
from lexiframe.core.io import batches, data_sources, logs, qrel_files
from lexiframe.core.io.files import folders
from lexiframe.core.projection import by_collection

_COLUMNS = ("collection", "runs", "qrels")
_POLICIES = ("rel", "depth", "no_relevant")
_PARTS = {"runs": "rankings", "qrels": "judgments"}
_TABLE = "a table of the places: collection, runs, qrels"


def found(places: Any) -> by_collection.Given:
    """Return the runs and judgments at places, by collection; raise unless all are complete."""
    if not isinstance(places, str | Path):
        names = {one.removeprefix(data_sources.IR_DATASETS): (one, one) for one in places}
        return by_collection.Given(sorted(names.items()))
    place = data_sources.expanded(places)
    several = _in_folder(place) if folders.is_folder(place) else _in_table(place)
    for name, (runs, qrels) in several.items():
        with by_collection.told_of(name):  # before any is evaluated, lest the last one fail
            if not data_sources.is_remote(runs):
                data_sources.find_sources(runs)
            if not data_sources.is_remote(qrels):
                qrel_files.file_or_data(batches.judgments_in(qrels))
    return several


def _in_folder(folder: Path) -> by_collection.Given:
    """Return the collections of a folder, in folders of their own; warn of what is none."""
    inside = sorted(path for path in folder.iterdir() if not folders.is_hidden(path))
    names = errors.n_and_first([path.name for path in inside])
    parts = {path.name: _parts(path) for path in inside if folders.is_folder(path)}
    several = {name: one for name, one in parts.items() if any(one.values())}
    if not several or all(_parts(folder).values()):
        expected = "judgments for the runs (qrels), or folders of collections, NAME/qrels* and "
        advice = "of one collection give the runs and the judgments; of others name " + _TABLE
        raise ReadError(Problem(str(folder), f"{expected}NAME/runs", names, advice))
    if left_out := [path.name for path in inside if path.name not in several]:
        found = f"neither qrels nor runs: {errors.n_and_first(left_out)}"
        warn(f"{folder}: left out of the collections, since they have {found}")
    for name, one in several.items():
        for what, paths in one.items():
            if len(paths) != 1:
                advice = "add it, or let the folder's name begin with _, which leaves it out"
                if paths:
                    advice = f"leave one there, or name {_TABLE}"
                found = errors.n_and_first([path.name for path in paths]) if paths else "none"
                where, expected = str(folder / name), f"{what}, the {_PARTS[what]} of a collection"
                raise ReadError(Problem(where, expected, found, advice))
    given = {name: (one["runs"][0], _judgments(one["qrels"][0])) for name, one in several.items()}
    return by_collection.Given(given)


def _parts(folder: Path) -> dict[str, list[Path]]:
    """Return the runs and the judgments in the folder of a collection, by how names begin."""
    return {what: [p for p in _data_in(folder) if p.name.startswith(what)] for what in _PARTS}


def _data_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not (folders.is_hidden(p) or folders.is_about(p)))


def _judgments(path: str | Path) -> str | Path:
    """Return the file of judgments; of BEIR's folder ``qrels`` that of the test requests."""
    if isinstance(path, str) or not folders.is_folder(path):
        return path
    files = _data_in(path)
    chosen = [file for file in files if data_sources.run_name(file) == "test"] or files
    if len(chosen) != 1 and folders.is_data_set(path):
        return path
    if len(chosen) != 1:
        names = errors.n_and_first([file.name for file in chosen]) if chosen else "none"
        expected, advice = "one file of judgments, or one called test", f"name {_TABLE}"
        raise ReadError(Problem(str(path), expected, names, advice))
    if others := [file.name for file in files if file not in chosen]:
        found = errors.n_and_first(others)
        warn(f"{path}: judgments beside {chosen[0].name}, left out: {found}")
    return chosen[0]


def _in_table(file: Path) -> by_collection.Given:
    """Return the collections of a table, whose paths begin at its own folder."""
    expected, advice = f"judgments for the runs (qrels), or {_TABLE}", "add what is lacking"
    try:
        table = logs.read_log(file)
    except ReadError as error:
        raise ReadError(f"{error}; expected {expected}") from None
    if not ({*_COLUMNS} <= {*table.columns} and table.height):
        found = f"{table.height:,} rows with the columns {', '.join(table.columns):.200}"
        raise ReadError(Problem(str(file), expected, found, advice))
    table = table.with_columns(pl.col(_COLUMNS).cast(pl.String))
    for name in _COLUMNS:
        if n := table[name].null_count():
            found, advice = f"none in {n:,} rows", "fill it in, or leave the rows out"
            raise ReadError(Problem(str(file), f"{name} in each row", found, advice))
    if twins := table.filter(pl.col("collection").is_duplicated())["collection"].unique().to_list():
        found = f"several of {errors.n_and_first(sorted(twins))}"
        advice = "runs of one collection lie in a folder, or share a pattern such as runs/*.run"
        raise ReadError(Problem(str(file), "one row for each collection", found, advice))
    if unread := [name for name in table.columns if name not in (*_COLUMNS, *_POLICIES)]:
        warn(f"{file}: columns that are not read: {errors.n_and_first(unread)}")
    rows = {row["collection"]: row for row in table.sort("collection").iter_rows(named=True)}
    places = {
        n: (_placed(file, row["runs"]), _placed(file, row["qrels"])) for n, row in rows.items()
    }
    given = by_collection.Given({n: (r, _judgments(q)) for n, (r, q) in places.items()})
    given.policies = {
        n: {option: row[option] for option in _POLICIES if row.get(option) is not None}
        for n, row in rows.items()
    }
    return given


def _placed(table: Path, place: str) -> str | Path:
    """Return a place that a table names: an address, a data set, or a path from the table on."""
    if data_sources.is_remote(place) or data_sources.is_in_ir_datasets(place):
        return place
    return table.parent / data_sources.expanded(place)
