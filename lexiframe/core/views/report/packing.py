"""Numbers and tables as a page reads them: arrays of bytes one after the other, compressed."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

_WHOLE = "u1 i1 u2 i2 i4".split()
"""The types of whole numbers, the narrowest first; greater ones are exact as floats up to 2^53."""
_ALIGNED = 8
"""Arrays begin at multiples of this many bytes, as typed arrays of a browser have to."""


@dataclass(frozen=True)
class Packing:
    """Arrays that are written one after the other; the page finds each by its place.

    Examples
    --------
    >>> packing = Packing()
    >>> packing.array(np.array([1, 300])), packing.array(np.array([0.5, np.nan]))
    ({'at': 0, 'n': 2, 'type': 'u2'}, {'at': 8, 'n': 2, 'type': 'f8'})
    """

    parts: list[bytes] = field(default_factory=list)

    def array(self, values: np.ndarray) -> dict[str, Any]:
        """Add the numbers of an array, row by row; return their place."""
        narrow = _narrowest(values)
        at = sum(map(len, self.parts))
        written = narrow.tobytes()
        self.parts.append(written + b"\0" * (-len(written) % _ALIGNED))
        return {"at": at, "n": narrow.size, "type": narrow.dtype.str[1:]}

    def table(self, table: pl.DataFrame) -> dict[str, Any]:
        """Add a table, column by column: numbers (a null is NaN), or codes and their words."""
        columns = {column.name: self._column(column) for column in table}
        return {"n": table.height, "columns": columns}

    def _column(self, column: pl.Series) -> dict[str, Any]:
        if column.dtype == pl.List:
            return {"lists": column.to_list()}
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            whole = column.dtype.is_integer() or column.dtype == pl.Boolean
            is_whole = whole and not column.null_count()
            return self.array(column.cast(pl.Int64 if is_whole else pl.Float64).to_numpy())
        words = column.unique(maintain_order=True)
        place = pl.DataFrame({"word": words}).with_row_index("code")
        codes = pl.DataFrame({"word": column}).join(
            place, on="word", how="left", nulls_equal=True, maintain_order="left"
        )
        return {**self.array(codes["code"].to_numpy()), "words": words.to_list()}

    def text(self) -> str:
        """Return all arrays as text: compressed (zlib), in base64."""
        return base64.b64encode(zlib.compress(b"".join(self.parts), 9)).decode("ascii")


def _narrowest(values: np.ndarray) -> np.ndarray:
    """Return the numbers in the narrowest type that has all of them, in little-endian order."""
    if values.dtype.kind == "f":
        return np.ascontiguousarray(values, "<f8")
    least, greatest = (int(end) for end in (values.min(initial=0), values.max(initial=0)))
    fitting = (
        f"<{name}"
        for name in _WHOLE
        if np.iinfo(name).min <= least and greatest <= np.iinfo(name).max
    )
    return np.ascontiguousarray(values, next(fitting, "<f8"))
