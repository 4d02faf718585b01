"""The parts of holes that the core asks for: unjudged documents."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts
from lexiframe.study.holes.holes_in_words import hole_sentences
from lexiframe.study.holes.schemas import HOLE_PAIRS

FEATURE = (Verdicts([(HOLE_PAIRS, hole_sentences)]),)
