"""The parts of overlaps that the core asks for: overlap of rankings."""

from __future__ import annotations

from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Feature
from lexiframe.study.overlaps.overlap_in_words import contrasting_sentences, overlap_sentences

FEATURE = Feature(
    verdicts=(
        (schemas.CONTRASTING, contrasting_sentences),
        (schemas.OVERLAP, overlap_sentences),
    ),
)
