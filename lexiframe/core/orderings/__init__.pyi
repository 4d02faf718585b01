"""Win rates and orderings of runs, and the agreement between orderings and between measures."""

"Pairs: wins and agreement"
from .wins import win_rates as win_rates
from .agreement import tie_rates as tie_rates
from .agreement import sign_agreement as sign_agreement
from .matrix import agreement_matrix as agreement_matrix
from .by_request import request_table as request_table

"Orderings: and how stable and alike they are"
from .order import order_runs as order_runs
from .order import order_or_null as order_or_null
from .rules import Method as Method
from .chosen_rule import ChosenRule as ChosenRule
from .chosen_rule import check_method as check_method
from . import missing_requests as missing_requests
from . import in_samples as in_samples
from . import ordering_rules as ordering_rules
from . import rules as rules
from .stability import rank_distributions as rank_distributions
from .stability import rank_intervals as rank_intervals
from .correlations import rank_correlations as rank_correlations
from .resampled_correlations import correlate_samples as correlate_samples
from . import coefficients as coefficients
from .all_taus import kendall_of_all as kendall_of_all
from .chosen_rule import refuse_many as refuse_many
from .least_contradicted import kemeny_places as kemeny_places

"Means: of measures"
from .means import run_means as run_means
from .means import best_first as best_first
from .means import is_count as is_count
