"""The tables of the worst share of requests, of leximin and of risk: their keys and columns."""

from lexiframe.core.base import schemas

WORST_VALUES = schemas.table_schema(
    "worst_values",
    "measure share run",
    "value ci_low ci_high n n_worst mean quantile quantile_low quantile_high",
)
WORST_COMPARISONS = schemas.table_schema(
    "worst_comparisons",
    "measure share run_a run_b",
    "mean_difference ci_low ci_high n effect_size statistic p_value p_adjusted reject test "
    "correction quantile_difference? quantile_ci_low? quantile_ci_high?",
)
WORST_REQUESTS = schemas.table_schema(
    "worst_requests", "measure share run query_id", "value counted"
)
WORST_GROUPS = schemas.table_schema(
    "worst_groups",
    "measure share run attribute group",
    "n n_worst share_worst share_all p_value p_adjusted reject",
)
LEXIMIN = schemas.table_schema(
    "leximin", "measure run_a run_b", "preference decided_at value_a value_b n"
)
RISK = schemas.table_schema(
    "risk",
    "measure run",
    "n wins ties losses large_losses large_low large_high mean_difference urisk ci_low ci_high "
    "trisk p_value p_adjusted reject worst_change worst_change_low worst_change_high georisk "
    "georisk_low georisk_high",
)
