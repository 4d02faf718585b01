"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from lexiframe.views.charts.levels import (
    deciding_level_chart,
    level_correlation_chart,
    tie_profile_chart,
)
from lexiframe.views.charts.matrices import win_rate_chart
from lexiframe.views.charts.orders import order_chart
from lexiframe.views.charts.rankings import ranking_chart
from lexiframe.views.charts.requests import pair_chart
from lexiframe.views.charts.robustness import degradation_chart, tie_chart
from lexiframe.views.charts.theory import (
    axiom_chart,
    optimal_chart,
    orientation_chart,
    simulated_agreement_chart,
    simulated_tie_chart,
)

__all__ = [
    "axiom_chart",
    "deciding_level_chart",
    "degradation_chart",
    "level_correlation_chart",
    "optimal_chart",
    "order_chart",
    "orientation_chart",
    "pair_chart",
    "ranking_chart",
    "simulated_agreement_chart",
    "simulated_tie_chart",
    "tie_chart",
    "tie_profile_chart",
    "win_rate_chart",
]
