"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

"Means and orders of the runs: and which of them differ"
from lexiframe.core.views.charts.means import mean_chart as mean_chart
from lexiframe.core.views.charts.means import trade_off_chart as trade_off_chart
from lexiframe.core.views.charts.orderings import ordering_chart as ordering_chart
from lexiframe.core.views.charts.orderings import rank_distribution_chart as rank_distribution_chart
from lexiframe.core.views.charts.win_rates import win_rate_chart as win_rate_chart
from lexiframe.core.views.charts.weights import weight_chart as weight_chart
from lexiframe.core.views.charts.significance import (
    critical_difference_chart as critical_difference_chart,
)
from lexiframe.core.views.charts.significance import significance_chart as significance_chart

"Evidence: what tests find, and how often"
from lexiframe.core.views.charts.power import asl_chart as asl_chart
from lexiframe.core.views.charts.power import power_chart as power_chart
from lexiframe.core.views.charts.power import power_curve_chart as power_curve_chart
from lexiframe.decide.gates.equivalence_charts import equivalence_chart as equivalence_chart
from lexiframe.study.audits.charts import audit_chart as audit_chart
from lexiframe.study.models.charts import effect_chart as effect_chart
from lexiframe.decide.gates.decision_charts import dependability_chart as dependability_chart
from lexiframe.decide.gates.decision_charts import gate_curve_chart as gate_curve_chart
from lexiframe.decide.gates.decision_charts import powered_chart as powered_chart
from lexiframe.decide.gates.decision_charts import sequence_chart as sequence_chart
from lexiframe.core.views.charts.conclusions import conclusion_chart as conclusion_chart
from lexiframe.decide.worst.charts import worst_chart as worst_chart
from lexiframe.decide.worst.charts import risk_chart as risk_chart

"Measures: how they agree, tie and decide"
from lexiframe.core.views.charts.agreement import correlation_chart as correlation_chart
from lexiframe.core.views.charts.agreement import agreement_chart as agreement_chart
from lexiframe.study.less_data.charts import degradation_chart as degradation_chart
from lexiframe.study.less_data.charts import tie_chart as tie_chart
from lexiframe.core.views.charts.differences import difference_chart as difference_chart
from lexiframe.core.views.charts.requests import pair_chart as pair_chart
from lexiframe.core.views.charts.rankings import ranking_chart as ranking_chart

"Recall levels: which of them decide, tie, and how much each adds"
from lexiframe.core.views.charts.levels import deciding_level_chart as deciding_level_chart
from lexiframe.study.less_data.compositions import (
    deciding_component_chart as deciding_component_chart,
)
from lexiframe.core.views.charts.levels import level_correlation_chart as level_correlation_chart
from lexiframe.core.views.charts.levels import level_regression_chart as level_regression_chart
from lexiframe.core.views.charts.levels import tie_profile_chart as tie_profile_chart
from lexiframe.study.theory.exposure_charts import contribution_chart as contribution_chart
from lexiframe.study.theory.exposure_charts import (
    exposure_difference_chart as exposure_difference_chart,
)
from lexiframe.study.theory.exposure_charts import (
    exposure_distribution_chart as exposure_distribution_chart,
)

"People: what they prefer, and which measure prefers the same"
from lexiframe.decide.votes.charts import strength_chart as strength_chart
from lexiframe.decide.votes.charts import residual_chart as residual_chart
from lexiframe.decide.votes.charts import concordance_chart as concordance_chart

"Data: runs, judges and judgments"
from lexiframe.study.overlaps.charts import overlap_chart as overlap_chart
from lexiframe.decide.judges.charts import judge_confusion_chart as judge_confusion_chart
from lexiframe.decide.judges.charts import rank_shift_chart as rank_shift_chart
from lexiframe.decide.beyond.charts import exposure_curve_chart as exposure_curve_chart
from lexiframe.decide.beyond.charts import frontier_chart as frontier_chart
from lexiframe.study.holes.charts import hole_chart as hole_chart
from lexiframe.study.overlaps.charts import unjudged_chart as unjudged_chart

"Theory: what holds without data"
from lexiframe.study.theory.charts import axiom_chart as axiom_chart
from lexiframe.study.theory.charts import first_and_last_chart as first_and_last_chart
from lexiframe.study.theory.charts import optimal_chart as optimal_chart
from lexiframe.study.theory.charts import orientation_chart as orientation_chart
from lexiframe.study.theory.charts import simulated_agreement_chart as simulated_agreement_chart
from lexiframe.study.theory.charts import simulated_tie_chart as simulated_tie_chart
from lexiframe.study.theory.order_charts import first_rank_tie_chart as first_rank_tie_chart
from lexiframe.study.theory.order_charts import order_chart as order_chart
from lexiframe.study.theory.order_charts import population_chart as population_chart
