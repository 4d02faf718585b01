"""The tables of the worst share of requests and of risk: their keys and columns."""

from lexiframe.core.base import schemas

_FLOATS = (
    "n_worst quantile quantile_low quantile_high quantile_difference quantile_ci_low "
    "quantile_ci_high counted share_worst share_all"
)
_OF_WORST = dict.fromkeys(_FLOATS.split(), schemas.FLOAT)
WORST_VALUES = schemas.table_schema(
    "worst_values",
    "measure share run",
    "value ci_low ci_high n n_worst mean quantile quantile_low quantile_high",
    **_OF_WORST,
)
WORST_COMPARISONS = schemas.table_schema(
    "worst_comparisons",
    "measure share run_a run_b",
    "mean_difference ci_low ci_high n effect_size statistic p_value p_adjusted reject test "
    "correction quantile_difference? quantile_ci_low? quantile_ci_high?",
    **_OF_WORST,
)
_RISKS = "urisk trisk worst_change worst_change_low worst_change_high georisk georisk_low"
_OF_RISK = dict.fromkeys(f"{_RISKS} georisk_high large_low large_high".split(), schemas.FLOAT)
RISK = schemas.table_schema(
    "risk",
    "measure run",
    "n wins ties losses large_losses large_low large_high mean_difference urisk ci_low ci_high "
    "trisk p_value p_adjusted reject worst_change worst_change_low worst_change_high georisk "
    "georisk_low georisk_high",
    large_losses=schemas.INT,
    **_OF_RISK,
)
LEXIMIN = schemas.table_schema(
    "leximin",
    "measure run_a run_b",
    "preference decided_at value_a value_b n",
    decided_at=schemas.INT,
)
WORST_GROUPS = schemas.table_schema(
    "worst_groups",
    "measure share run attribute group",
    "n n_worst share_worst share_all p_value p_adjusted reject",
    attribute=schemas.STR,
    **_OF_WORST,
)
WORST_REQUESTS = schemas.table_schema(
    "worst_requests", "measure share run query_id", "value counted", **_OF_WORST
)
