"""Compare rankings: preferences, metrics, orderings and significance over data frames.

What one needs first, in the order of the flow, then the measures, then what fewer need.
"""

"Start here: from runs and judgments to the answer, and to what it rests on"
from .core.evaluation.from_runs import evaluate as evaluate
from .core.significance.paired import compare as compare
from .core.pairwise.explanation import explain as explain
from .decide.gates.deciding import gate as gate
from .core.views.sentences.verdicts import verdict as verdict
from .decide.judges.compare_judges import compare_judges as compare_judges
from .core.io.runs import read_runs as read_runs
from .decide.leaderboards.leaderboard_of import leaderboard as leaderboard

"Reading and checking: runs, judgments and scores from files and frames"
from .core.io.qrel_files import read_qrels as read_qrels
from .core.io.per_request_scores import read_scores as read_scores
from .decide.votes.stated.reading import read_preferences as read_preferences
from .decide.nuggets.reading import read_nuggets as read_nuggets
from .decide.beyond.items import read_items as read_items
from .core.io.checks import check_run as check_run
from .core.io.checks import check_qrels as check_qrels
from .core.evaluation.read_back import read_results as read_results
from .core.io.bundled_data import bundled as bundled

"Step by step: positions, scores, preferences, evaluations from scores or with more runs"
from .core.metrics.covered_runs import coverage as coverage
from .core.metrics.descriptions import describe as describe
from .core.projection.positions_table import positions as positions
from .core.metrics.scored import scores as scores
from .decide.beyond.scored_lists import list_scores as list_scores
from .decide.beyond.reached import catalogue as catalogue
from .core.pairwise.pairs import preferences as preferences
from .core.pairwise.preference_entries import parse_measure as parse_measure
from .connect.engines.reuse.added_runs import add_runs as add_runs
from .core.evaluation.from_scores import evaluate_scores as evaluate_scores

"Orderings of runs: and how stable and alike they are"
from .core.orderings.order import order_runs as order_runs
from .core.orderings.wins import win_rates as win_rates
from .decide.votes.strengths.strengths_of import bradley_terry as bradley_terry
from .core.orderings.correlations import rank_correlations as rank_correlations
from .core.orderings.stability import rank_distributions as rank_distributions

"Significance: which pairs of runs differ, and how sure one can be"
from .core.significance.tukey import tukey_hsd as tukey_hsd
from .core.significance.power import discriminative_power as discriminative_power
from .core.significance.sample_size import required_requests as required_requests

"Decisions: whether a run may replace another, and how often tests err"
from .decide.gates.equivalence import equivalence as equivalence
from .study.audits.audit import audit as audit
from .decide.votes.concordances.stated_and_measured import concordance as concordance

"Judgments: several judges, unjudged documents, rankings without judgments"
from .decide.judges.judges import judge_agreement as judge_agreement
from .study.overlaps.unjudged import unjudged as unjudged
from .study.holes.sensitivity import hole_sensitivity as hole_sensitivity
from .study.overlaps.overlap import overlap as overlap

"Experiment logs: what describes runs and requests, joined with tables"
from .core.io.logs.joining import with_log as with_log
from .core.io.logs.joining import with_attributes as with_attributes
from .core.io.logs.files import read_log as read_log
from .connect.logs.mlflow import read_mlflow as read_mlflow

"Who is served worst: the worst share of the requests of each run"
from .decide.worst.served import worst_served as worst_served
from .decide.worst.leximin import leximin as leximin
from .decide.worst.risk import risk as risk

"Measures: lists of all of them, and of what libraries mean by a name"
from .core.pairwise.listing import measures as measures
from .core.pairwise.listing import conventions as conventions

"Preferences: two rankings compared directly"
from .core.pairwise.preference_entries import RPP as RPP
from .core.pairwise.preference_entries import LR as LR
from .core.pairwise.preference_entries import LP as LP
from .core.pairwise.compared_runs import lex as lex

