"""From runs and judgments to the positions of relevant items."""
