"""Questions about a margin that are corrected apart from one another."""

import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.small_tables import preferences

MARGIN = 0.05


def holm(p):
    """Holm's correction of p-values by name, as a loop."""
    adjusted, most = {}, 0.0
    for n, name in enumerate(sorted(p, key=p.get)):
        most = max(most, min(1.0, p[name] * (len(p) - n)))
        adjusted[name] = most
    return adjusted


@pytest.mark.parametrize("mean, expected", [(-0.01, "b not worse"), (0.01, "a not worse")])
def test_of_two_runs_that_are_not_worse_the_one_ahead_is_named(mean, expected):
    """Both are not worse, and the pair is not equivalent, which is corrected more."""
    far = 0.3 if mean < 0 else -0.3  # this pair takes the first place for the harder question
    near = [mean + 0.0529 * sign for sign in (1, -1) * 4]
    tables = {"X": near, "Y": [far + 0.01 * sign for sign in (1, -1) * 4]}
    d = pl.concat([preferences({"ab": values}, name) for name, values in tables.items()])
    found = lf.equivalence(d, MARGIN, family="all").filter(measure="X").row(0, named=True)
    not_worse = {}
    for run, sign in (("a", 1), ("b", -1)):
        p = {
            name: stats.ttest_1samp([sign * x for x in values], -MARGIN, alternative="greater")[1]
            for name, values in tables.items()
        }
        not_worse[run] = holm(p)["X"]
        assert found[f"p_not_worse_{run}_adjusted"] == pytest.approx(not_worse[run])
    assert max(not_worse.values()) < 0.05 < found["p_equivalent_adjusted"]
    assert found["conclusion"] == expected
