"""The tables that functions of tables use of an evaluation: ``lf.compare(e)``."""

from __future__ import annotations

from typing import Any

from lexiframe.core.pairwise import arrays, facts
from lexiframe.typing import TableOf


def table_of(e: Any, what: TableOf) -> Any:
    """Return the table for an annotation: see `lexiframe.typing` and `arrays.ByKind`."""
    if not isinstance(what, str):
        return what(e)
    if what == "pairs":
        return _handed_pairs(e)
    if what == "replicated_pairs":
        return _handed_pairs(e) if e.replicated is None else e.replicated
    if what == "by_kind":
        return arrays.ByKind.take_apart(e)
    return getattr(e, what)


def options_of(e: Any) -> dict[str, Any]:
    """Return an evaluation's arguments, which hold unless a call names its own."""
    told = e.provenance["inference"]
    return {
        "requests": e.attributes,
        "by": e.provenance.get("groups") or None,
        "baseline": told["baseline"],
        "replicates": told.get("replicates"),
        "seeds": told.get("seeds", "unrelated"),
        "bounds": facts.known_facts(e.provenance),
    }


def _handed_pairs(e: Any) -> Any:
    if e.sums is not None:
        return e.sums
    return e.part()
