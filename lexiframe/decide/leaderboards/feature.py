"""The parts of leaderboards that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Boards, Results
from lexiframe.decide.leaderboards.leaderboard_of import leaderboard_in, page_of_leaderboard

FEATURE = (Results({"ranking": leaderboard_in}), Boards(page_of_leaderboard))
