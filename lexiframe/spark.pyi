"""Evaluation on a Spark cluster, where the runs and judgments lie: `spark.evaluate`.

It needs PySpark 4, which the extra ``spark`` installs, and Java 17 or later.
"""

"For users: on a cluster"
from lexiframe.connect.engines.spark.on_spark import evaluate as evaluate
