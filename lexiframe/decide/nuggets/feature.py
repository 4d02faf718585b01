"""The parts of nuggets that the core asks for: answers judged by nuggets."""

from __future__ import annotations

from lexiframe.core.base.feature import Answers, Measures
from lexiframe.decide.nuggets import measures
from lexiframe.decide.nuggets.reading import read_nuggets

FEATURE = (
    Measures(measures.NUGGETS),
    Answers(read_nuggets),
)
