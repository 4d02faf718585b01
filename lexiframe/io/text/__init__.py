"""Tables in text: lines of TREC, CSV and TSV, JSON."""
