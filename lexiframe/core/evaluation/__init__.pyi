"""The whole flow in one call: `evaluate`, in memory, in buckets, on Spark, from scores."""

"Evaluating: in one call"
from .from_runs import evaluate as evaluate
from .from_runs import evaluate_asked as evaluate_asked
from .from_scores import evaluate_scores as evaluate_scores
from .chosen_scores import load_chosen as load_chosen
from .evaluation import Evaluation as Evaluation
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

"For features: modules whose names they use"
from . import declared_facts as declared_facts
from . import evaluated_data as evaluated_data
from . import evaluation as evaluation
from . import from_parts as from_parts
from . import from_runs as from_runs
from . import handed_over as handed_over
from . import of_scores as of_scores
from . import options as options
from . import read_back as read_back
from . import written_ranks as written_ranks
