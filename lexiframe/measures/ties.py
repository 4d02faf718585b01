"""How small a difference is none."""

TIE = 1e-12
"""A weighted preference or a difference of metrics as small as this is rounding: a tie."""
