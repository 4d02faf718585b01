"""From preferences and scores to orderings of the runs, and how far these agree."""
