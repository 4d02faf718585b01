"""The whole flow in one call: `evaluate`, in memory, in buckets, on Spark, from scores."""

"Evaluating: in one call"
from .from_runs import evaluate as evaluate
from .from_runs import evaluate_asked as evaluate_asked
from .from_scores import evaluate_scores as evaluate_scores
from .chosen_scores import load_chosen as load_chosen
from .evaluation import Evaluation as Evaluation
from .leaderboards import leaderboard as leaderboard
from .leaderboards import Leaderboard as Leaderboard
from .read_back import read_results as read_results
from .evaluation import result_files as result_files
from .evaluation import table_files as table_files

"What is asked: measures, inference, memory"
from .options import Asked as Asked
from .options import Inference as Inference
from .options import MEASURES as MEASURES
from .buckets.plan import KEPT as KEPT
from .buckets.sizes import BASE as BASE
from .buckets.sizes import parse_memory as parse_memory

"Added by features: what `evaluate` and reports ask for, and tables by whose name a folder is read"
from .in_parts import evaluate_in_parts as evaluate_in_parts
from .from_replicates import evaluate_replicates as evaluate_replicates
from . import of_collections as of_collections
from .of_collections import read_collections as read_collections
from ..collection.beyond.items import read_items as read_items
from .with_items import evaluate_with_items as evaluate_with_items
from .with_items import add_catalogue as add_catalogue
from .with_items import measured_beside as measured_beside
from .page import page_of as page_of
from .reuse.completed import projected_again as projected_again
from .leaderboards import leaderboard_in as ranking
