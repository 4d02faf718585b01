"""Scores and preferences as Parquet data sets, which many processes write: a file a bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError, in_one_line
from lexiframe.io.files.outputs import output_folder
from lexiframe.io.files.parquet_and_arrow import to_arrow
from lexiframe.io.files.sources import is_remote

UNFINISHED = "_unfinished"
"""The folder of files that are being written; readers of data sets skip names with ``_``."""


def prepare(out: Any, names: Sequence[str]) -> str:
    """Make the folders of data sets; return the place, for `write_part`.

    Raise when there are files in one already: those of other buckets would be mixed with them.
    """
    place = str(out) if is_remote(out) else str(output_folder(out).resolve())
    system, folder = _system(place)
    try:
        for name in names:
            if _files(system, f"{folder}/{name}"):
                raise LexiframeError(
                    f"{place}/{name}: expected no files of an earlier evaluation, found some; "
                    "give another folder as out=, or delete this one"
                )
        for name in (*names, UNFINISHED):
            system.create_dir(f"{folder}/{name}")
    except OSError as error:
        raise _not_written(place, error) from None
    return place


def write_part(table: pl.DataFrame, place: str, name: str, bucket: int) -> None:
    """Write the rows of a bucket; a task that does so again replaces its own file.

    The file gets its name when it is whole, since the process may be killed at any time, and two
    processes may write the same bucket at once (speculative execution).
    """
    from pyarrow import parquet

    system, folder = _system(place)
    unfinished = f"{folder}/{UNFINISHED}/{token_hex(8)}"
    try:
        with system.open_output_stream(unfinished) as file:
            parquet.write_table(to_arrow(table), file, compression="zstd")
        system.move(unfinished, f"{folder}/{name}/bucket-{bucket:06d}.parquet")
    except OSError as error:
        raise _not_written(f"{place}/{name}", error) from None


def finish(place: str, written: Mapping[str, int]) -> None:
    """Remove unfinished files; raise when a data set has not as many files as were written."""
    system, folder = _system(place)
    system.delete_dir(f"{folder}/{UNFINISHED}")
    for name, expected in written.items():
        found = len(_files(system, f"{folder}/{name}"))
        if found != expected:
            raise LexiframeError(
                f"{place}/{name}: expected the {expected} files that the executors wrote, found "
                f"{found}; give a folder as out= that all machines share"
            )


def discard(place: str, names: Sequence[str]) -> None:
    """Remove what was written, after an error."""
    system, folder = _system(place)
    for name in (*names, UNFINISHED):
        system.delete_dir(f"{folder}/{name}", missing_dir_ok=True)


def _system(place: str) -> tuple[Any, str]:
    """Return a file system and the path in it."""
    from pyarrow import fs

    try:
        return fs.FileSystem.from_uri(place) if is_remote(place) else (fs.LocalFileSystem(), place)
    except (ValueError, OSError) as error:
        raise _not_written(place, error) from None


def _files(system: Any, folder: str) -> list[str]:
    from pyarrow import fs

    found = system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    return [file.path for file in found if file.type == fs.FileType.File]


def _not_written(place: str, error: Exception) -> LexiframeError:
    reason = getattr(error, "strerror", None) or in_one_line(error)
    return LexiframeError(
        f"{place}: cannot be written ({reason}); all machines need access to out=, and room there"
    )
