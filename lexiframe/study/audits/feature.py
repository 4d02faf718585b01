"""The parts of audits that the core asks for: audits of tests."""

from __future__ import annotations

from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Feature
from lexiframe.study.audits.audits_in_words import audits_in_words

FEATURE = Feature(
    verdicts=((schemas.AUDITS, audits_in_words),),
)
