"""Long tables as dense arrays, and in groups of requests: what the stages below share."""
