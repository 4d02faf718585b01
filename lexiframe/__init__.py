"""Compare rankings: preferences, metrics, orderings and significance over data frames.

The flow, and the names in its order:

- runs and judgments: `read_runs`, `scan_runs`, `read_qrels`, `bundled`
- positions: `positions`, `impute`, `coverage`
- metrics: `scores`, `AP`, `RR`, `nDCG`, `RBP`, `linear`, `R`, `P`, `Rprec`, `TSE`,
  `RecallLevelMetric`, `GradedMetric`
- preferences: `preferences`, `RPP`, `dcgRPP`, `invRPP`, `LR`, `LP`, `sgnLR`, `sgnLP`, `rrLR`,
  `rrLP`, `LevelPreference`, `LexicographicPreference`, `parse_measure`
- orderings: `win_rates`, `win_rate_matrix`, `request_win_rates`, `order_runs`,
  `majority_cycles`, `rank_correlations`, `tie_rates`, `sign_agreement`
- significance: `compare`, `discriminative_power`
- all of it: `evaluate`
"""

from lexiframe._version import __version__
from lexiframe.bundled import bundled
from lexiframe.errors import (
    LexiframeError,
    LexiframeWarning,
    ReadError,
    SchemaError,
    UnknownNameError,
)
from lexiframe.evaluation import Evaluation, evaluate
from lexiframe.io.read import read_qrels, read_runs, scan_runs
from lexiframe.measures.catalogue import AP, RBP, RR, TSE, P, R, Rprec, linear, nDCG
from lexiframe.measures.graded import GradedMetric
from lexiframe.measures.recall_level import RecallLevelMetric
from lexiframe.measures.scores import scores
from lexiframe.orderings.agreement import rank_correlations, sign_agreement, tie_rates
from lexiframe.orderings.order import order_runs
from lexiframe.orderings.positional import majority_cycles
from lexiframe.orderings.win_rates import request_win_rates, win_rate_matrix, win_rates
from lexiframe.positions.coverage import coverage
from lexiframe.positions.imputation import impute
from lexiframe.positions.projection import positions
from lexiframe.preferences.catalogue import (
    LP,
    LR,
    RPP,
    dcgRPP,
    invRPP,
    parse_measure,
    rrLP,
    rrLR,
    sgnLP,
    sgnLR,
)
from lexiframe.preferences.lexicographic import LexicographicPreference
from lexiframe.preferences.pairs import preferences
from lexiframe.preferences.recall_paired import LevelPreference
from lexiframe.significance.paired import compare
from lexiframe.significance.power import discriminative_power

__all__ = [
    "AP",
    "LP",
    "LR",
    "RBP",
    "RPP",
    "RR",
    "TSE",
    "Evaluation",
    "GradedMetric",
    "LevelPreference",
    "LexicographicPreference",
    "LexiframeError",
    "LexiframeWarning",
    "P",
    "R",
    "ReadError",
    "RecallLevelMetric",
    "Rprec",
    "SchemaError",
    "UnknownNameError",
    "__version__",
    "bundled",
    "compare",
    "coverage",
    "dcgRPP",
    "discriminative_power",
    "evaluate",
    "impute",
    "invRPP",
    "linear",
    "majority_cycles",
    "nDCG",
    "order_runs",
    "parse_measure",
    "positions",
    "preferences",
    "rank_correlations",
    "read_qrels",
    "read_runs",
    "request_win_rates",
    "rrLP",
    "rrLR",
    "scan_runs",
    "scores",
    "sgnLP",
    "sgnLR",
    "sign_agreement",
    "tie_rates",
    "win_rate_matrix",
    "win_rates",
]
