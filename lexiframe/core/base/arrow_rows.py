"""Tables of Arrow that print their rows: the result of the readers of runs and judgments."""

from __future__ import annotations

import html
import json
from functools import wraps
from typing import Any

import polars as pl
import pyarrow as pa

_COUNTED = {"run": "run", "query_id": "request", "doc_id": "document"}
"""Columns whose different values are counted in the first line, by the word for one."""


class ArrowRows(pa.lib._PandasConvertible):  # type: ignore[misc]
    """A `pyarrow.Table` that prints its rows, their numbers and where they came from.

    It has all attributes and methods of the table, whose tables print so too, and goes where tables
    of Arrow go: ``pl.from_arrow``, ``pl.DataFrame``, ``pa.table``, DuckDB, pandas. Functions of
    PyArrow that are compiled for its own class (``pa.concat_tables``, ``pq.write_table``) take
    ``.arrow()``. Its class in PyArrow is what Polars looks for.
    """

    __slots__ = ("_kind", "_table")

    def __init__(self, table: pa.Table, kind: str) -> None:
        self._table, self._kind = table, kind

    def arrow(self) -> pa.Table:
        """Return the table as PyArrow's own class."""
        return self._table

    @property
    def frame_kind(self) -> str:
        """The kind of frame that it was read from."""
        return self._kind

    @property
    def inside(self) -> pa.Table:
        """The table that functions of the library work with."""
        return self._table

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # isinstance(runs, pa.Table) holds
        return pa.Table

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._table, name)
        return self._method(value) if callable(value) else value

    def _method(self, bound: Any) -> Any:
        @wraps(bound)
        def called(*args: Any, **kwargs: Any) -> Any:
            told = {name: _inside(value) for name, value in kwargs.items()}
            found = bound(*map(_inside, args), **told)
            return ArrowRows(found, self._kind) if isinstance(found, pa.Table) else found

        return called

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_pandas(self, *args: Any, **kwargs: Any) -> Any:
        """Return the rows as a frame of pandas, as `pyarrow.Table.to_pandas` does."""
        return self._table.to_pandas(*args, **kwargs)

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, key: Any) -> Any:
        return self._method(self._table.__getitem__)(key)

    def __eq__(self, other: object) -> bool:
        return bool(self._table == _inside(other))

    def __hash__(self) -> int:
        return hash(self._table)

    def __reduce__(self) -> tuple[Any, ...]:
        return ArrowRows, (self._table, self._kind)

    def __dir__(self) -> list[str]:
        return [*dir(self._table), "arrow"]

    def _about(self) -> str:
        """Return how many runs, requests and documents the rows have, and their files."""
        names, n = self._table.column_names, {}
        for name, word in _COUNTED.items():
            if name in names:
                n[word] = len(self._table[name].unique().drop_null())
        said = ", ".join(f"{count:,} {word}{'s' * (count != 1)}" for word, count in n.items())
        facts = json.loads((self._table.schema.metadata or {}).get(b"lexiframe", b"{}"))
        paths = [str(one.get("path")) for one in facts.get("sources", [])]
        if paths:
            said += f"; from {paths[0]}" + f" and {len(paths) - 1:,} more" * (len(paths) > 1)
        return said

    def __repr__(self) -> str:
        return f"{self._about()}\n{pl.DataFrame(self._table)}"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._about())}</p>{pl.DataFrame(self._table)._repr_html_()}"


def _inside(value: Any) -> Any:
    return value.inside if type(value) is ArrowRows else value
