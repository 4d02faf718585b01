"""Data that may have forms which few tools write: `connect.forms` is loaded for them alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Forms
from lexiframe.core.io.columns import LISTS_OF_IDS, spelled

_FIRST_LINE = re.compile(rb"(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+)*([^\r\n]*)")
_OPENS = re.compile(r"\s*[\[{]")
_NAMES_OF_LISTS = {of: {*spelled(words)} for of, words in LISTS_OF_IDS.items()}


def forms_of_text(data: bytes) -> Forms | None:
    r"""Return the readers of rare forms if text may be learning to rank: a colon, or one field.

    Examples
    --------
    >>> forms_of_text(b"q1 Q0 d1 1 0.5 x\n"), forms_of_text(b"1 qid:7 1:0.5\n") is None
    (None, False)
    """
    found = _FIRST_LINE.match(data)
    first = found[1] if found else b""
    is_usual = b":" not in first and len(first.split(None, 2)) > 1
    return None if is_usual else features.found(Forms)


def forms_of_table(table: pl.DataFrame, schema: schemas.TableSchema) -> Forms | None:
    """Return the readers of rare forms if a column may have lists of ids, of nested or text cells.

    Examples
    --------
    >>> forms_of_table(pl.DataFrame({"doc_id": ["d1"], "score": [0.5]}), schemas.RUNS)
    """
    names = _NAMES_OF_LISTS.get(schema.name, set())
    rare = any(
        column.name in names or column.dtype.is_nested() or _opens(column) for column in table
    )
    return features.found(Forms) if rare else None


def _opens(column: pl.Series) -> bool:
    if column.dtype != pl.String:
        return False
    return bool(len(column)) and _OPENS.match(column[0] or "") is not None


def forms_of_grades(table: pl.DataFrame, grades: Mapping[Any, Any]) -> Forms | None:
    """Return the readers of rare forms if grades may be words, or words are named.

    Examples
    --------
    >>> forms_of_grades(pl.DataFrame({"relevance": [1.0]}), {})
    """
    if grades:
        return features.needed(Forms, "grades")
    are_numbers = "relevance" in table.columns and table["relevance"].dtype.is_numeric()
    return None if are_numbers else features.found(Forms)
