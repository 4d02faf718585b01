"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from lexiframe.views.charts.matrices import win_rate_chart

__all__ = ["win_rate_chart"]
