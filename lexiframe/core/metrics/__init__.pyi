"""Metrics: definitions as formulas, and the scores computed from them."""

"Kinds: of metrics, and what they compute with"
from .kinds.metric import Metric as Metric
from .kinds.graded import GradedMetric as GradedMetric
from .kinds.recall_level import RecallLevelMetric as RecallLevelMetric
from .kinds.function_metric import metric_of as metric_of
from .kinds import subtopic_metrics as subtopic_metrics
from .kinds import order_metrics as order_metrics
from .kinds import derived as derived
from .kinds import metric_parameters as metric_parameters
from .kinds import exposures as exposures
from .kinds import weights as weights
from .bounds import Bounds as Bounds

"The catalogue: all built-in metrics, their names elsewhere, and where they come from"
from . import catalogues as catalogues
from . import notation as notation

"Scores: values of runs and requests, and what they need"
from .scored import scores as scores
from .scored import values_of as values_of
from .tied.expectation import refuse_without_form as refuse_without_form
from .tied.levels import terms_by_level as terms_by_level
from .scored import as_list as as_list
from .scored import unique_by_name as unique_by_name
from .value_arrays import Values as Values
from .value_arrays import directions as directions
from .rankings import Rankings as Rankings
from . import needed as needed
from . import coverages as coverages
from .covered_runs import coverage as coverage

"For features: modules whose names they use, and what core rooms do without"
from .kinds.search_length import SearchLength as SearchLength
from .scored import as_metric as as_metric
from . import rankings as rankings
from . import row_by_row as row_by_row
from . import providers as providers
