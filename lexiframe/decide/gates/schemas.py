"""The tables of gates: their keys and columns."""

from lexiframe.core.base import schemas

EQUIVALENCES = schemas.table_schema(
    "equivalences",
    "measure test correction run_a run_b",
    "mean_difference ci_low ci_high n n_effective? p_not_worse_a p_not_worse_b p_equivalent "
    "p_better p_not_worse_a_adjusted p_not_worse_b_adjusted p_equivalent_adjusted "
    "p_better_adjusted trivial p_better_by_margin_a p_better_by_margin_b "
    "p_better_by_margin_a_adjusted p_better_by_margin_b_adjusted level? margin "
    "conclusion test correction",
    level=schemas.FLOAT,
)
GATES = schemas.table_schema(
    "gates",
    "measure candidate",
    "outcome why mean_difference margin ci_low ci_high p_value p_adjusted p_opposite "
    "p_opposite_adjusted n n_effective? required baseline candidate requests? baseline_answered? "
    "candidate_answered? baseline_judged_at_10? candidate_judged_at_10? level? order? seed? "
    "n_planned? worst? require test correction alpha",
    level=schemas.FLOAT,
)
GATE_CURVES = schemas.table_schema(
    "gate_curves",
    "measure case n_requests",
    "test mean_difference pass_rate pass_low pass_high fail_rate disagree trials",
)
CONFIDENCE_SEQUENCES = schemas.table_schema(
    "confidence_sequences",
    "measure n_requests",
    "mean_difference ci_low ci_high alpha n_planned",
)