"Everyday metrics: what most evaluations report"
from .core.metrics.catalogues.ranked import AP as AP
from .core.metrics.catalogues.ranked import RR as RR
from .core.metrics.catalogues.ranked import nDCG as nDCG
from .core.metrics.catalogues.ranked import RBP as RBP
from .core.metrics.catalogues.ranked import P as P
from .core.metrics.catalogues.ranked import R as R
from .core.metrics.catalogues.ranked import Rprec as Rprec
from .core.metrics.catalogues.ranked import Success as Success
from .core.metrics.catalogues.ranked import ERR as ERR
from .core.metrics.catalogues.ranked import bpref as bpref
from .core.metrics.catalogues.ranked import infAP as infAP
from .core.metrics.catalogues.ranked import Judged as Judged

"Rooms with names of their own: theory, pictures and tables to look at, what is needed less, Spark"
from . import theory as theory
from . import views as views
from . import significance as significance
from . import collection as collection
from . import io as io
from . import spark as spark
from . import testing as testing

"Errors and warnings: what is raised, and the version"
from .core.base.errors import LexiframeError as LexiframeError
from .core.base.errors import ReadError as ReadError
from .core.base.errors import SchemaError as SchemaError
from .core.base.errors import UnknownNameError as UnknownNameError
from .core.base.errors import LexiframeWarning as LexiframeWarning
from .core.base.version import __version__ as __version__

"Reached all the same: the groups below, which `dir` leaves out because fewer need them"

"More on reading and positions: runs one file at a time, metadata, ranks for what is missing"
from .core.io.runs import scan_runs as scan_runs
from .connect.metadata.metadata import run_metadata as run_metadata
from .core.projection.imputation import impute as impute

"Frames: the kind of all tables that functions return"
from .core.base.frames import frames as frames

"More on orderings: cycles, agreement with intervals and within groups, whom to ask next"
from .decide.votes.strengths.next_pairs import next_pairs as next_pairs
from .core.orderings.majorities import majority_cycles as majority_cycles
from .core.orderings.stability import order_probabilities as order_probabilities
from .core.orderings.resampled_correlations import (
    bootstrap_correlations as bootstrap_correlations,
)
from .core.orderings.by_group import group_correlations as group_correlations

"Many collections: means over them, each counted once"
from .connect.collections.over_collections import over_collections as over_collections

"More on significance: groups of runs, p-values as curves, halves of the requests, power"
from .core.significance.between_groups import compare_groups as compare_groups
from .core.significance.power import asl_curve as asl_curve
from .core.significance.power import (
    smallest_significant_differences as smallest_significant_differences,
)
from .core.significance.swaps import swap_rates as swap_rates
from .core.significance.swaps import swap_curve as swap_curve
from .core.significance.sample_size import power_curve as power_curve

"More on judgments: two sets of conclusions, grades pair by pair, the most different requests"
from .core.significance.concluded import conclusions as conclusions
from .core.significance.concluded import conclusion_pairs as conclusion_pairs
from .decide.judges.judges import judge_confusion as judge_confusion
from .decide.judges.own_family import own_family as own_family
from .study.overlaps.contrasting import contrasting as contrasting

"Pairs of runs: how often one is preferred, and where measures agree"
from .core.pairwise.interleaved import interleaving as interleaving
from .core.orderings.win_matrix import win_rate_matrix as win_rate_matrix
from .core.orderings.wins import request_win_rates as request_win_rates
from .core.orderings.agreement import tie_rates as tie_rates
from .core.orderings.agreement import sign_agreement as sign_agreement
from .core.orderings.matrix import agreement_matrix as agreement_matrix

"Less data, and simulated data: fewer labels, requests and ranks; ties by recall level"
from .study.less_data.degradation import degradation as degradation
from .study.less_data.sampling import sample_labels as sample_labels
from .study.less_data.sampling import sample_requests as sample_requests
from .study.less_data.sampling import truncate_runs as truncate_runs
from .study.less_data.sampling import leave_out_run as leave_out_run
from .study.simulated.collection import simulate_collection as simulate_collection
from .study.simulated.statistics import collection_distances as collection_distances
from .study.less_data.diagnostics import tie_profile as tie_profile
from .study.less_data.diagnostics import deciding_levels as deciding_levels
from .study.less_data.diagnostics import level_correlations as level_correlations
from .study.less_data.diagnostics import level_regression as level_regression
from .study.less_data.diagnostics import predict_first_level as predict_first_level

"Compositions: which measure of them decides"
from .study.less_data.compositions import deciding_components as deciding_components

"Learning to rank: what documents that change places matter to a measure"
from .study.swaps.gains import swap_gains as swap_gains

