"""Leaderboards: runs over several collections, with gaps, and how sure a rank is."""

"For other features: names that they use"
from .board_tables import BoardTables as BoardTables
from .asked import Rules as Rules
from .asked import ranked_of as ranked_of
from .asked import doubts_of_units as doubts_of_units
from .board import Group as Group
from .settled import Missing as Missing
from .settled import Weights as Weights
from .ranked import Over as Over
from .ranked import RankTest as RankTest
from .in_words import weighted_collections as weighted_collections
from .page import ranked_page as ranked_page
