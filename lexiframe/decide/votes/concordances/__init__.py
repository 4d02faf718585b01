"""Which measure prefers the same runs as people do, and how sure that is."""
