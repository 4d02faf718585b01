"""Compare rankings: preferences, metrics, orderings and significance over data frames.

What one needs first, in the order of the flow, then the measures, then what fewer need.
"""

"Start here: from runs and judgments to the answer, and to what it rests on"
from .evaluation.from_runs import evaluate as evaluate
from .significance.paired import compare as compare
from .pairwise.explanation import explain as explain
from .significance.gates.deciding import gate as gate
from .views.sentences.verdicts import verdict as verdict
from .collection.judges.compare_judges import compare_judges as compare_judges
from .io.runs import read_runs as read_runs
from .evaluation.leaderboards import leaderboard as leaderboard

"Reading and checking: runs, judgments and scores from files and frames"
from .io.qrel_files import read_qrels as read_qrels
from .io.per_request_scores import read_scores as read_scores
from .io.stated.reading import read_preferences as read_preferences
from .io.checks import check_run as check_run, check_qrels as check_qrels
from .evaluation.read_back import read_results as read_results
from .io.bundled_data import bundled as bundled

"Step by step: positions, scores, preferences, and evaluations from scores or with more runs"
from .metrics.coverages import coverage as coverage
from .projection.positions_table import positions as positions
from .metrics.scored import scores as scores
from .pairwise.pairs import preferences as preferences
from .pairwise.preference_entries import parse_measure as parse_measure
from .evaluation.reuse.added_runs import add_runs as add_runs
from .evaluation.from_scores import evaluate_scores as evaluate_scores

"Orderings of runs: and how stable and alike they are"
from .orderings.order import order_runs as order_runs
from .orderings.strengths.strengths_of import bradley_terry as bradley_terry
from .orderings.correlations import rank_correlations as rank_correlations
from .orderings.stability import rank_distributions as rank_distributions

"Significance: which pairs of runs differ, and how sure one can be"
from .significance.tukey import tukey_hsd as tukey_hsd
from .significance.power import discriminative_power as discriminative_power
from .significance.sample_size import required_requests as required_requests

"Decisions: whether a run may replace another, and how often tests err"
from .significance.equivalences.equivalence import equivalence as equivalence
from .significance.audits.audit import audit as audit
from .significance.concordances.stated_and_measured import concordance as concordance

"Judgments: several judges, unjudged documents, rankings without judgments"
from .collection.judges.judges import judge_agreement as judge_agreement
from .collection.overlaps.unjudged import unjudged as unjudged
from .collection.holes.sensitivity import hole_sensitivity as hole_sensitivity
from .collection.overlaps.overlap import overlap as overlap

"Measures: lists of all of them, and of what libraries mean by a name"
from .pairwise.listing import measures as measures, conventions as conventions

"Preferences: two rankings compared directly"
from .pairwise.preference_entries import RPP as RPP, LR as LR, LP as LP

"Everyday metrics: what most evaluations report"
from .metrics.catalogues.ranked import (
    AP as AP,
    RR as RR,
    nDCG as nDCG,
    RBP as RBP,
    P as P,
    R as R,
    Rprec as Rprec,
    Success as Success,
    ERR as ERR,
    bpref as bpref,
    infAP as infAP,
    Judged as Judged,
)

"Rooms with names of their own: theory, pictures and tables to look at, what is needed less, Spark"
from . import theory as theory, views as views, significance as significance
from . import collection as collection, io as io
from .evaluation import spark as spark, testing as testing

"Errors and warnings: what is raised, and the version"
from .base.errors import (
    LexiframeError as LexiframeError,
    ReadError as ReadError,
    SchemaError as SchemaError,
    UnknownNameError as UnknownNameError,
    LexiframeWarning as LexiframeWarning,
)
from .base.version import __version__ as __version__

"Reached all the same: the groups below, which `dir` leaves out because fewer need them"

"More on reading and positions: runs one file at a time, metadata, ranks for what is missing"
from .io.runs import scan_runs as scan_runs
from .io.metadata import run_metadata as run_metadata
from .projection.imputation import impute as impute

"More on orderings: cycles, agreement with intervals and within groups, whom to ask next"
from .orderings.strengths.next_pairs import next_pairs as next_pairs
from .orderings.majorities import majority_cycles as majority_cycles
from .orderings.stability import order_probabilities as order_probabilities
from .orderings.correlations import bootstrap_correlations as bootstrap_correlations
from .orderings.by_group import group_correlations as group_correlations

