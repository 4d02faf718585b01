"""Rules that order runs across collections, with weights and gaps."""

"For other rooms: what they use of it"
from .across_rules import ACROSS as ACROSS
from .across_rules import Across as Across
from .across_rules import AcrossRule as AcrossRule
from .cells import leads_of as leads_of
from .cells import own_values as own_values
from .cells import places_of as places_of
from .cells import ranks_in_units as ranks_in_units
from .least_squares import adjusted as adjusted
from .least_squares import parts_of as parts_of
from .cells import weighted_sums as weighted_sums
from .paired_wins import refuse_no_strengths as refuse_no_strengths
from .cells import Valued as Valued
from .paired_wins import strength_points as strength_points
from .paired_wins import wins_of as wins_of
