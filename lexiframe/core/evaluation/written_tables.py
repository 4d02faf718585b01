"""The tables of an evaluation as files: `Evaluation.write`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.evaluation.buckets.plan import KEPT
from lexiframe.core.evaluation.buckets.writing import parts_in
from lexiframe.core.evaluation.evaluated_data import Origin
from lexiframe.core.evaluation.written_ranks import ranks_table
from lexiframe.core.io import kept_results, output_files, provenance, to_parquet
from lexiframe.core.pairwise import PairCube, arrays, fingerprints, pairs
from lexiframe.core.projection import answers

FOLDERS = "collections"
"""The name of the folders of several collections in the provenance, by collection."""
ORDER = "order_of_collections"
"""The name of the list of collections in the provenance, in the user's order."""
Evaluation = Any
"""An `Evaluation`, whose module imports this one."""


def write_together(
    evaluations: Mapping[Path, Evaluation],
    parts: Mapping[str, str],
    files_of: Callable[[Path], list[Path]],
    tables_of: Callable[[Evaluation], Mapping[str, Any]],
) -> list[Path]:
    """Write the tables of evaluations to their folders, all of them or none; return the paths.

    ``files_of`` names the files of an earlier evaluation in a folder, which go; the tables in parts
    go as well, but for the folders in ``parts``, which this evaluation has written. So do those of
    collections that the earlier evaluation had, and these have not.
    """
    mine, paths = {Path(kept).resolve() for kept in parts.values()}, []
    with output_files.together():
        for place, one in evaluations.items():
            earlier = files_of(output_files.output_folder(place))
            older = _collections_before(place) - {*evaluations}
            earlier += [file for folder in older for file in files_of(folder)]
            earlier += [p for folder in older for name in KEPT for p in parts_in(folder, name)]
            for name in KEPT:
                if (place / name).resolve() not in mine:
                    earlier += parts_in(place, name)
            paths += to_parquet.write_tables(place, tables_of(one), one.provenance, earlier)
    return paths


def _collections_before(place: Path) -> set[Path]:
    """Return the folders of the collections of the evaluation that was written here before."""
    from pyarrow import ArrowException, parquet

    try:
        told = provenance.provenance_of(parquet.read_schema(place / "means.parquet"))
    except (ArrowException, OSError, ValueError):
        return set()
    folders = told.get(FOLDERS)
    named = folders.values() if isinstance(folders, Mapping) else ()
    return {
        place / FOLDERS / Path(str(name)).name
        for name in named
        if Path(str(name)).parts == (FOLDERS, Path(str(name)).name)
    }


def kept_of(origin: Origin | None) -> dict[str, pl.DataFrame]:
    """Return fingerprints of the data and the ranks, by which a later evaluation goes on."""
    return {
        kept_results.FINGERPRINTS: fingerprints.NO_FINGERPRINTS
        if origin is None
        else origin.fingerprints,
        kept_results.RANKS: ranks_table(None if origin is None else origin.ranked),
    }


def tables_of_requests(
    known: PairCube | None,
    origin: Callable[[str], Origin],
    unanswered: pl.DataFrame | None,
    weights: Any = None,
) -> dict[str, Any]:
    """Return the scores, and the preferences in blocks: of many runs they exceed the memory."""
    if known is not None:
        scores, cubes = known.scores, iter([known])
    else:
        projected, measures = origin("scores").projected()
        scores = projected.scores(measures)
        cubes = projected.parts(measures, scores, in_order=True, label="preferences")
        if weights is not None:
            scores = arrays.attach(scores, weights)
            cubes = (arrays.attach(cube, weights) for cube in cubes)
    s = answers.say_answered(pairs.scores_of(scores), unanswered)
    return dict(zip(KEPT, (s, pairs.preferences_in_blocks(cubes)), strict=True))
