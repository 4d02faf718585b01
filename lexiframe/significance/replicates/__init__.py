"""Runs that were trained or sampled several times: what varies, and comparing algorithms."""
