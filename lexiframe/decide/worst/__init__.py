"""Who is served worst: the worst share of the requests, leximin, risk, and the worst intents."""
