"""Summaries for people: text tables, the HTML report and the verdict."""
