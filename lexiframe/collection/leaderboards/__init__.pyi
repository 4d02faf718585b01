"""Leaderboards: runs over several collections, with gaps, and how sure a rank is."""

"For other rooms: what they use of it"
from .asked import ranked_of as ranked_of
from .asked import Rules as Rules
from .board import Group as Group
from .settled import Missing as Missing
from .settled import Settled as Settled
from .settled import Weights as Weights
from .ranked import Over as Over
from .ranked import Ranked as Ranked
from .rank_tables import RankTest as RankTest
from .rank_tables import comparisons_table as comparisons_table
from .rank_tables import neighbours_table as neighbours_table
from .rank_tables import percentiles_table as percentiles_table
from .rank_tables import ranking_table as ranking_table
from .rank_tables import rejected as rejected
from .collection_tables import correlations_table as correlations_table
from .collection_tables import leave_one_out_table as leave_one_out_table
from .collection_tables import parts_table as parts_table
from .collection_tables import rules_table as rules_table
from .collection_tables import smallest_set_table as smallest_set_table
from .collection_tables import weights_table as weights_table
from .in_words import leaderboard_sentences as leaderboard_sentences
