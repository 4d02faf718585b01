"""The tables of judges: their keys and columns."""

from lexiframe.core.base import schemas

INCLUSION = schemas.table_schema("inclusion", "query_id", "probability")
_NEEDED = "correlation sd n n_requests people_alone"
JUDGMENTS_NEEDED = schemas.table_schema("judgments_needed", "run measure judge", _NEEDED)
JUDGMENTS_NEEDED_OF_PAIRS = schemas.table_schema(
    "judgments_needed_of_pairs", "run_a run_b measure judge", _NEEDED
)
# Of two judges, the first is the one that was given first.
JUDGE_AGREEMENT = schemas.table_schema(
    "judge_agreement",
    "judge_a judge_b",
    "n only_a only_b agreement kappa kappa_linear kappa_quadratic kappa_binary alpha "
    "mean_difference unit?",
)
# Judges of preferences: of every two, and of each beside all others (null: all together).
STATED_AGREEMENT = schemas.table_schema(
    "stated_agreement",
    "judge_a judge_b",
    "n only_a only_b agreement opposite kappa kappa_linear alpha_nominal alpha mean_difference",
)
JUDGE_CONSISTENCY = schemas.table_schema(
    "judge_consistency",
    "judge",
    "n n_shared n_requests agreement others difference ci_low ci_high p_value p_adjusted reject "
    "alpha_nominal alpha n_triples n_circular circular by_chance",
    nullable="judge",
)
JUDGE_CONFUSION = schemas.table_schema(
    "judge_confusion", "judge_a judge_b relevance_a relevance_b", "n share share_of_a unit?"
)
JUDGES = schemas.table_schema(
    "judges", "judge", "requests missing without_relevant judged compared"
)
JUDGE_ORDERINGS = schemas.table_per_value("judge", schemas.ORDERINGS)
JUDGE_CORRELATIONS = schemas.table_schema(
    "judge_correlations",
    "measure method judge_a judge_b",
    "correlation n ci_low ci_high",
)
RANK_SHIFTS = schemas.table_schema(
    "rank_shifts",
    "measure method judge_a judge_b run",
    "value_a value_b rank_a rank_b shift",
)
JUDGE_ANSWERS = schemas.table_schema(
    "judge_answers",
    "measure judge_a judge_b",
    "answer reason n_runs pairs found missed reversed invented share tau ci_low ci_high",
    answer=schemas.STR, pairs=schemas.INT, found=schemas.INT, missed=schemas.INT,
    reversed=schemas.INT, invented=schemas.INT,
)  # fmt: skip
JUDGE_COMPARISONS = schemas.table_per_value("judge", schemas.COMPARISONS)
# What a judge's scores lack and another judge's have: a run, a request (run is null), or one score.
LEFT_OUT = schemas.table_schema(
    "left_out", "judge measure run query_id", "", nullable="run query_id"
)
OWN_FAMILY = schemas.table_schema(
    "own_family",
    "judge? measure",
    "family n_own n_other bias se ci_low ci_high p_value p_adjusted slope extrapolated reason",
)
