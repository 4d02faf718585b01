"""Readers of text: lines of TREC, CSV and TSV, and JSON; each a fast one and one by rows."""