"Ties: any measure over random orders of equal scores"
from .study.tie_spread.spread import tie_spread as tie_spread

"Writing and handing over: files that other tools read, and their own objects"
from .core.io.to_trec import write_trec as write_trec
from .core.io.to_parquet import write_parquet as write_parquet
from .core.io.exchange import to_ir_measures as to_ir_measures
from .core.io.exchange import to_ranx as to_ranx
from .core.io.exchange import to_pytrec_eval as to_pytrec_eval

"Results: what functions return where it is more than a table"
from .core.evaluation.evaluation import Evaluation as Evaluation
from .decide.votes.stated.stated_preferences import StatedPreferences as StatedPreferences
from .decide.votes.strengths.fitted_strengths import Strengths as Strengths
from .decide.votes.concordances.found import Concordance as Concordance
from .decide.judges.compare_judges import JudgeComparison as JudgeComparison
from .study.holes.results import HoleSensitivity as HoleSensitivity
from .decide.leaderboards.leaderboard_of import Leaderboard as Leaderboard
from .decide.beyond.items import Items as Items
from .decide.beyond.reached import Catalogue as Catalogue

"What becomes of all requests, or of a provider: one number for a run"
from .core.orderings.aggregated import aggregates as aggregates
from .core.metrics.providers import provider_exposure as provider_exposure
from .core.metrics.instructions import p_mrr as p_mrr

"Kinds of measures: classes for your own"
from .core.metrics.kinds.recall_level import RecallLevelMetric as RecallLevelMetric
from .core.metrics.kinds.graded import GradedMetric as GradedMetric
from .core.metrics.kinds.cascade import CascadeMetric as CascadeMetric
from .connect.measures.user_model_metrics import CWLMetric as CWLMetric
from .core.metrics.kinds.search_length import SearchLength as SearchLength
from .core.metrics.kinds.function_metric import FunctionMetric as FunctionMetric
from .core.pairwise.recall_paired import LevelPreference as LevelPreference
from .core.pairwise.lexicographic import LexicographicPreference as LexicographicPreference
from .core.pairwise.custom import MatrixPreference as MatrixPreference

"Variants of preferences: other weights, signs and reciprocal ranks, subtopics"
from .core.pairwise.preference_entries import dcgRPP as dcgRPP
from .core.pairwise.preference_entries import invRPP as invRPP
from .core.pairwise.preference_entries import sgnLR as sgnLR
from .core.pairwise.preference_entries import sgnLP as sgnLP
from .core.pairwise.preference_entries import rrLR as rrLR
from .core.pairwise.preference_entries import rrLP as rrLP
from .core.pairwise.preference_entries import ST_RPP as ST_RPP
from .core.pairwise.preference_entries import ST_dcgRPP as ST_dcgRPP
from .core.pairwise.preference_entries import ST_invRPP as ST_invRPP

"Variants of metrics: other gains, exposures and weights, and metrics made from another metric"
from .core.metrics.catalogues.ranked import DCG as DCG
from .core.metrics.catalogues.ranked import Hole as Hole
from .core.metrics.catalogues.ranked import gRBP as gRBP
from .core.metrics.catalogues.ranked import RBP_residual as RBP_residual
from .core.metrics.catalogues.ranked import linear as linear
from .core.metrics.kinds.derived import TSE as TSE
from .core.metrics.kinds.derived import WC as WC
from .core.metrics.kinds.derived import eta as eta
from .connect.measures.user_models import Accuracy as Accuracy

"trec_eval's further metrics: variants of nDCG, geometric means, the recall curve"
from .connect.measures.sets import ndcg_rel as ndcg_rel
from .connect.measures.sets import Rndcg as Rndcg
from .connect.measures.sets import G as G
from .connect.measures.sets import binG as binG
from .connect.measures.sets import Q as Q
from .connect.measures.sets import WSS as WSS
from .core.metrics.catalogues.ranked import gm_map as gm_map
from .core.metrics.catalogues.ranked import gm_bpref as gm_bpref
from .core.metrics.catalogues.ranked import yaap as yaap
from .connect.measures.sets import IPrec as IPrec
from .connect.measures.sets import eleven_point_avg as eleven_point_avg
from .connect.measures.sets import Rprec_mult as Rprec_mult

