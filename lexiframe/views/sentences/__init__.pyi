"""What the tables of decisions say, in words: a module for each table, see `verdict`."""

"For other rooms: what they use of it"
from .verdict_on_baseline import baseline_sentences as baseline_sentences
from .overlap import contrasting_sentences as contrasting_sentences
from .bounds import cut_at_bounds as cut_at_bounds
from .gates import gate_sentences as gate_sentences
from .curves import curve_sentence as curve_sentence
from .curves import curve_table as curve_table
from .overlap import overlap_sentences as overlap_sentences
from .ties import open_means as open_means
from .verdicts import verdict as verdict
from .verdicts import verdict_of as verdict_of
from .lacking import without_unranked as without_unranked
