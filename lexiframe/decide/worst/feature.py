"""The parts of who is served worst that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Worst
from lexiframe.decide.worst.leximin import leximin_ranks
from lexiframe.decide.worst.served import worst_served

FEATURE = (Worst(leximin_ranks=leximin_ranks, served=worst_served),)
