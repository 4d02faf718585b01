"""How measures, tests and judgments behave: in theory, in simulations, with less data."""
