"""Tables written by hand: a list of values, one a request, for each run or pair of runs."""

import polars as pl

from lexiframe.core.base.schemas import PREFERENCES, SCORES
from lexiframe.core.orderings.rules import RULES as _RULES


def preferences(pairs, measure="mine"):
    """A preferences table from {"ab": [Δ_1(a, b), Δ_2(a, b) ...]}; None leaves a request out."""
    rows = [
        (f"q{q}", a, b, measure, value)
        for (a, b), values in pairs.items()
        for q, value in enumerate(values, start=1)
        if value is not None
    ]
    columns = [c for c in PREFERENCES.columns.items() if c[0] not in PREFERENCES.optional]
    return pl.DataFrame(rows, schema=columns, orient="row").sort(PREFERENCES.key)


def scores(runs, measure="mine"):
    """A scores table from {"a": [μ_1(a), μ_2(a) ...]}; None leaves a request out."""
    rows = [
        (run, f"q{q}", measure, value)
        for run, values in runs.items()
        for q, value in enumerate(values, start=1)
        if value is not None
    ]
    return pl.DataFrame(rows, schema=SCORES.required, orient="row").sort(SCORES.key)


RULES = {name: rule for name, rule in _RULES.items() if name not in ("bradley_terry", "leximin")}
"""The rules of ordering that any preferences have an order by.

A run that always wins has no strength of greatest likelihood, and preferences give no run a value
for `leximin`: both have tests of their own.
"""