"Metrics of sets: what was retrieved, whatever its order"
from .connect.measures.sets import SetP as SetP
from .connect.measures.sets import SetR as SetR
from .connect.measures.sets import SetF as SetF
from .connect.measures.sets import SetAP as SetAP
from .connect.measures.sets import utility as utility
from .connect.measures.sets import F1 as F1
from .connect.measures.sets import relative_P as relative_P

"Counts and search lengths: how many items, and how far down"
from .core.metrics.catalogues.ranked import num_ret as num_ret
from .core.metrics.catalogues.ranked import num_rel as num_rel
from .core.metrics.catalogues.ranked import num_rel_ret as num_rel_ret
from .core.metrics.catalogues.ranked import num_nonrel_judged_ret as num_nonrel_judged_ret
from .core.metrics.catalogues.ranked import num_q as num_q
from .core.metrics.catalogues.ranked import ISL as ISL
from .core.metrics.catalogues.ranked import TSL as TSL
from .core.metrics.catalogues.ranked import ASL as ASL
from .core.metrics.catalogues.ranked import SL1 as SL1
from .core.metrics.catalogues.ranked import SL3 as SL3
from .core.metrics.catalogues.ranked import RE as RE
from .core.metrics.catalogues.ranked import PRES as PRES

"Metrics of user models: users who stop with probabilities of their own"
from .connect.measures.user_models import SDCG as SDCG
from .connect.measures.user_models import BPM as BPM
from .connect.measures.user_models import INST as INST
from .connect.measures.user_models import INSQ as INSQ
from .connect.measures.user_models import NERR8 as NERR8
from .connect.measures.user_models import NERR9 as NERR9
from .connect.measures.user_models import NERR10 as NERR10
from .connect.measures.user_models import NERR11 as NERR11
from .connect.measures.user_models import Compat as Compat

"Metrics by subtopic: documents that serve several intents"
from .core.metrics.catalogues.subtopics import strec as strec
from .core.metrics.catalogues.subtopics import MAP_IA as MAP_IA
from .core.metrics.catalogues.subtopics import P_IA as P_IA
from .core.metrics.catalogues.subtopics import ERR_IA as ERR_IA
from .core.metrics.catalogues.subtopics import nERR_IA as nERR_IA
from .core.metrics.catalogues.subtopics import alpha_DCG as alpha_DCG
from .core.metrics.catalogues.subtopics import alpha_nDCG as alpha_nDCG
from .core.metrics.catalogues.subtopics import NRBP as NRBP
from .core.metrics.catalogues.subtopics import nNRBP as nNRBP
from .decide.worst.intents import WorstIntents as WorstIntents

"Measures beyond relevance: of single lists, and of all lists of a run"
from .decide.beyond.measures import Novelty as Novelty
from .decide.beyond.measures import ILD as ILD
from .decide.beyond.measures import CategoryEntropy as CategoryEntropy
from .decide.beyond.measures import Miscalibration as Miscalibration
from .decide.beyond.measures import Serendipity as Serendipity
from .decide.beyond.measures import ARP as ARP
from .decide.beyond.measures import PopularityLift as PopularityLift
from .decide.beyond.measures import APLT as APLT
from .decide.beyond.measures import Coverage as Coverage
from .decide.beyond.measures import Gini as Gini
from .decide.beyond.measures import Entropy as Entropy
from .decide.beyond.measures import Exposure as Exposure

"Measures of answers: which facts they state, and how well they cite"
from .decide.nuggets.measures import NuggetRecall as NuggetRecall
from .decide.nuggets.measures import CitationSupport as CitationSupport
from .decide.nuggets.measures import CitationRelevance as CitationRelevance
from .decide.nuggets.measures import SentenceSupport as SentenceSupport
from .decide.nuggets.measures import SupportPrecision as SupportPrecision
from .decide.nuggets.measures import SupportRecall as SupportRecall
from .decide.nuggets.measures import ReportF1 as ReportF1
from .decide.nuggets.measures import NuggetPreference as NuggetPreference

"Answers: judgments of which nuggets they state, as scores and as positions"
from .decide.nuggets.judged_answers import Nuggets as Nuggets
from .decide.nuggets.scored_answers import nugget_scores as nugget_scores
from .decide.nuggets.sentence_positions import nugget_positions as nugget_positions
