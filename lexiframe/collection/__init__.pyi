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
