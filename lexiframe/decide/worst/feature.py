"""The parts of who is served worst that the core asks for; each loads its modules when called.

An evaluation's page asks always, and has nothing to show of few requests.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base.feature import Measures, Verdicts, Worst
from lexiframe.decide.worst.intents import WorstIntents
from lexiframe.decide.worst.page import worst_part
from lexiframe.decide.worst.risk_in_words import risk_sentences
from lexiframe.decide.worst.schemas import RISK


def _leximin_ranks(*given: Any) -> Any:
    from lexiframe.decide.worst.leximin import leximin_ranks

    return leximin_ranks(*given)


def _served(e: Any, share: Any, **how: Any) -> Any:
    from lexiframe.decide.worst.served import worst_served

    return worst_served(e, share, **how)


def _gate_rows(*given: Any) -> pl.DataFrame:
    from lexiframe.decide.worst.gated import gate_rows

    return gate_rows(*given)


FEATURE = (
    Measures({"WorstIntents": WorstIntents}),
    Verdicts([(RISK, risk_sentences)]),
    Worst(leximin_ranks=_leximin_ranks, served=_served, page=worst_part, gate_rows=_gate_rows),
)
