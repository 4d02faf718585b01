"""What a form of file is: how it is recognised, opened and called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import polars as pl
import pyarrow as pa

Batch: TypeAlias = pa.Table | pa.RecordBatch


class Opened(NamedTuple):
    """A file that was opened: its columns, and a function that reads its rows.

    The function is given the names of the columns that are needed and the number of rows of a
    batch; None is all, in one batch where that is faster. It may return more columns and rows, and
    is called again to read the rows from the first one on.
    ``n_bytes`` is how much memory the table takes at least, if that is known before it is read.
    ``fits`` says whether some columns, or all, take at most so many bytes when each value stands in
    its row, before this memory is taken; what it lets pass is measured again when it was read.
    ``frame`` reads some columns from the bytes of the whole file straight into Polars, where that
    is safe and faster; it returns None where they would take more than so many bytes. ``has_few``
    says whether a column of text or whole numbers has few values.
    """

    schema: pa.Schema
    batches: Callable[[list[str] | None, int | None], Iterator[Batch]]
    n_bytes: int | None = None
    fits: Callable[[list[str] | None, float], bool] = lambda _columns, _room: True
    frame: Callable[[bytes, list[str], float], pl.DataFrame | None] | None = None
    has_few: Callable[[str], bool] = lambda _: False


@dataclass(frozen=True)
class Form:
    """A form of file that is no text: one module in `lexiframe.io.forms` declares it.

    A file has this form if it begins with one of ``magic``. ``open`` is given the file and what
    error messages call it. ``n_rows`` counts the rows without reading them. ``spark`` are the
    options with which Spark reads the form; None if it does not.
    """

    name: str  # what error messages call it
    endings: tuple[str, ...]
    magic: tuple[bytes, ...]
    open: Callable[[pa.NativeFile, str], Opened]
    n_rows: Callable[[pa.NativeFile], int] | None = None
    spark: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class TextForm:
    """A form of text, which is recognised by its lines; `lexiframe.io.parsing` chooses a reader."""

    name: str
    endings: tuple[str, ...]
    spark: Mapping[str, Any] | None = None


TREC = TextForm("TREC text", (".trec", ".run", ".runs", ".res", ".results", ".txt"))
TEXT_FORMS = (
    TREC,
    TextForm("CSV", (".csv",), {"format": "csv", "header": True}),
    TextForm("TSV", (".tsv",), {"format": "csv", "header": True, "sep": "\t"}),
    TextForm("RecBole's table", (".inter",)),
    TextForm("JSON", (".json", ".jsonl"), {"format": "json"}),
    TextForm("JSON lines", (".ndjson",)),  # read by the driver, which names the run like the file
)
