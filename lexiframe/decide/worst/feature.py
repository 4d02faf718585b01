"""The parts of who is served worst that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts, Worst
from lexiframe.decide.worst.leximin import leximin_ranks
from lexiframe.decide.worst.risk_in_words import risk_sentences
from lexiframe.decide.worst.schemas import RISK
from lexiframe.decide.worst.served import worst_served

FEATURE = (
    Verdicts([(RISK, risk_sentences)]),
    Worst(leximin_ranks=leximin_ranks, served=worst_served),
)
