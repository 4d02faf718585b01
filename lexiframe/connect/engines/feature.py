"""The parts of engines that the core asks for."""

from __future__ import annotations

from lexiframe.connect.engines.in_parts import evaluate_in_parts
from lexiframe.connect.engines.reuse.completed import projected_again
from lexiframe.core.base.feature import Engines

FEATURE = (Engines(evaluate_in_parts, projected_again),)
