"""Evaluation on a Spark cluster, where the runs and judgments lie."""
