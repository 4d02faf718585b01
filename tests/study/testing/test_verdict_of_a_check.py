"""What is said of a checked measure, from tables written by hand."""

import polars as pl

from lexiframe.testing import MetricCheck


def test_ties_are_those_of_the_whole_rankings():
    one = {"holds": [True], "counterexample": pl.Series([None], dtype=pl.String)}
    ties = pl.DataFrame({"measure": "RR", "depth": [10, 100], "tie_rate": [0.25, 0.125]})
    found = MetricCheck(
        pl.DataFrame({"property": ["top-heavy"], **one}),
        pl.DataFrame({"check": ["within the bounds"], **one}),
        ties,
        "RR",
    )
    assert found.verdict["sentence"].to_list()[-1].endswith("random rankings that tie: RR 12.5 %.")
