"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from lexiframe.views.charts.matrices import win_rate_chart
from lexiframe.views.charts.rankings import ranking_chart
from lexiframe.views.charts.requests import pair_chart

__all__ = ["pair_chart", "ranking_chart", "win_rate_chart"]
