"""The parts of gates that the core asks for."""

from __future__ import annotations

from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Feature
from lexiframe.decide.gates.gate_in_words import gate_sentences
from lexiframe.decide.gates.margins_in_words import equivalences_in_words, required_in_words

FEATURE = Feature(
    verdicts=(
        (schemas.EQUIVALENCES, equivalences_in_words),
        (schemas.REQUIRED_BY_QUESTION, required_in_words),
        (schemas.GATES, gate_sentences),
    ),
)
