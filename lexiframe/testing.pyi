"""For tests of your own: that a run is not worse, and that a measure is sound."""

"For users: in pytest"
from lexiframe.study.testing.not_worse import assert_not_worse as assert_not_worse
from lexiframe.study.testing.soundness import MetricCheck as MetricCheck
from lexiframe.study.testing.soundness import check_metric as check_metric
from lexiframe.study.testing.strategies import collections as collections
