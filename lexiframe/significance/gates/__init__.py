"""Whether a run may replace another: the evidence, the tests and the conclusion."""
