"""The tables that functions of tables use of an evaluation: ``lf.compare(e)``."""

from __future__ import annotations

from typing import Any

from lexiframe.base import ReadError, warn
from lexiframe.pairwise import arrays, facts
from lexiframe.significance import gates


def table_of(e: Any, what: str) -> Any:
    """Return what an argument is annotated with: see `lexiframe.typing` and `arrays.ByKind`."""
    if what == "pairs":
        return _pairs(e)
    if what == "replicated_pairs":
        return _pairs(e) if e.replicated is None else e.replicated
    if what == "by_kind":
        return arrays.ByKind.of(e)
    if what == "ranked_pairs":
        return _ranked_pairs(e) if "policies" in e.provenance else e.scores
    return getattr(e, what)


def options_of(e: Any) -> dict[str, Any]:
    """Return the arguments that hold for an evaluation unless a call names others."""
    told = e.provenance["inference"]
    return {
        "requests": e.attributes,
        "by": e.provenance.get("groups") or None,
        "baseline": told["baseline"],
        "replicates": told.get("replicates"),
        "seeds": told.get("seeds", "unrelated"),
        "bounds": facts.known_facts(e.provenance),
    }


def _pairs(e: Any) -> Any:
    if e.sums is not None:
        return e.sums
    return e.part()


def _ranked_pairs(e: Any) -> gates.RankedPairs:
    """Return the differences with their rankings, which are found again where files are there."""
    if e.replicated is not None:
        return gates.RankedPairs.of_replicates(e.replicated, e.coverage)
    if not e.has_rankings:
        return gates.RankedPairs(_pairs(e), e.coverage, None)
    origin = e.origin("gate")
    try:
        ranked = origin.rank_again()
    except ReadError as error:
        warn(f"gate: without the coverage of rankings, which cannot be read again: {error}")
        ranked = None
    found = origin.policies, lambda: origin.collection()[0]
    return gates.RankedPairs(_pairs(e), e.coverage, ranked, *found)