"More on significance: groups of runs, p-values as curves, halves of the requests, power"
from .significance.between_groups import compare_groups as compare_groups
from .significance.power import (
    asl_curve as asl_curve,
    smallest_significant_differences as smallest_significant_differences,
)
from .significance.swaps import swap_rates as swap_rates, swap_curve as swap_curve
from .significance.sample_size import power_curve as power_curve

"More on judgments: two sets of conclusions, grades pair by pair, the most different requests"
from .significance.concluded import conclusions as conclusions, conclusion_pairs as conclusion_pairs
from .collection.judges.judges import judge_confusion as judge_confusion
from .collection.judges.own_family import own_family as own_family
from .collection.overlaps.contrasting import contrasting as contrasting

"Pairs of runs: how often one is preferred, and where measures agree"
from .pairwise.interleaved import interleaving as interleaving
from .orderings.wins import (
    win_rates as win_rates,
    win_rate_matrix as win_rate_matrix,
    request_win_rates as request_win_rates,
)
from .orderings.agreement import tie_rates as tie_rates, sign_agreement as sign_agreement
from .orderings.matrix import agreement_matrix as agreement_matrix

"Less data, and simulated data: fewer labels, requests and ranks; ties by recall level"
from .collection.less_data.degradation import degradation as degradation
from .collection.less_data.sampling import (
    sample_labels as sample_labels,
    sample_requests as sample_requests,
    truncate_runs as truncate_runs,
    leave_out_run as leave_out_run,
)
from .collection.simulated.collection import simulate_collection as simulate_collection
from .collection.simulated.statistics import collection_distances as collection_distances
from .collection.less_data.diagnostics import (
    tie_profile as tie_profile,
    deciding_levels as deciding_levels,
    level_correlations as level_correlations,
    level_regression as level_regression,
    predict_first_level as predict_first_level,
)

"Writing and handing over: files that other tools read, and their own objects"
from .io.to_trec import write_trec as write_trec
from .io.to_parquet import write_parquet as write_parquet
from .io.exchange import (
    to_ir_measures as to_ir_measures,
    to_ranx as to_ranx,
    to_pytrec_eval as to_pytrec_eval,
)

"Experiment logs: what describes runs and requests, joined with tables"
from .io.logs.joining import with_log as with_log, with_attributes as with_attributes
from .io.logs.files import read_log as read_log
from .io.logs.mlflow import read_mlflow as read_mlflow

"Results: what functions return where it is more than a table"
from .evaluation.evaluation import Evaluation as Evaluation
from .io.stated.stated_preferences import StatedPreferences as StatedPreferences
from .orderings.strengths.fitted_strengths import Strengths as Strengths
from .significance.concordances.found import Concordance as Concordance
from .collection.judges.compare_judges import JudgeComparison as JudgeComparison
from .collection.holes.results import HoleSensitivity as HoleSensitivity
from .evaluation.leaderboards import Leaderboard as Leaderboard

"What becomes of all requests, or of a provider: one number for a run"
from .orderings.aggregated import aggregates as aggregates
from .metrics.providers import provider_exposure as provider_exposure
from .metrics.instructions import p_mrr as p_mrr

"Kinds of measures: classes for your own"
from .metrics.kinds.recall_level import RecallLevelMetric as RecallLevelMetric
from .metrics.kinds.graded import GradedMetric as GradedMetric
from .metrics.kinds.cascade import CascadeMetric as CascadeMetric
from .metrics.kinds.user_models import CWLMetric as CWLMetric
from .metrics.kinds.search_length import SearchLength as SearchLength
from .metrics.kinds.function_metric import FunctionMetric as FunctionMetric
from .pairwise.recall_paired import LevelPreference as LevelPreference
from .pairwise.lexicographic import LexicographicPreference as LexicographicPreference
from .pairwise.custom import MatrixPreference as MatrixPreference

"Variants of preferences: other weights, signs and reciprocal ranks, subtopics"
from .pairwise.preference_entries import (
    dcgRPP as dcgRPP,
    invRPP as invRPP,
    sgnLR as sgnLR,
    sgnLP as sgnLP,
    rrLR as rrLR,
    rrLP as rrLP,
    ST_RPP as ST_RPP,
    ST_dcgRPP as ST_dcgRPP,
    ST_invRPP as ST_invRPP,
)

