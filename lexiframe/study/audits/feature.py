"""The parts of audits that the core asks for: audits of tests."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts
from lexiframe.study.audits.audits_in_words import audits_in_words
from lexiframe.study.audits.schemas import AUDITS

FEATURE = (Verdicts([(AUDITS, audits_in_words)]),)
