"""The texts behind ids: titles, images and queries, for the page of an evaluation."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, shown, to_polars
from lexiframe.core.io import column_forms, logs

_FORMATS = {
    ".png": "png",
    ".jpg": "jpeg",
    ".jpeg": "jpeg",
    ".gif": "gif",
    ".webp": "webp",
    ".avif": "avif",
    ".svg": "svg+xml",
}
_DATA = re.compile(r"data:image/[a-z0-9.+-]+[;,]")
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_QUERY = ("text", "title", "query")
_MOST = 50_000_000
"""The bytes of images that a page may hold: larger ones make it too slow to open."""


def texts_of_documents(texts: Any, doc_ids: list[str]) -> dict[str, dict[str, str]]:
    """Return the title, image or link of the documents that the page names, by id.

    An image is a ``data:`` address, or a file that is put into the page. A web address becomes a
    link: the page makes no request to a network.
    """
    table = _text_table(texts, "doc_id", doc_ids, "texts", "title")
    known = [name for name in ("title", "image") if name in table.columns]
    if not known:
        raise LexiframeError(
            "texts: expected the column title or image beside doc_id, found "
            f"{', '.join(table.columns[1:]) or 'none'}; rename the one that says what a document is"
        )
    found: dict[str, dict[str, str]] = {}
    n_bytes = 0
    for row in table.select("doc_id", *known).iter_rows(named=True):
        said = {} if row.get("title") is None else {"title": _one_line(str(row["title"]))}
        if row.get("image"):
            said |= _image(str(row["image"]))
        n_bytes += len(said.get("image", ""))
        if said:
            found[row["doc_id"]] = said
    if n_bytes > _MOST:
        raise LexiframeError(
            f"texts: expected images of at most {_MOST:,} bytes in all, found {n_bytes:,}; give "
            "smaller images, or addresses on the web, which become links"
        )
    return found


def texts_of_queries(queries: Any, query_ids: list[str]) -> dict[str, str]:
    """Return the texts of the queries by id."""
    table = _text_table(queries, "query_id", query_ids, "queries", "text")
    known = next((name for name in _QUERY if name in table.columns), None)
    if known is None:
        raise LexiframeError(
            f"queries: expected one of the columns {', '.join(_QUERY)} beside query_id, found "
            f"{', '.join(table.columns[1:]) or 'none'}; rename the one that has the text"
        )
    rows = table.select("query_id", pl.col(known).cast(pl.String)).drop_nulls().iter_rows()
    return {query_id: _one_line(text) for query_id, text in rows}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _text_table(given: Any, key: str, ids: list[str], called: str, column: str) -> pl.DataFrame:
    """Return the texts of the ids; the values of a dictionary get the name ``column``."""
    known = pl.DataFrame({key: pl.Series(ids, dtype=pl.String).unique().sort()})
    if hasattr(given, "items"):  # the ids of an empty dictionary are text, too
        keys = pl.Series([*given], dtype=None if given else pl.String)
        given = pl.DataFrame({key: keys, column: [*given.values()]})
    if not (isinstance(given, str | Path) or column_forms.is_frame(given)):
        raise TypeError(
            f"{called}: expected a frame, a file or a dictionary of texts by {key}, found "
            f"{type(given).__name__}"
        )
    entries = logs.read_log(given) if isinstance(given, str | Path) else to_polars(given, called)
    return logs.join_entries(known, entries, key, called, called)


def _image(address: str) -> dict[str, str]:
    if _DATA.match(address):
        return {"image": address}
    if _ADDRESS.match(address):
        return {"link": address}
    path = Path(address).expanduser()
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise LexiframeError(
            f"texts: expected an image as a data: address, a file ({', '.join(_FORMATS)}) or an "
            f"address on the web, found {shown(address)}"
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LexiframeError(f"{path}: cannot be read ({error.strerror}); check texts") from None
    return {"image": f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"}
