"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from lexiframe.views.charts.agreement import correlation_chart
from lexiframe.views.charts.audits import audit_chart
from lexiframe.views.charts.conclusions import conclusion_chart
from lexiframe.views.charts.differences import difference_chart
from lexiframe.views.charts.equivalences import equivalence_chart
from lexiframe.views.charts.exposures import (
    contribution_chart,
    exposure_difference_chart,
    exposure_distribution_chart,
)
from lexiframe.views.charts.first_ranks import first_rank_tie_chart
from lexiframe.views.charts.holes import hole_chart, unjudged_chart
from lexiframe.views.charts.judges import judge_confusion_chart, rank_shift_chart
from lexiframe.views.charts.levels import (
    deciding_level_chart,
    level_correlation_chart,
    tie_profile_chart,
)
from lexiframe.views.charts.means import mean_chart, trade_off_chart
from lexiframe.views.charts.orderings import ordering_chart, rank_distribution_chart
from lexiframe.views.charts.orders import order_chart, population_chart
from lexiframe.views.charts.overlap import overlap_chart
from lexiframe.views.charts.power import asl_chart, power_chart, power_curve_chart
from lexiframe.views.charts.rankings import ranking_chart
from lexiframe.views.charts.regressions import level_regression_chart
from lexiframe.views.charts.requests import pair_chart
from lexiframe.views.charts.robustness import degradation_chart, tie_chart
from lexiframe.views.charts.sign_agreements import agreement_chart
from lexiframe.views.charts.significance import critical_difference_chart, significance_chart
from lexiframe.views.charts.theory import (
    axiom_chart,
    first_and_last_chart,
    optimal_chart,
    orientation_chart,
    simulated_agreement_chart,
    simulated_tie_chart,
)
from lexiframe.views.charts.win_rates import win_rate_chart

__all__ = [
    "agreement_chart",
    "asl_chart",
    "audit_chart",
    "axiom_chart",
    "conclusion_chart",
    "contribution_chart",
    "correlation_chart",
    "critical_difference_chart",
    "deciding_level_chart",
    "degradation_chart",
    "difference_chart",
    "exposure_difference_chart",
    "exposure_distribution_chart",
    "first_and_last_chart",
    "first_rank_tie_chart",
    "judge_confusion_chart",
    "hole_chart",
    "equivalence_chart",
    "level_correlation_chart",
    "level_regression_chart",
    "mean_chart",
    "optimal_chart",
    "order_chart",
    "ordering_chart",
    "orientation_chart",
    "overlap_chart",
    "pair_chart",
    "population_chart",
    "power_chart",
    "power_curve_chart",
    "rank_distribution_chart",
    "rank_shift_chart",
    "ranking_chart",
    "significance_chart",
    "simulated_agreement_chart",
    "simulated_tie_chart",
    "tie_chart",
    "tie_profile_chart",
    "trade_off_chart",
    "unjudged_chart",
    "win_rate_chart",
]
