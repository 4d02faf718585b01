"""Compare rankings: preferences, metrics, orderings and significance over data frames.

The public names, in the order of the flow:

- runs and judgments: `read_runs`, `scan_runs`, `read_qrels`, `read_scores`, `check_run`,
  `check_qrels`, `run_metadata`, `bundled`
- positions: `positions`, `impute`
- metrics: `scores`, `AP`, `RR`, `nDCG`, `RBP`, `gRBP`, `RBP_residual`, `linear`, `R`, `P`,
  `Rprec`, `Success`, `ERR`, `bpref`, `infAP`, `Judged`, `DCG`, `F1`, `relative_P`, `num_ret`,
  `num_rel`, `num_rel_ret`, `num_nonrel_judged_ret`, `num_q`; of sets: `SetP`, `SetR`, `SetF`,
  `SetAP`, `utility`, `Accuracy`; of the recall curve: `IPrec`, `eleven_point_avg`, `Rprec_mult`;
  for geometric means: `gm_map`, `gm_bpref`, `yaap`; trec_eval's variants of nDCG: `ndcg_rel`,
  `Rndcg`, `G`, `binG`; of user models: `SDCG`, `BPM`, `INST`, `INSQ`, `NERR8`, `NERR9`, `NERR10`,
  `NERR11`, `Compat`;
  search lengths `ISL`, `TSL`, `ASL`, `SL1`, `SL3`, `RE`; metrics made from another metric: `TSE`,
  `eta`, `WC`; classes for your own metrics: `RecallLevelMetric`, `GradedMetric`, `CascadeMetric`,
  `CWLMetric`, `SearchLength`; `provider_exposure`; lists of all metrics and preferences:
  `measures`, `conventions`
- metrics by subtopic: `strec`, `MAP_IA`, `P_IA`, `ERR_IA`, `nERR_IA`, `alpha_DCG`, `alpha_nDCG`,
  `NRBP`, `nNRBP`
- preferences: `preferences`, `explain`, `interleaving`, `RPP`, `dcgRPP`, `invRPP`, `LR`, `LP`,
  `sgnLR`, `sgnLP`, `rrLR`, `rrLP`, `ST_RPP`, `ST_dcgRPP`, `ST_invRPP`, `LevelPreference`,
  `LexicographicPreference`, `MatrixPreference`, `parse_measure`
- orderings: `aggregates`, `win_rates`, `win_rate_matrix`, `request_win_rates`, `order_runs`,
  `majority_cycles`, `rank_correlations`, `tie_rates`, `sign_agreement`; bootstraps over
  requests: `rank_distributions`, `order_probabilities`, `bootstrap_correlations`;
  `agreement_matrix`; `group_correlations` between groups of requests
- significance: `compare`, `compare_groups`, `tukey_hsd`, `discriminative_power`, `asl_curve`,
  `smallest_significant_differences`, `swap_rates`, `swap_curve`, `required_requests`,
  `power_curve`
- robustness: `degradation`, `sample_labels`, `sample_requests`, `truncate_runs`, `leave_out_run`;
  ties and recall levels of real rankings: `tie_profile`, `deciding_levels`, `level_correlations`,
  `level_regression`, `predict_first_level`
- decisions: `equivalence` and non-inferiority within a margin; may a run replace another: `gate`;
  judges: `judge_agreement`, `judge_confusion`, `compare_judges`, `JudgeComparison`; two sets of
  comparisons: `conclusions`, `conclusion_pairs`; what to judge next: `unjudged`; how far unjudged
  documents could move values and orders: `hole_sensitivity`, `HoleSensitivity`; without judgments:
  `overlap`, `contrasting`; whether tests keep their promise: `audit`
- what holds for all rankings of n items: the functions of `theory`
- simulated runs and judgments, also like real ones: `simulate_collection`, `collection_distances`
- experiment logs: `with_log`, `read_log`, `read_mlflow`; what describes requests: `with_attributes`
- writing and export: `write_trec`, `write_parquet`, `to_ir_measures`, `to_ranx`, `to_pytrec_eval`
- counts of requests answered, documents judged and ties: `coverage`
- on a Spark cluster: in `spark`, the function `spark.evaluate`
- charts of these tables: in `views`, the functions of `views.charts`
- tables for notebooks and pages, styled: in `views`, the functions of `views.display`
- the whole flow in one call: `evaluate`, `add_runs`, `evaluate_scores`, `Evaluation`; the
  conclusion in words: `verdict`
- errors and warnings: `LexiframeError`, `ReadError`, `SchemaError`, `UnknownNameError`,
  `LexiframeWarning`; the version: `__version__`
"""

