"""From runs and judgments to the positions of relevant items."""

"How runs are read: what is done with ties, gaps and grades"
from .policies import Policies as Policies
from .policies import NoRelevant as NoRelevant
from .policies import ScoreType as ScoreType
from .policies import Ties as Ties
from .policies import Unjudged as Unjudged
from .policies import check_policy as check_policy
from .policies import is_grade as is_grade

"Ranked runs: the ranks of judged items"
from .ranked_runs import RankedRuns as RankedRuns
from .ranks_and_ties import RunRanks as RunRanks
from .ranks_and_ties import RANKS as RANKS
from .ranked_runs import rank_runs as rank_runs
from .ranked_runs import joined as joined
from .ranked_runs import refuse_other_queries as refuse_other_queries
from . import judgments as judgments
from . import whole_lists as whole_lists
from . import whole_rankings as whole_rankings

"Positions: of relevant items, as tables and matrices"
from .positions_table import positions as positions
from .positions_table import project as project
from .imputation import impute as impute
from .levels import levels_in as levels_in
from . import matrices as matrices
from . import blocks as blocks
from . import effect_of_ties as effect_of_ties

"Coverage and collections: what runs answered, and each of several alone"
from . import answers as answers
from . import alone as alone

"For features: modules whose names they use"
from . import by_collection as by_collection
from . import several as several
from . import tied_orders as tied_orders
