"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

"Means and orders of the runs: and which of them differ"
from .means import mean_chart as mean_chart
from .means import trade_off_chart as trade_off_chart
from .orderings import ordering_chart as ordering_chart
from .orderings import rank_distribution_chart as rank_distribution_chart
from .win_rates import win_rate_chart as win_rate_chart
from .significance import critical_difference_chart as critical_difference_chart
from .significance import significance_chart as significance_chart

"Evidence: what tests find, and how often"
from .power import asl_chart as asl_chart
from .power import power_chart as power_chart
from .power import power_curve_chart as power_curve_chart
from .equivalences import equivalence_chart as equivalence_chart
from .audits import audit_chart as audit_chart
from .decisions import dependability_chart as dependability_chart
from .decisions import gate_curve_chart as gate_curve_chart
from .decisions import powered_chart as powered_chart
from .decisions import sequence_chart as sequence_chart
from .conclusions import conclusion_chart as conclusion_chart

"Measures: how they agree, tie and decide"
from .agreement import correlation_chart as correlation_chart
from .agreement import agreement_chart as agreement_chart
from .robustness import degradation_chart as degradation_chart
from .robustness import tie_chart as tie_chart
from .differences import difference_chart as difference_chart
from .requests import pair_chart as pair_chart
from .rankings import ranking_chart as ranking_chart

"Recall levels: which of them decide, tie, and how much each adds"
from .levels import deciding_level_chart as deciding_level_chart
from .levels import level_correlation_chart as level_correlation_chart
from .levels import level_regression_chart as level_regression_chart
from .levels import tie_profile_chart as tie_profile_chart
from .exposures import contribution_chart as contribution_chart
from .exposures import exposure_difference_chart as exposure_difference_chart
from .exposures import exposure_distribution_chart as exposure_distribution_chart

"People: what they prefer, and which measure prefers the same"
from .strengths import strength_chart as strength_chart
from .strengths import residual_chart as residual_chart
from .strengths import concordance_chart as concordance_chart

"Data: runs, judges and judgments"
from .overlap import overlap_chart as overlap_chart
from .judges import judge_confusion_chart as judge_confusion_chart
from .judges import rank_shift_chart as rank_shift_chart
from .beyond import exposure_curve_chart as exposure_curve_chart
from .beyond import frontier_chart as frontier_chart
from .holes import hole_chart as hole_chart
from .holes import unjudged_chart as unjudged_chart

"Theory: what holds without data"
from .theory import axiom_chart as axiom_chart
from .theory import first_and_last_chart as first_and_last_chart
from .theory import optimal_chart as optimal_chart
from .theory import orientation_chart as orientation_chart
from .theory import simulated_agreement_chart as simulated_agreement_chart
from .theory import simulated_tie_chart as simulated_tie_chart
from .orders import first_rank_tie_chart as first_rank_tie_chart
from .orders import order_chart as order_chart
from .orders import population_chart as population_chart
