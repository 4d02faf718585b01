"""The parts of who is served worst that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Measures, Verdicts, Worst
from lexiframe.decide.worst.gated import gate_rows
from lexiframe.decide.worst.intents import WorstIntents
from lexiframe.decide.worst.leximin import leximin_ranks
from lexiframe.decide.worst.page import worst_part
from lexiframe.decide.worst.risk_in_words import risk_sentences
from lexiframe.decide.worst.schemas import RISK
from lexiframe.decide.worst.served import worst_served

FEATURE = (
    Measures({"WorstIntents": WorstIntents}),
    Verdicts([(RISK, risk_sentences)]),
    Worst(leximin_ranks=leximin_ranks, served=worst_served, page=worst_part, gate_rows=gate_rows),
)
