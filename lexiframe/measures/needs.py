"""What measures need of the positions, and the refusal of positions that lack it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError

RELEVANT = "relevant items"
JUDGED = "judged items"
POOL = "pool or corpus size"
SUBTOPICS = "subtopics"

ALL_JUDGED = "\0all judged"
"""A column of positions that are known to have all judged items, though all may be relevant."""

PROJECTIONS: dict[str, dict[str, bool]] = {
    RELEVANT: {},
    JUDGED: {"judged": True},
    POOL: {"pool": True},
    SUBTOPICS: {"subtopics": True},
}
"""The arguments of `positions` that give what is needed."""


def refuse_without_judged(p: pl.DataFrame, measures: Iterable[Any]) -> None:
    """Raise when a measure needs judged items that are not relevant, and there is none at all.

    Positions do not say whether such items were left out of them or of the judgments.
    """
    needing = [measure for measure in measures if measure.needs == JUDGED]
    has_others = not {"doc_id", "level"} <= {*p.columns} or p["doc_id"].count() > p["level"].count()
    if needing and not has_others and ALL_JUDGED not in p.columns:
        raise LexiframeError(
            f"{needing[0]}: needs the judged items that are not relevant, and the positions have "
            "none: make them with positions(..., judged=True), and with rel= where low grades are "
            "not relevant; of judgments that have none take lexiframe.evaluate"
        )
