"""Preferences between rankings: definitions as formulas, and their computation."""

"Measures: of both kinds, parsed and described"
from .preference import Measure as Measure
from .preference_entries import parse_measure as parse_measure
from .compared_runs import parse_measures as parse_measures
from .listing import measures as measures
from .listing import conventions as conventions
from .lexicographic import LexicographicPreference as LexicographicPreference
from .custom import MatrixPreference as MatrixPreference
from . import composition as composition

"Preferences: of pairs of runs"
from .pairs import preferences as preferences
from .pairs import preferences_table as preferences_table
from . import pairs as pairs
from .explanation import explain as explain
from .explanation import explainable as explainable
from . import one_pair as one_pair
from . import pair_tiles as pair_tiles

"Arrays: requests × pairs of runs, and sums over requests"
from .arrays.arrays import PairCube as PairCube
from .arrays.one_measure import Pairs as Pairs
from .arrays.handed import PairsLike as PairsLike
from . import arrays as arrays
from .arrays.grouping import By as By
from .arrays import grouping as grouping

"The flow: from sources to values"
from . import facts as facts
from . import measured as measured
from . import fingerprints as fingerprints
from . import own_functions as own_functions
