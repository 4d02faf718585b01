"""Tables in parts, a Parquet file for each bucket: written whole, or not at all."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas
from lexiframe.core.evaluation.buckets.plan import Kept, Plan

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetWriter

# What the file of a bucket is called, by its number.
_PART = r"part-[0-9]{6,}\.parquet"
_SCHEMAS = {"scores": schemas.SCORES, "preferences": schemas.PREFERENCES}
WRITTEN: Any = {"compression": "zstd", "write_page_checksum": True}


@contextlib.contextmanager
def part_writer(plan: Plan, table: Kept, bucket: int) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Yield a function that writes rows of a bucket's part; without rows it is an empty table.

    The file has its name only when all is written. If the plan does not keep the table, nothing is
    written.
    """
    if table not in plan.keep:
        yield lambda rows: None
        return
    from pyarrow import parquet

    from lexiframe.core.io import output_files

    path = Path(str(plan.out), table, f"part-{bucket:06}.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    with output_files.replacing(path) as temporary:
        writer: list[ParquetWriter] = []

        def write(rows: pl.DataFrame) -> None:
            arrow = schemas.to_arrow(rows)
            if not writer:
                writer.append(parquet.ParquetWriter(temporary, arrow.schema, **WRITTEN))
            writer[0].write_table(arrow)

        try:
            yield write
            if not writer:
                write(pl.DataFrame(schema=_SCHEMAS[table].required))
        finally:
            for one in writer:
                one.close()


def complete_parts(out: str | Path | None, keep: Iterable[Kept]) -> None:
    """Say in all parts of the scores which rankings are missing, if it is said in one of them."""
    if "scores" not in keep:
        return
    import pyarrow as pa
    from pyarrow import parquet

    from lexiframe.core.io import output_files

    paths = Path(str(out), "scores").glob("part-*.parquet")
    says = {path: "answered" in parquet.read_schema(path).names for path in paths}
    for path in (path for path, said in says.items() if any(says.values()) and not said):
        table = parquet.read_table(path)
        answered = pa.repeat(pa.scalar(value=True), table.num_rows)
        with output_files.replacing(path) as temporary:
            table = table.append_column("answered", answered)
            parquet.write_table(table, temporary, **WRITTEN)


def remove_parts(out: str | Path, table: Kept) -> None:
    """Remove the parts of a table that an earlier evaluation wrote, and the folder if it is empty.

    Any other file stays: people may have put it there.
    """
    for path in parts_in(out, table):
        path.unlink(missing_ok=True)
    folder = Path(out, table)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def parts_in(out: str | Path, table: Kept) -> list[Path]:
    """Return the parts of a table that an evaluation wrote."""
    paths = sorted(Path(out, table).glob("part-*"))
    return [path for path in paths if re.fullmatch(_PART, path.name) and _holds(path, table)]


def _holds(path: Path, table: Kept) -> bool:
    """Return whether a Parquet file has the columns of a table."""
    from pyarrow import ArrowException, parquet

    try:
        names: list[str] = parquet.read_schema(path).names
    except (ArrowException, OSError, ValueError):
        return False
    return names[: len(_SCHEMAS[table].required)] == [*_SCHEMAS[table].required]


def earlier_parts(out: str | Path | None, keep: Iterable[Kept]) -> list[Path]:
    """Return the parts that an earlier evaluation wrote, which a new one replaces.

    Any other file among them is an error: readers of the folder would take it for a part.
    """
    found: list[Path] = []
    for folder in [Path(str(out), table) for table in keep]:
        inside = [path for path in folder.glob("*") if not path.name.startswith((".", "_"))]
        for path in sorted(inside):
            if not re.fullmatch(_PART, path.name):
                raise LexiframeError(
                    f"{folder}: expected no files but the parts of an earlier evaluation, found "
                    f"{path.name}; give another folder as out, or remove this file"
                )
        found += inside
    return found
