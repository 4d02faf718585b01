"""The report: an evaluation as one HTML page."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe._version import __version__
from lexiframe.errors import escaped
from lexiframe.views.summary import as_html

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:80em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.2em .6em}"
    "th{border-bottom:1px solid}tr:nth-child(odd) td{background:#f4f4f4}"
    "pre{overflow:auto;background:#f4f4f4;padding:1em}"
)


def html_page(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> str:
    """Return the summary of an evaluation and its provenance as one HTML page."""
    facts = json.dumps(provenance, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
    shown = html.escape("\n".join(map(escaped, facts)))
    # Scores of other tools come without coverage.
    n_runs = tables["coverage"].height or tables["orderings"]["run"].n_unique()
    title = f"Evaluation of {n_runs:,} run{'s' * (n_runs != 1)}"
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<title>Evaluation</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{title}</h1>\n{as_html(tables, provenance)}\n"
        f"<h3>Computed from</h3>\n<pre>{shown}</pre>\n<p>lexiframe {__version__}</p>\n"
        "</body></html>\n"
    )
