"""Which runs differ, and how sure one can be."""