from lexiframe._version import __version__

TYPE_CHECKING = False  # a checker takes it for true; importing typing takes longer than this module
if TYPE_CHECKING:
    # fmt: off
    from lexiframe import spark, theory, views
    from lexiframe.decisions.equivalence import equivalence
    from lexiframe.decisions.gate import gate
    from lexiframe.decisions.compare_judges import JudgeComparison, compare_judges
    from lexiframe.decisions.conclusions import conclusion_pairs, conclusions
    from lexiframe.decisions.judges import judge_agreement, judge_confusion
    from lexiframe.decisions.contrasting import contrasting
    from lexiframe.decisions.overlap import overlap
    from lexiframe.decisions.unjudged import unjudged
    from lexiframe.decisions.audit import audit
    from lexiframe.errors import (
        LexiframeError, LexiframeWarning, ReadError, SchemaError, UnknownNameError,
    )
    from lexiframe.evaluated_scores import evaluate_scores
    from lexiframe.evaluated_runs import evaluate
    from lexiframe.added_runs import add_runs
    from lexiframe.evaluation import Evaluation
    from lexiframe.example_data import bundled
    from lexiframe.gaps import coverage
    from lexiframe.io.checks import check_qrels, check_run
    from lexiframe.io.exchange import to_ir_measures, to_pytrec_eval, to_ranx
    from lexiframe.io.logs.files import read_log
    from lexiframe.io.logs.joining import with_attributes, with_log
    from lexiframe.io.logs.mlflow import read_mlflow
    from lexiframe.io.per_request_scores import read_scores
    from lexiframe.io.qrels import read_qrels
    from lexiframe.io.runs import read_runs, run_metadata, scan_runs
    from lexiframe.io.write_parquet import write_parquet
    from lexiframe.io.write_trec import write_trec
    from lexiframe.metrics.cascade import CascadeMetric
    from lexiframe.metrics.catalogue import (
        AP, ASL, DCG, ERR, ISL, RBP, RE, RR, SL1, SL3, TSL, Judged, P, R, RBP_residual, Rprec,
        Success, bpref, gm_bpref, gm_map, gRBP, infAP, linear, nDCG, num_nonrel_judged_ret, num_q,
        num_rel, num_rel_ret, num_ret, yaap,
    )
    from lexiframe.metrics.derived import TSE, WC, eta
    from lexiframe.metrics.graded import GradedMetric
    from lexiframe.metrics.providers import provider_exposure
    from lexiframe.metrics.recall_level import RecallLevelMetric
    from lexiframe.metrics.scores import scores
    from lexiframe.metrics.search_length import SearchLength
    from lexiframe.metrics.set_catalogue import (
        F1, G, IPrec, Rndcg, Rprec_mult, SetAP, SetF, SetP, SetR, binG, eleven_point_avg, ndcg_rel,
        relative_P, utility,
    )
    from lexiframe.metrics.subtopic_catalogue import (
        ERR_IA, MAP_IA, NRBP, P_IA, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP, strec,
    )
    from lexiframe.metrics.user_model_catalogue import (
        BPM, INSQ, INST, NERR8, NERR9, NERR10, NERR11, SDCG, Accuracy, Compat,
    )
    from lexiframe.metrics.user_models import CWLMetric
    from lexiframe.orderings.aggregates import aggregates
    from lexiframe.orderings.by_group import group_correlations
    from lexiframe.orderings.agreement import sign_agreement, tie_rates
    from lexiframe.orderings.correlations import bootstrap_correlations, rank_correlations
    from lexiframe.orderings.matrix import agreement_matrix
    from lexiframe.orderings.order import order_runs
    from lexiframe.orderings.positional import majority_cycles
    from lexiframe.orderings.stability import order_probabilities, rank_distributions
    from lexiframe.orderings.win_rates import request_win_rates, win_rate_matrix, win_rates
    from lexiframe.pairwise.catalogue import (
        LP, LR, RPP, ST_RPP, ST_dcgRPP, ST_invRPP, dcgRPP, invRPP, parse_measure, rrLP, rrLR,
        sgnLP, sgnLR,
    )
    from lexiframe.pairwise.custom import MatrixPreference
    from lexiframe.pairwise.explanation import explain
    from lexiframe.pairwise.interleaving import interleaving
    from lexiframe.pairwise.lexicographic import LexicographicPreference
    from lexiframe.pairwise.listing import conventions, measures
    from lexiframe.pairwise.pairs import preferences
    from lexiframe.pairwise.recall_paired import LevelPreference
    from lexiframe.projection.imputation import impute
    from lexiframe.projection.positions import positions
    from lexiframe.decisions.hole_results import HoleSensitivity
    from lexiframe.decisions.hole_sensitivity import hole_sensitivity
    from lexiframe.robustness.degradation import degradation
    from lexiframe.robustness.diagnostics import (
        deciding_levels, level_correlations, level_regression, predict_first_level, tie_profile,
    )
    from lexiframe.robustness.sampling import (
        leave_out_run, sample_labels, sample_requests, truncate_runs,
    )
    from lexiframe.significance.between_groups import compare_groups
    from lexiframe.significance.paired import compare
    from lexiframe.significance.power import (
        asl_curve, discriminative_power, smallest_significant_differences,
    )
    from lexiframe.significance.sample_size import power_curve, required_requests
    from lexiframe.significance.swaps import swap_curve, swap_rates
    from lexiframe.significance.tukey import tukey_hsd
    from lexiframe.synthetic.collection import simulate_collection
    from lexiframe.synthetic.statistics import collection_distances
    from lexiframe.views.verdict import verdict
    # fmt: on

