"""The parts of leaderboards that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Results
from lexiframe.decide.leaderboards.leaderboard_of import leaderboard_in

FEATURE = (Results({"ranking": leaderboard_in}),)
