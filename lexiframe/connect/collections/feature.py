"""The parts of collections that the core asks for: several collections."""

from __future__ import annotations

from lexiframe.connect.collections import of_collections, places, verdict_over
from lexiframe.core.base.feature import Collections

FEATURE = (
    Collections(
        places.found,
        of_collections.evaluate_collections,
        of_collections.requests_of,
        of_collections.folder_of,
        of_collections.read_collections,
        verdict_over.add_verdict,
    ),
)
