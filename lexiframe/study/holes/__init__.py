"""How far unjudged documents could move the values and the order of runs."""
