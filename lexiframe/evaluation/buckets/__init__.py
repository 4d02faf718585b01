"""Runs that are larger than memory: requests in buckets on disk, evaluated one bucket at a time."""
