"""The built-in metrics, each an entry with its formula, its range and its source."""
