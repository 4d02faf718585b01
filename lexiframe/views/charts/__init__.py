"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from lexiframe.views.charts.inference import (
    asl_chart,
    critical_difference_chart,
    power_chart,
    power_curve_chart,
)
from lexiframe.views.charts.matrices import correlation_chart, significance_chart, win_rate_chart
from lexiframe.views.charts.means import mean_chart, trade_off_chart
from lexiframe.views.charts.orderings import ordering_chart, rank_distribution_chart

__all__ = [
    "asl_chart",
    "correlation_chart",
    "critical_difference_chart",
    "mean_chart",
    "ordering_chart",
    "power_chart",
    "power_curve_chart",
    "rank_distribution_chart",
    "significance_chart",
    "trade_off_chart",
    "win_rate_chart",
]
