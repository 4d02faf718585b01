"""What holds for rankings in theory: ties, orientation, worst cases, orders and simulations.

Most functions are about the rankings of one request, n items of which m are relevant, without data.
Those that take ``p``, the table of `positions`, hold real rankings against theory.
"""

"Ties: of random rankings, in closed form"
from .closed_forms import tie_probability as tie_probability
from .closed_forms import distinct_values as distinct_values
from .first_ranks import first_rank_ties as first_rank_ties

"Orientation: how a metric reacts to the first and the last item, and whether the top decides"
from .orientations import orientation as orientation
from .top_heavy import top_heaviness as top_heaviness

"Simulations: random rankings"
from .simulation import simulate_agreement as simulate_agreement
from .simulation import simulate_ties as simulate_ties

"Worst cases: of optimal rankings, over users and providers, and of rankings drawn from scores"
from .optimal import optimal_worst_case as optimal_worst_case
from .populations import worst_and_best as worst_and_best
from .stochastic import stochastic_worst_case as stochastic_worst_case

"Orders: of rankings under a measure, with its properties; whom each serves as well as whom"
from .orders import order as order
from .properties import axioms as axioms
from .population_orders import population_order as population_order
from .population_orders import first_and_last as first_and_last

"Real rankings: what a level adds, how rare they are, whom a judge has in mind, what the top tells"
from .exposures import exposure_differences as exposure_differences
from .exposures import exposure_distribution as exposure_distribution
from .rare import place as place
from .rare import rarity as rarity
from .fitted import fit_users as fit_users
from .prediction import predict_worst_case as predict_worst_case
