"""Requests in parts, on disk, for data that are larger than memory."""
