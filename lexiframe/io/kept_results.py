"""Reading the results that `Evaluation.write` wrote to a folder, to go on from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.base import LexiframeError, Problem, ReadError, errors, to_polars
from lexiframe.io.files.checksum import has_checksum
from lexiframe.io.files.data_sources import File
from lexiframe.io.files.output_files import found_at, output_path
from lexiframe.io.files.provenance import provenance_of

FINGERPRINTS = "fingerprints"
"""The table of fingerprints of measures, runs and judgments: `lexiframe.pairwise.fingerprints`."""
RANKS = "ranks"
"""The table of the ranks of the judged items: see `lexiframe.evaluation.reuse.ranks`."""
_NEEDED = ("scores", "preferences", "coverage", FINGERPRINTS, RANKS)
_AGAIN = "evaluate without reuse, and write the results to a folder of their own"


@dataclass(frozen=True)
class KeptResults:
    """The results in a folder: tables, fingerprints, ranks, and their provenance."""

    folder: str
    coverage: pl.DataFrame
    scores: pl.DataFrame
    preferences: pl.DataFrame
    fingerprints: pl.DataFrame
    ranks: pl.DataFrame
    provenance: Mapping[str, Any]


def reusable_results(folder: str | Path) -> KeptResults:
    """Read the tables in a folder of results that later evaluations can go on from.

    Raises
    ------
    ReadError
        When there is no such folder, when one of the files is missing, damaged or not of this
        library, and when files are of different evaluations.
    LexiframeError
        When the results are those of `evaluate_scores`, or of an evaluation in parts.
    """
    place, where = output_path(folder), str(folder)
    if (there := found_at(place)) != "a folder":
        found = f"is {there or 'not there'}"
        advice = "name the folder that Evaluation.write wrote; the first time leave reuse out"
        raise ReadError(Problem(where, "", found, advice))
    missing = [f"{name}.parquet" for name in _NEEDED if not (place / f"{name}.parquet").is_file()]
    if missing == ["scores.parquet", "preferences.parquet"]:
        raise LexiframeError(
            f"{where}: expected the results of an evaluation in memory, found those of one in "
            "parts, whose sums over the requests do not suffice to add runs or judgments; leave "
            "reuse out, and evaluate all runs again in parts"
        )
    if missing:
        expected = "the files that Evaluation.write writes"
        raise ReadError(Problem(where, expected, f"no {', '.join(missing)}", _AGAIN))
    tables, facts = zip(
        *(read_table(place / f"{name}.parquet", name, _AGAIN) for name in _NEEDED), strict=True
    )
    if any(of_table != facts[0] for of_table in facts):
        found = "files of different evaluations"
        raise ReadError(Problem(where, "the files of one evaluation", found, _AGAIN))
    if "policies" not in facts[0]:
        raise LexiframeError(
            f"{where}: expected the results of evaluate, found those of scores that other tools "
            "computed, of which the rankings are not known; leave reuse out"
        )
    s, d, coverage, marks, ranks = tables
    return KeptResults(where, coverage, s, d, marks, ranks, facts[0])


def read_table(path: Path, name: str, advice: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return one table of results and its provenance; ``advice`` ends the errors."""
    from pyarrow import parquet

    data = File(str(path)).read()
    try:
        is_whole = has_checksum(data, str(path))
        table = parquet.ParquetFile(pa.BufferReader(data)).read()
    except (pa.ArrowException, OSError, ValueError) as error:
        found = f"cannot be read as Parquet ({errors.in_one_line(error)})"
        raise ReadError(Problem(str(path), "", found, advice)) from None
    facts = provenance_of(table.schema)
    if not is_whole or facts.pop("table", None) != name:
        expected = f"the table {name} that Evaluation.write writes"
        raise ReadError(Problem(str(path), expected, "another file", advice))
    return to_polars(table), facts
