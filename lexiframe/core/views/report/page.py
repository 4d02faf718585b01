"""The report: an evaluation as one HTML page, put together from its parts in this folder."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import __version__, escaped, printed
from lexiframe.core.base.feature import Worst
from lexiframe.core.views.report.data import Rankings, report_data
from lexiframe.core.views.report.packing import Packing
from lexiframe.core.views.shown.summary import sections_of_catalogue, summary_of

SCRIPTS = (
    "data measured dom tables charts verdict runs pairs two-rankings requests agreement page copies"
).split()
"""The scripts in the order in which they run."""
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""Characters that could end the script in which JSON stands, or break a line of it."""


@dataclass(frozen=True)
class Contents:
    """An evaluation on a page: HTML by its place, facts and numbers, and the tables among them."""

    parts: dict[str, str]
    facts: dict[str, Any]
    packing: Packing
    tables: dict[str, pl.DataFrame]


def contents_of(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    rankings: Rankings | None = None,
    texts: Any = None,
    queries: Any = None,
) -> Contents:
    """Return the contents of the page of an evaluation."""
    rankings, worst = rankings or Rankings(), features.found(Worst)
    of_worst = worst.page(tables, provenance, rankings.attributes) if worst else ""
    if "weights" in provenance:
        from lexiframe.core.views.report.weights import weights_part

        of_worst = weights_part(tables, provenance) + of_worst
    of_all = printed.Summary.compose((), *sections_of_catalogue(tables, provenance))._repr_html_()
    parts = {
        "title": f"Evaluation of {printed.counted(tables['orderings']['run'].n_unique(), 'run')}",
        "summary": summary_of(tables, provenance, "all")._repr_html_(),
        "catalogue": (of_all and f'<section class="scroll" tabindex="0">{of_all}</section>')
        + of_worst,
        "provenance": provenance_text(provenance),
    }
    data = report_data(tables, provenance, rankings, texts, queries)
    return Contents(parts, *data)


def html_page(one: Contents) -> str:
    """Return an evaluation as one HTML page, which makes no request to a network."""
    return put_together({**one.parts, "data": written_data(one.facts, one.packing)}, "start")


def put_together(parts: Mapping[str, str], start: str, more: str = "") -> str:
    """Return a page of parts by their places, and of the scripts, whose function ``start`` runs.

    ``more`` is a further script.
    """
    script = script_of(SCRIPTS, f"{more}\n{start}().catch(failed);")
    style = part("page.css") + part("two-rankings.css")
    parts = {
        "policy": policy(script), "style": style, "script": script, "overview": "",
        "version": __version__, **parts,
    }  # fmt: skip
    # one pass: what is put in is not searched again
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], part("page.html"))


def written_data(facts: Mapping[str, Any], packing: Packing, of: str = "") -> str:
    """Return data as elements of a page; ``of`` ends their ids, where there are several."""
    return (
        f'<script type="application/json" id="facts{of}">{page_json(facts)}</script>\n'
        f'<script type="text/plain" id="numbers{of}">{packing.text()}</script>\n'
    )


def script_of(names: Iterable[str], more: str) -> str:
    """Return parts of the page's script and more as one script, whose names nothing else sees."""
    return "\n".join(
        ['"use strict";\n(() => {', *(part(f"{n}.js") for n in names), more, "})();\n"]
    )


def part(name: str, folder: str = "lexiframe.core.views.report") -> str:
    """Return a part of a page: a script, a style, or the frame of the page."""
    return (files(folder) / name).read_text(encoding="utf-8")


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


def provenance_text(provenance: Mapping[str, Any]) -> str:
    """Return the provenance of an evaluation as text in a page."""
    facts = json.dumps(provenance, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
    return html.escape("\n".join(map(escaped, facts)))
