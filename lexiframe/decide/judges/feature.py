"""The parts of judges that the core asks for."""

from __future__ import annotations

from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Feature
from lexiframe.decide.judges import judges_in_words as words
from lexiframe.decide.judges import stated_judges_in_words as stated

FEATURE = Feature(
    verdicts=(
        (schemas.JUDGE_AGREEMENT, words.agreement_sentences),
        (schemas.STATED_AGREEMENT, stated.stated_sentences),
        (schemas.JUDGE_CONSISTENCY, stated.consistency_sentences),
        (schemas.JUDGE_CONFUSION, words.confusion_sentences),
        (schemas.OWN_FAMILY, words.own_family_sentences),
    ),
)
