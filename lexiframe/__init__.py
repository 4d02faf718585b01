"""Compare rankings: preferences, metrics, orderings and significance over data frames.

The flow, and the names in its order:

- runs and judgments: `read_runs`, `scan_runs`, `read_qrels`, `read_scores`, `check_run`,
  `check_qrels`, `run_metadata`, `bundled`
- positions: `positions`, `impute`
- metrics: `scores`, `AP`, `RR`, `nDCG`, `RBP`, `gRBP`, `RBP_residual`, `linear`, `R`, `P`,
  `Rprec`, `Success`, `ERR`, `bpref`, `infAP`, `Judged`, `num_ret`, `num_rel`, `num_rel_ret`;
  search lengths `ISL`, `TSL`, `ASL`, `SL1`, `SL3`, `RE`; made from another: `TSE`, `eta`, `WC`;
  of one's own: `RecallLevelMetric`, `GradedMetric`, `CascadeMetric`, `SearchLength`;
  `provider_exposure`; all of them: `measures`, `conventions`
- metrics by subtopic: `strec`, `MAP_IA`, `P_IA`, `ERR_IA`, `nERR_IA`, `alpha_DCG`, `alpha_nDCG`,
  `NRBP`, `nNRBP`
- preferences: `preferences`, `explain`, `interleaving`, `RPP`, `dcgRPP`, `invRPP`, `LR`, `LP`,
  `sgnLR`, `sgnLP`, `rrLR`, `rrLP`, `ST_RPP`, `ST_dcgRPP`, `ST_invRPP`, `LevelPreference`,
  `LexicographicPreference`, `MatrixPreference`, `parse_measure`
- orderings: `win_rates`, `win_rate_matrix`, `request_win_rates`, `order_runs`,
  `majority_cycles`, `rank_correlations`, `tie_rates`, `sign_agreement`; with other requests:
  `rank_distributions`, `order_probabilities`, `bootstrap_correlations`; `agreement_matrix`
- significance: `compare`, `tukey_hsd`, `discriminative_power`, `asl_curve`,
  `smallest_significant_differences`, `swap_rates`, `swap_curve`, `required_requests`,
  `power_curve`
- experiment logs: `with_log`, `read_log`, `read_mlflow`
- out again: `write_trec`, `write_parquet`, `to_ir_measures`, `to_ranx`, `to_pytrec_eval`
- what was answered, judged, tied: `coverage`
- all of it: `evaluate`, `Evaluation`; and what to read first: `verdict`
"""

import importlib as _importlib
import typing as _typing

from lexiframe._version import __version__
from lexiframe.bundled import bundled
from lexiframe.coverage import coverage
from lexiframe.errors import (
    LexiframeError,
    LexiframeWarning,
    ReadError,
    SchemaError,
    UnknownNameError,
)
from lexiframe.io.qrels import read_qrels
from lexiframe.io.runs import read_runs, run_metadata, scan_runs
from lexiframe.measures.cascade import CascadeMetric
from lexiframe.measures.catalogue import (
    AP,
    ASL,
    ERR,
    ISL,
    RBP,
    RE,
    RR,
    SL1,
    SL3,
    TSL,
    Judged,
    P,
    R,
    RBP_residual,
    Rprec,
    Success,
    bpref,
    gRBP,
    infAP,
    linear,
    nDCG,
    num_rel,
    num_rel_ret,
    num_ret,
)
from lexiframe.measures.derived import TSE, WC, eta
from lexiframe.measures.graded import GradedMetric
from lexiframe.measures.recall_level import RecallLevelMetric
from lexiframe.measures.scores import scores
from lexiframe.measures.search_length import SearchLength
from lexiframe.measures.subtopic_catalogue import (
    ERR_IA,
    MAP_IA,
    NRBP,
    P_IA,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
    strec,
)
from lexiframe.positions.projection import positions
from lexiframe.preferences.catalogue import (
    LP,
    LR,
    RPP,
    ST_RPP,
    ST_dcgRPP,
    ST_invRPP,
    dcgRPP,
    invRPP,
    parse_measure,
    rrLP,
    rrLR,
    sgnLP,
    sgnLR,
)
from lexiframe.preferences.custom import MatrixPreference
from lexiframe.preferences.lexicographic import LexicographicPreference
from lexiframe.preferences.listing import measures
from lexiframe.preferences.pairs import preferences
from lexiframe.preferences.recall_paired import LevelPreference

