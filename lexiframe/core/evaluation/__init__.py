"""The whole flow in one call: `evaluate`, in memory, in buckets, on Spark, from scores."""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
