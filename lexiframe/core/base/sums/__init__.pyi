"""Sums that do not depend on the order of what is added, when two are equal, means by t or bets."""

"For other rooms: what they use of it"
from . import bounded_means as bounded_means
from .estimates import Estimates as Estimates
from .exact_sums import ExactSums as ExactSums
from .moments import Moments as Moments
from .weighed import Weighing as Weighing
from .tolerance import TIE as TIE
from .tolerance import above_zero as above_zero
from .tolerance import difference as difference
from .ranking import holm as holm
from .tolerance import largest as largest
from .tolerance import metric_difference as metric_difference
from .ranking import mid_ranks as mid_ranks
from .ranking import mid_ranks_of as mid_ranks_of
from .tolerance import parts_of as parts_of
from .ranking import ratio as ratio
from .tolerance import rounding as rounding
from .estimates import t_above as t_above
from .estimates import t_reach as t_reach
from .ranking import tie_groups as tie_groups
from .added_up import add_up as add_up
from . import capital as capital
