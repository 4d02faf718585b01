"""Documents that are left out of the rankings of some queries: the table that ``exclude`` is."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sized
from typing import Any

import polars as pl

from lexiframe.core.base import coded, errors, printed
from lexiframe.core.io import qrel_files


class Excluded(str):
    """The provenance of excluded documents: their number and checksum. ``rows`` has them."""

    __slots__ = ("rows",)
    rows: pl.DataFrame


def excluded(given: Any) -> Excluded | None:
    """Read the documents to leave out, in any form of judgments, whose grades do not count."""
    if given is None or isinstance(given, Excluded):
        return given
    if isinstance(given, Mapping):  # a query with nothing to leave out
        given = {query: of for query, of in given.items() if not isinstance(of, Sized) or len(of)}
    with warnings.catch_warnings():  # that there are no grades
        warnings.simplefilter("ignore", errors.LexiframeWarning)
        judged = qrel_files.load_qrels(given, called="exclude")
    rows = coded.as_strings(judged.rows.select("query_id", "doc_id")).unique().sort(pl.all())
    digest = hashlib.sha256(rows.write_csv().encode()).hexdigest()
    found = Excluded(f"{printed.counted(rows.height, 'document')} (sha256 {digest[:16]})")
    found.rows = rows
    return found
