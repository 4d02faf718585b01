"""The tables of votes: their keys and columns."""

from lexiframe.core.base import schemas

# What people or models say of two runs, one row a judgment. `judge` is null where nobody is named.
# `share` is there where someone says how sure the winner is: what run_a has of the judgment, 0..1.
JUDGMENTS = schemas.table_schema(
    "judgments", "query_id run_a run_b judge? replicate?", "winner first? share?", nullable="judge"
)
# How often measures prefer the run that people prefer, over pairs of rankings of a request.
CONCORDANCE = schemas.table_schema(
    "concordance", "measure", "n n_requests missing agree ties concordance ci_low ci_high"
)
CONCORDANCE_PAIRS = schemas.table_schema(
    "concordance_pairs",
    "measure_a measure_b",
    "n n_requests difference ci_low ci_high p_value p_adjusted reject",
)
CONCORDANCE_REQUESTS = schemas.table_schema(
    "concordance_requests", "measure query_id", "n agree ties concordance"
)
CONCORDANCE_BY_STRENGTH = schemas.table_schema(
    "concordance_by_strength",
    "measure strength_above",
    "strength_up_to n n_requests agree ties concordance ci_low ci_high",
)
# What the run that was shown first won; judge is null where all judges are taken together.
POSITION_BIAS = schemas.table_schema(
    "position_bias",
    "judge",
    "n n_requests wins ties losses win_rate ci_low ci_high n_both_orders win_rate_both_orders "
    "both_orders_low both_orders_high",
    nullable="judge",
)
STRENGTHS = schemas.table_schema(
    "strengths",
    "run",
    "strength ci_low ci_high rank se n_judgments elo? elo_low? elo_high?",
)
STRENGTH_PAIRS = schemas.table_schema(
    "strength_pairs",
    "run_a run_b",
    "n_judgments wins ties losses observed_share expected_share residual difference "
    "ci_low ci_high p_value p_adjusted p_a_wins p_a_low p_a_high p_b_wins",
    wins=schemas.FLOAT,
    ties=schemas.FLOAT,
    losses=schemas.FLOAT,
)
STRENGTH_COVARIATES = schemas.table_schema(
    "strength_covariates", "covariate", "coefficient ci_low ci_high se p_value sd per_sd"
)
STRENGTHS_BY_GROUP = schemas.table_schema(
    "strengths_by_group",
    "group run",
    "strength ci_low ci_high rank se n_judgments n_requests difference difference_low "
    "difference_high p_value",
)
NEXT_PAIRS = schemas.table_schema(
    "next_pairs", "place", "run_a run_b n_judgments p_a_wins fall variance"
)