if _typing.TYPE_CHECKING:
    from lexiframe.evaluation import Evaluation, evaluate
    from lexiframe.io.checks import check_qrels, check_run
    from lexiframe.io.exchange import to_ir_measures, to_pytrec_eval, to_ranx
    from lexiframe.io.log_files import read_log
    from lexiframe.io.log_mlflow import read_mlflow
    from lexiframe.io.logs import with_log
    from lexiframe.io.parquet import write_parquet
    from lexiframe.io.scores import read_scores
    from lexiframe.io.write_trec import write_trec
    from lexiframe.measures.conventions import conventions
    from lexiframe.measures.providers import provider_exposure
    from lexiframe.orderings.agreement import sign_agreement, tie_rates
    from lexiframe.orderings.correlations import bootstrap_correlations, rank_correlations
    from lexiframe.orderings.matrix import agreement_matrix
    from lexiframe.orderings.order import order_runs
    from lexiframe.orderings.positional import majority_cycles
    from lexiframe.orderings.stability import order_probabilities, rank_distributions
    from lexiframe.orderings.win_rates import request_win_rates, win_rate_matrix, win_rates
    from lexiframe.positions.imputation import impute
    from lexiframe.preferences.explanation import explain
    from lexiframe.preferences.interleaving import interleaving
    from lexiframe.significance.paired import compare
    from lexiframe.significance.power import (
        asl_curve,
        discriminative_power,
        smallest_significant_differences,
    )
    from lexiframe.significance.sample_size import power_curve, required_requests
    from lexiframe.significance.swaps import swap_curve, swap_rates
    from lexiframe.significance.tukey import tukey_hsd
    from lexiframe.views.verdict import verdict

_LATER = {
    "evaluation": "Evaluation evaluate",
    "io.checks": "check_qrels check_run",
    "io.exchange": "to_ir_measures to_pytrec_eval to_ranx",
    "io.log_files": "read_log",
    "io.log_mlflow": "read_mlflow",
    "io.logs": "with_log",
    "io.parquet": "write_parquet",
    "io.scores": "read_scores",
    "io.write_trec": "write_trec",
    "measures.conventions": "conventions",
    "measures.providers": "provider_exposure",
    "positions.imputation": "impute",
    "preferences.explanation": "explain",
    "preferences.interleaving": "interleaving",
    "orderings.agreement": "sign_agreement tie_rates",
    "orderings.correlations": "bootstrap_correlations rank_correlations",
    "orderings.matrix": "agreement_matrix",
    "orderings.order": "order_runs",
    "orderings.positional": "majority_cycles",
    "orderings.stability": "order_probabilities rank_distributions",
    "orderings.win_rates": "request_win_rates win_rate_matrix win_rates",
    "significance.paired": "compare",
    "significance.power": "asl_curve discriminative_power smallest_significant_differences",
    "significance.sample_size": "power_curve required_requests",
    "significance.swaps": "swap_curve swap_rates",
    "significance.tukey": "tukey_hsd",
    "views.verdict": "verdict",
}
"""Where names are that a session may do without: each is loaded when it is first used (PEP 562)."""

if not _typing.TYPE_CHECKING:  # a checker would take it to give any name

    def __getattr__(name: str) -> _typing.Any:
        """Load the module that has a public name, when the name is used for the first time."""
        for module, names in _LATER.items():
            if name in names.split():
                found = getattr(_importlib.import_module(f"lexiframe.{module}"), name)
                return globals().setdefault(name, found)
        raise AttributeError(f"module 'lexiframe' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "AP",
    "ASL",
    "ERR",
    "ERR_IA",
    "ISL",
    "LP",
    "LR",
    "MAP_IA",
    "NRBP",
    "P",
    "P_IA",
    "R",
    "RBP",
    "RE",
    "RPP",
    "RR",
    "SL1",
    "SL3",
    "ST_RPP",
    "TSE",
    "TSL",
    "WC",
    "CascadeMetric",
    "Evaluation",
    "GradedMetric",
    "Judged",
    "LevelPreference",
    "LexicographicPreference",
    "LexiframeError",
    "LexiframeWarning",
    "MatrixPreference",
    "RBP_residual",
    "ReadError",
    "RecallLevelMetric",
    "Rprec",
    "ST_dcgRPP",
    "ST_invRPP",
    "SchemaError",
    "SearchLength",
    "Success",
    "UnknownNameError",
    "__version__",
    "agreement_matrix",
    "alpha_DCG",
    "alpha_nDCG",
    "asl_curve",
    "bootstrap_correlations",
    "bpref",
    "bundled",
    "check_qrels",
    "check_run",
    "compare",
    "conventions",
    "coverage",
    "dcgRPP",
    "discriminative_power",
    "eta",
    "evaluate",
    "explain",
    "gRBP",
    "impute",
    "infAP",
    "interleaving",
    "invRPP",
    "linear",
    "majority_cycles",
    "measures",
    "nDCG",
    "nERR_IA",
    "nNRBP",
    "num_rel",
    "num_rel_ret",
    "num_ret",
    "order_probabilities",
    "order_runs",
    "parse_measure",
    "positions",
    "power_curve",
    "preferences",
    "provider_exposure",
    "rank_correlations",
    "rank_distributions",
    "read_log",
    "read_mlflow",
    "read_qrels",
    "read_runs",
    "read_scores",
    "request_win_rates",
    "required_requests",
    "rrLP",
    "rrLR",
    "run_metadata",
    "scan_runs",
    "scores",
    "sgnLP",
    "sgnLR",
    "sign_agreement",
    "smallest_significant_differences",
    "strec",
    "swap_curve",
    "swap_rates",
    "tie_rates",
    "to_ir_measures",
    "to_pytrec_eval",
    "to_ranx",
    "verdict",
    "tukey_hsd",
    "win_rate_matrix",
    "win_rates",
    "with_log",
    "write_parquet",
    "write_trec",
]
