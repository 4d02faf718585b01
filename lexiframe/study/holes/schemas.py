"""The tables of holes: their keys and columns."""

from lexiframe.core.base import schemas

HOLE_VALUES = schemas.table_schema(
    "hole_values",
    "run measure",
    "value mean ci_low ci_high draws_low draws_high naive_low naive_high factor rank rank_low "
    "rank_high holes",
)
HOLE_PAIRS = schemas.table_schema(
    "hole_pairs",
    "measure run_a run_b",
    "n mean_preference mean ci_low ci_high draws_low draws_high factor share share_widened reject "
    "share_reject",
)
HOLE_CALIBRATION = schemas.table_schema(
    "hole_calibration",
    "run measure",
    "holes value value_without mean draws_low draws_high inside_before needed factor ci_low "
    "ci_high inside naive_low naive_high",
)
