"""Tables of Parquet: their columns in groups of rows, with their sizes in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pyarrow as pa

from lexiframe.core.io.files.form import LEAST, Batch, Opened, size_in_rows
from lexiframe.core.io.files.packings import room_for, too_much

if TYPE_CHECKING:
    from lexiframe.core.io.files.parquet_pages import Pages

BUFFER = 1 << 20
"""The bytes of a file that are read at once; without it, whole row groups are."""
_ROWS = 1 << 16  # of a column that are looked at together
_MAGIC = b"PAR1"  # behind which the first page begins
_PAGE_WITH_CHECKSUM = re.compile(rb"(?:\x15[\x80-\xff]*[\x00-\x7f]){3}\x15", re.DOTALL)
"""The head of a page in Thrift's compact form: kind, two sizes and, as a fourth number, a CRC."""
_HEAD = 20  # bytes that these numbers take at most


def open_parquet(file: pa.NativeFile, where: str) -> Opened:
    """Open a file of Parquet."""
    from pyarrow import parquet

    from lexiframe.core.io.files.checksum import file_has_checksum

    # The checksum of the whole file covers the pages, so theirs are not computed again.
    is_whole = file_has_checksum(file, where)
    opened = parquet.ParquetFile(
        file, page_checksum_verification=not is_whole, buffer_size=BUFFER, pre_buffer=False
    )
    metadata, schema = opened.metadata, opened.schema_arrow
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    chunks = _Chunks(file, opened, are_intact=is_whole)

    def batches(columns: list[str] | None, rows: int | None) -> Iterator[Batch]:
        if rows is None:
            return iter([opened.read(columns)])
        room, of_all = room_for(0), room_for(file.size())
        if (
            not chunks.fit(columns, of_all)
            or (widest := chunks.widest(columns, room / rows)) > room
        ):
            raise too_much(where, file.size())
        rows = rows if rows * widest <= room else int(room // widest)
        some: Iterator[Batch] = opened.iter_batches(rows, columns=columns, use_threads=False)
        return some

    n_rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    size = max(unpacked, n_rows * metadata.num_columns * LEAST)
    # PyArrow verifies the checksums of pages, Polars does not.
    is_verified = is_whole or not _pages_have_checksums(file)
    frame = partial(_read_frame, chunks) if is_verified else None
    distinct, has_few = partial(_distinct, chunks, schema), partial(_has_few, chunks, schema)
    return Opened(schema, batches, size, chunks.fit, frame, distinct, has_few)


def _pages_have_checksums(file: pa.NativeFile) -> bool:
    """Return whether the first page has a checksum: writers give one to all pages, or to none."""
    file.seek(len(_MAGIC))
    return _PAGE_WITH_CHECKSUM.match(bytes(file.read(_HEAD))) is not None


def _beginnings(path: str) -> Iterator[str]:
    """Yield the possible names of a field's column: a, a.b and a.b.c for ``a.b.c``."""
    return accumulate(path.split("."), "{}.{}".format)


class _Chunks:
    """The columns of an open file in its groups of rows, with their sizes in memory.

    A few bytes can stand for very many: a text that a million rows refer to in a dictionary, or
    begin with. Sizes come from the pages, which are read by them; metadata need not be true.
    """

    def __init__(self, file: pa.NativeFile, opened: Any, *, are_intact: bool) -> None:
        self.file, self.opened, self.are_intact = file, opened, are_intact
        schema = opened.metadata.schema
        self.paths = [schema.column(leaf).path for leaf in range(opened.metadata.num_columns)]
        self.numbers = {path: leaf for leaf, path in enumerate(self.paths)}
        self._groups: list[list[Any]] | None = None
        self._pages: dict[tuple[int, int], Pages] = {}
        self._readers: dict[bool, Any] = {}

    def leaves(self, columns: list[str] | None) -> list[int]:
        """Return the numbers of the columns and of the fields inside them."""
        if columns is None:
            return [*range(len(self.paths))]
        names = {*columns}
        return [n for n, path in enumerate(self.paths) if not names.isdisjoint(_beginnings(path))]

    def pages(self, group: int, leaf: int) -> Pages:
        """Return the metadata of a column's pages, which are read once."""
        from lexiframe.core.io.files.parquet_pages import pages_of, row_groups

        # PyArrow has these metadata, too, but ends the process where those of a column are damaged.
        if self._groups is None:
            self._groups = row_groups(self.file)
        if (group, leaf) not in self._pages:
            self._pages[group, leaf] = pages_of(self.file, self._groups[group][leaf])
        return self._pages[group, leaf]

    def column_pages(self, group: int, leaves: list[int]) -> Mapping[int, Pages]:
        """Return the metadata of the pages of some columns."""
        return {leaf: self.pages(group, leaf) for leaf in leaves}

    def fit(self, columns: list[str] | None, room: float, *, are_views: bool = False) -> bool:
        """Return whether the decoded columns (None: all) fit into ``room`` bytes.

        Where the reader makes views, texts of a dictionary are kept once: only its pages count.
        """
        left = room
        doubtful: list[tuple[int, int]] = []
        for group in range(self.opened.metadata.num_row_groups):
            found = self.column_pages(group, self.leaves(columns))
            left -= sum(max(pages.size, pages.values * LEAST) for pages in found.values())
            if left < 0:
                return False
            if are_views:
                found = {leaf: pages for leaf, pages in found.items() if pages.is_shared}
            longest = self._longest(group, found, room)
            doubtful += [
                (group, leaf) for leaf in found if longest[leaf] * found[leaf].values > room
            ]
        for group, leaf in doubtful:
            left -= self._size(group, leaf, left)
            if left < 0:
                return False
        return True

    def most(self, texts: pl.Series, room: float) -> float:
        """Return a bound on the bytes of texts in their rows; over ``room``, by their lengths."""
        groups = range(self.opened.metadata.num_row_groups)
        found = [self.pages(group, self.numbers[texts.name]) for group in groups]
        in_place = sum(of.size for of in found)
        left = room - in_place
        longest = max((self._quickly(of, left) or of.longest for of in found), default=0)
        if in_place + len(texts) * longest <= room:
            return in_place + len(texts) * longest
        return len(texts) * cast(int, texts.str.len_bytes().max() or 0)

    def widest(self, columns: list[str] | None, harmless: float) -> float:
        """Return the bytes that a row may take beside its pages; 0 for up to ``harmless``."""
        widest = 0.0
        for group in range(self.opened.metadata.num_row_groups):
            found = self.column_pages(group, self.leaves(columns))
            if sum(pages.longest for pages in found.values()) > harmless:
                widest = max(widest, sum(self._longest(group, found, 0).values()))
        return widest

    def _longest(self, group: int, found: Mapping[int, Pages], room: float) -> dict[int, int]:
        """Return the bytes of the longest value of each column, or more than these.

        The texts of dictionaries are looked at where they might take more than ``room``.
        """
        longest = {}
        for leaf, pages in found.items():
            short = self._quickly(pages, room)
            if short is None and pages.begins_coded:
                short = self._longest_text(group, leaf)
            longest[leaf] = pages.longest if short is None else short
        return longest

    def _quickly(self, pages: Pages, room: float) -> int | None:
        """Return a bound on the longest value: exact if it matters, None if that takes time."""
        from lexiframe.core.io.files.parquet_pages import longest_of_short_texts

        if pages.longest * pages.values <= room or pages.is_shared:
            return pages.longest
        only = pages.dictionary
        return None if only is None else longest_of_short_texts(self.file, only)

    def only_value(self, group: int, leaf: int) -> Any:
        """Return the value of all rows, where intact metadata say that there is one; else None."""
        if not self.are_intact:
            return None
        of = self.opened.metadata.row_group(group).column(leaf).statistics
        is_one = of and of.has_min_max and of.min == of.max and of.null_count == 0
        return of.min if is_one else None

    def _longest_text(self, group: int, leaf: int) -> int | None:
        """Return the bytes of the longest text of a dictionary; None if the column is no text."""
        import pyarrow.compute as pc  # takes long to load, and few files need it

        column = next(self.coded(leaf, 1, group)).column(0)
        if not pa.types.is_dictionary(column.type):
            return None
        return pc.max(pc.binary_length(column.dictionary)).as_py() or 0

    def coded(self, leaf: int, rows: int, group: int) -> Iterator[Batch]:
        """Read a column in batches, text as numbers of a dictionary, where that can be.

        Texts that are stored as differences to the text before them have no dictionary: so few are
        read at once that they fit into memory.
        """
        pages, name = self.pages(group, leaf), self.paths[leaf]
        reader = self._reader(are_coded=not pages.is_shared)
        if pages.is_shared:
            rows = max(1, min(rows, int(room_for(0) // max(pages.longest, 1))))
        some: Iterator[Batch] = reader.iter_batches(rows, [group], [name], use_threads=False)
        return some

    def _reader(self, *, are_coded: bool) -> Any:
        """Return a reader of all columns, which is opened once: that takes a look at each."""
        from pyarrow import parquet

        if are_coded not in self._readers:
            self._readers[are_coded] = parquet.ParquetFile(
                self.file,
                metadata=self.opened.metadata,
                read_dictionary=self.paths if are_coded else [],
                buffer_size=BUFFER,
                pre_buffer=False,
            )
        return self._readers[are_coded]

    def _size(self, group: int, leaf: int, room: float) -> float:
        """Return the bytes of a column as rows, or more than ``room``."""
        size = 0.0
        for batch in self.coded(leaf, _ROWS, group):
            size += size_in_rows(batch, room)
            if size > room:
                break
        return size


def _read_frame(
    chunks: _Chunks, data: bytes, columns: list[str], room: float
) -> pl.DataFrame | None:
    """Read some columns into Polars; None if they take more than ``room`` bytes, or are damaged.

    Polars keeps a text of a dictionary once, so that its rows are measured when they are there.
    """
    if not chunks.fit(columns, room, are_views=True):
        return None
    try:
        frame = pl.read_parquet(data, columns=columns)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None  # the file is damaged: PyArrow's errors say how
    texts = [column for column in frame if column.dtype == pl.String]
    if sum(chunks.most(column, room / len(texts)) for column in texts) <= room:  # half the time
        return frame
    sizes = (column.str.len_bytes().cast(pl.Float64).sum() for column in texts)
    return None if sum(sizes) > room else frame


def _is_known(dtype: pa.DataType) -> bool:
    is_text = pa.types.is_string(dtype) or pa.types.is_large_string(dtype)
    return bool(is_text or pa.types.is_integer(dtype))


def _distinct(chunks: _Chunks, schema: pa.Schema, name: str) -> Iterator[pa.Array]:
    """Yield the distinct values of a column of text or whole numbers in stretches of rows."""
    is_known = _is_known(schema.field(name).type)
    for group in range(chunks.opened.metadata.num_row_groups if is_known else 0):
        if (only := chunks.only_value(group, chunks.numbers[name])) is not None:
            yield pa.array([only])
            continue
        for batch in chunks.coded(chunks.numbers[name], _ROWS, group):
            values = getattr(column := batch.column(0), "dictionary", column)
            is_one = len(values) == 1 and not column.null_count  # as mostly: then none is looked at
            if batch.num_rows:
                yield values if is_one else column.unique()


def _has_few(chunks: _Chunks, schema: pa.Schema, name: str, most: int) -> bool:
    """Return whether the first rows of such a column have few distinct values, but one or more."""
    is_known = chunks.opened.metadata.num_row_groups and _is_known(schema.field(name).type)
    if is_known and 0 < chunks.pages(0, chunks.numbers[name]).different < most:  # null is another
        return True
    return 0 < len(next(_distinct(chunks, schema, name), ())) <= most
