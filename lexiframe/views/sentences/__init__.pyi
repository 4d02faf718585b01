"""What the tables of decisions say, in words: a module for each table, see `verdict`."""

"For other rooms: what they use of it"
from .verdict_on_baseline import baseline_sentences as baseline_sentences
from .bounds import cut_at_bounds as cut_at_bounds
from .ties import open_means as open_means
from .verdicts import verdict as verdict
from .verdicts import verdict_of as verdict_of
from .lacking import drop_unranked as drop_unranked

"Added by features: verdicts on tables by the names of their schemas; the first that fits counts"
from ...significance.equivalences.margins_in_words import equivalences_in_words as EQUIVALENCES
from ...significance.equivalences.margins_in_words import required_in_words as REQUIRED_BY_QUESTION
from ...significance.gates.gate_in_words import gate_sentences as GATES
from ...collection.judges.judges_in_words import agreement_sentences as JUDGE_AGREEMENT
from ...collection.judges.stated_judges_in_words import stated_sentences as STATED_AGREEMENT
from ...collection.judges.stated_judges_in_words import consistency_sentences as JUDGE_CONSISTENCY
from ...collection.judges.judges_in_words import confusion_sentences as JUDGE_CONFUSION
from ...collection.judges.judges_in_words import own_family_sentences as OWN_FAMILY
from ...significance.concluded_in_words import conclusion_sentences as CONCLUSIONS
from ...significance.concluded_in_words import pair_sentences as CONCLUSION_PAIRS
from ...significance.audits.audits_in_words import audits_in_words as AUDITS
from ...collection.overlaps.overlap_in_words import contrasting_sentences as CONTRASTING
from ...collection.overlaps.overlap_in_words import overlap_sentences as OVERLAP
from ...collection.holes.unjudged_in_words import unjudged_sentences as UNJUDGED
from ...collection.holes.unjudged_in_words import hole_sentences as HOLE_PAIRS
