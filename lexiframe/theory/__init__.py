"""What holds for rankings in theory: ties, orientation, worst cases, orders and simulations.

Most functions are about the rankings of one request, n items of which m are relevant, without data.
Those that take ``p``, the table of `positions`, hold real rankings against theory.

- ties of random rankings in closed form: `tie_probability`, `first_rank_ties`, `distinct_values`
- how a metric reacts to the first and to the last relevant item: `orientation`
- random rankings: `simulate_agreement`, `simulate_ties`
- the worst case of optimal rankings, fixed or drawn: `optimal_worst_case`
- the worst and the best case over users and providers, and their orders: `worst_and_best`
- whether a metric is top-heavy: `top_heaviness`
- whom every ranking serves as well as whom: `population_order`
- which ranks of the first and the last relevant item go together: `first_and_last`
- what one recall level adds to a difference: `exposure_differences`, `exposure_distribution` (p)
- how rare a ranking is, on an interval scale: `place`, `rarity` (p)
- which users a judge has in mind: `fit_users` (p)
- whether the top predicts the worst case: `predict_worst_case` (p)
- the worst case of rankings that are drawn from the scores of runs: `stochastic_worst_case`
- the order of all rankings under a measure: `order`; which properties it has: `axioms`
"""

from lexiframe.theory.axioms import axioms
from lexiframe.theory.exposures import exposure_differences, exposure_distribution
from lexiframe.theory.first_ranks import first_rank_ties
from lexiframe.theory.fitted import fit_users
from lexiframe.theory.optimal import optimal_worst_case
from lexiframe.theory.orders import order
from lexiframe.theory.orientation import orientation
from lexiframe.theory.population_orders import first_and_last, population_order
from lexiframe.theory.populations import worst_and_best
from lexiframe.theory.prediction import predict_worst_case
from lexiframe.theory.rare import place, rarity
from lexiframe.theory.simulation import simulate_agreement, simulate_ties
from lexiframe.theory.stochastic import stochastic_worst_case
from lexiframe.theory.tie_probability import distinct_values, tie_probability
from lexiframe.theory.top_heavy import top_heaviness

__all__ = [
    "axioms",
    "distinct_values",
    "exposure_differences",
    "exposure_distribution",
    "first_and_last",
    "first_rank_ties",
    "fit_users",
    "optimal_worst_case",
    "order",
    "orientation",
    "place",
    "population_order",
    "predict_worst_case",
    "rarity",
    "simulate_agreement",
    "simulate_ties",
    "stochastic_worst_case",
    "tie_probability",
    "top_heaviness",
    "worst_and_best",
]
