"""What a collection lets one conclude: judges, holes, overlap, less data, simulated data."""

"Judges: of the same documents"
from .judges.judges import judge_agreement as judge_agreement
from .judges.judges import judge_confusion as judge_confusion
from .judges.compare_judges import compare_judges as compare_judges
from .judges.compare_judges import JudgeComparison as JudgeComparison
from .judges.judges_in_words import agreement_sentences as agreement_sentences
from .judges.judges_in_words import confusion_sentences as confusion_sentences
from .judges.stated_judges_in_words import stated_sentences as stated_sentences
from .judges.stated_judges_in_words import consistency_sentences as consistency_sentences

"For users: what judges of preferences agree about"
from .judges.consistency import judge_consistency as judge_consistency

"Holes and overlap: unjudged documents, rankings side by side"
from .holes.unjudged_in_words import hole_sentences as hole_sentences
from .holes.unjudged_in_words import unjudged_sentences as unjudged_sentences
from .overlaps.overlap import overlap as overlap
from .overlaps.contrasting import contrasting as contrasting
from .overlaps.overlap import OVERLAPS as OVERLAPS

"Leaderboards: runs over several collections"
from . import leaderboards as leaderboards

"For users: each table of a leaderboard as a function on frames"
from .leaderboards.of_runs import ranking as ranking
from .leaderboards.of_runs import gaps as gaps
from .leaderboards.of_runs import comparisons as comparisons
from .leaderboards.of_runs import neighbours as neighbours
from .leaderboards.of_runs import rank_percentiles as rank_percentiles
from .leaderboards.of_collections import collection_weights as collection_weights
from .leaderboards.of_collections import leave_one_out as leave_one_out
from .leaderboards.of_collections import correlations as correlations
from .leaderboards.of_collections import rule_correlations as rule_correlations
from .leaderboards.of_collections import smallest_set as smallest_set
from .leaderboards.of_collections import components as components
