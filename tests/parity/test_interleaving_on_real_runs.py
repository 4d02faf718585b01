"""Offline interleaving of real runs is that of the plain simulation."""

import math
from itertools import combinations

import polars as pl
import pytest

import lexiframe as lf
from tests import oracle
from tests.frames import assert_same_preferences, judgments, measured, rankings

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"),
]

RUNS, REQUESTS = 5, 8


@pytest.mark.parametrize("dataset", ["cranfield", "clef_ehealth_2014", "trec_covid_round1"])
@pytest.mark.parametrize("user, formula", [("uniform", oracle.OI), ("dcg", oracle.dcgOI)])
def test_it_is_the_oracles(shared, dataset, user, formula):
    folder = shared / "data" / dataset
    files = sorted((folder / "runs").iterdir())[:RUNS]
    d = lf.interleaving(files, folder / "qrels.trec", user)
    some = d["query_id"].unique().sort().head(REQUESTS).to_list()
    of_some = pl.col("query_id").is_in(some)
    answers = rankings(pl.DataFrame(lf.read_runs(files)).filter(of_some))
    graded = judgments(pl.DataFrame(lf.read_qrels(folder / "qrels.trec")))
    expected = {}
    for query_id in some:
        orders = {run: oracle.order(answers[run].get(query_id, [])) for run in sorted(answers)}
        relevant = oracle.relevant_items(graded[query_id])
        for a, b in combinations(orders, 2):
            expected[query_id, a, b] = float(formula(orders[a], orders[b], relevant))
    assert len(expected) == REQUESTS * math.comb(len(files), 2)
    assert len({*expected.values()}) > len(expected) / 2
    assert_same_preferences(measured(d.filter(of_some), d["measure"][0]), expected)
