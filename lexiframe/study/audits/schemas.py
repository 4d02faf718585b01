"""The tables of audits: their keys and columns."""

from lexiframe.core.base import schemas

AUDITS = schemas.table_schema(
    "audits",
    "measure test correction null n_runs n_requests",
    "alpha error_rate error_se error_low error_high trials power power_se power_low power_high "
    "n_differ type_iii type_iii_se type_iii_low type_iii_high n_significant n_pairs n",
)
