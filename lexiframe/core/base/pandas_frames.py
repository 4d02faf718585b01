"""Tables as frames of pandas; this module is loaded where pandas is asked for."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl

from lexiframe.core.base.schemas import to_arrow


def to_pandas(table: pl.DataFrame, *, arrow_backed: bool) -> pd.DataFrame:
    """Turn a table into a frame of pandas with row numbers as its index.

    Text is ``str``. With the dtypes of NumPy, whole numbers and flags are nullable only in columns
    with nulls, and numbers have NaN for null; lists stay lists.
    """
    text = pl.col(pl.Categorical, pl.Enum).cast(pl.String)
    plain = table.with_columns(text) if table.width else table
    if arrow_backed:
        frame = to_arrow(plain).to_pandas(types_mapper=pd.ArrowDtype)
    else:
        frame = plain.to_pandas()
        for column in plain:
            if (found := _unlike(column)) is not None:
                frame[column.name] = found
    if type(table).__str__ is pl.DataFrame.__str__:
        return frame
    told = Printed(frame)
    told.printed_as = table
    return told


def _unlike(column: pl.Series) -> Any:
    """Return a column that Polars turns into something else, or None."""
    if isinstance(column.dtype, pl.List):
        return pd.Series(column.to_list(), dtype=object)
    if column.null_count() == 0 or not (column.dtype.is_integer() or column.dtype == pl.Boolean):
        return None
    lacking = column.is_null().to_numpy()
    known = (
        column.fill_null(strategy="zero") if column.dtype.is_integer() else column.fill_null(False)
    )
    kind = pd.arrays.IntegerArray if column.dtype.is_integer() else pd.arrays.BooleanArray
    return kind(known.to_numpy().copy(), lacking.copy())


class Printed(pd.DataFrame):  # type: ignore[misc]
    """A frame that prints the sentences of its table while no row or column is missing.

    Frames made from it print as every other.
    """

    _metadata = ["printed_as"]  # noqa: RUF012 - pandas looks the name up so
    printed_as: Any = None

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def _whole(self) -> Any:
        table = self.printed_as
        return table is not None and (*self.shape, *self.columns) == (*table.shape, *table.columns)

    def __copy__(self, deep: bool = True) -> Printed:
        copied = Printed(self.copy(deep=deep))
        copied.printed_as = self.printed_as
        return copied

    def __deepcopy__(self, memo: Any = None) -> Printed:
        return self.__copy__()

    def __repr__(self) -> str:
        return str(self.printed_as) if self._whole() else super().__repr__()

    __str__ = __repr__

    def _repr_html_(self) -> str | None:
        if self._whole():
            return str(self.printed_as._repr_html_())
        found: str | None = super()._repr_html_()
        return found
