"""Which groups of requests lie among the worst."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import fisher_exact

import lexiframe as lf
from tests.decide.worst.test_worst_share import table

IDS = [f"q{n}" for n in range(1, 41)]
LOG = pl.DataFrame({"qid": IDS, "kind": ["long"] * 8 + ["short"] * 32, "theme": [*"ab"] * 20})


def test_a_group_that_is_served_worst_is_found_by_fishers_test():
    s = table({"a": np.arange(40) / 40, "b": np.arange(40)[::-1] / 40})
    w = lf.worst_served(s, 0.2, requests=LOG)
    found = w.groups()
    assert found["attribute"].unique().sort().to_list() == ["kind", "theme"]
    row = found.row(by_predicate=(pl.col("run") == "a") & (pl.col("group") == "long"), named=True)
    assert (row["n"], row["n_worst"], row["share_worst"], row["share_all"]) == (8, 8, 1, 0.2)
    assert row["p_value"] == pytest.approx(min(1, 2 * fisher_exact([[8, 0], [0, 32]])[1]))
    assert row["reject"]
    assert not found.filter(attribute="theme")["reject"].any()
    p = np.sort(found["p_value"].to_numpy())
    assert found["p_adjusted"].min() == pytest.approx(p[0] * len(p))
    assert w.groups("theme").height == 4


def test_tied_requests_count_in_part_and_groups_stay_apart():
    s = table({"a": [0.0] * 16 + [1.0] * 24})
    row = lf.worst_served(s, 0.2, requests=LOG).groups("kind").row(0, named=True)
    assert (row["group"], row["n_worst"], row["share_worst"]) == ("long", 4.0, 0.5)
    within = lf.worst_served(s, 0.2, requests=LOG, by="theme").groups()
    assert within.columns[:2] == ["theme", "measure"]
    assert within["attribute"].unique().to_list() == ["kind"]


def test_groups_need_attributes_of_requests():
    s = table({"a": [0.0, 1.0, 0.5]})
    with pytest.raises(lf.LexiframeError, match="expected attributes of single requests, found no"):
        lf.worst_served(s, 1).groups()
    with pytest.raises(lf.LexiframeError, match="expected attributes of single requests, found no"):
        lf.worst_served(s, 1, requests=LOG.drop("theme"), by="kind").groups()
    with pytest.raises(lf.LexiframeError, match="'size'"):
        lf.worst_served(s, 1, requests=LOG).groups("size")
