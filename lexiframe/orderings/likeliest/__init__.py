"""The strengths of runs that make wins likeliest: whether there are any, and which they are."""
