"""The kinds of metrics, and what they compute with."""

"For features: modules whose names they use"
from . import counts as counts
from . import exposures as exposures
from . import graded as graded
from . import metric as metric
from . import metric_parameters as metric_parameters
from . import ranking_metric as ranking_metric
from . import recall_level as recall_level
from . import weights as weights
