"""The parts of measures that the core asks for: measures of other tools."""

from __future__ import annotations

from lexiframe.connect.measures.sets import SET_METRICS
from lexiframe.connect.measures.user_models import USER_MODELS
from lexiframe.core.base.feature import Measures

FEATURE = (Measures(SET_METRICS | USER_MODELS),)
