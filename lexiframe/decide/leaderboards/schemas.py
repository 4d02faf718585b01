"""The tables of leaderboards: their keys and columns."""

from typing import Any

import polars as pl

from lexiframe.core.base import schemas

# Ranks are whole here: 1 + the number of better runs.
_RANKS: dict[str, Any] = dict.fromkeys(
    ("rank", "rank_low", "rank_high", "rank_low_each", "rank_high_each"), schemas.INT
)
COLLECTION_SCORES = schemas.table_schema("collection_scores", "run collection", "value")
COLLECTION_RANKING = schemas.table_schema(
    "ranking",
    "rule run",
    "value ci_low ci_high rank rank_low rank_high rank_low_each rank_high_each n_collections "
    "incomplete",
    **_RANKS,
)
COLLECTION_GAPS = schemas.table_schema("gaps", "run collection", "n_collections n_runs how")
COLLECTION_COMPARISONS = schemas.table_schema(
    "collection_comparisons",
    "rule test correction run_a run_b",
    "n df mean_difference ci_low ci_high statistic p_value p_adjusted reject",
    df=schemas.FLOAT,
)
NEIGHBOURS = schemas.table_schema(
    "neighbours",
    "rule place",
    "run_a run_b value_difference mean_difference ci_low ci_high p_value reject share_in_order",
)
RANK_PERCENTILES = schemas.table_schema(
    "rank_percentiles",
    "rule run",
    "rank percentile_low percentile_high share_first",
    rank=schemas.INT,
    percentile_low=schemas.INT,
    percentile_high=schemas.INT,
)
COLLECTION_WEIGHTS = schemas.table_schema(
    "collection_weights", "collection", "group weight share n_runs"
)
LEAVE_ONE_OUT = schemas.table_schema(
    "leave_one_out",
    "rule collection",
    "tau run rank rank_without first first_changes",
    rank=schemas.INT,
    rank_without=schemas.INT,
    first=pl.List(pl.String),
)
COLLECTION_CORRELATIONS = schemas.table_schema(
    "collection_correlations", "collection_a collection_b", "tau n"
)
RULE_CORRELATIONS = schemas.table_schema(
    "rule_correlations",
    "rule_a rule_b",
    "tau run rank_a rank_b",
    rank_a=schemas.INT,
    rank_b=schemas.INT,
)
SMALLEST_SET = schemas.table_schema(
    "smallest_set", "n_collections", "collection tau tau_sd random random_low random_high"
)
CONNECTED_PARTS = schemas.table_schema("connected_parts", "part kind name", "")
