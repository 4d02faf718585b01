"""The kinds of metrics, and what they compute with."""
