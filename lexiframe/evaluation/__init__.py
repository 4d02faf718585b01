"""The whole flow in one call: `evaluate`, in memory, in buckets, on Spark, from scores."""
