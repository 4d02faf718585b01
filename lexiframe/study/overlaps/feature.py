"""The parts of overlaps that the core asks for: overlap of rankings."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts
from lexiframe.study.overlaps.overlap_in_words import (
    contrasting_sentences,
    overlap_sentences,
    unjudged_sentences,
)
from lexiframe.study.overlaps.schemas import CONTRASTING, OVERLAP, UNJUDGED

FEATURE = (
    Verdicts(
        [
            (CONTRASTING, contrasting_sentences),
            (OVERLAP, overlap_sentences),
            (UNJUDGED, unjudged_sentences),
        ]
    ),
)
