"""Whether the tests keep their promise on the data at hand."""
