"""The report: an evaluation as one HTML page, put together from its parts in this folder."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import polars as pl

from lexiframe.core.base import __version__, escaped, printed
from lexiframe.core.views.report.data import Rankings, report_data
from lexiframe.core.views.shown.summary import sections_of_catalogue, summary_of

SCRIPTS = "data dom tables charts verdict runs pairs requests agreement page".split()
"""The scripts in the order in which they run."""
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""Characters that could end the script in which JSON stands, or break a line of it."""


def html_page(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    rankings: Rankings | None = None,
    texts: Any = None,
    queries: Any = None,
) -> str:
    """Return an evaluation as one HTML page, which makes no request to a network."""
    facts, packing = report_data(tables, provenance, rankings or Rankings(), texts, queries)
    script = "\n".join(part(f"{name}.js") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    of_all = printed.Summary.compose((), *sections_of_catalogue(tables, provenance))._repr_html_()
    n_runs = tables["orderings"]["run"].n_unique()
    parts = {
        "title": f"Evaluation of {n_runs:,} run{'s' * (n_runs != 1)}",
        "policy": policy(script),
        "style": part("page.css"),
        "script": script,
        "summary": summary_of(tables, provenance, "all")._repr_html_(),
        "catalogue": of_all and f'<section class="scroll" tabindex="0">{of_all}</section>',
        "provenance": _provenance(provenance),
        "version": __version__,
        "facts": page_json(facts),
        "numbers": packing.text(),
    }
    # one pass: what is put in is not searched again
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], part("page.html"))


def part(name: str) -> str:
    """Return a part of a page: a script, a style, or the frame of the page."""
    return (files("lexiframe.core.views.report") / name).read_text(encoding="utf-8")


def policy(script: str) -> str:
    """Return the content security policy: this script alone runs, and nothing is loaded."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def page_json(facts: Mapping[str, Any]) -> str:
    """Return facts as JSON that may stand in a page."""
    shown = _printable(facts)
    text = json.dumps(shown, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.translate(_ESCAPES)
    # Lone surrogates, which ids from broken files may have, cannot be written as UTF-8.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _printable(fact: Any) -> Any:
    """Return a fact whose text has no characters that turn the direction of later text."""
    if isinstance(fact, str):
        return escaped(fact)
    if isinstance(fact, Mapping):
        return {_printable(name): _printable(value) for name, value in fact.items()}
    return [_printable(value) for value in fact] if isinstance(fact, list | tuple) else fact


def _provenance(provenance: Mapping[str, Any]) -> str:
    facts = json.dumps(provenance, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
    return html.escape("\n".join(map(escaped, facts)))
