"""Reading the results that `Evaluation.write` wrote to a folder, to go on from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.core.base import LexiframeError, Problem, ReadError, errors, schemas, to_polars
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.io.files.result_folders import tables_in as tables_in

FINGERPRINTS = "fingerprints"
"""The table of fingerprints of measures, runs and judgments: `core.pairwise.fingerprints`."""
RANKS = "ranks"
"""The table of the ranks of the judged items: see `lexiframe.connect.engines.reuse.ranks`."""
_TOGETHER = "written together"
"""What the provenance calls the fingerprint of all files of a writer, while they are read."""
_OF_REQUESTS = ("scores", "preferences")
_NEEDED = (*_OF_REQUESTS, "coverage", "means", FINGERPRINTS, RANKS)
_AGAIN = "evaluate without reuse, and write the results to a folder of their own"


@dataclass(frozen=True)
class KeptResults:
    """The results in a folder: tables, fingerprints, ranks, and their provenance.

    ``of_requests`` are the scores and preferences: None of an evaluation in parts, and where they
    are not needed.
    """

    folder: str
    coverage: pl.DataFrame
    of_requests: tuple[pl.DataFrame, pl.DataFrame] | None
    fingerprints: pl.DataFrame
    ranks: pl.DataFrame
    provenance: Mapping[str, Any]


TablesAndFacts = tuple[dict[str, pl.DataFrame], dict[str, Any]]


def reusable_results(
    folder: str | Path,
    read: Callable[[Path, Mapping[str, Path], str], TablesAndFacts],
    of_requests: bool,
) -> KeptResults:
    """Read the tables in a folder of results that later evaluations can go on from.

    ``read`` returns the unchanged tables of one evaluation and their provenance, or raises
    ReadError. Tables ``of_requests`` (scores, preferences) may be missing. Results of
    `evaluate_scores`, and of evaluations in parts without ranks, are refused.
    """
    from lexiframe.core.io.files.output_files import found_at, output_path

    place, where = output_path(folder), str(folder)
    if (found_there := found_at(place)) != "a folder":
        found = f"is {found_there or 'not there'}"
        advice = "name the folder that Evaluation.write wrote; the first time leave reuse out"
        raise ReadError(Problem(where, "", found, advice))
    with tables_in(place) as there:
        missing = [f"{name}.parquet" for name in _NEEDED if name not in there]
        in_parts = missing == [f"{name}.parquet" for name in _OF_REQUESTS]
        if missing and not in_parts:
            expected = "the files that Evaluation.write writes"
            raise ReadError(Problem(where, expected, f"no {', '.join(missing)}", _AGAIN))
        absent = _OF_REQUESTS if in_parts or not of_requests else ()
        needed = {name: there[name] for name in _NEEDED if name not in absent}
        tables, facts = read(place, needed, _AGAIN)
    if in_parts and not tables[RANKS].height:
        raise LexiframeError(
            f"{where}: expected the results of an evaluation in memory, found those of one in "
            "parts, of which neither ranks nor preferences were kept; leave reuse out, and "
            "evaluate all runs again in parts"
        )
    if "policies" not in facts:
        raise LexiframeError(
            f"{where}: expected the results of evaluate, found those of scores that other tools "
            "computed, of which the rankings are not known; leave reuse out"
        )
    several = None if absent else (tables["scores"], tables["preferences"])
    others = tables[FINGERPRINTS], tables[RANKS]
    return KeptResults(where, tables["coverage"], several, *others, facts)


def tables_of_one(
    what: str,
    place: Path,
    paths: Mapping[str, Path],
    advice: str,
    schema_of: Callable[[str], schemas.TableSchema | None],
) -> TablesAndFacts:
    """Return tables in a folder by their names, and the provenance that all of them have.

    ``what`` names the source of the tables, for messages: an evaluation, say.
    """
    read = {name: read_table(path, name, advice) for name, path in paths.items()}
    for name, (table, _) in read.items():
        if (schema := schema_of(name)) is not None:  # others have columns of their own
            _refuse_other_form(paths[name], table, schema)
    facts = next(iter(read.values()))[1]
    if any(of_table != facts for _, of_table in read.values()):
        found = f"files of different {what}s"
        raise ReadError(Problem(str(place), f"the files of one {what}", found, advice))
    facts.pop(_TOGETHER)
    return {name: table for name, (table, _) in read.items()}, facts


def _refuse_other_form(path: Path, table: pl.DataFrame, schema: schemas.TableSchema) -> None:
    """Raise for a table that lacks the columns, types and keys of its schema."""
    expected, advice = f"the columns of {schema.name}", "evaluate again with this version"
    lacking = [column for column in schema.required if column not in table.columns]
    if lacking:
        raise ReadError(Problem(str(path), expected, f"no {', '.join(lacking)}", advice))
    for name, dtype in schema.columns.items():
        kind = table.schema.get(name, dtype)
        is_name = dtype == schemas.STR and isinstance(kind, pl.Categorical | pl.Enum)
        if kind != dtype and not is_name:
            raise ReadError(Problem(str(path), f"{dtype} in {name}", str(kind), advice))
    # Columns of groups are in front of those of the schema.
    keys = [name for name in table.columns if name in schema.key or name not in schema.columns]
    named = [n for n in keys if n in schema.required and n not in schema.nullable]
    if empty := [name for name in named if table[name].has_nulls()]:
        raise ReadError(Problem(str(path), f"a name in {empty[0]} in all rows", "null", advice))
    # Of rows for each request arrays are made, which refuse two of one key.
    if "query_id" not in keys and not schemas.is_in_order(table, keys):
        twice = table.filter(table.select(keys).is_duplicated())
        if twice.height:
            expected, found = f"one row for each {', '.join(keys)}", f"several of {twice.row(0)}"
            raise ReadError(Problem(str(path), expected, found, advice))


def read_table(path: Path, name: str, advice: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return one table of results and its provenance; ``advice`` ends the errors."""
    from pyarrow import parquet

    from lexiframe.core.io.files.checksum import fingerprint_in, has_checksum

    data = File(str(path)).read()
    try:
        is_whole = has_checksum(data, str(path))
        table = parquet.ParquetFile(pa.BufferReader(data)).read()
    except (pa.ArrowException, OSError, ValueError) as error:
        found = f"cannot be read as Parquet ({errors.one_line(error)})"
        raise ReadError(Problem(str(path), "", found, advice)) from None
    facts = provenance_of(table.schema)
    if not is_whole or facts.pop("table", None) != name:
        expected = f"the table {name} that Evaluation.write writes"
        raise ReadError(Problem(str(path), expected, "another file", advice))
    return to_polars(table), {**facts, _TOGETHER: fingerprint_in(data)}
