"""What the tables of decisions say, in words: a module for each table, see `verdict`."""

"For other rooms: what they use of it"
from .bounds import cut_at_bounds as cut_at_bounds
from .ties import open_means as open_means
from .verdicts import verdict as verdict
from .verdicts import verdict_of as verdict_of
from .lacking import drop_unranked as drop_unranked

"For features: modules whose names they use"
from . import bounds as bounds
