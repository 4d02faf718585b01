"""The parts of judges that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts
from lexiframe.decide.judges import judges_in_words as words
from lexiframe.decide.judges import stated_judges_in_words as stated
from lexiframe.decide.judges.schemas import (
    JUDGE_AGREEMENT,
    JUDGE_CONFUSION,
    JUDGE_CONSISTENCY,
    OWN_FAMILY,
    STATED_AGREEMENT,
)

FEATURE = (
    Verdicts(
        [
            (JUDGE_AGREEMENT, words.agreement_sentences),
            (STATED_AGREEMENT, stated.stated_sentences),
            (JUDGE_CONSISTENCY, stated.consistency_sentences),
            (JUDGE_CONFUSION, words.confusion_sentences),
            (OWN_FAMILY, words.own_family_sentences),
        ]
    ),
)
