"""The parts of nuggets that the core asks for: answers judged by nuggets."""

from __future__ import annotations

from lexiframe.core.base.feature import Feature
from lexiframe.decide.nuggets import measures
from lexiframe.decide.nuggets.reading import read_nuggets

FEATURE = Feature(
    measures=measures.NUGGETS,
    answers=read_nuggets,
)