_MODULES = {
    "decisions.equivalence": "equivalence",
    "decisions.gate": "gate",
    "decisions.compare_judges": "JudgeComparison compare_judges",
    "decisions.conclusions": "conclusion_pairs conclusions",
    "decisions.judges": "judge_agreement judge_confusion",
    "decisions.contrasting": "contrasting",
    "decisions.overlap": "overlap",
    "decisions.unjudged": "unjudged",
    "decisions.audit": "audit",
    "errors": "LexiframeError LexiframeWarning ReadError SchemaError UnknownNameError",
    "evaluated_scores": "evaluate_scores",
    "evaluated_runs": "evaluate",
    "added_runs": "add_runs",
    "evaluation": "Evaluation",
    "example_data": "bundled",
    "gaps": "coverage",
    "io.checks": "check_qrels check_run",
    "io.exchange": "to_ir_measures to_pytrec_eval to_ranx",
    "io.logs.files": "read_log",
    "io.logs.joining": "with_attributes with_log",
    "io.logs.mlflow": "read_mlflow",
    "io.per_request_scores": "read_scores",
    "io.qrels": "read_qrels",
    "io.runs": "read_runs run_metadata scan_runs",
    "io.write_parquet": "write_parquet",
    "io.write_trec": "write_trec",
    "metrics.cascade": "CascadeMetric",
    "metrics.catalogue": "AP ASL DCG ERR ISL Judged P R RBP RBP_residual RE RR Rprec SL1 SL3 "
    "Success TSL bpref gRBP gm_bpref gm_map infAP linear nDCG num_nonrel_judged_ret num_q num_rel "
    "num_rel_ret num_ret yaap",
    "metrics.derived": "TSE WC eta",
    "metrics.graded": "GradedMetric",
    "metrics.providers": "provider_exposure",
    "metrics.recall_level": "RecallLevelMetric",
    "metrics.scores": "scores",
    "metrics.search_length": "SearchLength",
    "metrics.set_catalogue": "F1 G IPrec Rndcg Rprec_mult SetAP SetF SetP SetR binG "
    "eleven_point_avg ndcg_rel relative_P utility",
    "metrics.subtopic_catalogue": "ERR_IA MAP_IA NRBP P_IA alpha_DCG alpha_nDCG "
    "nERR_IA nNRBP strec",
    "metrics.user_model_catalogue": "Accuracy BPM Compat INSQ INST NERR10 NERR11 NERR8 NERR9 SDCG",
    "metrics.user_models": "CWLMetric",
    "orderings.aggregates": "aggregates",
    "orderings.agreement": "sign_agreement tie_rates",
    "orderings.by_group": "group_correlations",
    "orderings.correlations": "bootstrap_correlations rank_correlations",
    "orderings.matrix": "agreement_matrix",
    "orderings.order": "order_runs",
    "orderings.positional": "majority_cycles",
    "orderings.stability": "order_probabilities rank_distributions",
    "orderings.win_rates": "request_win_rates win_rate_matrix win_rates",
    "pairwise.catalogue": "LP LR RPP ST_RPP ST_dcgRPP ST_invRPP dcgRPP invRPP "
    "parse_measure rrLP rrLR sgnLP sgnLR",
    "pairwise.custom": "MatrixPreference",
    "pairwise.explanation": "explain",
    "pairwise.interleaving": "interleaving",
    "pairwise.lexicographic": "LexicographicPreference",
    "pairwise.listing": "conventions measures",
    "pairwise.pairs": "preferences",
    "pairwise.recall_paired": "LevelPreference",
    "projection.imputation": "impute",
    "projection.positions": "positions",
    "robustness.degradation": "degradation",
    "robustness.diagnostics": "deciding_levels level_correlations level_regression "
    "predict_first_level tie_profile",
    "robustness.sampling": "leave_out_run sample_labels sample_requests truncate_runs",
    "decisions.hole_results": "HoleSensitivity",
    "decisions.hole_sensitivity": "hole_sensitivity",
    "significance.between_groups": "compare_groups",
    "significance.paired": "compare",
    "significance.power": "asl_curve discriminative_power smallest_significant_differences",
    "significance.sample_size": "power_curve required_requests",
    "significance.swaps": "swap_curve swap_rates",
    "significance.tukey": "tukey_hsd",
    "synthetic.collection": "simulate_collection",
    "synthetic.statistics": "collection_distances",
    "views.verdict": "verdict",
}
"""The module of each public name; it is loaded when one of its names is first used (PEP 562)."""

