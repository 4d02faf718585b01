"""The parts of holes that the core asks for: unjudged documents."""

from __future__ import annotations

from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Feature
from lexiframe.study.holes.unjudged_in_words import hole_sentences, unjudged_sentences

FEATURE = Feature(
    verdicts=(
        (schemas.UNJUDGED, unjudged_sentences),
        (schemas.HOLE_PAIRS, hole_sentences),
    ),
)
