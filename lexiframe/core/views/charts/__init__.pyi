"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

"Means and orders of the runs: and which of them differ"
from .means import mean_chart as mean_chart
from .means import trade_off_chart as trade_off_chart
from .orderings import ordering_chart as ordering_chart
from .orderings import rank_distribution_chart as rank_distribution_chart
from .win_rates import win_rate_chart as win_rate_chart
from .weights import weight_chart as weight_chart
from .significance import critical_difference_chart as critical_difference_chart
from .significance import significance_chart as significance_chart

"Evidence: what tests find, and how often"
from .power import asl_chart as asl_chart
from .power import power_chart as power_chart
from .power import power_curve_chart as power_curve_chart
from .conclusions import conclusion_chart as conclusion_chart

"Measures: how they agree, tie and decide"
from .agreement import correlation_chart as correlation_chart
from .agreement import agreement_chart as agreement_chart
from .differences import difference_chart as difference_chart
from .requests import pair_chart as pair_chart
from .rankings import ranking_chart as ranking_chart

"Recall levels: which of them decide, tie, and how much each adds"
from .levels import deciding_level_chart as deciding_level_chart
from .levels import level_correlation_chart as level_correlation_chart
from .levels import level_regression_chart as level_regression_chart
from .levels import tie_profile_chart as tie_profile_chart

"For features: modules whose names they use"
from . import agreement as agreement
from . import axes as axes
from . import columns as columns
from . import drawing as drawing
from . import marks as marks
from . import names as names
from . import orderings as orderings
from . import panels as panels
from . import runs_in_order as runs_in_order
from . import style as style
from . import tables as tables
from . import texts as texts
