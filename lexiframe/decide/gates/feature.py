"""The parts of gates that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts
from lexiframe.decide.gates.gate_in_words import gate_sentences
from lexiframe.decide.gates.margins_in_words import equivalences_in_words
from lexiframe.decide.gates.schemas import EQUIVALENCES, GATES

FEATURE = (
    Verdicts(
        [
            (EQUIVALENCES, equivalences_in_words),
            (GATES, gate_sentences),
        ]
    ),
)
