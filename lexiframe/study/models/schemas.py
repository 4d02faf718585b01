"""The table of an analysis of variance: its key and columns."""

from lexiframe.core.base import schemas

EFFECTS = schemas.table_schema(
    "effects",
    "measure source",
    "sum_of_squares df mean_square F p_value omega_squared ci_low ci_high",
    sum_of_squares=schemas.FLOAT, mean_square=schemas.FLOAT, F=schemas.FLOAT,
    omega_squared=schemas.FLOAT,
)  # fmt: skip
