"""The parts of leaderboards that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Feature
from lexiframe.decide.leaderboards.leaderboard_of import leaderboard_in, page_of_leaderboard

FEATURE = Feature(
    tables={"ranking": leaderboard_in},
    board=page_of_leaderboard,
)
