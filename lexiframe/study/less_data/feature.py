"""The parts of less data that the core asks for: components that decide, in words."""

from __future__ import annotations

from lexiframe.core.base.feature import Verdicts
from lexiframe.study.less_data.compositions import DECIDING_COMPONENTS, component_sentences

FEATURE = (Verdicts([(DECIDING_COMPONENTS, component_sentences)]),)
