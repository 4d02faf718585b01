"""Consequences of rankings and judgments: runs to ship, results to trust, documents to judge."""