"Variants of metrics: other gains, exposures and weights, and metrics made from another metric"
from .metrics.catalogues.ranked import (
    DCG as DCG,
    Hole as Hole,
    gRBP as gRBP,
    RBP_residual as RBP_residual,
    linear as linear,
)
from .metrics.kinds.derived import TSE as TSE, WC as WC, eta as eta
from .metrics.catalogues.user_models import Accuracy as Accuracy

"trec_eval's further metrics: variants of nDCG, geometric means, the recall curve"
from .metrics.catalogues.sets import ndcg_rel as ndcg_rel, Rndcg as Rndcg, G as G, binG as binG
from .metrics.catalogues.sets import Q as Q, WSS as WSS
from .metrics.catalogues.ranked import gm_map as gm_map, gm_bpref as gm_bpref, yaap as yaap
from .metrics.catalogues.sets import (
    IPrec as IPrec,
    eleven_point_avg as eleven_point_avg,
    Rprec_mult as Rprec_mult,
)

"Metrics of sets: what was retrieved, whatever its order"
from .metrics.catalogues.sets import (
    SetP as SetP,
    SetR as SetR,
    SetF as SetF,
    SetAP as SetAP,
    utility as utility,
    F1 as F1,
    relative_P as relative_P,
)

"Counts and search lengths: how many items, and how far down"
from .metrics.catalogues.ranked import (
    num_ret as num_ret,
    num_rel as num_rel,
    num_rel_ret as num_rel_ret,
    num_nonrel_judged_ret as num_nonrel_judged_ret,
    num_q as num_q,
    ISL as ISL,
    TSL as TSL,
    ASL as ASL,
    SL1 as SL1,
    SL3 as SL3,
    RE as RE,
)

"Metrics of user models: users who stop with probabilities of their own"
from .metrics.catalogues.user_models import (
    SDCG as SDCG,
    BPM as BPM,
    INST as INST,
    INSQ as INSQ,
    NERR8 as NERR8,
    NERR9 as NERR9,
    NERR10 as NERR10,
    NERR11 as NERR11,
    Compat as Compat,
)

"Metrics by subtopic: documents that serve several intents"
from .metrics.catalogues.subtopics import (
    strec as strec,
    MAP_IA as MAP_IA,
    P_IA as P_IA,
    ERR_IA as ERR_IA,
    nERR_IA as nERR_IA,
    alpha_DCG as alpha_DCG,
    alpha_nDCG as alpha_nDCG,
    NRBP as NRBP,
    nNRBP as nNRBP,
)

"Measures beyond relevance: of single lists, and of all lists of a run"
from .collection.beyond.measures import (
    Novelty as Novelty,
    ILD as ILD,
    CategoryEntropy as CategoryEntropy,
    Miscalibration as Miscalibration,
    Serendipity as Serendipity,
    ARP as ARP,
    PopularityLift as PopularityLift,
    APLT as APLT,
    Coverage as Coverage,
    Gini as Gini,
    Entropy as Entropy,
    Exposure as Exposure,
)

"Measures of answers: which facts they state, and how well they cite"
from .collection.nuggets.measures import (
    NuggetRecall as NuggetRecall,
    CitationSupport as CitationSupport,
    CitationRelevance as CitationRelevance,
    SentenceSupport as SentenceSupport,
    SupportPrecision as SupportPrecision,
    SupportRecall as SupportRecall,
    ReportF1 as ReportF1,
    NuggetPreference as NuggetPreference,
)

"Answers: judgments of which nuggets they state, as scores and as positions"
from .collection.nuggets.reading import read_nuggets as read_nuggets
from .collection.nuggets.judged_answers import Nuggets as Nuggets
from .collection.nuggets.scored_answers import nugget_scores as nugget_scores
from .collection.nuggets.sentence_positions import nugget_positions as nugget_positions

"Beyond relevance: what lists are like, and what they reach of a catalogue"
from .collection.beyond.items import read_items as read_items, Items as Items
from .collection.beyond.scored_lists import list_scores as list_scores
from .collection.beyond.reached import catalogue as catalogue, Catalogue as Catalogue