if not TYPE_CHECKING:  # __getattr__ would hide misspelled names from type checkers

    def __getattr__(name: str) -> object:
        """Load the module of a public name when the name is first used."""
        import importlib

        if name in ("spark", "theory", "views"):  # modules of functions, and no names of one
            return importlib.import_module(f"lexiframe.{name}")
        for module, names in _MODULES.items():
            if name in names.split():
                found = getattr(importlib.import_module(f"lexiframe.{module}"), name)
                return globals().setdefault(name, found)
        raise AttributeError(f"module 'lexiframe' has no attribute {name!r}")


del TYPE_CHECKING


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "AP", "ASL", "ERR", "ERR_IA", "ISL", "LP", "LR", "MAP_IA", "NRBP", "P", "P_IA", "R", "RBP",
    "RE", "RPP", "RR", "SL1", "SL3", "ST_RPP", "TSE", "TSL", "WC", "CascadeMetric",
    "Evaluation", "GradedMetric", "Judged", "LevelPreference", "LexicographicPreference",
    "LexiframeError", "LexiframeWarning", "MatrixPreference", "RBP_residual", "ReadError",
    "RecallLevelMetric", "Rprec", "ST_dcgRPP", "ST_invRPP", "SchemaError", "SearchLength",
    "Success", "UnknownNameError", "__version__", "add_runs", "agreement_matrix", "alpha_DCG",
    "alpha_nDCG",
    "audit",
    "asl_curve", "bootstrap_correlations", "bpref", "bundled", "check_qrels", "check_run",
    "collection_distances", "compare", "compare_groups", "conventions", "coverage", "dcgRPP",
    "deciding_levels", "degradation", "discriminative_power", "eta", "evaluate",
    "evaluate_scores", "explain", "gRBP", "group_correlations", "hole_sensitivity", "impute",
    "infAP",
    "interleaving", "invRPP", "leave_out_run", "level_correlations", "level_regression",
    "linear", "majority_cycles", "measures", "nDCG", "nERR_IA", "nNRBP", "num_rel",
    "num_rel_ret", "num_ret", "order_probabilities", "order_runs", "parse_measure", "positions",
    "power_curve", "predict_first_level", "preferences", "provider_exposure",
    "rank_correlations", "rank_distributions", "read_log", "read_mlflow", "read_qrels",
    "read_runs", "read_scores", "request_win_rates", "required_requests", "rrLP", "rrLR",
    "run_metadata", "sample_labels", "sample_requests", "scan_runs", "scores", "sgnLP", "sgnLR",
    "sign_agreement", "simulate_collection", "smallest_significant_differences", "strec",
    "spark", "swap_curve", "swap_rates",
    "theory", "tie_profile", "tie_rates", "to_ir_measures", "to_pytrec_eval", "to_ranx",
    "truncate_runs", "tukey_hsd", "verdict", "views", "win_rate_matrix", "win_rates",
    "with_attributes", "with_log", "write_parquet", "write_trec",
    "Accuracy", "BPM", "CWLMetric", "Compat", "DCG", "F1", "G", "INSQ", "INST", "IPrec", "NERR8",
    "NERR9", "NERR10", "NERR11", "Rndcg", "Rprec_mult", "SDCG", "SetAP", "SetF", "SetP", "SetR",
    "aggregates", "binG", "eleven_point_avg", "gm_bpref", "gm_map", "ndcg_rel",
    "num_nonrel_judged_ret", "num_q", "relative_P", "utility", "yaap",
    "equivalence",
    "gate",
    "JudgeComparison", "compare_judges", "conclusion_pairs", "conclusions", "judge_agreement",
    "judge_confusion",
    "contrasting", "overlap", "unjudged",
    "HoleSensitivity",
]  # fmt: skip
