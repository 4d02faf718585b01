"""What holds for rankings in theory: ties, orientation, worst cases, orders and simulations.

Most functions are about the rankings of one request, n items of which m are relevant, without data.
Those that take ``p``, the table of `positions`, hold real rankings against theory.
"""

"For other features: names that they use"
from .properties import axioms as axioms
from .properties import total_preorder as total_preorder
from .simulation import simulate_ties as simulate_ties
from .top_heavy import top_heaviness as top_heaviness
