"""For tests of your own: that a run is not worse, and that a measure is sound."""

"For users: in pytest"
from .not_worse import assert_not_worse as assert_not_worse
from .soundness import check_metric as check_metric
from .soundness import MetricCheck as MetricCheck
from .strategies import collections as collections
