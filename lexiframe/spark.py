"""Evaluation on a Spark cluster, where the runs and judgments lie: `spark.evaluate`.

It needs PySpark 4, which the extra ``spark`` installs, and Java 17 or later.
"""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
