"""The name of requests in judgments: users, in recommenders' data, or requests."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.io.column_forms.column_names import candidates_for
from lexiframe.core.io.columns import KNOWN_NAMES
from lexiframe.core.io.files.data_sources import File

_START = 1 << 16
_PARQUET = b"PAR1"


def requests_called(data: Any) -> str:
    """Return ``users`` if the column of requests is called so, and else ``requests``.

    Of a file its first names are read; one that is packed is not opened for it.
    """
    names = [name.partition(":")[0].strip(' "') for name in _names_in(data)]
    found = candidates_for(KNOWN_NAMES["query_id"], names)
    return "users" if found and found[0].casefold().startswith("user") else "requests"


def _names_in(data: Any) -> list[str]:
    if isinstance(data, pl.LazyFrame):
        return data.collect_schema().names()
    if not isinstance(data, File):
        names: Any = getattr(data, "column_names", None) or getattr(data, "columns", None)
        return [*map(str, names)] if isinstance(names, list) or hasattr(names, "tolist") else []
    try:
        with data.opened() as file:
            start = file.read(_START)
            if start.startswith(_PARQUET):
                file.seek(0)
                return [*pl.read_parquet_schema(file)]
    except (LexiframeError, pl.exceptions.PolarsError):  # it is gone by now, or the reader refuses
        return []
    line = start.lstrip().replace(b"\r", b"\n").partition(b"\n")[0].decode("utf-8", "replace")
    if line.startswith(("{", "[")):
        return re.findall(r'"([^"\\]+)"\s*:', line)
    return line.split(max("\t,;", key=line.count))
