"""Where a table comes from: facts that are kept as JSON in the metadata of its Arrow schema."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from lexiframe.core.base import __version__

KEY = b"lexiframe"


def describe(facts: dict[str, Any]) -> dict[bytes, bytes]:
    """Write facts and the version as schema metadata; equal facts give equal bytes."""
    facts = {"lexiframe": __version__, **facts}
    return {
        KEY: json.dumps(facts, sort_keys=True, ensure_ascii=False, default=_plain_value).encode()
    }


def _plain_value(value: Any) -> Any:
    """Convert NumPy's numbers to Python's, and measures, paths and dates to text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def provenance_of(schema: pa.Schema | None) -> dict[str, Any]:
    """Read the facts from a schema; the result is empty when lexiframe did not write any."""
    metadata = (schema.metadata if schema is not None else None) or {}
    try:
        facts = json.loads(metadata.get(KEY, b"{}"))
    except (ValueError, RecursionError):
        return {}
    return facts if _is_ours(facts) else {}


def _is_ours(facts: Any) -> bool:
    """Return whether the facts that readers look up have the types that lexiframe writes."""
    if not isinstance(facts, dict):
        return False
    sources, headers = facts.get("sources", []), facts.get("ir_metadata", {})
    return (
        isinstance(sources, list)
        and all(isinstance(source, dict) for source in sources)
        and isinstance(headers, dict)
        and all(isinstance(header, str) for header in headers.values())
    )


def recorded_sources(origin: Any) -> list[dict[str, Any]]:
    """Return the files that the metadata of a table of runs or qrels name, and how they were read.

    The source of a data set of ir_datasets is its name.
    """
    if isinstance(origin, str):
        return [{"path": origin, "sha256": None}]
    facts = provenance_of(origin.schema) if isinstance(origin, pa.Table) else {}
    how = {"duplicates": facts["duplicates"]} if facts.get("duplicates") else {}
    return [{**how, **source} for source in facts.get("sources", [])]
