"""How often the tests err on the data at hand."""
