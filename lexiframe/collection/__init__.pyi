"""What a collection lets one conclude: judges, holes, overlap, less data, simulated data."""

"Judges: of the same documents"
from .judges.judges import judge_agreement as judge_agreement
from .judges.judges import judge_confusion as judge_confusion
from .judges.own_family import own_family as own_family
from .judges.compare_judges import compare_judges as compare_judges
from .judges.compare_judges import JudgeComparison as JudgeComparison
from .judges.stated_judges_in_words import consistency_sentences as consistency_sentences

"For users: what judges of preferences agree about, exposure of items, and sampled judgments"
from .judges.consistency import judge_consistency as judge_consistency
from .beyond.exposure_curves import exposure_curve as exposure_curve
from .sampled import inferred_scores as inferred_scores

"Holes and overlap: unjudged documents, rankings side by side"
from .overlaps.overlap import overlap as overlap
from .overlaps.contrasting import contrasting as contrasting
from .overlaps.overlap import OVERLAPS as OVERLAPS
from .overlaps.overlap_in_words import contrasting_sentences as contrasting_sentences
from .overlaps.overlap_in_words import overlap_sentences as overlap_sentences

"Added by features: judgments of answers, by name"
from .nuggets.reading import read_nuggets as read_nuggets
from .nuggets.scored_answers import nugget_scores as nugget_scores

"Leaderboards: runs over several collections"
from . import leaderboards as leaderboards

"Beyond relevance: what lists are like over a catalogue"
from . import beyond as beyond
