"""Readers of TREC text, CSV, TSV and JSON; the modules `*_rows` find the malformed lines."""
